import { Button, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { callWithKey } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { KeyContext } from './key-context.ts';

/** Asks for the key, tries it, and shows what is inside only then. */
export function OperatorDoor(props: { children: ReactNode; fallback: (form: ReactNode) => ReactNode }) {
  const [key, setKey] = useState<string | null>(null);
  const client = useQueryClient();
  const forget = () => client.removeQueries({ queryKey: ['operator'] });
  const enter = (accepted: string) => {
    // An operator who left by a link or by Back has left in memory what they read, with their name.
    forget();
    setKey(accepted);
  };
  if (key === null) return props.fallback(<KeyForm onKey={enter} />);
  const leave = () => {
    setKey(null);
    forget();
  };
  return <KeyContext value={{ key, leave }}>{props.children}</KeyContext>;
}

function KeyForm({ onKey }: { onKey: (key: string) => void }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [trying, setTrying] = useState(false);

  async function enter(event: FormEvent) {
    event.preventDefault();
    const key = text.trim();
    if (key === '') return setProblem('This field is required');
    // What cannot stand in a header is no key.
    if (!/^[\w.~+/=-]+$/.test(key)) return setProblem('This key was not accepted.');
    setTrying(true);
    setProblem(null);
    try {
      await callWithKey(key, 'GET /operator/me');
      onKey(key);
    } catch (error) {
      setProblem(messageOf(error));
      setTrying(false);
    }
  }
  return (
    <Paper withBorder p="lg" maw={480} component="form" noValidate onSubmit={(event) => void enter(event)}>
      <Stack>
        <Text size="sm">
          For the people who run this portal. Create your key on the command line with{' '}
          <code>npm run operator -- operators add</code>. The key stays in this page only.
        </Text>
        <TextInput
          type="password"
          label="Operator key"
          value={text}
          autoComplete="off"
          error={problem}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" disabled={trying} style={{ alignSelf: 'flex-start' }}>
          {trying ? 'Checking...' : 'Enter'}
        </Button>
      </Stack>
    </Paper>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 401) return 'This key was not accepted.';
  return error instanceof Error ? error.message : 'Something went wrong';
}
