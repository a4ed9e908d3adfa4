import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

/** The row of tabs. Where it is too narrow for all of them it scrolls, and the one that is open is in sight at any width. */
export function TabList({ active, children }: { active: string; children: ReactNode }) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is what it waits for.
  useEffect(() => {
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!row || !tab) return;
    const show = () => {
      row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
    };
    show();
    const resized = new ResizeObserver(show);
    resized.observe(row);
    return () => resized.disconnect();
  }, [active]);
  return (
    <Tabs.List ref={list} mb="md">
      {children}
    </Tabs.List>
  );
}
