import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

/** The row of tabs. Where it is too narrow for all of them it scrolls, and the one that is open is in sight. */
export function TabList({ active, children }: { active: string; children: ReactNode }) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is what it waits for.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!tab || !list.current) return;
    const { clientWidth } = list.current;
    list.current.scrollLeft = tab.offsetLeft - (clientWidth - tab.offsetWidth) / 2;
  }, [active]);
  return (
    <Tabs.List ref={list} mb="md">
      {children}
    </Tabs.List>
  );
}
