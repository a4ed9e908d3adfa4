import { Anchor, Text } from '@mantine/core';

interface Reading {
  error: Error | null;
  refetch: () => unknown;
}

/** Says that the balance is missing because it could not be read. An order can be sent all the same: the server decides. */
export function UnreadBalance({ of: { error, refetch } }: { of: Reading }) {
  if (!error) return null;
  return (
    <div>
      <Text size="sm" c="var(--bad)" role="alert">
        Your balance could not be read. {error.message}{' '}
        <Anchor component="button" type="button" size="sm" onClick={() => void refetch()}>
          Try again
        </Anchor>
      </Text>
      <Text size="xs" c="dimmed">
        Your order is placed only if your balance covers it.
      </Text>
    </div>
  );
}
