import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lazily, loadPartsBy } from './lazily.tsx';

/** A part that is loaded when it is needed, where its file cannot be had. */

const listeners = new Set<() => void>();
const network = { isAway: false };
const change = (isAway: boolean) =>
  act(async () => {
    network.isAway = isAway;
    for (const listener of [...listeners]) listener();
  });
const reload = vi.fn();
const here = {
  isOffline: () => network.isAway,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

beforeEach(() => {
  network.isAway = false;
  loadPartsBy(here);
  vi.spyOn(window.location, 'reload').mockImplementation(reload);
});
afterEach(() => {
  cleanup();
  reload.mockReset();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  loadPartsBy({ isOffline: () => false, subscribe: () => () => undefined });
});

const part = { default: () => <p>The part</p> };

async function open(load: () => Promise<typeof part>) {
  const loads = vi.fn(load);
  const Part = lazily(loads);
  await act(async () => {
    render(
      <Suspense fallback={null}>
        <Part />
      </Suspense>,
    );
  });
  return loads;
}

const shown = () => screen.queryByText('The part') !== null;
const tryAgain = () =>
  act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Try again' })));

test('is not asked for without a network, and comes by itself when the portal answers again', async () => {
  await change(true);
  const loads = await open(async () => part);
  expect([loads.mock.calls.length, screen.getByRole('alert').textContent]).toEqual([
    0,
    expect.stringContaining('This part of the portal could not be loaded.'),
  ]);
  await change(true);
  expect(loads).not.toHaveBeenCalled();
  await change(false);
  expect([loads.mock.calls.length, shown(), reload.mock.calls.length]).toEqual([1, true, 0]);
  expect(listeners.size).toBe(0);
});

test('is tried again when the person asks for it', async () => {
  const answers = [Promise.reject(new Error('a bad line')), Promise.resolve(part)];
  await open(() => answers.shift() as Promise<typeof part>);
  expect(shown()).toBe(false);
  await tryAgain();
  expect([shown(), reload.mock.calls.length]).toEqual([true, 0]);
});

test.each([
  [
    'comes with a new page where the browser does not ask for it any more',
    () => Promise.resolve(new Response('')),
    1,
  ],
  [
    'leaves the page as it is while the portal does not answer',
    () => Promise.reject(new TypeError('failed')),
    0,
  ],
  ['and while it answers with a failure', () => Promise.resolve(new Response('', { status: 502 })), 0],
] as const)('%s', async (_what, answer, reloads) => {
  const asked = vi.fn(answer);
  vi.stubGlobal('fetch', asked);
  await open(() => Promise.reject(new Error('kept by the browser')));
  expect(asked).not.toHaveBeenCalled();
  await tryAgain();
  expect([asked.mock.calls.length, reload.mock.calls.length]).toEqual([1, reloads]);
  expect(screen.getByRole('alert')).toBeDefined();
});
