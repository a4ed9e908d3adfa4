import { describe, expect, test } from 'vitest';
import {
  type Answers,
  Held,
  type Opened,
  openScreen,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import { readingOf, type ShownDomain } from '../../../../tests/support/shown-domain.ts';
import { useDomainDetails } from './api.ts';
import { ProtectionSection } from './protection-section.tsx';

interface Rights {
  mayChange: boolean;
  mayUnlock: boolean;
}
function Shown(rights: Rights) {
  const { data } = useDomainDetails('acme.com');
  return data && <ProtectionSection details={data} {...rights} />;
}
/** The section of those who may do everything, all but what gives a domain away, and nothing. */
const people = {
  staff: () => <Shown mayChange mayUnlock />,
  customers: () => <Shown mayChange mayUnlock={false} />,
  readers: () => <Shown mayChange={false} mayUnlock={false} />,
};
type Who = keyof typeof people;
const reading = 'GET /domain/details/:domain';
const secret = 'aB3!x"9<z';

/** The section of a domain that the acts change, as they do at the registrar. */
function open(
  domain: Partial<ShownDomain> = {},
  { who = 'staff', answers = {} }: { who?: Who; answers?: Answers } = {},
) {
  const now = { ...domain };
  const done = (change: Partial<ShownDomain>) => () => {
    Object.assign(now, change);
    return { domain: 'acme.com', notice: null };
  };
  return openScreen(people[who], {
    answers: {
      [reading]: readingOf(() => now, secret),
      'POST /domain/lock_domain': done({ locked: true }),
      'POST /domain/unlock_domain': done({ locked: false }),
      'POST /domain/auto_renew': ({ body }: { body: { enabled: boolean } }) =>
        done({ autoRenew: body.enabled })(),
      'POST /domain/privacy': ({ body }: { body: { enabled: boolean } }) => done({ privacy: body.enabled })(),
      ...answers,
    } as Answers,
  });
}

const button = (name: string) => screen.getByRole('button', { name });
const toggle = (name: string) =>
  screen.getByRole<HTMLInputElement>('switch', { name: new RegExp(`^${name}`) });
const asksForSecret = ({ sent }: Opened) =>
  sent(reading).filter(({ query }) => query.type === 'domain_auth_info');

/** How a setting is pressed, what that sends, and what is shown when it was done. */
interface Setting {
  act: string;
  domain: Partial<ShownDomain>;
  name: string;
  body: object;
  control: () => HTMLElement;
  after: () => unknown;
}
const settings: Setting[] = [
  {
    ...{ act: 'unlocking', domain: { locked: true }, name: 'POST /domain/unlock_domain' },
    ...{ body: { domain: 'acme.com' }, control: () => button('Unlock'), after: () => button('Lock') },
  },
  {
    ...{ act: 'locking', domain: { locked: false }, name: 'POST /domain/lock_domain' },
    ...{ body: { domain: 'acme.com' }, control: () => button('Lock'), after: () => button('Unlock') },
  },
  {
    ...{ act: 'auto renew on', domain: { autoRenew: false }, name: 'POST /domain/auto_renew' },
    ...{ body: { domain: 'acme.com', enabled: true }, control: () => toggle('Auto Renew') },
    after: () => expect(toggle('Auto Renew').checked).toBe(true),
  },
  {
    ...{ act: 'auto renew off', domain: { autoRenew: true }, name: 'POST /domain/auto_renew' },
    ...{ body: { domain: 'acme.com', enabled: false }, control: () => toggle('Auto Renew') },
    after: () => expect(toggle('Auto Renew').checked).toBe(false),
  },
  {
    ...{ act: 'privacy on', domain: { privacy: false }, name: 'POST /domain/privacy' },
    ...{ body: { domain: 'acme.com', enabled: true }, control: () => toggle('Privacy') },
    after: () => expect(toggle('Privacy').checked).toBe(true),
  },
  {
    ...{ act: 'privacy off', domain: { privacy: true }, name: 'POST /domain/privacy' },
    ...{ body: { domain: 'acme.com', enabled: false }, control: () => toggle('Privacy') },
    after: () => expect(toggle('Privacy').checked).toBe(false),
  },
];
const writes = [...new Set(settings.map(({ name }) => name))];
const written = ({ sent }: Opened) =>
  writes.flatMap((name) => sent(name).map(({ body }) => ({ name, body })));

describe.each(settings)('$act', ({ domain, name, body, control, after }) => {
  test('is one call of this domain, and what the registrar says then is shown', async () => {
    const opened = await open(domain);
    await opened.user.click(control());
    expect(written(opened)).toEqual([{ name, body }]);
    after();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.queryByRole('status')).toBeNull();
  });

  test.each([
    [
      'refused',
      refused(422, 'registrar_refused', { message: 'The registry holds it.' }),
      /^The registry holds/,
    ],
    [
      'not confirmed',
      refused(502, 'outcome_unknown', { message: 'It did not confirm.' }),
      /^It did not conf/,
    ],
    ['not answered', silence, /^Something went wrong$/],
  ])('that is %s says so, shows how it stands, and can be pressed again', async (_what, answer, message) => {
    const opened = await open(domain, { answers: { [name]: answer } });
    const readings = () => opened.sent(reading).filter(({ query }) => query.type === 'all_info').length;
    const before = readings();
    await opened.user.click(control());
    expect(screen.getByRole('alert').textContent).toMatch(message);
    // It was read again, because what was asked for may have been done.
    expect(readings()).toBe(before + 1);
    expect(control()).toHaveProperty('disabled', false);
    await opened.user.click(control());
    expect(written(opened)).toEqual([
      { name, body },
      { name, body },
    ]);
  });

  test('that the registrar takes up later says when', async () => {
    const notice = 'The registrar takes it up within the hour.';
    const { user } = await open(domain, { answers: { [name]: { domain: 'acme.com', notice } } });
    await user.click(control());
    expect(screen.getByRole('status').textContent).toBe(notice);
  });

  test('cannot be pressed twice: neither while it runs, nor before the state was read again', async () => {
    const [answer, state] = [new Held(), new Held()];
    const opened = await open(domain, { answers: { [name]: answer } });
    const pressed = control();
    await opened.user.click(pressed);
    expect(pressed).toHaveProperty('disabled', true);
    opened.answer(reading, state);
    answer.give({ domain: 'acme.com', notice: null });
    await opened.settled();
    expect(pressed).toHaveProperty('disabled', true);
    await opened.user.click(pressed);
    state.give(readingOf(() => domain));
    await opened.settled();
    expect(pressed).toHaveProperty('disabled', false);
    expect(written(opened)).toHaveLength(1);
  });
});

