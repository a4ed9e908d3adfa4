import { cleanup } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApiToken } from '#contracts/operations/tokens.ts';
import {
  type Answers,
  faultHasFocus,
  fieldErrors,
  Held,
  type Opened,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { forgetTab, keepText, readText } from '../lib/storage.ts';
import TokensScreen from './tokens.tsx';

const of = (n: number, name: string, more: Partial<ApiToken> = {}): ApiToken => ({
  ...{ id: uuid(n), name, permissions: ['dns.write'], opens: ['dns.write'], customerId: null, customer: '' },
  ...{ createdBy: 'ann@msp.example', createdAt: '2026-01-02T00:00:00Z', expiresAt: null },
  ...{ lastUsedAt: null, ended: null, ...more },
});
const nightly = of(11, 'Nightly');
const acme = of(12, 'Acme zone', {
  ...{ permissions: ['dns.write', 'orders.purchase', 'balance.read'], opens: ['dns.write'] },
  ...{ customerId: uuid(21), customer: 'Acme', lastUsedAt: '2026-11-02T00:00:00Z' },
  expiresAt: '2099-03-04T00:00:00Z',
});
const old = of(13, 'Old', { ended: { at: '2026-10-01T00:00:00Z', because: 'Its time was over' } });
const lists: Answers = {
  'GET /user/tokens': [nightly, acme, old],
  'GET /customer/choices': [
    { customerId: uuid(21), organization: 'Acme', markups: null },
    { customerId: uuid(22), organization: 'Zeta', markups: null },
  ],
};
const create = 'POST /user/tokens';
const revoke = 'DELETE /user/tokens/:id';
const secret = 'nw_0123456789abcdef';
// Few rights: the form draws each of them at every key.
const fresh = {
  permissions: ['tokens.manage', 'dns.write', 'orders.read', 'balance.topup', 'users.manage'],
};
const open = (answers: Answers = {}, profile: object = fresh) =>
  openScreen(TokensScreen, { route: '/tokens', profile, answers: { ...lists, ...answers } });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const nameField = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });
const row = (name: string) => within(screen.getByText(name).closest('tr') as HTMLElement);

afterEach(forgetTab);

/** The form with a name and one right. */
async function fill(answers: Answers) {
  const opened = await open(answers);
  const { user } = opened;
  await user.click(button('New token'));
  await user.type(nameField(), ' Backup ');
  await user.click(box('Edit DNS records'));
  return { ...opened, send: () => user.click(button('Create token')) };
}
const bodies = ({ sent }: Pick<Opened, 'sent'>) => sent(create).map(({ body }) => body);

