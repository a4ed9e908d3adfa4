import { expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import {
  type Edited,
  nothingOpen,
  withDialog,
  withEdited,
  withEscape,
  withSaving,
  withTyped,
  withWanted,
} from './opened.ts';

const rowOf = (key: string): Edited => ({ key, record: { type: 'TXT' } as DnsRecord });
const [dkim, spf] = [rowOf('dkim'), rowOf('spf')];

test('a dialog opens above a record that is being edited, and leaves it as it is', () => {
  const typed = withTyped(withEdited(nothingOpen, dkim), true);
  const history = withDialog(typed, { kind: 'history' });
  expect(history).toEqual({ ...typed, dialog: { kind: 'history' } });
  expect(withDialog(history, null)).toEqual(typed);
});

test('another record takes the place of one that is being edited: where something was typed only when somebody has said so', () => {
  const untouched = withEdited(nothingOpen, dkim);
  expect(withEdited(untouched, spf)).toMatchObject({ edited: spf, wanted: null });
  const typed = withTyped(untouched, true);
  expect(withEdited(typed, dkim)).toEqual(typed);
  const asked = withEdited(typed, spf);
  expect(asked).toEqual({ ...typed, wanted: { next: spf } });
  expect(withWanted(asked)).toEqual({ ...nothingOpen, edited: spf });
  // Pressed twice.
  expect(withWanted(untouched)).toEqual(untouched);
});

test('Escape closes a record in which nothing was typed; otherwise it asks, and what was typed stays until somebody has said so', () => {
  const untouched = withEdited(nothingOpen, dkim);
  expect(withEscape(untouched)).toEqual(nothingOpen);
  const typed = withTyped(untouched, true);
  const asked = withEscape(typed);
  expect(asked).toEqual({ ...typed, wanted: { next: null } });
  expect(withEscape(asked)).toEqual(asked);
  expect(withWanted(asked)).toEqual(nothingOpen);
});

test('while a record is being saved neither Escape nor another record takes its place: "Saved." and Undo would be lost', () => {
  const typed = withTyped(withEdited(nothingOpen, dkim), true);
  const saving = withSaving(typed, true);
  expect([withEscape(saving), withEdited(saving, spf)]).toEqual([saving, saving]);
  // Saved, and refused.
  expect(withEdited(saving, null)).toEqual(nothingOpen);
  expect(withEscape(withSaving(saving, false))).toEqual({ ...typed, wanted: { next: null } });
});

test('when its form is closed nothing is typed any more', () => {
  expect(withEdited(withTyped(withEdited(nothingOpen, dkim), true), null)).toEqual(nothingOpen);
});