describe('the lock', () => {
  test.each([
    [true, 'Unlocking...', 'Locked', 'It cannot be moved to another registrar'],
    [false, 'Locking...', 'Unlocked', 'Anyone who has its auth code can move this domain away'],
  ])('says how it stands and what is being done (locked: %s)', async (locked, running, state, meaning) => {
    const held = new Held();
    const { user, settled } = await open(
      { locked },
      { answers: { 'POST /domain/unlock_domain': held, 'POST /domain/lock_domain': held } },
    );
    expect(screen.getByText(state, { exact: true })).toBeDefined();
    expect(screen.getByText(meaning)).toBeDefined();
    await user.click(button(locked ? 'Unlock' : 'Lock'));
    expect(button(running)).toHaveProperty('disabled', true);
    held.give({ domain: 'acme.com', notice: null });
    await settled();
  });

  test('asks for a fresh sign-in where an unlocking needs one', async () => {
    const { user, session } = await open(
      { locked: true },
      { answers: { 'POST /domain/unlock_domain': refused(403, 'fresh_sign_in_required') } },
    );
    await user.click(button('Unlock'));
    expect(screen.getByRole('alert').textContent).toContain('sign in again to unlock this domain');
    await user.click(button('Sign in again'));
    expect(session.signIn).toHaveBeenCalledExactlyOnceWith({ fresh: true });
  });
});

