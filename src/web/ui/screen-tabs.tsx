import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { afterPaint } from './after-paint.ts';
import { useInSight } from './use-in-sight.ts';

interface Tab<Name extends string> {
  name: Name;
  title: string;
  disabled?: boolean;
  /** Behind the title. */
  end?: ReactNode;
}

interface ScreenTabsProps<Name extends string> {
  active: Name;
  tabs: readonly Tab<Name>[];
  onOpen: (name: Name) => void;
  /** A `Tabs.Panel` for each. */
  children: ReactNode;
}

/** Where something was typed, the person is asked first whether they want to leave it, and may stay. */
const markedForMs = 1_000;

/**
 * The tabs of a screen. The one that is pressed is marked at once, and its content made when that can be seen: a phone takes a tenth of a
 * second for it. Where the row is too narrow for all of them it scrolls, and the one that is open is in sight at any width.
 */
export function ScreenTabs<Name extends string>(props: ScreenTabsProps<Name>) {
  const { active, tabs, onOpen } = props;
  const [pressed, setPressed] = useState<{ name: Name; from: Name } | null>(null);
  const marked = pressed?.from === active ? pressed.name : null;
  const callOff = useRef<() => void>(() => undefined);
  useEffect(() => () => callOff.current(), []);
  const list = useInSight<HTMLDivElement>('[aria-selected="true"]', active);
  const press = (value: string | null) => {
    const found = tabs.find(({ name }) => name === value);
    if (!found) return;
    setPressed({ name: found.name, from: active });
    callOff.current();
    callOff.current = afterPaint(() => {
      onOpen(found.name);
      const timer = setTimeout(() => setPressed(null), markedForMs);
      callOff.current = () => clearTimeout(timer);
    });
  };
  return (
    <Tabs value={active} onChange={press} keepMounted={false} activateTabWithKeyboard={false}>
      {tabs.length > 1 && (
        <Tabs.List ref={list} mb="md">
          {tabs.map(({ name, title, disabled = false, end }) => (
            <Tabs.Tab
              key={name}
              value={name}
              disabled={disabled}
              rightSection={end}
              data-pressed={name === marked || undefined}
            >
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      )}
      {props.children}
    </Tabs>
  );
}
