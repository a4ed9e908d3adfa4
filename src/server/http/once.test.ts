import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import { defineOperation } from '#contracts/operation.ts';
import { operations } from '#contracts/operations.ts';
import { FileReply } from '#kernel/binding.ts';
import type { KeptReply, KeyedRequest, RequestKeys } from '#kernel/request-keys.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import type { Caller } from './caller.ts';
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
  ['refused because the database could not be reached', new AppError('unavailable'), 'free'],
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

test('a failure that leaves it open is kept as it was told, and a repeat hears it without a second effect', async () => {
  const { ask, kept } = stand();
  const told = { code: 'outcome_unknown', requestId: 'r-1', message: 'Please check.' };
  await expect(
    ask(() => Promise.reject(new AppError('outcome_unknown', { message: 'Please check.' }))),
  ).rejects.toThrow();
  expect(kept.map(({ status, body }) => [status, JSON.parse(body)])).toEqual([[502, told]]);
  expect(await ask(() => Promise.reject(new Error('done again')))).toEqual(
    new Replayed(kept[0] as KeptReply),
  );
});

test('a file is not kept: its request may be sent again', async () => {
  const { ask, kept, freed } = stand();
  const file = new FileReply(Buffer.from('a'), 'text/plain', 'a.txt');
  expect(await ask(async () => file)).toBe(file);
  expect([kept.length, freed()]).toEqual([0, 1]);
});

test('a reply that cannot be kept is given all the same, and that is noted', async () => {
  const noted: string[] = [];
  const lost = () => Promise.reject(new Error('Connection terminated unexpectedly'));
  const keys: RequestKeys = { begin: async () => ({ id: 'one' }), keep: lost, free: lost };
  const asked = { ...askedOnce, warn: (_error: unknown, text: string) => void noted.push(text) };
  expect(await oncePerKey(keys, operation, asked, async () => ({ n: 1 }))).toEqual({ n: 1 });
  expect(noted).toEqual(['a reply could not be kept']);
  const refused = oncePerKey(keys, operation, asked, () => Promise.reject(new AppError('unprocessable')));
  await expect(refused).rejects.toMatchObject({ code: 'unprocessable' });
  expect(noted[1]).toBe('what became of a request could not be kept');
});

describe('whose key it is, and for what,', () => {
  /** How a request is known to its key. */
  async function knownAs(caller: Partial<Caller>, change: object = {}): Promise<KeyedRequest> {
    const seen: KeyedRequest[] = [];
    const keys: RequestKeys = {
      begin: async (request) => {
        seen.push(request);
        return { id: 'one' };
      },
      ...{ keep: async () => undefined, free: async () => undefined },
    };
    const asked = { ...askedOnce, ...change, caller: { ...askedOnce.caller, ...caller } };
    await oncePerKey(keys, operation, asked, async () => ({ n: 1 }));
    return seen[0] as KeyedRequest;
  }
  const scope: Scope = {
    ...{ organisationId: 'msp-1', userId: 'u-1', email: 'ann@msp.example', ip: null, requestId: 'r-1' },
    ...{ role: 'MSP_EMPLOYEE', reach: wholeOrganisation, rights: rightsOfRole },
  };

  test('is a person of an organization, with what they may do, and all that they sent', async () => {
    const sent = { params: { id: '1' }, query: { page: 2 }, body: { name: 'a' } };
    expect(await knownAs({ scope }, sent)).toEqual({
      ...{ organisationId: 'msp-1', caller: 'user:u-1', operation: 'things.make', key: 'a-key-of-mine' },
      contents: {
        ...{ organisationId: 'msp-1', role: 'MSP_EMPLOYEE', reach: wholeOrganisation, rights: rightsOfRole },
        ...sent,
      },
    });
  });

  test('is a person who has no organization yet, by who vouches for them and how they are called there', async () => {
    const identity = (issuer: string, subject: string) => ({
      identity: { issuer, subject } as Caller['identity'],
    });
    const ann = await knownAs(identity('https://a.example', 'ann'));
    expect(ann).toMatchObject({ organisationId: null, contents: { params: {}, query: {}, body: {} } });
    expect((await knownAs(identity('https://a.example', 'ann'))).caller).toBe(ann.caller);
    expect((await knownAs(identity('https://a.example', 'ben'))).caller).not.toBe(ann.caller);
    expect((await knownAs(identity('https://b.example', 'ann'))).caller).not.toBe(ann.caller);
    expect(ann.caller).toMatch(/^identity:/);
  });

  test('is an operator by their own key, and the setting by its name', async () => {
    const operator = { name: 'Olga', ip: null, requestId: 'r-1' };
    expect((await knownAs({ operator: { ...operator, id: 'o-1' } })).caller).toBe('operator:o-1');
    expect((await knownAs({ operator: { ...operator, id: null } })).caller).toBe('operator:Olga');
  });

  test('is, where nobody is known, the link that they hold', async () => {
    const first = await knownAs({}, { params: { secret: 'one' } });
    expect(first).toMatchObject({ organisationId: null, caller: expect.stringMatching(/^nobody:/) });
    expect((await knownAs({}, { params: { secret: 'one' } })).caller).toBe(first.caller);
    expect((await knownAs({}, { params: { secret: 'two' } })).caller).not.toBe(first.caller);
    expect((await knownAs({}, { params: undefined })).caller).toMatch(/^nobody:/);
  });
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
