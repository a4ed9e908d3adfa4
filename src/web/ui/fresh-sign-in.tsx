import { Alert, Button, Text } from '@mantine/core';

/** Design, security: some acts ask for a sign-in of the last 15 minutes. `what`: "unlock this domain". */
export function FreshSignIn({ what, onSignIn }: { what: string; onSignIn: () => void }) {
  return (
    <Alert color="yellow" variant="light" role="alert">
      <Text size="sm" mb="xs">
        For your safety, please sign in again to {what}.
      </Text>
      <Button size="xs" onClick={onSignIn}>
        Sign in again
      </Button>
    </Alert>
  );
}
