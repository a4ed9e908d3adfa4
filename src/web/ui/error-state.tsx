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

/** What a form chooses from and could not be read: an empty choice would look as if there were nothing. */
export function UnreadChoices({ of }: { of: readonly Reading[] }) {
  const unread = of.filter(({ error, data }) => error !== null && data === undefined);
  const [first] = unread;
  if (!first?.error) return null;
  return <ErrorState error={first.error} onRetry={() => unread.map(({ refetch }) => refetch())} />;
}

interface Reading {
  error: Error | null;
  data: unknown;
  refetch: () => unknown;
}