describe('a new token', () => {
  test('is not sent without a name, a right and a sensible end, and each field says why', async () => {
    const opened = await open();
    const { user } = opened;
    await user.click(button('New token'));
    await user.clear(field('Ends after (days)'));
    await user.type(field('Ends after (days)'), '0');
    await user.click(button('Create token'));
    expect(fieldErrors()).toMatchObject({ Name: 'Please enter a name' });
    expect(Object.keys(fieldErrors())).toContain('Ends after (days)');
    expect(screen.getByText('Please choose at least one permission')).toBeDefined();
    await faultHasFocus();
    expect(bodies(opened)).toEqual([]);
  });

  test('has the rights that were ticked, for every customer, for a year, unless somebody says otherwise', async () => {
    const opened = await fill({ [create]: { ...nightly, token: secret } });
    await opened.send();
    expect(bodies(opened)).toEqual([
      { name: 'Backup', permissions: ['dns.write'], customerId: null, validDays: 365 },
    ]);
  });

  test('has the customer and the end that were chosen, and a right that was unticked is not given', async () => {
    const opened = await fill({ [create]: { ...nightly, token: secret } });
    const { user } = opened;
    await user.click(box('Top up'));
    await user.click(box('Top up'));
    await user.click(box('See orders'));
    await user.click(screen.getByRole('combobox', { name: 'Customer' }));
    await user.click(screen.getByRole('option', { name: 'Zeta' }));
    await user.clear(field('Ends after (days)'));
    await opened.send();
    expect(bodies(opened)).toEqual([
      {
        ...{ name: 'Backup', permissions: ['dns.write', 'orders.read'] },
        ...{ customerId: uuid(22), validDays: null },
      },
    ]);
  });

  test('shows its secret once: the form goes, and the secret with its dialog', async () => {
    const opened = await fill({ [create]: { ...nightly, token: secret } });
    await opened.send();
    const dialog = within(screen.getByRole('dialog', { name: 'Your new token' }));
    expect(dialog.getByText(secret)).toBeDefined();
    expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull();
    expect(opened.sent('GET /user/tokens')).toHaveLength(2);
    // A press beside it would lose what is seen once.
    await opened.user.click(document.querySelector('.mantine-Modal-overlay') as HTMLElement);
    expect(screen.getByText(secret)).toBeDefined();
    await opened.user.click(dialog.getByRole('button', { name: 'Done' }));
    expect(screen.queryByText(secret)).toBeNull();
    expect(button('New token')).toBeDefined();
  });

  test('is copied whole', async () => {
    const opened = await fill({ [create]: { ...nightly, token: secret } });
    await opened.send();
    await opened.user.click(button('Copy'));
    expect(button('Copied')).toBeDefined();
    expect(await navigator.clipboard.readText()).toBe(secret);
  });

  test('that is under way is neither sent twice nor given up: only this form hands the secret on', async () => {
    const answer = new Held();
    const opened = await fill({ [create]: answer });
    await opened.send();
    expect(button('Creating...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await opened.user.click(button('Creating...'));
    await opened.user.type(nameField(), '{Enter}');
    expect(opened.sent(create)).toHaveLength(1);
    answer.give({ ...nightly, token: secret });
    await opened.settled();
    expect(screen.getByText(secret)).toBeDefined();
  });

  test.each([
    [
      'refused',
      refused(422, 'unprocessable', { message: 'There are too many tokens.' }),
      'There are too many tokens.',
    ],
    ['without an answer', silence, 'Something went wrong'],
  ])(
    'that is %s says so, keeps what was typed and can be sent again; the list is read',
    async (_what, answer, message) => {
      const opened = await fill({ [create]: answer });
      await opened.send();
      expect(screen.getByRole('alert').textContent).toBe(message);
      expect(nameField().value).toBe(' Backup ');
      expect(box('Edit DNS records').checked).toBe(true);
      expect(opened.sent('GET /user/tokens')).toHaveLength(2);
      opened.answer(create, { ...nightly, token: secret });
      await opened.send();
      expect(bodies(opened)).toHaveLength(2);
      expect(screen.getByText(secret)).toBeDefined();
    },
  );

  test('that the portal finds wrong says so at its fields, and stays', async () => {
    const details = [
      { path: 'permissions.0', message: 'Scripts cannot do this' },
      { path: 'name', message: 'There is one of that name' },
    ];
    const opened = await fill({ [create]: refused(400, 'validation_failed', { details }) });
    await opened.send();
    expect(fieldErrors()).toEqual({ Name: 'There is one of that name' });
    expect(screen.getByText('Scripts cannot do this')).toBeDefined();
    expect(nameField().value).toBe(' Backup ');
    await faultHasFocus();
  });

  test('that is given up sends nothing, and the next form begins empty', async () => {
    const opened = await fill({});
    await opened.user.click(button('Cancel'));
    expect(document.activeElement).toBe(button('New token'));
    await opened.user.click(button('New token'));
    expect(document.activeElement).toBe(nameField());
    expect(nameField().value).toBe('');
    expect(box('Edit DNS records').checked).toBe(false);
    expect(bodies(opened)).toEqual([]);
  });

  test('offers the rights of the person, and none that is not for scripts', async () => {
    const { user } = await open();
    await user.click(button('New token'));
    expect(screen.getAllByRole('checkbox').map((one) => (one as HTMLInputElement).value)).toEqual([
      ...['dns.write', 'orders.read', 'balance.topup'],
    ]);
  });

  test('whose customers cannot be read says so, and reads them again', async () => {
    const opened = await open({
      'GET /customer/choices': refused(500, 'internal', { message: 'Out of order' }),
    });
    await opened.user.click(button('New token'));
    expect(screen.getByText('Out of order')).toBeDefined();
    opened.answer('GET /customer/choices', lists['GET /customer/choices']);
    await opened.user.click(button('Try again'));
    expect(screen.queryByText('Out of order')).toBeNull();
  });
});

describe('the sign-in for a new token', () => {
  test('is asked for before anything is typed where the last one is too long ago', async () => {
    const { user, session } = await open({}, { ...fresh, freshForSeconds: 60 });
    await user.click(button('New token'));
    expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull();
    await user.click(button('Sign in again'));
    expect(session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath: '/tokens' });
    await user.click(button('Cancel'));
    expect(button('New token')).toBeDefined();
  });

  test('that is asked for when it is sent keeps what was typed, and the form is open again afterwards', async () => {
    const first = await fill({ [create]: refused(403, 'fresh_sign_in_required') });
    await first.send();
    expect(screen.queryByRole('button', { name: 'Create token' })).toBeNull();
    await first.user.click(button('Sign in again'));
    expect(first.session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath: '/tokens' });
    // The sign-in takes the page away; a form that is left by other ways takes its draft along.
    const kept = readText('session', 'draft.token');
    cleanup();
    await first.settled();
    expect(readText('session', 'draft.token')).toBeNull();
    keepText('session', 'draft.token', kept);
    await open();
    expect(nameField().value).toBe(' Backup ');
    expect(box('Edit DNS records').checked).toBe(true);
  });
});

