import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SignedInPerson } from './oidc.ts';

/** What a page asked the last time it was opened is asked ahead the next time. */

const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } };
const home = window.location.href;
const ann: SignedInPerson = {
  ...{ subject: 'ann', email: 'ann@msp.example', name: 'Ann', accessToken: 'token-1' },
  expiresAtMs: Date.parse('2099-01-01T00:00:00Z'),
};
const list = '/api/domain?page=1&pageSize=50&sort=address';
const kept = () => JSON.parse(localStorage.getItem('nameward.asks') ?? 'null');
const keep = (asks: unknown) => localStorage.setItem('nameward.asks', JSON.stringify(asks));
const keptHere = (...urls: string[]) => keep({ email: ann.email, pages: [['/domain/list', urls]] });
let sent: { url: string; authorization: string | null }[];
let signals: (AbortSignal | null | undefined)[];
let give: (response: Response | Error) => void;

/** A page of its own. */
async function page() {
  vi.resetModules();
  return { ...(await import('./data-ahead.ts')), marks: (await import('./session-marks.ts')).sessionMarks };
}

/** A page that was opened, of which it is known what it asks by itself. */
async function openedPage(...urls: string[]) {
  const opened = await page();
  opened.noteOpening();
  for (const url of urls) opened.beginAsking()?.(url);
  return opened;
}

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  signals = [];
  vi.stubGlobal('fetch', (url: string, { headers, signal }: RequestInit) => {
    signals.push(signal);
    sent.push({ url, authorization: new Headers(headers).get('authorization') });
    return new Promise<Response>((resolve, reject) => {
      give = (response) => (response instanceof Error ? reject(response) : resolve(response));
    });
  });
  happyDOM.setURL('https://portal.test/domain/list');
  localStorage.setItem('nameward.profile', JSON.stringify({ email: ann.email }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
  happyDOM.setURL(home);
});

describe('a page remembers', () => {
  test('what its app asks by itself, in that order and each once', async () => {
    await openedPage('/api/overview', list, '/api/overview');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept()).toEqual({ email: ann.email, pages: [['/domain/list', ['/api/overview', list]]] });
  });

  test('what comes later too, up to ten seconds', async () => {
    const { beginAsking } = await openedPage(list);
    await vi.advanceTimersByTimeAsync(9_000);
    beginAsking()?.('/api/user');
    await vi.advanceTimersByTimeAsync(1_001);
    beginAsking()?.('/api/late');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept().pages).toEqual([['/domain/list', [list, '/api/user']]]);
  });

  test.each([
    ['a press', () => window.dispatchEvent(new Event('pointerdown'))],
    ['a key', () => window.dispatchEvent(new Event('keydown'))],
    ['another address', () => happyDOM.setURL('https://portal.test/customers')],
  ])('nothing that follows %s', async (_what, act) => {
    const { beginAsking } = await openedPage(list);
    act();
    beginAsking()?.('/api/customer/resend-payment-link/1');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept().pages).toEqual([['/domain/list', [list]]]);
  });

  test('nothing that is for later', async () => {
    const { beginAsking, forLater } = await openedPage(list);
    expect(forLater(() => beginAsking())).toBeNull();
    beginAsking()?.('/api/user');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept().pages).toEqual([['/domain/list', [list, '/api/user']]]);
  });

  test('at most twelve questions of each of the last twenty pages', async () => {
    const many = Array.from({ length: 13 }, (_, n) => `/api/${n}`);
    const pages = Array.from({ length: 20 }, (_, n) => [`/p${n}`, []]);
    keep({ email: ann.email, pages });
    await openedPage(...many);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept().pages).toEqual([['/domain/list', many.slice(0, 12)], ...pages.slice(0, 19)]);
  });

  test('its own address with what is behind the question mark, in place of the time before', async () => {
    keep({
      email: ann.email,
      pages: [
        ['/domain/list', ['/api/a']],
        ['/domain/list?page=2', ['/api/b']],
      ],
    });
    happyDOM.setURL('https://portal.test/domain/list?page=2');
    await openedPage('/api/c');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept().pages).toEqual([
      ['/domain/list?page=2', ['/api/c']],
      ['/domain/list', ['/api/a']],
    ]);
  });

  test('nothing of somebody else: theirs is forgotten', async () => {
    keep({ email: 'bob@msp.example', pages: [['/cart', ['/api/bobs']]] });
    await openedPage(list);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept()).toEqual({ email: ann.email, pages: [['/domain/list', [list]]] });
  });

  test('nothing where a sign-in ends', async () => {
    happyDOM.setURL('https://portal.test/auth/callback?code=1');
    await openedPage(list);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept()).toBeNull();
  });

  test('for whom it is when that is known', async () => {
    const profile = localStorage.getItem('nameward.profile') ?? '';
    localStorage.removeItem('nameward.profile');
    const { beginAsking } = await openedPage('/api/user');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept()).toBeNull();
    localStorage.setItem('nameward.profile', profile);
    beginAsking()?.(list);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept()).toEqual({ email: ann.email, pages: [['/domain/list', ['/api/user', list]]] });
  });

  test('in the order in which it leaves', async () => {
    const { beginAsking } = await openedPage();
    const aside = beginAsking();
    beginAsking()?.(list);
    aside?.('/api/overview');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept().pages).toEqual([['/domain/list', [list, '/api/overview']]]);
  });

  test.each([
    ['signs out', (marks: Awaited<ReturnType<typeof page>>['marks']) => marks.forgetPerson()],
    ['is no longer signed in', (marks: Awaited<ReturnType<typeof page>>['marks']) => marks.keepProfile(null)],
  ])('nothing of a person who %s', async (_how, leave) => {
    const { marks } = await openedPage(list);
    await vi.advanceTimersByTimeAsync(1_000);
    leave(marks);
    expect(kept()).toBeNull();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(kept()).toBeNull();
  });

  test.each([
    ['a sign-out', (marks: Awaited<ReturnType<typeof page>>['marks']) => marks.forgetPerson()],
    ['the end of a session', (marks: Awaited<ReturnType<typeof page>>['marks']) => marks.keepProfile(null)],
  ])('and writes nothing after %s', async (_what, leave) => {
    const { marks } = await openedPage(list);
    leave(marks);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept()).toBeNull();
  });
});

