import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';

/** A part of the domain's screen: its name, and at most one thing to do at its head. */
export function Section(props: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Card title={props.title} end={props.action}>
      <Stack gap="sm">{props.children}</Stack>
    </Card>
  );
}
