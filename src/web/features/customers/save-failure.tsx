import { Alert, Text } from '@mantine/core';

/** P1 §8: what the server has against saving, in red under the form; nothing typed is lost. */
export function SaveFailure(props: {
  message: string;
  details: readonly { path: string; message: string }[] | undefined;
}) {
  return (
    <Alert color="red" variant="light" role="alert">
      <Text size="sm" c="var(--bad)">
        {props.message}
      </Text>
      {props.details?.map((entry) => (
        <Text key={entry.path + entry.message} size="sm" c="var(--bad)">
          {entry.message}
        </Text>
      ))}
    </Alert>
  );
}
