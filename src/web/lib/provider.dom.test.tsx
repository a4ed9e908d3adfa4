import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SignedInPerson } from './oidc.ts';

/** The question to the identity provider that leaves before there is an app to draw. */

const ann: SignedInPerson = {
  ...{ subject: 'ann', email: 'ann@msp.example', name: 'Ann', accessToken: 'token-1' },
  expiresAtMs: Date.parse('2099-01-01T00:00:00Z'),
};
const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } };
const home = window.location.href;
const renew = vi.fn<() => Promise<SignedInPerson>>();
/** What the page is to do when the question leaves. */
let leaves: () => void;
let created: object[];

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  created = [];
  vi.doMock('./oidc.ts', () => ({
    createOidc: (config: object, onQuestion: () => void) => {
      created.push(config);
      leaves = onQuestion;
      return { renew };
    },
  }));
  happyDOM.setURL('https://portal.test/domain/list');
  localStorage.setItem('nameward.signed-in', '1');
  withPage('{"identity":{}}');
});
afterEach(() => {
  vi.doUnmock('./oidc.ts');
  vi.useRealTimers();
  vi.resetModules();
  renew.mockReset();
  localStorage.clear();
  document.head.replaceChildren();
  happyDOM.setURL(home);
});

function withPage(config: string): void {
  const meta = document.createElement('meta');
  Object.assign(meta, { name: 'public-config', content: config });
  document.head.replaceChildren(meta);
}

/** Begins to ask, and says later whether the page may go on. */
async function asking() {
  const { askAhead, askedAhead } = await import('./provider.ts');
  const state = { goesOn: false };
  void askAhead().then(() => {
    state.goesOn = true;
  });
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(0);
  return { state, askedAhead };
}

describe('a page asks who is signed in', () => {
  test('and goes on when the question has left: the answer waits for whom it is for', async () => {
    const answer = Promise.withResolvers<SignedInPerson>();
    renew.mockReturnValue(answer.promise);
    const { state, askedAhead } = await asking();
    expect([state.goesOn, created]).toEqual([false, [{ identity: {} }]]);
    leaves();
    await vi.advanceTimersByTimeAsync(0);
    expect(state.goesOn).toBe(true);
    answer.resolve(ann);
    expect(await askedAhead()).toEqual(ann);
    expect(renew).toHaveBeenCalledTimes(1);
  });

  test('and waits half a second for a library that does not come, no longer', async () => {
    renew.mockReturnValue(new Promise(() => undefined));
    const { state } = await asking();
    await vi.advanceTimersByTimeAsync(499);
    expect(state.goesOn).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.goesOn).toBe(true);
  });

  test('and goes on at once where the question cannot leave', async () => {
    renew.mockRejectedValue(new Error('no cryptography here'));
    const { state, askedAhead } = await asking();
    expect(state.goesOn).toBe(true);
    await expect(askedAhead()).rejects.toThrow('no cryptography here');
  });
});

describe('a page asks nobody', () => {
  const nobody = async () => {
    const { state, askedAhead } = await asking();
    expect([state.goesOn, askedAhead(), created]).toEqual([true, null, []]);
  };

  test('for a visitor', () => {
    localStorage.clear();
    return nobody();
  });

  test('where the provider does not answer in frames', () => {
    localStorage.setItem('nameward.no-frames', '1');
    return nobody();
  });

  test('on the way back from the provider, which brings the answer along', () => {
    happyDOM.setURL('https://portal.test/auth/callback?code=1&state=2');
    return nobody();
  });

  test('where it came without the provider’s address', () => {
    withPage('__PUBLIC_CONFIG__');
    return nobody();
  });
});

test('tabs ask one after the other', async () => {
  const { askSilently } = await import('./provider.ts');
  const request = vi.fn((_name: string, work: () => Promise<SignedInPerson>) => work());
  vi.stubGlobal('navigator', { locks: { request } });
  renew.mockResolvedValue(ann);
  expect(await askSilently({ renew })).toEqual(ann);
  vi.stubGlobal('navigator', {});
  expect(await askSilently({ renew })).toEqual(ann);
  vi.unstubAllGlobals();
  expect([request.mock.calls.map(([name]) => name), renew.mock.calls.length]).toEqual([
    ['nameward.session'],
    2,
  ]);
});
