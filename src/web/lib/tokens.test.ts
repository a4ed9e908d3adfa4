import { describe, expect, test, vi } from 'vitest';
import type { SignedInPerson, SilentFailure } from './oidc.ts';
import { Tokens } from './tokens.ts';

const minuteMs = 60_000;
const nowMs = 1_000_000_000_000;

function person(accessToken: string, validMs: number): SignedInPerson {
  return { subject: 's', email: 'a@b.example', name: 'A', accessToken, expiresAtMs: nowMs + validMs };
}

function tokensAnswering(...answers: (SignedInPerson | SilentFailure)[]) {
  const renew = vi.fn(async () => answers.shift() ?? ('offline' as const));
  const seen: (string | null)[] = [];
  const tokens = new Tokens(
    async () => ({ renew }),
    (next, lapse) => seen.push(lapse ?? next?.accessToken ?? null),
    { now: () => nowMs },
  );
  return { tokens, renew, seen };
}

describe('tokens', () => {
  test('nobody is told anything before it is known whether somebody is signed in', async () => {
    const { tokens, renew } = tokensAnswering();
    let answered = false;
    const asked = tokens.token().then((token) => {
      answered = true;
      return token;
    });
    await Promise.resolve();
    expect(answered).toBe(false);
    tokens.set(person('one', 10 * minuteMs));
    expect(await asked).toBe('one');
    expect(renew).not.toHaveBeenCalled();
  });

  test('a signed-out visitor has none, and the provider is not asked', async () => {
    const { tokens, renew } = tokensAnswering();
    tokens.set(null);
    expect(await tokens.token()).toBeNull();
    expect(renew).not.toHaveBeenCalled();
  });

  test('twenty calls with an ending token lead to one renewal', async () => {
    const { tokens, renew } = tokensAnswering(person('two', 10 * minuteMs));
    tokens.set(person('one', 30_000));
    const given = await Promise.all(Array.from({ length: 20 }, () => tokens.token()));
    expect(new Set(given)).toEqual(new Set(['two']));
    expect(renew).toHaveBeenCalledTimes(1);
  });

  test('what was asked ahead is the first answer, and no other', async () => {
    const renew = vi.fn(async () => person('two', 10 * minuteMs));
    const ahead = Promise.resolve(person('one', 10 * minuteMs));
    const tokens = new Tokens(
      async () => ({ renew }),
      () => undefined,
      { ahead, now: () => nowMs },
    );
    expect(await tokens.ask()).toMatchObject({ accessToken: 'one' });
    expect(await tokens.token()).toBe('one');
    expect(renew).not.toHaveBeenCalled();
    expect(await tokens.renew('one')).toBe('two');
  });

  test('the provider that names somebody else has ended the session of the person there: no call goes out by the other’s token', async () => {
    const { tokens, renew, seen } = tokensAnswering({ ...person('bobs', 10 * minuteMs), subject: 'bob' });
    tokens.set(person('one', 10 * minuteMs));
    const given = [tokens.renew('one'), tokens.ask()];
    expect(await Promise.all(given)).toEqual([null, 'signedOut']);
    expect([await tokens.token(), seen]).toEqual([null, ['one', null]]);
    expect(renew).toHaveBeenCalledTimes(1);
  });

  test('where asking ahead failed, the next question goes to the provider again', async () => {
    const ahead = Promise.reject(new Error('no network'));
    const tokens = new Tokens(
      async () => ({ renew: async () => person('one', 10 * minuteMs) }),
      () => undefined,
      { ahead, now: () => nowMs },
    );
    await expect(tokens.ask()).rejects.toThrow('no network');
    expect(await tokens.ask()).toMatchObject({ accessToken: 'one' });
  });

  test('a call refused with an old token gets the one that was renewed meanwhile', async () => {
    const { tokens, renew } = tokensAnswering(person('two', 10 * minuteMs));
    tokens.set(person('one', 10 * minuteMs));
    expect(await tokens.renew('one')).toBe('two');
    expect(await tokens.renew('one')).toBe('two');
    expect(renew).toHaveBeenCalledTimes(1);
  });

  test("only the provider's word ends the session", async () => {
    const { tokens, seen } = tokensAnswering('offline', 'frame', 'signedOut');
    tokens.set(person('one', 30_000));
    expect(await tokens.token()).toBe('one');
    expect(await tokens.token()).toBe('one');
    expect(seen).toEqual(['one']);
    expect(await tokens.token()).toBeNull();
    expect(seen).toEqual(['one', null]);
  });

  test.each(['offline', 'frame'] as const)(
    'an ended token without an answer (%s) ends no session: calls fail unsent until there is one',
    async (silence) => {
      const { tokens, seen } = tokensAnswering(silence, silence, person('two', 10 * minuteMs));
      tokens.set(person('one', -1));
      const unsent = { code: 'offline', status: 0, message: expect.stringContaining('sign-in') };
      await expect(tokens.token()).rejects.toMatchObject(unsent);
      await expect(tokens.renew('one')).rejects.toMatchObject(unsent);
      expect(tokens).toMatchObject({ person: { accessToken: 'one' }, lapse: silence });
      expect(await tokens.token()).toBe('two');
      expect(tokens.lapse).toBeNull();
      expect(seen).toEqual(['one', silence, silence, 'two']);
    },
  );
});
