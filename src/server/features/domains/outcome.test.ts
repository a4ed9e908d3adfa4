import { describe, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import type { Lease } from '#kernel/leases.ts';
import { type Outcome, tooLate, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import { concluded, fromRegistrar, underLease } from './outcome.ts';

const exists = { kind: 'refused', reason: 'already-done', code: '485', text: 'It exists already.' } as const;
const read = (applied: boolean) => async () => ({ applied, present: null });

describe('an answer of "that exists already"', () => {
  test('is a success only when reading shows what was wanted', async () => {
    expect(await concluded(exists, read(true))).toEqual({ kind: 'applied' });
  });

  test('is a refusal when something else is there', async () => {
    await expect(concluded(exists, read(false))).rejects.toMatchObject({
      code: 'registrar_refused',
      message: 'It exists already.',
    });
  });

  test('stays open when what is there cannot be read', async () => {
    const unreadable = () => Promise.reject(new UpstreamUnavailable('registrar: no answer'));
    await expect(concluded(exists, unreadable)).rejects.toMatchObject({ code: 'outcome_unknown' });
  });
});

test('a change without an answer that did not happen is told as one that nobody confirmed', async () => {
  await expect(concluded({ kind: 'unknown', text: 'no answer' }, read(false))).rejects.toMatchObject({
    code: 'outcome_unknown',
    message: 'The registrar did not confirm the change. The current state is shown; please check it.',
  });
});

test.each([
  ["in the registrar's own words", new UpstreamUnavailable('registrar: no answer')],
  ["in the portal's words", new AppError('upstream_unavailable')],
  ['because the database is away', new Error('Connection terminated unexpectedly')],
])(
  'a change without an answer whose result cannot be read, %s, is never told as one that changed nothing',
  async (_how, failure) => {
    const lost = { kind: 'unknown', text: 'no answer' } as const;
    await expect(concluded(lost, () => Promise.reject(failure))).rejects.toMatchObject({
      code: 'outcome_unknown',
      cause: failure,
    });
  },
);

describe('a change that was answered', () => {
  const unread = () => Promise.reject(new Error('read again'));

  test('is applied, or comes later in the registrar’s words, and is not read again', async () => {
    expect(await concluded({ kind: 'done', value: undefined }, unread)).toEqual({ kind: 'applied' });
    const later = { kind: 'pending', orderId: null, text: 'Within the hour.' } as const;
    expect(await concluded(later, unread)).toEqual({ kind: 'later', text: 'Within the hour.' });
  });

  test('and refused is refused in the registrar’s words, with its code, and is not read again', async () => {
    const refused = { kind: 'refused', reason: 'invalid', code: '465', text: 'Bad name.' } as const;
    await expect(concluded(refused, unread)).rejects.toMatchObject({
      ...{ code: 'registrar_refused', message: 'Bad name.', error: '465' },
    });
  });

  test.each([
    ['436', 'upstream_unavailable', 'The registrar is busy with another change to this domain.', '436'],
    [tooLate, 'in_progress', 'This took too long. Nothing was changed. Please try again.', undefined],
  ])('and did not happen (%s) can be tried again', async (code, answer, message, error) => {
    await expect(concluded({ kind: 'busy', code, text: 'busy' }, unread)).rejects.toMatchObject({
      ...{ code: answer, message: expect.stringContaining(message), ...(error ? { error } : {}) },
    });
  });
});

test('a change without an answer that has happened is applied; one that has not is told with what is there', async () => {
  const lost = { kind: 'unknown', text: 'no answer' } as const;
  expect(await concluded(lost, read(true))).toEqual({ kind: 'applied' });
  const present = { locked: true };
  await expect(concluded(lost, async () => ({ applied: false, present }))).rejects.toMatchObject({
    ...{ code: 'outcome_unknown', data: present },
  });
});

describe('an answer that comes when the lease is lost', () => {
  const under = (held: boolean, outcome: Outcome<void>) =>
    underLease({ held: async () => held, fence: () => ({}) } as unknown as Lease, async () => outcome);
  const done = { kind: 'done', value: undefined } as const;
  const later = { kind: 'pending', orderId: null, text: 'Later.' } as const;

  test.each<[string, Outcome<void>]>([
    ['done', done],
    ['later', later],
  ])('is none: others may have changed the same since; %s', async (_what, outcome) => {
    expect(await under(true, outcome)).toEqual(outcome);
    expect(await under(false, outcome)).toMatchObject({ kind: 'unknown' });
  });

  test.each<[string, Outcome<void>]>([
    ['refused', { kind: 'refused', reason: 'invalid', code: '465', text: 'No.' }],
    ['busy', { kind: 'busy', code: tooLate, text: 'too late' }],
  ])('is believed where nothing has happened: %s', async (_what, outcome) => {
    expect(await under(false, outcome)).toEqual(outcome);
  });

  test('belongs to a write that went by the lease’s own fence', async () => {
    const fence = { holdsForMs: async () => 1 };
    const lease = { held: async () => true, fence: () => fence } as unknown as Lease;
    const fences: unknown[] = [];
    await underLease(lease, async (given) => {
      fences.push(given);
      return done;
    });
    expect(fences).toEqual([fence]);
  });
});

test('what cannot be read at the registrar is told from what it refuses; other errors are ours', async () => {
  expect(await fromRegistrar(async () => 'fig')).toBe('fig');
  const silence = new UpstreamUnavailable('no answer');
  await expect(fromRegistrar(() => Promise.reject(silence))).rejects.toMatchObject({
    ...{ code: 'upstream_unavailable', cause: silence },
  });
  const refusal = new UpstreamRefused('not-found', '480', 'Not in this account.');
  await expect(fromRegistrar(() => Promise.reject(refusal))).rejects.toMatchObject({
    ...{ code: 'registrar_refused', message: 'Not in this account.', error: '480', cause: refusal },
  });
  const bug = new TypeError('a bug');
  await expect(fromRegistrar(() => Promise.reject(bug))).rejects.toBe(bug);
});
