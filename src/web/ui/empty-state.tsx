import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Nothing here yet, and the next step. */
export function EmptyState(props: { title: string; text?: string; action?: ReactNode }) {
  return (
    <Stack align="center" gap="sm" py={64} ta="center" role="status">
      <Text fw={600} size="lg">
        {props.title}
      </Text>
      {props.text && <Text c="dimmed">{props.text}</Text>}
      {props.action}
    </Stack>
  );
}
