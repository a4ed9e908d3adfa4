import { ErrorResponse, ErrorTimeout } from 'oidc-client-ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Oidc, SignInOptions } from './oidc.ts';

const user = (more: object = {}) => ({
  ...{ profile: { sub: 'ann', email: 'ann@msp.example', name: 'Ann' }, access_token: 'token' },
  ...{ expires_at: 1_800_000_000, ...more },
});
const ann = {
  ...{ subject: 'ann', email: 'ann@msp.example', name: 'Ann', accessToken: 'token' },
  expiresAtMs: 1_800_000_000_000,
};

/** What the library does; each test says what it needs. */
const library = {
  settings: {} as Record<string, unknown>,
  /** Of each that was made. */
  made: [] as Record<string, unknown>[],
  signinRedirectCallback: vi.fn(),
  signinRedirect: vi.fn(),
  signinSilent: vi.fn(),
  signoutRedirect: vi.fn(),
  removeUser: vi.fn(),
  getUser: vi.fn(),
};
const assign = vi.fn();
/** Questions, and the way in which they are answered. */
let asked: [what: string, mode: unknown][];

let oidc: Oidc;
let create: (metadata: object) => void;
beforeEach(async () => {
  const keeps = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  vi.stubGlobal('window', {
    ...{ location: { origin: 'https://portal.test', assign }, sessionStorage: keeps },
  });
  asked = [];
  vi.resetModules();
  vi.doMock('oidc-client-ts', async (original) => ({
    ...(await original<typeof import('oidc-client-ts')>()),
    ...{ ErrorResponse, UserManager: Manager },
  }));
  const { createOidc } = await import('./oidc.ts');
  const identity = {
    ...{ authority: 'https://id.test', clientId: 'portal', scope: 'openid' },
    extraParams: { audience: 'api' },
  };
  oidc = createOidc({ identity } as never);
  create = (metadata) => {
    oidc = createOidc({ identity: { ...identity, metadata } } as never);
  };
});
afterEach(() => {
  vi.doUnmock('oidc-client-ts');
  vi.unstubAllGlobals();
  vi.resetModules();
  for (const does of Object.values(library)) if (vi.isMockFunction(does)) does.mockReset();
  assign.mockReset();
});

function Manager(settings: Record<string, unknown>) {
  library.settings = settings;
  library.made.push(settings);
  const { signinRedirect, signinRedirectCallback, signinSilent } = library;
  const by =
    (does: (...given: unknown[]) => unknown, what: string) =>
    (...given: unknown[]) => {
      asked.push([what, settings.response_mode]);
      return does(...given);
    };
  return {
    ...library,
    signinRedirect: by(signinRedirect, 'redirect'),
    signinRedirectCallback: by(signinRedirectCallback, 'back'),
    signinSilent: by(signinSilent, 'silent'),
  };
}
const said = (error: string) => new ErrorResponse({ error });

test('the provider is asked for a code for this site, and is sent back to its own addresses', () => {
  expect(library.settings).toMatchObject({
    ...{ authority: 'https://id.test', client_id: 'portal', response_type: 'code', scope: 'openid' },
    ...{
      redirect_uri: 'https://portal.test/auth/callback',
      post_logout_redirect_uri: 'https://portal.test/',
    },
    silent_redirect_uri: 'https://portal.test/auth/silent-callback.html',
    extraQueryParams: { audience: 'api' },
    // Only what asks for a token renews it, one at a time.
    ...{ automaticSilentRenew: false, monitorSession: false },
  });
});

test.each([
  [['query', 'fragment'], 'fragment'],
  [['query'], undefined],
  [undefined, undefined],
])(
  'a provider that can answer in these ways: %o, answers a frame behind a # if it can, a redirect never',
  async (modes, expected) => {
    create({ response_modes_supported: modes });
    library.signinRedirectCallback.mockResolvedValue(user());
    library.signinSilent.mockResolvedValue(user());
    await oidc.signIn({});
    await oidc.finishRedirect('https://portal.test/auth/callback?code=1');
    await oidc.renew();
    expect(asked).toEqual([
      ['redirect', undefined],
      ['back', undefined],
      ['silent', expected],
    ]);
  },
);

test('who asks in frames differs from who is sent by redirects in the way of the answer alone: they know the same person', () => {
  library.made = [];
  create({ response_modes_supported: ['fragment'] });
  const [redirects, frames] = library.made;
  const { response_mode, ...rest } = frames ?? {};
  expect([library.made.length, response_mode]).toEqual([2, 'fragment']);
  expect(Object.keys(rest)).toEqual(Object.keys(redirects ?? {}));
  for (const [name, value] of Object.entries(rest)) expect(value, name).toBe(redirects?.[name]);
});

