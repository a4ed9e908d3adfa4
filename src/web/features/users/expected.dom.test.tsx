import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { profileOf, refused, uuid } from '../../../../tests/support/screen.tsx';
import type { Session } from '../../lib/session.tsx';
import { sessionMarks } from '../../lib/session-marks.ts';

/** By whom a screen is drawn before anybody has said who is there. */

const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } };
const home = window.location.href;
const email = 'ann@msp.example';
const ann = profileOf('MSP_OWNER');
const asThisBuild = { build: '', email, profile: ann };

beforeEach(() => {
  vi.resetModules();
  localStorage.clear();
  sessionMarks.setSignedIn(true);
});
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  happyDOM.setURL(home);
});

interface Seen {
  name: string | null | undefined;
  isExpected: boolean;
}

interface Hooks {
  useProfile: typeof import('./api.ts').useProfile;
  useReloadForAnother: typeof import('./expected.ts').useReloadForAnother;
}

function Inside({ useProfile, useReloadForAnother, take }: Hooks & { take: (now: Seen) => void }) {
  const { data, isPlaceholderData: isExpected } = useProfile();
  useReloadForAnother(data, isExpected);
  take({ name: data === null ? null : data?.username, isExpected });
  return null;
}

/** A page opens, which goes on from one state of its session to the next. */
async function open(answer: () => Response | Promise<Response> = () => Response.json({ data: ann })) {
  const { useProfile } = await import('./api.ts');
  const { useReloadForAnother } = await import('./expected.ts');
  const { SessionContext } = await import('../../lib/session.tsx');
  const { setTokenSource } = await import('../../lib/api-client.ts');
  setTokenSource({ token: async () => 'token', renew: async () => null });
  const fetched = vi.fn(async () => answer());
  vi.stubGlobal('fetch', fetched);
  const reload = vi.spyOn(window.location, 'reload').mockReturnValue();
  const seen: Seen = { name: null, isExpected: false };
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const page = (session: Partial<Session>) => (
    <SessionContext value={{ session: session as Session, config: {} as never }}>
      <QueryClientProvider client={client}>
        <Inside {...{ useProfile, useReloadForAnother }} take={(now) => Object.assign(seen, now)} />
      </QueryClientProvider>
    </SessionContext>
  );
  const { rerender } = render(page({ status: 'loading', email: null }));
  const becomes = async (session: Partial<Session>) => {
    rerender(page(session));
    for (let turn = 0; turn < 5; turn += 1)
      await act(() => new Promise<void>((done) => void setTimeout(done)));
  };
  return { seen, becomes, fetched, reload };
}

const keptNow = (): unknown => JSON.parse(sessionMarks.profileText() ?? 'null');
const signedIn = { status: 'signed-in', email } as const;

test('is who was signed in the last time, until the portal has said who is', async () => {
  sessionMarks.keepProfile(asThisBuild);
  let say: (answer: Response) => void = () => undefined;
  const { seen, becomes, fetched, reload } = await open(() => new Promise((done) => (say = done)));
  expect([seen, fetched.mock.calls.length]).toEqual([{ name: 'AnnSmith', isExpected: true }, 0]);
  await becomes(signedIn);
  expect([seen, fetched.mock.calls.length]).toEqual([{ name: 'AnnSmith', isExpected: true }, 1]);
  say(Response.json({ data: { ...ann, username: 'AnnJones' } }));
  await becomes(signedIn);
  expect(seen).toEqual({ name: 'AnnJones', isExpected: false });
  expect(keptNow()).toMatchObject({ email, profile: { username: 'AnnJones' } });
  expect(reload).not.toHaveBeenCalled();
});

const kept = (and: () => void) => {
  sessionMarks.keepProfile(asThisBuild);
  and();
};

test.each<[string, () => void]>([
  ['nothing is kept', () => undefined],
  [
    'another version of the program kept it',
    () => sessionMarks.keepProfile({ ...asThisBuild, build: 'https://portal.test/assets/old.js' }),
  ],
  ['what is kept is damaged', () => localStorage.setItem('nameward.profile', '{"build":"",')],
  ['what is kept is something else', () => localStorage.setItem('nameward.profile', '"Ann"')],
  ['they signed out', () => kept(() => sessionMarks.setSignedIn(false))],
  ['only the mark of a session is gone', () => kept(() => localStorage.removeItem('nameward.signed-in'))],
  ['the page will leave for the provider', () => kept(() => sessionMarks.setFramesAnswer(false))],
  [
    'the page comes from the provider',
    () => kept(() => happyDOM.setURL('https://portal.test/auth/callback')),
  ],
])('is nobody where %s', async (_why, arrange) => {
  arrange();
  expect((await open()).seen).toEqual({ name: undefined, isExpected: false });
});

describe('where it is somebody else', () => {
  test('by their address, nobody is shown until the portal has answered, and the page begins again', async () => {
    sessionMarks.keepProfile(asThisBuild);
    const bob = profileOf('MSP_ADMIN', { userId: uuid(9), username: 'Bob' });
    const { seen, becomes, reload } = await open(() => Response.json({ data: bob }));
    await becomes({ status: 'signed-in', email: 'bob@msp.example' });
    expect(seen).toEqual({ name: 'Bob', isExpected: false });
    expect(reload).toHaveBeenCalledOnce();
    expect(keptNow()).toMatchObject({ email: 'bob@msp.example', profile: { username: 'Bob' } });
  });

  test('a person without a profile is one, and nothing is kept of them', async () => {
    sessionMarks.keepProfile(asThisBuild);
    const { seen, becomes } = await open(refused(403, 'no_profile'));
    await becomes(signedIn);
    expect(seen).toEqual({ name: null, isExpected: false });
    expect(keptNow()).toBeNull();
  });

  test('nobody, they are nobody', async () => {
    sessionMarks.keepProfile(asThisBuild);
    const { seen, becomes, fetched } = await open();
    await becomes({ status: 'signed-out', email: null });
    expect([seen, fetched.mock.calls.length]).toEqual([{ name: undefined, isExpected: false }, 0]);
  });
});
