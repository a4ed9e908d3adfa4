import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useInSight } from './use-in-sight.ts';

/** The row of tabs. Where it is too narrow for all of them it scrolls, and the one that is open is in sight at any width. */
export function TabList({ active, children }: { active: string; children: ReactNode }) {
  const list = useInSight<HTMLDivElement>('[aria-selected="true"]', active);
  return (
    <Tabs.List ref={list} mb="md">
      {children}
    </Tabs.List>
  );
}
