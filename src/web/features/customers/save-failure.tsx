import { Alert, Text } from '@mantine/core';

/** P1 §8: what the server has against saving, in red under the form; nothing typed is lost. `more`: what is about no field. */
export function SaveFailure(props: { message: string; more: readonly string[] }) {
  return (
    <Alert color="red" variant="light" role="alert">
      <Text size="sm" c="var(--bad)">
        {props.message}
      </Text>
      {props.more.map((text) => (
        <Text key={text} size="sm" c="var(--bad)">
          {text}
        </Text>
      ))}
    </Alert>
  );
}
