import { expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import { defineOperation } from '#contracts/operation.ts';
import { operations } from '#contracts/operations.ts';
import type { KeptReply, RequestKeys } from '#kernel/request-keys.ts';
import { cutOff } from './errors.ts';
import { keyFaults, oncePerKey, takesKey, toldHonestly } from './once.ts';
import { Replayed } from './reply.ts';

const operation = defineOperation({
  ...{ id: 'things.make', method: 'POST', path: '/thing', summary: '', access: 'public' },
  audit: { none: 'a test' },
  reply: z.object({ n: z.int() }),
});

const askedOnce = {
  caller: { scope: null, identity: null, operator: null },
  ...{ key: 'a-key-of-mine', params: {}, query: {}, body: {} },
  ...{ requestId: 'r-1', warn: () => undefined },
};

function stand() {
  const kept: KeptReply[] = [];
  let freed = 0;
  const keys: RequestKeys = {
    begin: async () => (kept[0] ? { kept: kept[0] } : { id: 'one' }),
    keep: async (_id, reply) => void kept.push(reply),
    free: async () => {
      freed += 1;
    },
  };
  return {
    kept,
    freed: () => freed,
    ask: (work: () => Promise<unknown>) => oncePerKey(keys, operation, askedOnce, work),
  };
}

test('every operation that changes something takes an Idempotency-Key, but for the webhook of a provider', () => {
  const without = operations.filter((one) => one.method !== 'GET' && !takesKey(one)).map(({ id }) => id);
  expect(without).toEqual(['billing.webhook']);
  expect(operations.filter((one) => one.method === 'GET' && takesKey(one))).toEqual([]);
});

test.each([
  ['seven characters', 'a'.repeat(7), true],
  ['eight', 'a'.repeat(8), false],
  ['two hundred', 'a'.repeat(200), false],
  ['one more', 'a'.repeat(201), true],
  ['none', '', true],
  ['a space', 'abcd efgh', true],
  ['two of them, as they arrive', 'abcdefgh, abcdefgh', true],
  ['a letter beyond ASCII', 'abcdefgé', true],
])('a key of %s: whether it is refused', (_what, key, refused) => {
  expect(keyFaults(operation, key).length > 0).toBe(refused);
});

test('a reply is kept to the letter, and given again without doing anything', async () => {
  const { ask, kept } = stand();
  let done = 0;
  const work = async () => ({ n: ++done });
  expect(await ask(work)).toEqual({ n: 1 });
  expect(kept).toEqual([{ status: 200, body: '{"data":{"n":1}}' }]);
  const again = await ask(work);
  expect(again).toEqual(new Replayed({ status: 200, body: '{"data":{"n":1}}' }));
  expect(done).toBe(1);
});

test.each([
  ['refused for its contents', new AppError('unprocessable'), 'free'],
  ['refused because the registrar could not be asked', new AppError('upstream_unavailable'), 'free'],
  ['left open by the registrar', new AppError('outcome_unknown'), 'kept'],
  ['broken by a mistake of ours', new Error('mistake'), 'kept'],
  ['cut off from the database', cutOff(new Error('Connection terminated unexpectedly')), 'neither'],
])('a request that was %s: what becomes of its key', async (_what, error, expected) => {
  const { ask, kept, freed } = stand();
  await expect(ask(() => Promise.reject(error))).rejects.toBe(error);
  expect({ kept: kept.length, freed: freed() }).toEqual({
    kept: expected === 'kept' ? 1 : 0,
    freed: expected === 'free' ? 1 : 0,
  });
  // Nothing of what is not ours to tell is kept.
  expect(JSON.stringify(kept)).not.toContain('mistake');
});

test('a failure that cannot be written down is told all the same, and not as the lost connection that hid it', async () => {
  const open = new AppError('outcome_unknown');
  const lost = () => Promise.reject(new Error('Connection terminated unexpectedly'));
  const keys: RequestKeys = { begin: async () => ({ id: 'one' }), keep: lost, free: lost };
  await expect(oncePerKey(keys, operation, askedOnce, () => Promise.reject(open))).rejects.toBe(open);
});

test('a write that loses the database midway has an unknown outcome; every other failure stays what it is', async () => {
  const lost = new Error('Connection terminated unexpectedly');
  await expect(toldHonestly(() => Promise.reject(lost))).rejects.toMatchObject({
    ...{ code: 'outcome_unknown', cause: lost },
  });
  const refused = new AppError('unprocessable');
  await expect(toldHonestly(() => Promise.reject(refused))).rejects.toBe(refused);
});
