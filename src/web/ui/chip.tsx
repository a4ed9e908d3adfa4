import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Tone } from './tone.ts';

const colors: Readonly<Record<Tone, string>> = {
  bad: 'red',
  warn: 'yellow',
  info: 'blue',
  good: 'green',
  plain: 'gray',
};

/** A state in a word or a few, with its colour. */
export function Chip({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge variant="light" color={colors[tone]} data-tone={tone}>
      {children}
    </Badge>
  );
}
