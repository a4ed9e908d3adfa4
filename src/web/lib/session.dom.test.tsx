import { act, cleanup, render } from '@testing-library/react';
import { Fragment, StrictMode, useEffect, useEffectEvent } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import type { SignedInPerson, SilentFailure } from './oidc.ts';
import type { Session } from './session.tsx';

/** Who is signed in when a page opens: what this browser remembers, what the provider says, and what stays known of it. */

const ann: SignedInPerson = {
  ...{ subject: 'ann', email: 'ann@msp.example', name: 'Ann', accessToken: 'token-1' },
  expiresAtMs: Date.parse('2099-01-01T00:00:00Z'),
};
const provider = {
  finishRedirect: vi.fn<() => Promise<SignedInPerson | 'signedOut' | 'refused'>>(),
  renew: vi.fn<() => Promise<SignedInPerson | SilentFailure>>(),
  signIn: vi.fn(async (_options: object): Promise<void> => undefined),
  signOut: vi.fn(async (): Promise<void> => undefined),
};
const created = vi.fn();
const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } };
const home = window.location.href;

beforeEach(() => {
  vi.resetModules();
  vi.doMock('./oidc.ts', () => ({
    createOidc: () => {
      created();
      return provider;
    },
  }));
  vi.stubGlobal('fetch', async () => new Response(''));
  vi.stubGlobal('BroadcastChannel', undefined);
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => {
  cleanup();
  vi.doUnmock('./oidc.ts');
  vi.resetModules();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const does of [...Object.values(provider), created]) does.mockReset();
  localStorage.clear();
  sessionStorage.clear();
  happyDOM.setURL(home);
});

const marks = () => ({
  profile: localStorage.getItem('nameward.profile') !== null,
  signedIn: localStorage.getItem('nameward.signed-in') !== null,
  frames: localStorage.getItem('nameward.no-frames') === null,
});
const remember = (name: 'signed-in' | 'no-frames' | 'profile') =>
  localStorage.setItem(`nameward.${name}`, '1');
const wayBack = () => sessionStorage.getItem('nameward.return-path');

function Inside({ useIt, take }: { useIt: () => Session; take: (session: Session) => void }) {
  take(useIt());
  return null;
}

function Asking({ ask }: { ask: () => Promise<unknown> }) {
  const first = useEffectEvent(ask);
  useEffect(() => void first(), []);
  return null;
}

/** Opens the page at this path; strictly, as the app does where it is developed. */
async function open(path = '/customers?page=2', Mode: typeof StrictMode | typeof Fragment = Fragment) {
  happyDOM.setURL(`https://portal.test${path}`);
  const { SessionProvider, useSession } = await import('./session.tsx');
  const { call } = await import('./api-client.ts');
  const seen: { session: Session | null } = { session: null };
  const take = (session: Session) => {
    seen.session = session;
  };
  const settled = () => act(() => new Promise<void>((done) => void setTimeout(done)));
  render(
    <Mode>
      <SessionProvider config={{ identity: {} } as never}>
        <Inside useIt={useSession} take={take} />
      </SessionProvider>
    </Mode>,
  );
  for (let turn = 0; turn < 5; turn += 1) await settled();
  return { session: () => seen.session as Session, call, settled };
}

