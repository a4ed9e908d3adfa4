import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { beginAsking, noteOpening } from './data-ahead.ts';
import { useLaterQuery } from './later-query.ts';

/** What is beside the things that a person came for. */

const { requestIdleCallback, cancelIdleCallback } = window;
let idle: (() => void) | undefined;
beforeEach(() => {
  idle = undefined;
  Object.assign(window, {
    requestIdleCallback: (does: () => void) => {
      idle = does;
      return 1;
    },
    cancelIdleCallback: () => undefined,
  });
});
afterEach(() => Object.assign(window, { requestIdleCallback, cancelIdleCallback }));

function open(queryFn: () => Promise<string>, client = new QueryClient()) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(() => useLaterQuery({ queryKey: ['versions'], queryFn }), { wrapper });
}

test('is asked for when the page is idle, and is not remembered as what the page asks when it is opened', async () => {
  noteOpening();
  const noted: unknown[] = [];
  const ask = vi.fn(() => {
    noted.push(beginAsking());
    return Promise.resolve('two');
  });
  const { result } = open(ask);
  expect(ask).not.toHaveBeenCalled();
  await act(async () => idle?.());
  await eventually(() => expect(result.current.data).toBe('two'));
  expect(noted).toEqual([null]);
  expect(beginAsking()).not.toBeNull();
});

test('is there at once where it was read before', () => {
  const client = new QueryClient();
  client.setQueryData(['versions'], 'one');
  expect(open(vi.fn(), client).result.current.data).toBe('one');
});
