import { MantineProvider, Tabs } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { act, useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ScreenTabs } from './screen-tabs.tsx';
import { theme } from './theme.ts';

/** The tabs of a screen. */

const names = ['info', 'dns', 'health'] as const;
type Name = (typeof names)[number];
const opened = vi.fn();
let frames: (() => void)[];

/** `stays`: the person is asked whether they want to leave, and stays. */
function Screen({ stays }: { stays: boolean }) {
  const [active, setActive] = useState<Name>('info');
  const onOpen = (name: Name) => {
    opened(name);
    if (!stays) setActive(name);
  };
  return (
    <MantineProvider theme={theme} env="test">
      <ScreenTabs active={active} tabs={names.map((name) => ({ name, title: name }))} onOpen={onOpen}>
        {names.map((name) => (
          <Tabs.Panel key={name} value={name}>
            what is in {name}
          </Tabs.Panel>
        ))}
      </ScreenTabs>
    </MantineProvider>
  );
}

const press = (name: Name) => fireEvent.click(screen.getByRole('tab', { name }));
const marked = () =>
  screen
    .getAllByRole('tab')
    .filter((tab) => tab.dataset.pressed)
    .map((tab) => tab.textContent);
const shown = () => screen.getByText(/^what is in/).textContent;
const paint = () =>
  act(() => {
    for (const frame of frames.splice(0)) frame();
    vi.advanceTimersByTime(0);
  });

beforeEach(() => {
  frames = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  opened.mockReset();
});

test('a tab that is pressed is marked at once, and opens when that could be seen', () => {
  render(<Screen stays={false} />);
  expect([marked(), shown()]).toEqual([[], 'what is in info']);
  press('dns');
  expect([marked(), shown(), opened.mock.calls]).toEqual([['dns'], 'what is in info', []]);
  paint();
  expect([marked(), shown(), opened.mock.calls]).toEqual([[], 'what is in dns', [['dns']]]);
  press('info');
  paint();
  expect([marked(), shown()]).toEqual([[], 'what is in info']);
});

test('of two that are pressed one after the other, the second opens', () => {
  render(<Screen stays={false} />);
  press('dns');
  press('health');
  expect(marked()).toEqual(['health']);
  paint();
  expect([shown(), opened.mock.calls]).toEqual(['what is in health', [['health']]]);
});

test('one that does not open is marked for a second', () => {
  render(<Screen stays />);
  press('dns');
  paint();
  act(() => vi.advanceTimersByTime(999));
  expect(marked()).toEqual(['dns']);
  act(() => vi.advanceTimersByTime(1));
  expect([marked(), shown()]).toEqual([[], 'what is in info']);
});

test('nothing opens on a screen that was left', () => {
  const { unmount } = render(<Screen stays={false} />);
  press('dns');
  unmount();
  paint();
  expect(opened).not.toHaveBeenCalled();
});