describe('a page that is opened', () => {
  test('by a visitor asks no provider, and has nobody', async () => {
    const { session } = await open();
    expect(session()).toMatchObject({ status: 'signed-out', email: null, problem: null, lapsed: false });
    expect(created).not.toHaveBeenCalled();
  });

  test('by somebody who was signed in here asks the provider without a word, and has them', async () => {
    remember('signed-in');
    provider.renew.mockResolvedValue(ann);
    const { session } = await open();
    expect(session()).toMatchObject({ status: 'signed-in', email: 'ann@msp.example' });
    expect([marks().signedIn, provider.signIn.mock.calls]).toEqual([true, []]);
  });

  test('has a token for what is asked with the first drawing, once there is one', async () => {
    remember('signed-in');
    provider.renew.mockResolvedValue(ann);
    const asked: unknown[] = [];
    vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Headers }) => {
      asked.push(new Headers(headers).get('authorization'));
      return Response.json({ data: {} });
    });
    const { SessionProvider } = await import('./session.tsx');
    const { call } = await import('./api-client.ts');
    render(
      <SessionProvider config={{ identity: {} } as never}>
        <Asking ask={() => call('GET /user').catch((error) => asked.push(error))} />
      </SessionProvider>,
    );
    await eventually(() => expect(asked).toEqual(['Bearer token-1']));
  });

  test('in strict mode, which mounts twice, asks once and hears the answer', async () => {
    remember('signed-in');
    provider.renew.mockResolvedValueOnce(ann).mockResolvedValue('frame');
    const { session } = await open('/cart', StrictMode);
    expect(session()).toMatchObject({ status: 'signed-in', email: 'ann@msp.example', problem: null });
    expect([provider.renew.mock.calls.length, provider.signIn.mock.calls]).toEqual([1, []]);
    await act(() => session().arrive('/orders'));
    expect(session().status).toBe('signed-in');
  });

  test('in strict mode leaves for the provider once, and says once what broke', async () => {
    remember('signed-in');
    provider.renew.mockResolvedValueOnce('frame').mockRejectedValue(new Error('asked twice'));
    await open('/cart', StrictMode);
    expect(provider.signIn.mock.calls).toEqual([[{ silently: true }]]);
    cleanup();
    vi.resetModules();
    localStorage.removeItem('nameward.no-frames');
    provider.renew.mockReset().mockRejectedValue(new Error('broken'));
    const { session } = await open('/cart', StrictMode);
    expect(session().problem).toBe('The sign-in did not succeed. Please try again.');
    expect(provider.renew).toHaveBeenCalledTimes(1);
  });

  /** The question left before the app was there to hear the answer. */
  async function askFirst() {
    remember('signed-in');
    const meta = document.createElement('meta');
    Object.assign(meta, { name: 'public-config', content: '{"identity":{"authority":"https://id.test"}}' });
    document.head.append(meta);
    const { askAhead } = await import('./provider.ts');
    askAhead();
    document.head.replaceChildren();
  }

  test('with the answer on its way asks no second time', async () => {
    const answer = Promise.withResolvers<SignedInPerson>();
    provider.renew.mockReturnValue(answer.promise);
    await askFirst();
    const { session, settled } = await open();
    expect(session().status).toBe('loading');
    answer.resolve(ann);
    await settled();
    expect(session()).toMatchObject({ status: 'signed-in', email: 'ann@msp.example' });
    expect(provider.renew).toHaveBeenCalledTimes(1);
  });

  test('with an answer from before somebody signed out in another tab has nobody', async () => {
    provider.renew.mockResolvedValue(ann);
    await askFirst();
    localStorage.removeItem('nameward.signed-in');
    const { session } = await open();
    expect(session()).toMatchObject({ status: 'signed-out', email: null });
    expect(marks().signedIn).toBe(false);
  });

  /** Another tab of this browser, where this person is. */
  const named = (person: SignedInPerson | Promise<SignedInPerson> = ann) =>
    vi.doMock('./provider.ts', async (original) => ({
      ...(await original<object>()),
      namedBeside: async () => person,
    }));
  afterEach(() => void vi.doUnmock('./provider.ts'));

  test('beside another tab of the person has them before the provider has answered, and its token afterwards', async () => {
    remember('signed-in');
    named({ ...ann, accessToken: 'token-beside' });
    const answer = Promise.withResolvers<SignedInPerson>();
    provider.renew.mockReturnValue(answer.promise);
    const asked: unknown[] = [];
    vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Headers }) => {
      asked.push(new Headers(headers).get('authorization'));
      return Response.json({ data: {} });
    });
    const { session, call, settled } = await open();
    expect(session()).toMatchObject({ status: 'signed-in', email: 'ann@msp.example' });
    await call('GET /user').catch(() => undefined);
    answer.resolve(ann);
    await settled();
    await call('GET /user').catch(() => undefined);
    expect(asked).toEqual(['Bearer token-beside', 'Bearer token-1']);
  });

  test.each(['offline', 'frame'] as const)(
    'beside another tab of the person keeps them where the provider does not answer (%s), and stays',
    async (answer) => {
      remember('signed-in');
      named();
      provider.renew.mockResolvedValue(answer);
      const { session } = await open();
      expect(session()).toMatchObject({ status: 'signed-in', email: 'ann@msp.example', lapsed: false });
      expect([marks(), provider.signIn.mock.calls]).toEqual([
        { profile: false, signedIn: true, frames: answer !== 'frame' },
        [],
      ]);
    },
  );

  test('beside another tab of the person keeps them where the provider breaks', async () => {
    remember('signed-in');
    named();
    provider.renew.mockRejectedValue(new Error('broken'));
    const { session } = await open();
    expect(session()).toMatchObject({ status: 'signed-in', problem: null });
  });

  test('that the provider answered first keeps to its answer', async () => {
    remember('signed-in');
    const late = Promise.withResolvers<SignedInPerson>();
    named(late.promise);
    provider.renew.mockResolvedValue(ann);
    const { session, settled } = await open();
    late.resolve({ ...ann, email: 'late@msp.example' });
    await settled();
    expect(session().email).toBe('ann@msp.example');
  });

  test('beside another tab whose session has ended has nobody', async () => {
    remember('signed-in');
    remember('profile');
    named();
    provider.renew.mockResolvedValue('signedOut');
    const { session } = await open();
    expect(session()).toMatchObject({ status: 'signed-out', email: null });
    expect(marks()).toMatchObject({ signedIn: false, profile: false });
  });

  test('beside another tab, of whose person the provider knows nothing but somebody else, has neither, and asks for nothing by the other’s token', async () => {
    remember('signed-in');
    localStorage.setItem('nameward.profile', JSON.stringify({ email: ann.email }));
    named();
    const answer = Promise.withResolvers<SignedInPerson>();
    provider.renew.mockReturnValue(answer.promise);
    const asked: unknown[] = [];
    vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Headers }) => {
      asked.push(new Headers(headers).get('authorization'));
      return Response.json({ error: { code: 'unauthorized', message: '' } }, { status: 401 });
    });
    const { session, call, settled } = await open();
    // A write that was refused waits for the provider's word.
    const refused = call('POST /user', { body: {} as never }).catch(() => 'refused');
    await settled();
    answer.resolve({ ...ann, subject: 'bob', email: 'bob@msp.example', accessToken: 'token-bob' });
    await settled();
    expect([await refused, asked]).toEqual(['refused', ['Bearer token-1']]);
    expect(session()).toMatchObject({ status: 'signed-out', email: null });
    // It is the other who is signed in: the next start asks for them.
    expect(marks()).toMatchObject({ signedIn: true, profile: false });
  });

  test.each([
    ['ann@msp.example', null],
    ['bob@msp.example', 'bob@msp.example'],
  ])(
    'of one person, whose provider names another by now, leaves what this browser keeps of the other: profile of %s',
    async (kept, left) => {
      remember('signed-in');
      provider.renew.mockResolvedValueOnce({ ...ann, expiresAtMs: 0 });
      provider.renew.mockResolvedValue({ ...ann, subject: 'bob', email: 'bob@msp.example' });
      const { session, call, settled } = await open('/cart');
      localStorage.setItem('nameward.profile', JSON.stringify({ email: kept }));
      await act(() => call('GET /user').catch(() => undefined));
      await settled();
      expect(session()).toMatchObject({ status: 'signed-out', email: null });
      expect(marks().signedIn).toBe(true);
      const { sessionMarks } = await import('./session-marks.ts');
      expect(sessionMarks.profileEmail()).toBe(left);
    },
  );

  test('beside another tab where they have signed out meanwhile has nobody', async () => {
    named();
    const { session } = await open();
    expect(session()).toMatchObject({ status: 'signed-out', email: null });
  });

  test('names the person to tabs that are opened beside it, until it is left', async () => {
    const stop = vi.fn();
    const answerOtherTabs = vi.fn((_here: () => SignedInPerson | null) => stop);
    vi.doMock('./other-tabs.ts', () => ({ answerOtherTabs, askOtherTabs: () => null }));
    remember('signed-in');
    provider.renew.mockResolvedValue(ann);
    await open();
    const now = () => answerOtherTabs.mock.calls.map(([here]) => here());
    expect(now()).toEqual([ann]);
    // They have signed out, here or in another tab, and this page is not left yet.
    localStorage.removeItem('nameward.signed-in');
    expect(now()).toEqual([null]);
    expect(stop).not.toHaveBeenCalled();
    cleanup();
    expect(stop).toHaveBeenCalledTimes(1);
    vi.doUnmock('./other-tabs.ts');
  });

  test('by somebody whose session has ended has nobody, and the next one does not ask', async () => {
    remember('signed-in');
    remember('profile');
    provider.renew.mockResolvedValue('signedOut');
    const { session } = await open();
    expect(session()).toMatchObject({ status: 'signed-out', problem: null });
    expect(marks()).toMatchObject({ signedIn: false, profile: false });
  });

  test('by somebody else than the tab was of keeps nothing of theirs', async () => {
    remember('signed-in');
    sessionStorage.setItem('nameward.tab-of', 'bob');
    sessionStorage.setItem('nameward.name-list', 'secret-plan.com');
    provider.renew.mockResolvedValue(ann);
    await open();
    expect({ ...sessionStorage }).toEqual({ 'nameward.tab-of': 'ann' });
  });

  test('while the provider does not answer has nobody yet, and the next one asks again', async () => {
    remember('signed-in');
    remember('profile');
    provider.renew.mockResolvedValue('offline');
    const { session } = await open();
    expect(session().status).toBe('signed-out');
    expect(marks()).toMatchObject({ signedIn: true, profile: true });
  });

  test('while the provider breaks says so, and the next one asks again', async () => {
    remember('signed-in');
    remember('profile');
    provider.renew.mockRejectedValue(new Error('broken'));
    const { session } = await open();
    expect(session()).toMatchObject({
      ...{ status: 'signed-out', problem: 'The sign-in did not succeed. Please try again.' },
    });
    expect(marks()).toMatchObject({ signedIn: true, profile: true });
  });

  test('where the provider answers in no frame goes there as a whole, and remembers that and the way back', async () => {
    remember('signed-in');
    provider.renew.mockResolvedValue('frame');
    await open();
    expect(provider.signIn.mock.calls).toEqual([[{ silently: true }]]);
    expect([marks().frames, wayBack()]).toEqual([false, '/customers?page=2']);
  });

  test('where no frame was answered before tries none', async () => {
    remember('signed-in');
    remember('no-frames');
    await open();
    expect(provider.renew).not.toHaveBeenCalled();
    expect(provider.signIn.mock.calls).toEqual([[{ silently: true }]]);
  });
});

