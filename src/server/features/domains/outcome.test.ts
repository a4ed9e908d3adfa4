import { describe, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { concluded } from './outcome.ts';

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
