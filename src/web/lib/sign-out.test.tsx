import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Session } from './session.tsx';

/** Its message has arrived in the other tabs before the call returns. */
class Channel extends EventTarget {
  static readonly open = new Set<Channel>();
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
    Channel.open.add(this);
  }
  postMessage(data: unknown) {
    for (const other of Channel.open)
      if (other !== this && other.name === this.name)
        other.dispatchEvent(new MessageEvent('message', { data }));
  }
}

/** What a browser keeps, with its entries as properties of its own. */
class Kept {
  [name: string]: unknown;
  getItem(name: string) {
    return Object.hasOwn(this, name) ? String(this[name]) : null;
  }
  setItem(name: string, text: string) {
    this[name] = text;
  }
  removeItem(name: string) {
    delete this[name];
  }
}

const assign = vi.fn();
beforeEach(() => {
  Channel.open.clear();
  assign.mockClear();
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('localStorage', new Kept());
  vi.stubGlobal('sessionStorage', new Kept());
  vi.stubGlobal('window', Object.assign(new EventTarget(), { location: { assign } }));
  // The channel is opened once, when the page is.
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** This tab as Ann's, with names that were listed in it. */
async function annsTab() {
  const [{ keepText, readText }, { beTabOf }, { sessionMarks }] = await Promise.all([
    import('./storage.ts'),
    import('./tab-owner.ts'),
    import('./session-marks.ts'),
  ]);
  sessionMarks.setSignedIn(true);
  sessionMarks.keepProfile({ email: 'ann@msp.example' });
  beTabOf('ann');
  keepText('session', 'name-list', 'secret-plan.com');
  return { listed: () => readText('session', 'name-list'), marks: sessionMarks };
}

test('who signs out is signed out in the other tabs of the browser too, also where the provider is out of reach', async () => {
  const { SessionProvider, useSession } = await import('./session.tsx');
  const taken = Promise.withResolvers<Session>();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('No network')));
  const config = { identity: { authority: 'https://sign-in.example' } };
  renderToStaticMarkup(
    <SessionProvider config={config as never}>
      <Screen useIt={useSession} take={taken.resolve} />
    </SessionProvider>,
  );
  const { listed, marks } = await annsTab();
  const heard: unknown[] = [];
  new Channel('nameward.session').addEventListener('message', (event) =>
    heard.push((event as MessageEvent).data),
  );
  await (await taken.promise).signOut();
  expect(heard).toEqual(['signed-out']);
  expect([listed(), marks.signedIn(), marks.profileText()]).toEqual([null, false, null]);
  expect(assign.mock.calls).toEqual([['/']]);
});

function Screen({ useIt, take }: { useIt: () => Session; take: (session: Session) => void }) {
  take(useIt());
  return null;
}

test('a tab that hears of a sign-out keeps nothing of the person, and goes to the start without their token', async () => {
  const { listed } = await annsTab();
  const { followSignOut } = await import('./sign-out.ts');
  const stopFollowing = followSignOut();
  const other = new Channel('nameward.session');
  other.postMessage('signed-out');
  expect(listed()).toBeNull();
  expect(assign.mock.calls).toEqual([['/']]);
  stopFollowing();
  other.postMessage('signed-out');
  expect(assign).toHaveBeenCalledTimes(1);
});

test('a tab does not leave for its own sign-out: the provider is told first', async () => {
  const { followSignOut, tellSignOut } = await import('./sign-out.ts');
  followSignOut();
  tellSignOut();
  expect(assign).not.toHaveBeenCalled();
});

test.each(['here', 'in another tab'])(
  'what arrives after a sign-out %s brings neither mark nor profile back',
  async (where) => {
    const { marks } = await annsTab();
    const { followSignOut, tellSignOut } = await import('./sign-out.ts');
    followSignOut();
    if (where === 'here') tellSignOut();
    else new Channel('nameward.session').postMessage('signed-out');
    expect([marks.signedIn(), marks.profileText()]).toEqual([false, null]);
    // The page goes on until the browser has left it: the provider names the person, and the portal their profile.
    marks.setSignedIn(true);
    marks.keepProfile({ email: 'ann@msp.example' });
    expect([marks.signedIn(), marks.profileText()]).toEqual([false, null]);
  },
);

test.each(['here', 'in another tab'])(
  'who goes back to a page as it was before a sign-out %s is not shown it',
  async (where) => {
    await annsTab();
    const { followSignOut, tellSignOut } = await import('./sign-out.ts');
    const stopFollowing = followSignOut();
    const show = (persisted: boolean) =>
      window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
    show(true);
    expect(assign).not.toHaveBeenCalled();
    if (where === 'here') tellSignOut();
    else new Channel('nameward.session').postMessage('signed-out');
    assign.mockClear();
    // Somebody else has signed in since.
    localStorage.setItem('nameward.signed-in', '1');
    show(false);
    expect(assign).not.toHaveBeenCalled();
    show(true);
    expect(assign.mock.calls).toEqual([['/']]);
    stopFollowing();
    show(true);
    expect(assign).toHaveBeenCalledTimes(1);
  },
);

test('a page that is left leaves the marks of who signs in next', async () => {
  const { marks } = await annsTab();
  const { tellSignOut } = await import('./sign-out.ts');
  tellSignOut();
  localStorage.setItem('nameward.signed-in', '1');
  localStorage.setItem('nameward.profile', '{"email":"bob@msp.example"}');
  marks.setSignedIn(false);
  marks.keepProfile(null);
  expect([marks.signedIn(), marks.profileEmail()]).toEqual([true, 'bob@msp.example']);
});

test('a browser that forbids such channels signs out in this tab', async () => {
  vi.stubGlobal('BroadcastChannel', function forbidden() {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  const { listed } = await annsTab();
  const { followSignOut, tellSignOut } = await import('./sign-out.ts');
  followSignOut()();
  tellSignOut();
  expect(listed()).toBeNull();
});

test('a browser without such channels signs out in this tab', async () => {
  vi.stubGlobal('BroadcastChannel', undefined);
  const { listed } = await annsTab();
  const { followSignOut, tellSignOut } = await import('./sign-out.ts');
  followSignOut()();
  tellSignOut();
  expect(listed()).toBeNull();
});