describe('a page that the provider sends back', () => {
  const back = '/auth/callback?code=1&state=2';

  test('has the person, and its address holds no code any more', async () => {
    provider.finishRedirect.mockResolvedValue(ann);
    const { session } = await open(back);
    expect(session()).toMatchObject({ status: 'signed-in', email: 'ann@msp.example', problem: null });
    expect(provider.finishRedirect.mock.calls).toEqual([[`https://portal.test${back}`]]);
    expect(window.location.href).toBe('https://portal.test/');
    expect(marks().signedIn).toBe(true);
  });

  test('redeems its code once in strict mode, which mounts twice', async () => {
    provider.finishRedirect.mockResolvedValueOnce(ann).mockResolvedValue('refused');
    const { session } = await open(back, StrictMode);
    expect(session()).toMatchObject({ status: 'signed-in', problem: null });
    expect(provider.finishRedirect).toHaveBeenCalledTimes(1);
  });

  test('with a refusal says so', async () => {
    provider.finishRedirect.mockResolvedValue('refused');
    const { session } = await open(back);
    expect(session()).toMatchObject({
      ...{ status: 'signed-out', problem: 'The sign-in did not succeed. Please try again.' },
    });
  });

  test('with nobody goes back to where it was, and says nothing', async () => {
    sessionStorage.setItem('nameward.return-path', '/customers?page=2');
    provider.finishRedirect.mockResolvedValue('signedOut');
    const replace = vi.spyOn(window.location, 'replace').mockReturnValue(undefined);
    const { session } = await open(back);
    expect(session()).toMatchObject({ status: 'signed-out', problem: null });
    expect(replace.mock.calls).toEqual([['/customers?page=2']]);
    expect(wayBack()).toBeNull();
  });
});

