import { Alert, type MantineSize, Text } from '@mantine/core';

type Failed = Pick<Error, 'message'> | null | undefined;

/** Why a form or a card could not do what was asked. Nothing failed: nothing is shown. */
export function FailureAlert({ error }: { error: Failed }) {
  return (
    error && (
      <Alert color="red" variant="light" role="alert">
        {error.message}
      </Alert>
    )
  );
}

/** The same in a line beside what was pressed. */
export function FailureText({ error, size = 'sm' }: { error: Failed; size?: MantineSize }) {
  return (
    error && (
      <Text size={size} c="var(--bad)" role="alert">
        {error.message}
      </Text>
    )
  );
}