describe('the list of tokens', () => {
  test('says of each what it opens, for whom, whose it is, when it was used and when it ends', async () => {
    await open();
    const texts = (name: string) =>
      row(name)
        .getAllByRole('cell')
        .slice(1, 6)
        .map(({ textContent }) => textContent);
    expect(texts('Nightly')).toEqual([
      'Edit DNS records',
      'All',
      'ann@msp.example',
      'Never',
      'Until revoked',
    ]);
    expect(texts('Acme zone').slice(0, 2)).toEqual([
      'Edit DNS recordsNot for one customer: Purchase, renew, transfer and 1 more',
      'Acme',
    ]);
    expect(texts('Acme zone')[3]).toContain('2026');
    expect(texts('Acme zone')[4]).toContain('2099');
    expect(texts('Old')[0]).toBe('Nothing');
    expect(texts('Old')[4]).toMatch(/^Ended.*2026.*Its time was over$/);
  });

  test('names the person who no longer has the right that a token was given', async () => {
    await open({ 'GET /user/tokens': [{ ...acme, customerId: null, customer: '' }] });
    expect(
      screen.getByText(/^ann@msp.example no longer has: Purchase, renew, transfer and 1 more$/),
    ).toBeDefined();
  });

  test('offers no revocation of what has ended', async () => {
    await open();
    expect(
      screen.getAllByRole('button', { name: /^Revoke/ }).map((one) => one.getAttribute('aria-label')),
    ).toEqual(['Revoke Nightly', 'Revoke Acme zone']);
  });

  test('that is empty says what to do, and one that cannot be read is read again', async () => {
    const opened = await open({ 'GET /user/tokens': refused(500, 'internal', { message: 'Out of order' }) });
    expect(screen.getByRole('alert').textContent).toContain('Out of order');
    opened.answer('GET /user/tokens', []);
    await opened.user.click(button('Try again'));
    expect(screen.getByText('No API tokens yet')).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('a revocation', () => {
  test('asks first, and revokes the one that was asked about', async () => {
    const { user, sent } = await open({ [revoke]: {} });
    await user.click(button('Revoke Nightly'));
    expect(screen.getByRole('dialog').textContent).toContain('“Nightly”');
    await user.click(button('Cancel'));
    expect(sent(revoke)).toEqual([]);
    await user.click(button('Revoke Acme zone'));
    expect(screen.getByRole('dialog').textContent).toContain('“Acme zone”');
    await user.click(button('Revoke'));
    expect(sent(revoke).map(({ params }) => params)).toEqual([{ id: acme.id }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent('GET /user/tokens')).toHaveLength(2);
  });

  test('that is under way cannot be confirmed twice', async () => {
    const answer = new Held();
    const { user, sent } = await open({ [revoke]: answer });
    await user.click(button('Revoke Nightly'));
    await user.click(button('Revoke'));
    expect(button('Processing...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await user.click(button('Processing...'));
    expect(sent(revoke)).toHaveLength(1);
  });

  test('that is refused stays open and says why; the next question does not', async () => {
    const { user } = await open({ [revoke]: refused(404, 'not_found', { message: 'It is gone.' }) });
    await user.click(button('Revoke Nightly'));
    await user.click(button('Revoke'));
    expect(screen.getByRole('alert').textContent).toBe('It is gone.');
    expect(button('Revoke').disabled).toBe(false);
    await user.click(button('Cancel'));
    await user.click(button('Revoke Acme zone'));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
