import { Button, Container, Group, Stack, Text, Title } from '@mantine/core';

/** The global error screen (P1 §2). */
export function FatalError({ error, backTo }: { error: Error; backTo?: string }) {
  const requestId = 'requestId' in error && typeof error.requestId === 'string' ? error.requestId : null;
  return (
    <Container size="sm" py={80}>
      <Stack gap="md" role="alert">
        <Title order={1} size="h2">
          Something went wrong.
        </Title>
        <Text>Please reload the page. If the problem stays, contact support.</Text>
        {requestId && (
          <Text size="sm" c="dimmed">
            Request {requestId}
          </Text>
        )}
        <Group>
          <Button onClick={() => window.location.reload()}>Reload Page</Button>
          <Button
            variant="default"
            onClick={() => (backTo ? window.location.assign(backTo) : window.history.back())}
          >
            Back
          </Button>
        </Group>
      </Stack>
    </Container>
  );
}