describe('a sign-in', () => {
  const signedIn = async () => {
    remember('signed-in');
    provider.renew.mockResolvedValue(ann);
    return open('/cart');
  };

  test('leads back to where somebody is, or where they want to', async () => {
    const { session } = await open('/invite/1?x=2');
    await act(() => session().signIn({ signUp: true }));
    expect(wayBack()).toBe('/invite/1?x=2');
    await act(() => session().signIn({ returnPath: '/tokens' }));
    expect(wayBack()).toBe('/tokens');
    expect(provider.signIn.mock.calls).toEqual([[{ signUp: true }], [{}]]);
  });

  test('that is to be fresh asks the same person again', async () => {
    const { session } = await signedIn();
    await act(() => session().signIn({ fresh: true }));
    expect(provider.signIn.mock.calls).toEqual([[{ again: true, loginHint: 'ann@msp.example' }]]);
  });

  test('that cannot be begun says so', async () => {
    provider.signIn.mockRejectedValue(new Error('no network'));
    const { session } = await open();
    await act(() => session().signIn());
    expect(session().problem).toBe('The sign-in did not succeed. Please try again.');
  });
});

describe('a token that has ended', () => {
  const ended = { ...ann, expiresAtMs: 0 };

  async function lapsed(answer: SilentFailure) {
    remember('signed-in');
    provider.renew.mockResolvedValueOnce(ended).mockResolvedValue(answer);
    const opened = await open('/cart');
    await act(() => opened.call('GET /user').catch(() => undefined));
    return opened;
  }

  test('without an answer of the provider keeps the person, and says that nothing can be saved', async () => {
    remember('profile');
    const { session, settled } = await lapsed('offline');
    await settled();
    expect(session()).toMatchObject({ status: 'signed-in', email: 'ann@msp.example', lapsed: true });
    expect(marks()).toMatchObject({ signedIn: true, profile: true });
    provider.renew.mockResolvedValue(ann);
    await act(() => session().arrive('/orders'));
    expect(session()).toMatchObject({ status: 'signed-in', lapsed: false });
    expect(provider.signIn).not.toHaveBeenCalled();
  });

  test('where the provider answers in no frame is asked for by the whole page on another screen', async () => {
    const { session, settled } = await lapsed('frame');
    await settled();
    await act(() => session().arrive('/orders'));
    expect(provider.signIn.mock.calls).toEqual([[{ silently: true }]]);
    expect(wayBack()).toBe('/orders');
  });

  test('of a session that has ended leaves nobody', async () => {
    remember('profile');
    const { session, settled } = await lapsed('signedOut');
    await settled();
    expect(session()).toMatchObject({ status: 'signed-out', lapsed: false });
    expect(marks()).toMatchObject({ signedIn: false, profile: false });
  });
});
