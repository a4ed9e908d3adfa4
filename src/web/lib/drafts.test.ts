import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { draftOf, forgetDraft, hasDraft, holdDraft, keepDraft } from './drafts.ts';
import { keepText } from './storage.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const empty = {
  name: '',
  permissions: [] as string[],
  customer: null as string | null,
  days: 365 as number | string,
};
const typed = { name: 'CRM', permissions: ['dns.write'], customer: 'ann', days: '' };

test('what was typed into a form is there again after the page was left, until the form is closed', () => {
  expect([hasDraft('token'), draftOf('token', empty)]).toEqual([false, empty]);
  keepDraft('token', typed, empty);
  expect([hasDraft('token'), draftOf('token', empty)]).toEqual([true, typed]);
  expect([hasDraft('access'), draftOf('access', empty)]).toEqual([false, empty]);
  forgetDraft('token');
  expect([hasDraft('token'), draftOf('token', empty)]).toEqual([false, empty]);
});

test('only what was typed is kept: what somebody else has changed meanwhile is as it is now', () => {
  keepDraft('user', { ...typed, name: empty.name }, empty);
  expect(draftOf('user', { ...empty, name: 'Theirs' })).toEqual({ ...typed, name: 'Theirs' });
  // Asked to sign in before anything was typed: the form is open again.
  keepDraft('user', empty, empty);
  expect([hasDraft('user'), draftOf('user', typed)]).toEqual([true, typed]);
});

test('a draft is gone when its form leaves the screen, however it is left; a form that is only drawn twice keeps it', async () => {
  keepDraft('token', typed, empty);
  keepDraft('access', typed, empty);
  const leave = holdDraft('token');
  expect(hasDraft('token')).toBe(true);
  // React's strict mode shows a new form, takes it away and shows it again.
  leave();
  const leaveAgain = holdDraft('token');
  await Promise.resolve();
  expect(draftOf('token', empty)).toEqual(typed);
  leaveAgain();
  await Promise.resolve();
  expect([hasDraft('token'), hasDraft('access')]).toEqual([false, true]);
});

test('a draft whose sign-in was given up is not taken for a new one half an hour later', () => {
  vi.useFakeTimers();
  keepDraft('token', typed, empty);
  vi.advanceTimersByTime(30 * 60_000 - 1);
  expect([hasDraft('token'), draftOf('token', empty)]).toEqual([true, typed]);
  vi.advanceTimersByTime(1);
  expect([hasDraft('token'), draftOf('token', empty)]).toEqual([false, empty]);
});

test.each([
  'x',
  '[]',
  'null',
  '{"at":1e15}',
  '{"at":1e15,"typed":null}',
  '{"at":"now","typed":{"name":"CRM"}}',
  '{"name":"CRM"}',
  '{"at":1e15,"typed":{"name":null,"permissions":"all","customer":{},"days":true,"key":"other"}}',
  '{"at":1e15,"typed":{"permissions":[1]}}',
])('of a damaged draft nothing is taken that does not fit: %s', (text) => {
  keepText('session', 'draft.token', text);
  expect(draftOf('token', empty)).toEqual(empty);
});
