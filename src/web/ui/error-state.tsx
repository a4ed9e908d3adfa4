import { Alert, Button, Stack, Text } from '@mantine/core';

/** A read that failed: what happened, once more, and the number to tell support. */
export function ErrorState(props: { error: Error; onRetry: () => unknown }) {
  const requestId = 'requestId' in props.error ? props.error.requestId : null;
  return (
    <Alert color="red" variant="light" title="Something went wrong" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{props.error.message}</Text>
        {typeof requestId === 'string' && (
          <Text size="xs" c="dimmed">
            Request {requestId}
          </Text>
        )}
        <Button size="xs" variant="default" onClick={() => void props.onRetry()}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
