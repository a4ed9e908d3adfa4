import { cleanup } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { accessOf, certificatePrices } from '../../../tests/support/acme-samples.ts';
import {
  type Answers,
  faultHasFocus,
  fieldErrors,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { forgetKey, keepKey } from '../features/acme/made-key.ts';
import AcmeAccessScreen from './acme-access.tsx';

const read = 'GET /acme/access/:id';
const log = 'GET /acme/access/:id/log';
const change = 'PATCH /acme/access/:id';
const revoke = 'DELETE /acme/access/:id';
const allowanceOf = 'GET /acme/allowance/:customerId';
const allowed = { mostAccesses: 2, productType: 'rapidssl', product: 'RapidSSL' };

interface Opening {
  role?: 'MSP_OWNER' | 'MSP_CUSTOMER';
  fresh?: number;
}
const open = (
  more: Partial<AcmeAccess> = {},
  answers: Answers = {},
  { role = 'MSP_OWNER', fresh = 900 }: Opening = {},
) =>
  openScreen(AcmeAccessScreen, {
    ...{ route: '/certificates/acme/$accessId', path: `/certificates/acme/${uuid(41)}`, role },
    profile: { freshForSeconds: fresh },
    answers: {
      ...{ [read]: accessOf(more), [log]: [], 'GET /ssl/prices': certificatePrices, ...answers },
    },
  });
const button = (name: string) => screen.getByRole('button', { name });
const buttons = (name: string) => screen.queryAllByRole('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
const field = (name: RegExp) =>
  dialog().getByLabelText<HTMLInputElement>(name, { selector: 'input, textarea' });
const settings = () =>
  ['Names', 'Certificate', 'May buy', 'Bought this month', 'Ends', 'Made by'].map(
    (title) => screen.getAllByText(title).at(-1)?.parentElement?.textContent,
  );

afterEach(() => {
  sessionStorage.clear();
  forgetKey();
});

/** The dialog of a change. */
async function begin(more: Partial<AcmeAccess> = {}, answers: Answers = {}, opening: Opening = {}) {
  const opened = await open(more, answers, opening);
  await opened.user.click(button('Change'));
  const { user, sent } = opened;
  const put = async (label: RegExp, text: string) => {
    await user.clear(field(label));
    if (text !== '') await user.type(field(label), text);
  };
  return {
    ...opened,
    put,
    toggle: (name: RegExp) => user.click(dialog().getByRole('switch', { name })),
    save: () => user.click(button('Save')),
    bodies: () => sent(change).map(({ body }) => body),
  };
}

describe('the key', () => {
  test('of an access that was made just now is shown with its commands, and to nobody who comes back', async () => {
    keepKey(uuid(41), 'the-only-key');
    const first = await open();
    expect(screen.getByRole('status').textContent).toContain('Copy the key now');
    await first.user.click(button('Copy: HMAC key'));
    expect(await navigator.clipboard.readText()).toBe('the-only-key');
    await first.user.click(button('Copy: Key ID'));
    expect(await navigator.clipboard.readText()).toBe('kid-41');
    await first.user.click(button('Copy: Directory'));
    expect(await navigator.clipboard.readText()).toBe('https://portal.test/acme/directory');
    await first.user.click(button('Copy: Get the certificate'));
    const command = await navigator.clipboard.readText();
    for (const part of ['--eab-kid kid-41', '--eab-hmac-key the-only-key', '-d www.acme.example']) {
      expect(command).toContain(part);
    }
    cleanup();
    await open();
    expect(document.body.textContent).toContain('Not shown any more. Put yours in place of YOUR_HMAC_KEY.');
    expect(document.body.textContent).not.toContain('the-only-key');
  });

  test('of another access is not shown', async () => {
    keepKey(uuid(99), 'the-key-of-another');
    await open();
    expect(document.body.textContent).not.toContain('the-key-of-another');
    expect(buttons('Copy: HMAC key')).toEqual([]);
  });

  test('is put into the commands for the name that is typed', async () => {
    const { user } = await open();
    const name = screen.getByLabelText('Name in the commands');
    await user.clear(name);
    // An empty name falls back to the one that was there.
    expect(screen.getByLabelText('Get the certificate').textContent).toContain('-d www.acme.example');
    await user.type(name, '*.acme.example');
    expect(screen.getByLabelText('Get the certificate').textContent).toContain("-d '*.acme.example'");
  });

  test('comes with the commands of each client, under a tab of its own', async () => {
    const { user } = await open();
    const tabs = within(screen.getByRole('tablist', { name: 'ACME client' })).getAllByRole('tab');
    expect(tabs.map(({ textContent }) => textContent)).toEqual([
      ...['certbot', 'lego', 'acme.sh', 'Caddy', 'Traefik', 'win-acme', 'cert-manager', 'uacme'],
      'dehydrated',
    ]);
    for (const tab of tabs) {
      await user.click(tab);
      expect(screen.getByRole('tabpanel', { name: tab.textContent }).querySelector('pre')).not.toBeNull();
    }
  });

  test("of an access for all names comes with one of the customer's own", async () => {
    const row = {
      ...{ address: 'first.example', customerId: uuid(21), customer: 'Acme', registeredAt: null },
      ...{ status: 'active', missing: false, autoRenew: true, locked: null, verification: null },
      ...{ verificationDeadline: null, syncedAt: null, certificate: null },
    };
    const { sent } = await open({ hosts: null }, { 'GET /domain': paged([row]) });
    expect(screen.getByLabelText('Name in the commands')).toHaveProperty('value', 'first.example');
    expect(sent('GET /domain').map(({ query }) => query)).toEqual([
      { customerId: uuid(21), sort: 'address', page: '1', pageSize: '1' },
    ]);
  });
});

describe('a change', () => {
  test('begins with what the access may do, and sends what was changed and nothing else', async () => {
    const { put, save, bodies, sent } = await begin({}, { [change]: accessOf() });
    const labels = [
      /^Name/,
      /^Allowed names/,
      /^Certificate(?!s)/,
      /^Certificates a month/,
      /^Money/,
      /^Last day/,
    ];
    expect(labels.map((label) => field(label).value)).toEqual([
      ...['Web server', 'www.acme.example\n*.acme.example', 'RapidSSL', '2', '$60.50', '2076-12-31'],
    ]);
    await put(/^Money a month/, '80.25');
    await save();
    expect(sent(change).map(({ params }) => params)).toEqual([{ id: uuid(41) }]);
    expect(bodies()).toEqual([{ mayBuy: { ordersPerMonth: 2, centsPerMonth: 8_025 } }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(read)).toHaveLength(2);
  });

  test.each<[string, (form: Awaited<ReturnType<typeof begin>>) => Promise<void>, object]>([
    ['name', ({ put }) => put(/^Name/, 'Mail'), { name: 'Mail' }],
    ['reach', ({ toggle }) => toggle(/^Only some names/), { hosts: null }],
    ['names', ({ put }) => put(/^Allowed names/, 'a.example'), { hosts: ['a.example'] }],
    ['buying', ({ toggle }) => toggle(/^May buy/), { mayBuy: null }],
    [
      'certificates',
      ({ put }) => put(/^Certificates a month/, '9'),
      { mayBuy: { ordersPerMonth: 9, centsPerMonth: 6_050 } },
    ],
    ['end', ({ put }) => put(/^Last day/, ''), { lastDay: null }],
    ['end', ({ put }) => put(/^Last day/, '2078-02-03'), { lastDay: '2078-02-03' }],
  ])('of its %s alone sends that alone', async (_what, act, body) => {
    const form = await begin({}, { [change]: accessOf() });
    await act(form);
    await form.save();
    expect(form.bodies()).toEqual([body]);
  });

  test('that leaves a field without what it needs is not sent', async () => {
    const { put, save, bodies } = await begin();
    await put(/^Name/, '');
    await put(/^Allowed names/, '');
    await put(/^Money a month/, '');
    await save();
    expect(fieldErrors()).toEqual({
      ...{ Name: 'Please enter a name', 'Allowed names': 'Please enter at least one name' },
      'Money a month': 'Please enter an amount',
    });
    await faultHasFocus();
    expect(bodies()).toEqual([]);
  });

  test('that is refused shows it at its fields, or not answered says so; all stays, and it may be sent again', async () => {
    const details = [
      { path: 'hosts.0', message: 'Not theirs' },
      { path: 'mayBuy.centsPerMonth', message: 'Too much' },
    ];
    const { put, save, bodies, answer } = await begin(
      {},
      { [change]: refused(400, 'validation_failed', { message: 'Look at the fields.', details }) },
    );
    await put(/^Money a month/, '80.25');
    await save();
    expect(fieldErrors()).toEqual({ 'Allowed names': 'Not theirs', 'Money a month': 'Too much' });
    answer(change, silence);
    await save();
    expect(dialog().getByRole('alert').textContent).toBe('Something went wrong');
    expect(field(/^Money a month/).value).toBe('$80.25');
    expect(button('Save')).toHaveProperty('disabled', false);
    expect(bodies()).toHaveLength(2);
  });

  test('is sent once, and cannot be left while it runs', async () => {
    const answer = new Held();
    const { put, bodies, user, settled } = await begin({}, { [change]: answer });
    await put(/^Name/, 'Mail');
    await user.dblClick(button('Save'));
    expect(button('Saving...')).toHaveProperty('disabled', true);
    expect(button('Cancel')).toHaveProperty('disabled', true);
    answer.give(accessOf());
    await settled();
    expect(bodies()).toHaveLength(1);
  });

  test('that is given up sends nothing, and is not there when it is begun again', async () => {
    const { put, bodies, user } = await begin();
    await put(/^Name/, 'Mail');
    await user.click(button('Cancel'));
    await user.click(button('Change'));
    expect(field(/^Name/).value).toBe('Web server');
    expect(bodies()).toEqual([]);
  });

  test('that needs a fresh sign-in leads there and back here, and nothing typed is lost', async () => {
    const first = await begin({}, { [change]: refused(403, 'fresh_sign_in_required') });
    await first.put(/^Money a month/, '80.25');
    await first.save();
    expect(
      dialog()
        .getAllByRole('alert')
        .map(({ textContent }) => textContent),
    ).toEqual(['For your safety, please sign in again to let an access do more.Sign in again']);
    await first.user.click(button('Sign in again'));
    expect(first.session.signIn).toHaveBeenCalledWith({
      ...{ fresh: true, returnPath: `/certificates/acme/${uuid(41)}` },
    });
    // The sign-in takes the whole page away, and what somebody else has changed meanwhile stays.
    const kept = { ...sessionStorage };
    cleanup();
    await Promise.resolve();
    for (const [name, text] of Object.entries(kept)) sessionStorage.setItem(name, text);
    const { sent, user } = await open({ name: 'Renamed' }, { [change]: accessOf() });
    expect([field(/^Name/).value, field(/^Money a month/).value]).toEqual(['Renamed', '$80.25']);
    await user.click(button('Save'));
    expect(sent(change).map(({ body }) => body)).toEqual([
      { mayBuy: { ordersPerMonth: 2, centsPerMonth: 8_025 } },
    ]);
  });

  test('says first that an old sign-in lets an access do no more, and can be narrowed all the same', async () => {
    const { put, save, bodies, user, session } = await begin({}, { [change]: accessOf() }, { fresh: 60 });
    await put(/^Certificates a month/, '1');
    await user.click(button('Sign in again'));
    expect(session.signIn).toHaveBeenCalledWith(expect.objectContaining({ fresh: true }));
    await save();
    expect(bodies()).toEqual([{ mayBuy: { ordersPerMonth: 1, centsPerMonth: 6_050 } }]);
  });

  test("by a customer's own user is about no product or amount, within what the provider allows", async () => {
    const limits = { ordersPerMonth: 2, centsPerMonth: null };
    const { put, save, bodies, sent } = await begin(
      { mayBuy: limits, buysNow: limits },
      { [allowanceOf]: { ...allowed, mayBuy: limits }, [change]: accessOf() },
      { role: 'MSP_CUSTOMER' },
    );
    expect(sent(allowanceOf).map(({ params }) => params)).toEqual([{ customerId: uuid(21) }]);
    expect(dialog().queryByLabelText(/^(Certificate$|Money)/)).toBeNull();
    await put(/^Certificates a month/, '1');
    await save();
    expect(bodies()).toEqual([{ mayBuy: { ordersPerMonth: 1 } }]);
  });

  test("by a customer's own user waits until it is known what the provider allows", async () => {
    const { user, answer } = await begin(
      {},
      { [allowanceOf]: refused(500, 'internal', { message: 'Not now.' }) },
      { role: 'MSP_CUSTOMER' },
    );
    expect(button('Save')).toHaveProperty('disabled', true);
    expect(dialog().queryByLabelText(/^Name/)).toBeNull();
    answer(allowanceOf, null);
    await user.click(dialog().getByRole('button', { name: 'Try again' }));
    expect(button('Save')).toHaveProperty('disabled', false);
    expect(field(/^Name/).value).toBe('Web server');
  });
});

describe('a revocation', () => {
  test('asks first, and is sent once for this access', async () => {
    const answer = new Held();
    const { user, sent, settled, answer: from } = await open({}, { [revoke]: answer });
    await user.click(button('Revoke'));
    expect(screen.getByRole('dialog').textContent).toContain('“Web server”');
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(sent(revoke)).toEqual([]);
    await user.click(button('Revoke'));
    await user.dblClick(dialog().getByRole('button', { name: 'Revoke' }));
    expect(button('Revoking...')).toHaveProperty('disabled', true);
    const ended = { at: '2026-11-01T00:00:00Z', because: 'Revoked by ann@msp.example' };
    from(read, accessOf({ state: 'revoked', mayChange: false, ended }));
    answer.give({});
    await settled();
    expect(sent(revoke).map(({ params }) => params)).toEqual([{ id: uuid(41) }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('status').textContent).toMatch(
      /^Revoked by ann@msp.example\.Machines that use it/,
    );
    expect([...buttons('Change'), ...buttons('Revoke')]).toEqual([]);
  });

  test.each([
    ['refused', refused(403, 'forbidden', { message: 'Made by your provider.' }), 'Made by your provider.'],
    ['not answered', silence, 'Something went wrong'],
  ])('that is %s stays open and says why', async (_what, answer, message) => {
    const { user } = await open({}, { [revoke]: answer });
    await user.click(button('Revoke'));
    await user.click(dialog().getByRole('button', { name: 'Revoke' }));
    expect(dialog().getByRole('alert').textContent).toBe(message);
    expect(dialog().getByRole('button', { name: 'Revoke' })).toHaveProperty('disabled', false);
  });
});

describe('the page', () => {
  test('tells what the access may do, in amounts and days', async () => {
    await open({}, {});
    expect(settings()).toEqual([
      'Nameswww.acme.example, *.acme.example',
      'CertificateRapidSSL',
      'May buyUp to 2 certificates and $60.50 a month',
      'Bought this month1 of 2, $29.95 of $60.50',
      'EndsAfter Dec 31, 2076 (UTC)',
      'Made byann@msp.example, Jan 2, 2026',
    ]);
    expect(screen.queryByText(/at present/)).toBeNull();
  });

  test('tells what the provider has lowered, and what has no limit, name or end', async () => {
    await open(
      {
        hosts: null,
        mayBuy: { ordersPerMonth: 1, centsPerMonth: null },
        buysNow: null,
        expiresAt: null,
        madeBy: '',
      },
      { 'GET /domain': paged([]) },
    );
    expect(settings()).toEqual([
      'NamesAll names of the customer whose DNS is managed here',
      'CertificateRapidSSL',
      'May buyUp to 1 certificate a month',
      'Bought this monthDoes not buy',
      'EndsWhen it is revoked',
      'Made byYour provider, Jan 2, 2026',
    ]);
    expect(
      screen.getByText(/own users may let machines buy never, only free reissues at present/),
    ).toBeDefined();
  });

  test.each<[string, Partial<AcmeAccess>, string, boolean]>([
    ['works', {}, 'WorksAcme, never used', true],
    [
      'was refused',
      { problem: { at: '2026-11-01T00:00:00Z', text: 'Not covered' } },
      'Last request failedAcme, never used',
      true,
    ],
    ['has ended', { state: 'expired' }, 'EndedAcme, never used', false],
    [
      'is revoked',
      { state: 'revoked', problem: { at: '2026-11-01T00:00:00Z', text: 'Not covered' } },
      'RevokedAcme, never used',
      false,
    ],
  ])(
    'of one that %s says so, and shows how a machine is set up only while it works',
    async (_what, more, text, works) => {
      await open(more);
      expect(document.body.textContent).toContain(text);
      expect(screen.queryByText('Set up a machine') !== null).toBe(works);
      expect(screen.queryByText('Not covered') !== null).toBe(more.problem !== undefined);
    },
  );

  test('says when it was used last, and asks for no domain where its names are known', async () => {
    const { sent } = await open({ lastUsedAt: '2026-11-02T12:00:00Z' });
    const times = [...document.querySelectorAll('time')].map((time) => time.getAttribute('datetime'));
    expect(times).toContain('2026-11-02T12:00:00Z');
    expect(document.body.textContent).toMatch(/Acme, last used Nov/);
    expect(sent('GET /domain')).toEqual([]);
  });

  test('of one that somebody may not change offers no change', async () => {
    await open({ mayChange: false });
    expect([...buttons('Change'), ...buttons('Revoke')]).toEqual([]);
  });

  test('tells what its machines did, and what can be done about it', async () => {
    const entry = {
      ...{ at: '2026-11-01T00:00:00Z', lastAt: '2026-11-02T12:00:00Z', times: 1, event: 'order' },
      ...{ outcome: 'done', identifiers: ['a.example', 'b.example'], detail: '', advice: '' },
    };
    const failed = {
      ...entry,
      outcome: 'refused',
      times: 3,
      detail: 'No CAA',
      advice: 'Change the CAA record.',
    };
    await open({}, { [log]: [entry, { ...failed }, { ...failed, event: 'refusal', advice: '', times: 1 }] });
    const items = within(screen.getByRole('list', { name: 'What happened' })).getAllByRole('listitem');
    expect(items.map(({ textContent }) => textContent?.replace(/Nov.*?[AP]M/, 'T'))).toEqual([
      'Asked for a certificateDoneTa.example, b.example',
      'Asked for a certificateRefusedT, 3 timesa.example, b.exampleChange the CAA record.The server received this reply: No CAA',
      'Asked for something that was refusedRefusedTa.example, b.exampleNo CAA',
    ]);
  });

  test('says that no machine has used it, and reads again what could not be read', async () => {
    const { user, answer } = await open({}, { [log]: refused(500, 'internal', { message: 'Not now.' }) });
    expect(screen.getByRole('alert').textContent).toContain('Not now.');
    answer(log, []);
    await user.click(button('Try again'));
    expect(screen.getByText('No machine has used this access yet.')).toBeDefined();
  });

  test('that cannot be read says so, and reads it again', async () => {
    const { user, answer, sent } = await open(
      {},
      { [read]: refused(404, 'not_found', { message: 'Not there.' }) },
    );
    expect(screen.getByRole('alert').textContent).toContain('Not there.');
    answer(read, accessOf());
    await user.click(button('Try again'));
    expect(screen.getByRole('heading', { name: 'Web server' })).toBeDefined();
    expect(sent(read).map(({ params }) => params)).toEqual([{ id: uuid(41) }, { id: uuid(41) }]);
  });
});