describe('a page that is opened again', () => {
  test('asks the same with the person’s token, and each answer is taken once', async () => {
    keptHere(list, '/api/user');
    const { askDataAhead, takeAhead } = await page();
    askDataAhead(ann);
    expect(sent).toEqual([
      { url: list, authorization: 'Bearer token-1' },
      { url: '/api/user', authorization: 'Bearer token-1' },
    ]);
    give(new Response('ann'));
    expect(await (await takeAhead('/api/user', 'token-1'))?.text()).toBe('ann');
    expect(takeAhead('/api/user', 'token-1')).toBeNull();
    expect(takeAhead(list, 'token-1')).not.toBeNull();
  });

  test('has no answer for another token', async () => {
    keptHere(list);
    const { askDataAhead, takeAhead } = await page();
    askDataAhead(ann);
    expect(takeAhead(list, 'token-2')).toBeNull();
    expect(takeAhead(list, 'token-1')).toBeNull();
  });

  test.each([
    [9_999, true],
    [10_000, false],
  ])('has its answers for ten seconds: after %d ms %s', async (ms, isThere) => {
    keptHere(list);
    const { askDataAhead, takeAhead } = await page();
    askDataAhead(ann);
    await vi.advanceTimersByTimeAsync(ms);
    expect(takeAhead(list, 'token-1') !== null).toBe(isThere);
  });

  test('has none from before a change', async () => {
    keptHere(list);
    const { askDataAhead, forgetAhead, takeAhead } = await page();
    askDataAhead(ann);
    forgetAhead();
    expect(takeAhead(list, 'token-1')).toBeNull();
  });

  test.each<[string, (ahead: Awaited<ReturnType<typeof page>>) => unknown]>([
    ['something has changed', ({ forgetAhead }) => forgetAhead()],
    ['ten seconds have passed', () => vi.advanceTimersByTimeAsync(10_000)],
    ['another token asks', ({ takeAhead }) => takeAhead(list, 'token-2')],
  ])('keeps no connection for an answer that nobody takes: %s', async (_what, happens) => {
    keptHere(list, '/api/user');
    const opened = await page();
    opened.askDataAhead(ann);
    void opened.takeAhead('/api/user', 'token-1');
    await happens(opened);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  });

  test('leaves a failure to who takes it', async () => {
    keptHere(list);
    const { askDataAhead, takeAhead } = await page();
    askDataAhead(ann);
    give(new Error('no network'));
    await vi.advanceTimersByTimeAsync(0);
    await expect(takeAhead(list, 'token-1')).rejects.toThrow('no network');
  });

  test.each([
    ['another page', { email: ann.email, pages: [['/cart', [list]]] }],
    ['somebody else', { email: 'bob@msp.example', pages: [['/domain/list', [list]]] }],
    ['another host', { email: ann.email, pages: [['/domain/list', ['https://elsewhere.test/api/']]] }],
    ['another path of this host', { email: ann.email, pages: [['/domain/list', ['/auth/', list]]] }],
    ['damaged entries', { email: ann.email, pages: [['/domain/list', list]] }],
    ['no list', { email: ann.email, pages: { '/domain/list': [list] } }],
    ['nothing', null],
  ])('asks nothing by what was kept of %s', async (_what, stored) => {
    keep(stored);
    (await page()).askDataAhead(ann);
    expect(sent).toEqual([]);
  });
});