describe('what a redirect brings back', () => {
  test('is the person, with the end of their token in milliseconds', async () => {
    library.signinRedirectCallback.mockResolvedValue(user());
    expect(await oidc.finishRedirect('https://portal.test/auth/callback?code=1')).toEqual(ann);
    expect(library.signinRedirectCallback).toHaveBeenCalledWith('https://portal.test/auth/callback?code=1');
  });

  test('may lack a name, an address and an end', async () => {
    library.signinRedirectCallback.mockResolvedValue({ profile: { sub: 'ann' }, access_token: 'token' });
    expect(await oidc.finishRedirect('x')).toEqual({ ...ann, email: '', name: '', expiresAtMs: 0 });
  });

  test.each<[Error, string]>([
    ...['login_required', 'interaction_required', 'consent_required', 'account_selection_required'].map(
      (error): [Error, string] => [said(error), 'signedOut'],
    ),
    [said('access_denied'), 'refused'],
    [said('not_login_required'), 'refused'],
    [new Error('No matching state found in storage'), 'refused'],
  ])('is nobody where it fails so: %s means %s', async (error, means) => {
    library.signinRedirectCallback.mockRejectedValue(error);
    expect(await oidc.finishRedirect('x')).toBe(means);
  });
});

describe('another token', () => {
  const refreshing = () => library.getUser.mockResolvedValue(user({ refresh_token: 'r' }));

  test('comes by the refresh token where there is one', async () => {
    refreshing();
    library.signinSilent.mockResolvedValue(user());
    expect(await oidc.renew()).toEqual(ann);
    expect(library.signinSilent.mock.calls).toEqual([[]]);
  });

  test('is asked for in a frame where there is none, or where the provider no longer takes it', async () => {
    library.getUser.mockResolvedValue(null);
    library.signinSilent.mockResolvedValue(user());
    expect(await oidc.renew()).toEqual(ann);
    refreshing();
    library.signinSilent.mockRejectedValueOnce(said('invalid_grant'));
    expect(await oidc.renew()).toEqual(ann);
    const inFrame = [{ forceIframeAuth: true }];
    expect(library.signinSilent.mock.calls).toEqual([inFrame, [], inFrame]);
  });

  test('cannot be had without a network: the session has not ended, and no frame is tried', async () => {
    refreshing();
    library.signinSilent.mockRejectedValue(new TypeError('Failed to fetch'));
    expect(await oidc.renew()).toBe('offline');
    expect(library.signinSilent).toHaveBeenCalledTimes(1);
  });

  test.each<[Error, string]>([
    [said('login_required'), 'signedOut'],
    [said('server_error'), 'offline'],
    [said('temporarily_unavailable'), 'offline'],
    [new ErrorTimeout('no answer'), 'frame'],
    [new Error('Frame window timed out'), 'offline'],
  ])('is not to be had in a frame that ends so: %s means %s', async (error, means) => {
    library.getUser.mockResolvedValue(null);
    library.signinSilent.mockRejectedValue(error);
    expect(await oidc.renew()).toBe(means);
  });

  test('is nobody’s where the frame names nobody', async () => {
    library.getUser.mockResolvedValue(null);
    library.signinSilent.mockResolvedValue(null);
    expect(await oidc.renew()).toBe('signedOut');
  });
});

test.each<[string, SignInOptions, object]>([
  ['a plain one', {}, {}],
  ['one that asks nothing', { silently: true }, { prompt: 'none' }],
  [
    'a fresh one, of the same person',
    { again: true, loginHint: 'ann@msp.example' },
    { prompt: 'login', max_age: 0, login_hint: 'ann@msp.example' },
  ],
  ['a new account', { signUp: true }, { extraQueryParams: { audience: 'api', screen_hint: 'signup' } }],
])('a sign-in is asked for as it is meant: %s', async (_what, options, wish) => {
  await oidc.signIn(options);
  expect(library.signinRedirect.mock.calls).toEqual([[{ extraQueryParams: { audience: 'api' }, ...wish }]]);
});

describe('a sign-out', () => {
  test('is the provider’s', async () => {
    await oidc.signOut();
    expect(library.signoutRedirect).toHaveBeenCalledOnce();
    expect([library.removeUser.mock.calls, assign.mock.calls]).toEqual([[], []]);
  });

  test('ends here and leads to the start where the provider has none', async () => {
    library.signoutRedirect.mockRejectedValue(new Error('No end session endpoint'));
    await oidc.signOut();
    expect(library.removeUser).toHaveBeenCalledOnce();
    expect(assign.mock.calls).toEqual([['/']]);
  });
});
