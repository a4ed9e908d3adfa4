import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { draftOf, forgetDraft, hasDraft, keepDraft } from './drafts.ts';
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
afterEach(() => vi.unstubAllGlobals());

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

test.each([
  'x',
  '[]',
  'null',
  '{"name":null,"permissions":"all","customer":{},"days":true,"key":"other"}',
  '{"permissions":[1]}',
])('of a damaged draft nothing is taken that does not fit: %s', (text) => {
  keepText('session', 'draft.token', text);
  expect(draftOf('token', empty)).toEqual(empty);
});