describe('the client', () => {
  /** With an answer to GET /user that was asked ahead, and what it gets where it asks by itself. */
  async function client() {
    keptHere('/api/user');
    const { askDataAhead } = await page();
    askDataAhead(ann);
    sent = [];
    const { call, setTokenSource } = await import('./api-client.ts');
    const tokens = ['token-1', 'token-2'];
    setTokenSource({ token: async () => tokens[0] ?? null, renew: async () => tokens[1] ?? null });
    const giveAhead = give;
    const asked = () => sent.map(({ url, authorization }) => `${authorization} ${url}`);
    return { call, asked, giveAhead };
  }
  const saying = (name: string, status = 200) => new Response(JSON.stringify({ data: { name } }), { status });

  test('takes what was asked ahead in place of asking', async () => {
    const { call, asked, giveAhead } = await client();
    const answer = call('GET /user');
    giveAhead(saying('ahead'));
    expect(await answer).toEqual({ name: 'ahead' });
    expect(asked()).toEqual([]);
  });

  test.each([
    ['fails', new Error('no network'), 'token-1'],
    ['is refused', saying('', 401), 'token-2'],
  ])('asks where what was asked ahead %s', async (_how, early, token) => {
    const { call, asked, giveAhead } = await client();
    const answer = call('GET /user');
    giveAhead(early);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked()).toEqual([`Bearer ${token} /api/user`]);
    give(saying('asked'));
    expect(await answer).toEqual({ name: 'asked' });
  });

  test('asks again after a change', async () => {
    const { call, asked, giveAhead } = await client();
    giveAhead(saying('before'));
    void call('POST /customer', { body: {} as never }).catch(() => undefined);
    const answer = call('GET /user');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked()).toEqual(['Bearer token-1 /api/customer', 'Bearer token-1 /api/user']);
    give(saying('after'));
    expect(await answer).toEqual({ name: 'after' });
  });

  test('still takes it after a question whose body is too long for an address', async () => {
    const { call, asked, giveAhead } = await client();
    giveAhead(saying('ahead'));
    void call('POST /cart/prices', { body: [] }).catch(() => undefined);
    const answer = call('GET /user');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked()).toEqual(['Bearer token-1 /api/cart/prices']);
    expect(await answer).toEqual({ name: 'ahead' });
  });

  test('has its own questions remembered, as they leave, and nothing that it changes', async () => {
    const { noteOpening } = await page();
    noteOpening();
    const { call, setTokenSource } = await import('./api-client.ts');
    setTokenSource({ token: async () => 'token-1', renew: async () => null });
    void call('GET /overview', { isAside: true });
    void call('POST /customer', { body: {} as never });
    void call('GET /attention', { query: { limit: 6 } as never });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(kept().pages).toEqual([['/domain/list', ['/api/attention?limit=6', '/api/overview']]]);
  });

  test('does not wait for it once nobody wants it', async () => {
    const { call } = await client();
    const giveUp = new AbortController();
    vi.stubGlobal('fetch', async (_url: string, { signal }: RequestInit) => signal?.throwIfAborted());
    const answer = call('GET /user', { signal: giveUp.signal });
    await vi.advanceTimersByTimeAsync(0);
    giveUp.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });
});
