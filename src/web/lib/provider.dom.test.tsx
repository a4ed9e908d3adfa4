import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SignedInPerson, SilentFailure } from './oidc.ts';

/** The question to the identity provider that leaves before the app is drawn. */

const ann: SignedInPerson = {
  ...{ subject: 'ann', email: 'ann@msp.example', name: 'Ann', accessToken: 'token-1' },
  expiresAtMs: Date.parse('2099-01-01T00:00:00Z'),
};
const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } };
const home = window.location.href;
const renew = vi.fn<() => Promise<SignedInPerson | SilentFailure>>();
let created: object[];

beforeEach(() => {
  vi.resetModules();
  created = [];
  vi.doMock('./oidc.ts', () => ({
    createOidc: (config: object) => {
      created.push(config);
      return { renew };
    },
  }));
  happyDOM.setURL('https://portal.test/domain/list');
  localStorage.setItem('nameward.signed-in', '1');
  withPage('{"identity":{"authority":"https://id.test"}}');
});
afterEach(() => {
  vi.doUnmock('./oidc.ts');
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

async function asked() {
  const { askAhead, askedAhead } = await import('./provider.ts');
  askAhead();
  await vi.dynamicImportSettled();
  return askedAhead();
}
const connected = () =>
  [...document.head.querySelectorAll('link')].map((link) => link.outerHTML.replace(/["]/g, ''));

describe('a page asks who is signed in', () => {
  test('once, and opens the way for the question and for the call that follows it', async () => {
    renew.mockResolvedValue(ann);
    expect(await asked()).toEqual(ann);
    expect(created).toEqual([{ identity: { authority: 'https://id.test' } }]);
    expect(renew).toHaveBeenCalledTimes(1);
    expect(connected()).toEqual([
      '<link rel=preconnect href=https://id.test>',
      '<link rel=preconnect href=https://id.test crossorigin=anonymous>',
    ]);
  });

  test('and leaves a failure to who asks for the answer', async () => {
    renew.mockRejectedValue(new Error('no cryptography here'));
    await expect(asked()).rejects.toThrow('no cryptography here');
  });
});

describe('a page beside another tab of the person', () => {
  const besideAnother = async (answer: SignedInPerson | null) => {
    const beside = { person: null as SignedInPerson | null, named: Promise.resolve(ann) };
    vi.doMock('./other-tabs.ts', () => ({ askOtherTabs: () => beside }));
    vi.useFakeTimers();
    renew.mockResolvedValue(ann);
    const { askAhead, askedAhead, namedBeside } = await import('./provider.ts');
    askAhead();
    // The library is there as soon as the answer, which is heard in its turn.
    setTimeout(() => {
      beside.person = answer;
    });
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(1);
    return { whole: askedAhead(), namedBeside };
  };
  afterEach(() => {
    vi.useRealTimers();
    vi.doUnmock('./other-tabs.ts');
  });

  test('hears from there who they are, and asks the provider three seconds later', async () => {
    const { whole, namedBeside } = await besideAnother(ann);
    expect(await namedBeside()).toEqual(ann);
    await vi.advanceTimersByTimeAsync(2_990);
    expect(renew).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10);
    expect(await whole).toEqual(ann);
  });

  test('asks the provider at once where that one says nothing', async () => {
    await besideAnother(null);
    expect(renew).toHaveBeenCalledTimes(1);
  });
});

describe('the question comes before the app, and the data before the screen', () => {
  const asks = { email: ann.email, pages: [['/domain/list', ['/api/user', '/api/overview']]] };
  let sent: string[];
  beforeEach(() => {
    vi.useFakeTimers();
    sent = [];
    vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
      sent.push(`${new Headers(headers).get('authorization')} ${url}`);
      return new Response();
    });
    localStorage.setItem('nameward.asks', JSON.stringify(asks));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    document.body.replaceChildren();
    vi.doUnmock('./other-tabs.ts');
  });

  /** What of the page may go on. The provider answers when it is given an answer. */
  async function opened(beside: object | null = null) {
    const answer = Promise.withResolvers<SignedInPerson | SilentFailure>();
    renew.mockReturnValue(answer.promise);
    vi.doMock('./other-tabs.ts', () => ({ askOtherTabs: () => beside }));
    const { askAhead, untilQuestionLeaves, untilDataIsAsked } = await import('./provider.ts');
    askAhead();
    const goesOn: string[] = [];
    void untilQuestionLeaves().then(() => goesOn.push('app'));
    void untilDataIsAsked().then(() => goesOn.push('screen'));
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(1);
    return { answer, goesOn };
  }
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const both = ['Bearer token-1 /api/user', 'Bearer token-1 /api/overview'];

  test('the app when the provider is being asked, the screen when the person is known', async () => {
    const { answer, goesOn } = await opened();
    document.body.append(document.createElement('div'));
    await settle();
    expect(goesOn).toEqual([]);
    // A real one would complain here that it may not load anything.
    const frame = Object.defineProperty(document.createElement('div'), 'nodeName', { value: 'IFRAME' });
    document.body.append(frame);
    await settle();
    expect([goesOn, sent]).toEqual([['app'], []]);
    answer.resolve(ann);
    await settle();
    expect([goesOn, sent]).toEqual([['app', 'screen'], both]);
  });

  test.each(['signedOut', 'frame', 'offline'] as const)(
    'and both when the provider says: %s',
    async (said) => {
      const { answer, goesOn } = await opened();
      answer.resolve(said);
      await settle();
      expect([goesOn, sent]).toEqual([['app', 'screen'], []]);
    },
  );

  test('and both when it could not be asked', async () => {
    const { answer, goesOn } = await opened();
    answer.reject(new Error('no cryptography here'));
    await settle();
    expect([goesOn, sent]).toEqual([['app', 'screen'], []]);
  });

  test.each([
    [998, []],
    [999, ['app']],
    [1_498, ['app']],
    [1_499, ['app', 'screen']],
  ])('but neither waits long for a provider that is slow: after %d ms', async (ms, expected) => {
    const { goesOn } = await opened();
    await vi.advanceTimersByTimeAsync(ms);
    expect([goesOn, sent]).toEqual([expected, []]);
  });

  test('once, by the first who names the person', async () => {
    const { answer, goesOn } = await opened({ person: ann, named: Promise.resolve(ann) });
    expect([goesOn, sent]).toEqual([['app', 'screen'], both]);
    answer.resolve({ ...ann, accessToken: 'token-2' });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(sent).toEqual(both);
  });

  test('and nothing waits where nobody is asked', async () => {
    localStorage.removeItem('nameward.signed-in');
    const { goesOn } = await opened();
    expect([goesOn, sent]).toEqual([['app', 'screen'], []]);
  });
});

describe('a page asks nobody', () => {
  const nobody = async () => {
    expect([await asked(), created, connected()]).toEqual([null, [], []]);
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
  const request = vi.fn((_name: string, work: () => ReturnType<typeof renew>) => work());
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