describe('the auth code', () => {
  test('is neither asked for nor shown while the domain is locked, and is both after an unlocking', async () => {
    const opened = await open({ locked: true });
    expect(asksForSecret(opened)).toEqual([]);
    expect(screen.queryByText(secret)).toBeNull();
    await opened.user.click(button('Unlock'));
    expect(asksForSecret(opened)).toMatchObject([{ params: { domain: 'acme.com' } }]);
    expect(screen.getByText(secret)).toBeDefined();
    await opened.user.click(button('Copy'));
    expect(await navigator.clipboard.readText()).toBe(secret);
    expect(button('Copied')).toBeDefined();
    await opened.user.click(button('Lock'));
    expect(screen.queryByText(secret)).toBeNull();
  });

  test('that there is none of leaves no empty place', async () => {
    await open({ locked: false }, { answers: { [reading]: readingOf(() => ({ locked: false }), null) } });
    expect(screen.queryByText('Auth Password')).toBeNull();
  });

  test('needs a fresh sign-in, and says for what', async () => {
    const answer = ({ query }: { query: { type: string } }) =>
      query.type === 'domain_auth_info'
        ? refused(403, 'fresh_sign_in_required')()
        : readingOf(() => ({ locked: false }))({ query } as never);
    const { user, session } = await open({}, { answers: { [reading]: answer } });
    expect(screen.getByRole('alert').textContent).toContain('sign in again to see the Auth Password');
    await user.click(button('Sign in again'));
    expect(session.signIn).toHaveBeenCalledExactlyOnceWith({ fresh: true });
  });

  test('that could not be read says why, and is read again on request', async () => {
    let failing = true;
    const answer = ({ query }: { query: { type: string } }) =>
      failing && query.type === 'domain_auth_info'
        ? refused(502, 'upstream_unavailable', { message: 'No answer from there.' })()
        : readingOf(() => ({ locked: false }), secret)({ query } as never);
    const opened = await open({}, { answers: { [reading]: answer } });
    expect(screen.getByRole('alert').textContent).toContain('could not be read: No answer from there.');
    failing = false;
    await opened.user.click(button('Try again'));
    expect(asksForSecret(opened)).toHaveLength(2);
    expect(screen.getByText(secret)).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('who may', () => {
  const offered = () => ({
    ...{ unlock: screen.queryByRole('button', { name: 'Unlock' }) !== null },
    ...{ lock: screen.queryByRole('button', { name: 'Lock' }) !== null },
    ...{ autoRenew: !toggle('Auto Renew').disabled, privacy: !toggle('Privacy').disabled },
  });
  const none = { unlock: false, lock: false, autoRenew: false, privacy: false };
  const switches = { ...none, autoRenew: true, privacy: true };

  test.each([
    ['staff', { locked: true }, { ...switches, unlock: true }],
    ['staff', { locked: false }, { ...switches, lock: true }],
    ['customers', { locked: true }, switches],
    ['customers', { locked: false }, { ...switches, lock: true }],
    ['readers', { locked: true }, none],
    ['readers', { locked: false }, none],
  ] as const)('is offered what they may and no more: %s, %o', async (who, domain, expected) => {
    const opened = await open(domain, { who });
    expect(offered()).toEqual(expected);
    // The auth code is for those who may unlock: with it anybody takes the domain away.
    expect(asksForSecret(opened)).toHaveLength(who === 'staff' && !domain.locked ? 1 : 0);
  });

  test.each([
    ['staff', 'From your balance, before it expires'],
    ['customers', 'Renews this domain before it expires'],
  ] as const)('pays for renewals reads that it is their balance: %s', async (who, text) => {
    await open({}, { who });
    expect(screen.getByText(text)).toBeDefined();
  });
});

describe('the state of a setting', () => {
  test.each([
    [true, false],
    [false, true],
  ])('is shown as it is (auto renew %s, privacy %s)', async (autoRenew, privacy) => {
    await open({ autoRenew, privacy });
    expect([toggle('Auto Renew').checked, toggle('Privacy').checked]).toEqual([autoRenew, privacy]);
  });

  test('says where a suffix has no privacy; while nobody knows nothing is said', async () => {
    const { answer, user } = await open({ privacy: null });
    expect(screen.getByText('Privacy is not available for this domain.')).toBeDefined();
    expect(screen.queryByRole('switch', { name: /^Privacy/ })).toBeNull();
    answer(
      reading,
      readingOf(() => ({ privacy: null, live: false })),
    );
    await user.click(toggle('Auto Renew'));
    expect(screen.queryByText(/^Privacy/)).toBeNull();
  });

  test.each([
    ['verified', true],
    ['waiting', false],
    ['reviewing', false],
    ['suspended', false],
  ] as const)('calls a registrant verified where they are: %s', async (state, said) => {
    await open({ verification: { state, deadline: null, bounced: false, sentAt: null } });
    expect(screen.queryByText('Verified') !== null).toBe(said);
    expect(within(document.body).queryByText('Registrant') !== null).toBe(said);
  });
});
