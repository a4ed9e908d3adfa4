import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../ports/outcome.ts';
import type { ActResult, Finding } from './act.ts';
import {
  differsFromLedger,
  heldBack,
  laterMs,
  orderStateOf,
  soonMs,
  stepOf,
  verdictInReview,
  verdictOnAnswer,
  verdictOnEcho,
  verdictOnFinding,
  verdictOnLateAnswer,
  verdictOnSilence,
  verdictUnlisted,
} from './engine.rules.ts';
import type { Item } from './item.ts';

const now = new Date('2026-11-22T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);
const dayMs = 86_400_000;
const times = { callMs: 60_000, claimMarginMs: 5_000, releaseAfterMs: 600_000, reviewAfterMs: dayMs };
const item = {
  kind: 'domain' as Item['kind'],
  state: 'unknown' as Item['state'],
  attempt: 1,
  checks: 0,
  createdAt: ago(700_000),
  sentAt: ago(690_000) as Date | null,
  updatedAt: ago(690_000),
  unknownSince: ago(650_000) as Date | null,
  outcomeNote: 'It did not answer.' as string | null,
  registrarOrderId: null as string | null,
};
const result: ActResult = { registrarOrderId: 'R1' };
const busy: Outcome<ActResult> = { kind: 'busy', code: '350', text: 'Come again.' };
const refused = (reason: 'taken' | 'already-done' | 'invalid'): Outcome<ActResult> => ({
  kind: 'refused',
  reason,
  code: '465',
  text: 'No.',
});

describe('what to do with an item', () => {
  const step = (change: Partial<typeof item>) => stepOf({ ...item, ...change }, now, times);

  test('what is queued is sent, what is open is asked about, what has ended or waits for a person is left alone', () => {
    const states = ['queued', 'unknown', 'pending', 'review', 'succeeded', 'declined'] as const;
    expect(states.map((state) => step({ state }))).toEqual(['send', 'ask', 'ask', null, null, null]);
  });

  test('a claim is given up when the longest call and the margin have passed, not a moment before', () => {
    expect(step({ state: 'sending', sentAt: ago(64_999) })).toBe(null);
    expect(step({ state: 'sending', sentAt: ago(65_000) })).toBe('give up the claim');
    expect(step({ state: 'sending', sentAt: null, updatedAt: ago(65_000) })).toBe('give up the claim');
    expect(step({ state: 'sending', sentAt: ago(10), updatedAt: ago(65_000) })).toBe(null);
  });
});

describe('the reply to a call', () => {
  const on = (answer: Outcome<ActResult>, change: Partial<typeof item> = {}) =>
    verdictOnAnswer({ ...item, ...change }, answer);

  test('done, refused, accepted and unknown each lead to their state', () => {
    expect(on({ kind: 'done', value: result })).toEqual({ to: 'succeeded', result });
    expect(on(refused('invalid'))).toEqual({ to: 'declined', reason: 'No.' });
    expect(on({ kind: 'pending', orderId: 'R1', text: '' }, { checks: 1 })).toEqual({
      to: 'pending',
      registrarOrderId: 'R1',
      afterMs: 30_000,
    });
    expect(on({ kind: 'unknown', text: 'Silence.' }, { checks: 2 })).toEqual({
      to: 'unknown',
      note: 'Silence.',
      afterMs: 8_000,
    });
  });

  test('"taken" and "already done" may be the echo of our own act and decide nothing', () => {
    expect(on(refused('taken'))).toBe('echo');
    expect(on(refused('already-done'))).toBe('echo');
  });

  test('a busy registrar is tried again five times; after the sixth the money goes back', () => {
    expect(on(busy, { attempt: 1 })).toEqual({ to: 'queued', note: 'Come again.', afterMs: 4_000 });
    expect(on(busy, { attempt: 5 })).toEqual({ to: 'queued', note: 'Come again.', afterMs: 64_000 });
    expect(on(busy, { attempt: 6 })).toEqual({ to: 'declined', reason: 'Come again.' });
  });

  test('a reply after the claim was lost ends nothing: what was never sent goes again, the rest is asked about at once', () => {
    expect(verdictOnLateAnswer(item, busy)).toMatchObject({ to: 'queued', afterMs: 4_000 });
    for (const answer of [refused('invalid'), { kind: 'done', value: result } as const]) {
      expect(verdictOnLateAnswer(item, answer)).toMatchObject({ to: 'unknown', afterMs: 0 });
    }
  });
});

describe('a refusal that may be an echo', () => {
  const on = (finding: Finding | null) =>
    verdictOnEcho({ ...item, checks: 1 }, now, { text: 'Taken.', finding }, times);

  test('without an answer nobody knows', () => {
    expect(on(null)).toEqual({ to: 'unknown', note: 'Taken.', afterMs: 4_000 });
  });

  test('no order under our tag, or a draft, and the refusal counts', () => {
    expect(on({ kind: 'absent' })).toEqual({ to: 'declined', reason: 'Taken.' });
    expect(on({ kind: 'pending', registrarOrderId: 'R', text: '' })).toEqual({
      to: 'declined',
      reason: 'Taken.',
    });
  });

  test('a completed order under our tag is ours; two are for a person', () => {
    expect(on({ kind: 'done', result })).toEqual({ to: 'succeeded', result });
    expect(on({ kind: 'contradictory', text: 'Two.' })).toEqual({ to: 'review', note: 'Two.' });
    expect(on({ kind: 'declined', text: 'Cancelled.' })).toEqual({ to: 'declined', reason: 'Cancelled.' });
  });
});

describe('what the registrar says when it is asked', () => {
  const on = (finding: Finding, change: Partial<typeof item> = {}) =>
    verdictOnFinding({ ...item, ...change }, now, finding, times);
  const absent: Finding = { kind: 'absent' };
  const pending: Finding = { kind: 'pending', registrarOrderId: 'R1', text: '' };

  test('no trace of it releases the money after ten minutes, not a moment before', () => {
    expect(on(absent, { unknownSince: ago(599_999) })).toMatchObject({ to: 'unknown' });
    expect(on(absent, { unknownSince: ago(600_000) })).toMatchObject({ to: 'declined' });
  });

  test('the ten minutes count from when the outcome became unknown, not from the last look', () => {
    expect(on(absent, { unknownSince: ago(600_000), updatedAt: ago(10) })).toMatchObject({
      to: 'declined',
    });
    expect(on(absent, { unknownSince: ago(10), updatedAt: ago(600_000) })).toMatchObject({
      to: 'unknown',
    });
    expect(on(absent, { unknownSince: null, updatedAt: ago(600_000) })).toMatchObject({ to: 'declined' });
  });

  test('what was accepted and cannot be found is never released by that; after the usual time it is a person’s', () => {
    expect(on(absent, { state: 'pending', unknownSince: ago(30 * dayMs), createdAt: ago(dayMs) })).toEqual({
      to: 'pending',
      registrarOrderId: null,
      afterMs: 15_000,
    });
    expect(on(absent, { state: 'pending', createdAt: ago(dayMs + 1) })).toMatchObject({ to: 'review' });
    const transfer = { state: 'pending', kind: 'transfer' } as const;
    expect(on(absent, { ...transfer, createdAt: ago(14 * dayMs) })).toMatchObject({ to: 'pending' });
    expect(on(absent, { ...transfer, createdAt: ago(14 * dayMs + 1) })).toMatchObject({ to: 'review' });
  });

  test('what a person reopens and has a number of the registrar is not released by its absence either', () => {
    const reopened = { state: 'unknown', registrarOrderId: 'R1' } as const;
    expect(on(absent, { ...reopened, unknownSince: ago(600_000) })).toMatchObject({ to: 'unknown' });
    expect(on(absent, { ...reopened, unknownSince: ago(dayMs) })).toMatchObject({ to: 'review' });
  });

  test('pending for more than a day goes to a person; a transfer after 14 days', () => {
    expect(on(pending, { createdAt: ago(dayMs) })).toMatchObject({
      to: 'pending',
      registrarOrderId: 'R1',
    });
    expect(on(pending, { createdAt: ago(dayMs + 1) })).toMatchObject({ to: 'review' });
    expect(on(pending, { kind: 'transfer', createdAt: ago(14 * dayMs) })).toMatchObject({ to: 'pending' });
    expect(on(pending, { kind: 'transfer', createdAt: ago(14 * dayMs + 1) })).toMatchObject({
      to: 'review',
    });
  });

  test('done, declined and contradictory lead where they say', () => {
    expect(on({ kind: 'done', result })).toEqual({ to: 'succeeded', result });
    expect(on({ kind: 'declined', text: 'Gone.' })).toEqual({ to: 'declined', reason: 'Gone.' });
    expect(on({ kind: 'contradictory', text: 'Two.' })).toEqual({ to: 'review', note: 'Two.' });
  });
});

describe('silence', () => {
  const on = (change: Partial<typeof item>) => verdictOnSilence({ ...item, ...change }, now, times);

  test('an outcome that is unknown for a day goes to a person', () => {
    expect(on({ unknownSince: ago(dayMs - 1) })).toEqual({
      to: 'unknown',
      note: 'It did not answer.',
      afterMs: 2_000,
    });
    expect(on({ unknownSince: ago(dayMs) })).toMatchObject({ to: 'review' });
    expect(on({ unknownSince: null, outcomeNote: null })).toMatchObject({ to: 'unknown', note: '' });
  });

  test('what is pending stays pending, and keeps the order number it has, until it is overdue', () => {
    const pending = { state: 'pending', unknownSince: ago(9 * dayMs), checks: 3 } as const;
    expect(on({ ...pending, createdAt: ago(dayMs) })).toEqual({
      to: 'pending',
      registrarOrderId: null,
      afterMs: 120_000,
    });
    // Nobody would ever hear of an order that the registrar has forgotten.
    expect(on({ ...pending, createdAt: ago(dayMs + 1) })).toMatchObject({ to: 'review' });
  });
});

describe('the first silence after the portal stood still', () => {
  const on = (change: Partial<typeof item>) => verdictOnSilence({ ...item, ...change }, now, times);
  const states = [
    { state: 'unknown', unknownSince: ago(99 * dayMs) },
    { state: 'pending', createdAt: ago(99 * dayMs), unknownSince: null },
  ] as const;

  test.each(states)('sends no person to what is $state: it is asked about again', (open) => {
    expect(on({ ...open, updatedAt: ago(dayMs + 1) })).toMatchObject({ to: open.state });
    expect(on({ ...open, updatedAt: ago(dayMs) })).toMatchObject({ to: 'review' });
  });

  test('is the beginning of a day in which what is unknown is asked about as often as something new', () => {
    const unknown = { state: 'unknown', unknownSince: ago(99 * dayMs), checks: 9 } as const;
    expect(on({ ...unknown, updatedAt: ago(dayMs + 1) })).toEqual({
      ...{ to: 'unknown', note: 'It did not answer.' },
      ...{ afterMs: 2_000, fromNow: true },
    });
    expect(on({ ...unknown, unknownSince: ago(dayMs - 1), updatedAt: ago(dayMs + 1) })).not.toHaveProperty(
      'fromNow',
    );
  });
});

test('looks come less often, and never less than every five minutes, or half an hour for what takes long', () => {
  expect([0, 1, 7, 8, 99].map(soonMs)).toEqual([2_000, 4_000, 256_000, 300_000, 300_000]);
  expect([0, 1, 6, 7, 99].map(laterMs)).toEqual([15_000, 30_000, 960_000, 1_800_000, 1_800_000]);
});

test('a person hears of what was paid back and was, or may have been, carried out', () => {
  expect(differsFromLedger('declined', { kind: 'done', result })).toBe(true);
  expect(differsFromLedger('declined', { kind: 'pending', registrarOrderId: null, text: '' })).toBe(true);
  expect(differsFromLedger('declined', null)).toBe(true);
  expect(differsFromLedger('declined', { kind: 'absent' })).toBe(false);
  expect(differsFromLedger('declined', { kind: 'declined', text: '' })).toBe(false);
  expect(differsFromLedger('succeeded', { kind: 'done', result })).toBe(false);
});

test('an order ends with its last open item, as what its items came to', () => {
  expect(orderStateOf(['succeeded', 'succeeded'])).toBe('settled');
  expect(orderStateOf(['succeeded', 'declined'])).toBe('partial');
  expect(orderStateOf(['declined', 'declined'])).toBe('failed');
  for (const open of ['queued', 'sending', 'pending', 'unknown', 'review'] as const) {
    expect(orderStateOf(['succeeded', open])).toBe(null);
  }
});

test('what cannot be listed waits for a person, by the number that the registrar gave it', () => {
  const note = 'The name is listed for another organization of this portal.';
  expect(verdictUnlisted({ to: 'succeeded', result })).toEqual({
    ...{ to: 'review', note, registrarOrderId: 'R1' },
  });
  expect(verdictUnlisted({ to: 'pending', registrarOrderId: 'R2', afterMs: 1 })).toMatchObject({
    registrarOrderId: 'R2',
  });
  expect(verdictUnlisted({ to: 'unknown', note: '', afterMs: 1 })).toMatchObject({ registrarOrderId: null });
});

test('what waits for a person goes to its end, and nowhere else', () => {
  expect(verdictInReview({ kind: 'done', result })).toEqual({ to: 'succeeded', result });
  expect(verdictInReview({ kind: 'declined', text: 'No.' })).toEqual({ to: 'declined', reason: 'No.' });
  expect(verdictInReview({ kind: 'pending', registrarOrderId: 'R1', text: 'Soon.' })).toBeNull();
  expect(verdictInReview({ kind: 'contradictory', text: 'Two.' })).toBeNull();
  expect(verdictInReview({ kind: 'absent' })).toBeNull();
});

test('an order that is held back is declined at once, without asking whether it was carried out before', () => {
  expect(verdictOnAnswer(item, heldBack('a.com'))).toEqual({
    to: 'declined',
    reason: 'a.com cannot be ordered here at present. Please ask the portal’s support.',
  });
});
