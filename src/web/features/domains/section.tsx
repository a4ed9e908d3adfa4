import { Group, Paper, Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A part of the domain's Info tab: its name, what it is about, and at most one thing to do at its head. */
export function Section(props: { title: string; action?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Group justify="space-between" mb="sm" mih={30}>
        <Title order={2} size="h4" id={id}>
          {props.title}
        </Title>
        {props.action}
      </Group>
      <Stack gap="sm">{props.children}</Stack>
    </Paper>
  );
}
