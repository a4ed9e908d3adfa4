import { Alert, Button, Stack, Text } from '@mantine/core';

const title = 'Something went wrong';

/** A read that failed: what happened, once more, and the number to tell support. */
export function ErrorState(props: { error: Error; onRetry: () => unknown }) {
  const requestId = 'requestId' in props.error ? props.error.requestId : null;
  return (
    <Alert color="red" variant="light" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {/* Where nothing more is known the message is the title. */}
        {props.error.message !== title && <Text size="sm">{props.error.message}</Text>}
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
