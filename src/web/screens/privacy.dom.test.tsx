import { afterEach, describe, expect, test } from 'vitest';
import type { ErasurePlan } from '#contracts/operations/privacy.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  type Answers,
  file,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { draftOf, keepDraft } from '../lib/drafts.ts';
import { forgetTab } from '../lib/storage.ts';
import PrivacyScreen from './privacy.tsx';

const acme = { customerId: uuid(21), organization: 'Acme', deletedAt: '2026-10-01T00:00:00Z' };
const zeta = { customerId: uuid(22), organization: 'Zeta', deletedAt: '2026-09-01T00:00:00Z' };
const bob = { userId: uuid(11), email: 'bob@msp.example', removedAt: '2026-10-02T00:00:00Z' };
const cid = { userId: uuid(12), email: 'cid@acme.example', removedAt: '2026-09-02T00:00:00Z' };
const bare: ErasurePlan = { blockers: [], held: [], orders: 0, people: 0, paymentCustomer: null };
const planned = 'GET /privacy/customer/:id/erasure';
const eraseCustomer = 'POST /privacy/customer/:id/erasure';
const eraseUser = 'POST /privacy/user/:id/erasure';
const customers = 'GET /privacy/former/customers';
const users = 'GET /privacy/former/users';

const open = (answers: Answers = {}) =>
  openScreen(PrivacyScreen, {
    route: '/privacy',
    answers: { [customers]: paged([acme, zeta]), [users]: paged([bob, cid]), [planned]: bare, ...answers },
  });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const rowOf = (name: string) => within(screen.getByText(name).closest('tr') as HTMLElement);
const eraseIn = (name: string) => rowOf(name).getByRole('button', { name: 'Erase personal data' });
const dialogText = () => screen.getByRole('dialog').textContent;

afterEach(forgetTab);

describe('the erasure of a customer', () => {
  async function ask(answers: Answers = {}) {
    const opened = await open(answers);
    await opened.user.click(eraseIn('Zeta'));
    return { ...opened, confirm: () => opened.user.click(button('Erase for good')) };
  }

  test('asks first, and erases the one that was asked about', async () => {
    const { user, sent, confirm } = await ask({ [eraseCustomer]: bare });
    expect(sent(planned).map(({ params }) => params)).toEqual([{ id: zeta.customerId }]);
    expect(dialogText()).toContain('Zeta will be deleted.');
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(eraseCustomer)).toEqual([]);
    await user.click(eraseIn('Zeta'));
    // What is in its way is asked each time: it may be something else by now.
    expect(sent(planned)).toHaveLength(2);
    await confirm();
    expect(sent(eraseCustomer).map(({ params }) => params)).toEqual([{ id: zeta.customerId }]);
    expect(sent(customers)).toHaveLength(2);
  });

  test('that has things in its way names them and cannot be confirmed', async () => {
    const blockers = Array.from({ length: 12 }, (_, n) => ({
      ...{ kind: 'domain' as const, subject: `z${n}.example`, text: `z${n}.example is held` },
    }));
    const { user, sent } = await ask({ [planned]: { ...bare, blockers } });
    const shown = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(shown.slice(-2)).toEqual(['z9.example is held', 'and 2 more']);
    expect(shown).toHaveLength(11);
    expect(screen.queryByRole('button', { name: 'Erase for good' })).toBeNull();
    await user.click(screen.getByText('Close'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(eraseCustomer)).toEqual([]);
  });

  test('says what is kept, and why', async () => {
    const of = (n: number) => ({
      ...{ address: `z${n}.example`, endedAt: '2026-01-01T12:00:00Z', deleteAfter: '2027-04-01T12:00:00Z' },
    });
    const held = Array.from({ length: 12 }, (_, n) => of(n));
    await ask({ [planned]: { ...bare, held, orders: 2, people: 1, paymentCustomer: 'cus_9' } });
    const kept = screen.getAllByRole('listitem').map(({ textContent }) => textContent ?? '');
    expect(kept[0]).toBe('Amounts, dates and names of domains of 2 orders, because bookkeeping needs them.');
    expect(kept[1]).toMatch(/^Registrant data of z0.example, encrypted, until .*2027/);
    expect(kept.slice(11)).toEqual([
      'Registrant data of 2 more domains, in the same way.',
      'The audit log, without the details of these people.',
      'The record cus_9 at your payment provider: please delete it there.',
    ]);
    expect(dialogText()).toContain('Its own users lose their sign-ins and invitations.');
  });

  test('speaks of nothing that the customer does not have', async () => {
    await ask();
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'The audit log, without the details of these people.',
    ]);
    expect(dialogText()).not.toContain('Its own users');
  });

  test('says what it waits for, and reads again what could not be read', async () => {
    const plan = new Held();
    const opened = await ask({ [planned]: plan });
    expect(dialogText()).toContain('Checking for anything still open...');
    plan.give(refused(500, 'internal', { message: 'Out of order' }));
    await opened.settled();
    expect(dialogText()).toContain('Out of order');
    opened.answer(planned, bare);
    await opened.user.click(button('Try again'));
    expect(button('Erase for good').disabled).toBe(false);
  });

  test('that is under way is neither sent twice nor closed', async () => {
    const answer = new Held();
    const opened = await ask({ [eraseCustomer]: answer });
    await opened.confirm();
    expect(button('Erasing...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await opened.user.click(button('Erasing...'));
    await opened.user.keyboard('{Escape}');
    expect(screen.getByRole('dialog')).toBeDefined();
    expect(opened.sent(eraseCustomer)).toHaveLength(1);
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'It has an order.' }), 'It has an order.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, stays open and can be confirmed again', async (_what, answer, message) => {
    const opened = await ask({ [eraseCustomer]: answer });
    await opened.confirm();
    expect(screen.getByRole('alert').textContent).toBe(message);
    // Something may be in its way by now.
    expect(opened.sent(planned)).toHaveLength(2);
    await opened.confirm();
    expect(opened.sent(eraseCustomer)).toHaveLength(2);
    await opened.user.click(button('Cancel'));
    await opened.user.click(eraseIn('Zeta'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('shows what came into its way meanwhile, instead of the question', async () => {
    const opened = await ask({ [eraseCustomer]: refused(422, 'unprocessable') });
    const blockers = [{ kind: 'order' as const, subject: '7', text: 'Order 7 is under way' }];
    opened.answer(planned, { ...bare, blockers });
    await opened.confirm();
    expect(dialogText()).toContain('Order 7 is under way');
    expect(screen.queryByRole('button', { name: 'Erase for good' })).toBeNull();
  });

  test('that needs a fresh sign-in leads there, with what was searched for', async () => {
    const opened = await open({ [eraseCustomer]: refused(403, 'fresh_sign_in_required') });
    await opened.user.type(screen.getByRole('textbox', { name: 'Search deleted customers' }), 'zet');
    await eventually(() => expect(opened.sent(customers)).toHaveLength(2));
    await opened.settled();
    await opened.user.click(eraseIn('Zeta'));
    await opened.user.click(button('Erase for good'));
    await opened.user.click(button('Sign in again'));
    expect(opened.session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath: '/privacy' });
    expect(opened.sent(eraseCustomer)).toHaveLength(1);
    expect(draftOf('former-customers', { search: '' })).toEqual({ search: 'zet' });
  });
});

describe('the erasure of a user', () => {
  async function ask(answers: Answers = {}) {
    const opened = await open(answers);
    await opened.user.click(button(`Erase the data of ${cid.email}`));
    return { ...opened, confirm: () => opened.user.click(button('Erase for good')) };
  }

  test('asks first, and erases the one that was asked about', async () => {
    const { user, sent, confirm } = await ask({ [eraseUser]: {} });
    expect(dialogText()).toContain(`${cid.email} will be removed`);
    await user.click(button('Cancel'));
    expect(sent(eraseUser)).toEqual([]);
    await user.click(button(`Erase the data of ${cid.email}`));
    await confirm();
    expect(sent(eraseUser).map(({ params }) => params)).toEqual([{ id: cid.userId }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(users)).toHaveLength(2);
  });

  test('that is under way is neither sent twice nor closed', async () => {
    const opened = await ask({ [eraseUser]: new Held() });
    await opened.confirm();
    expect(button('Erasing...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await opened.user.click(button('Erasing...'));
    expect(opened.sent(eraseUser)).toHaveLength(1);
  });

  test.each([
    ['refused', refused(403, 'forbidden', { message: 'They outrank you.' }), 'They outrank you.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, stays open and can be confirmed again', async (_what, answer, message) => {
    const opened = await ask({ [eraseUser]: answer });
    await opened.confirm();
    expect(screen.getByRole('alert').textContent).toBe(message);
    await opened.confirm();
    expect(opened.sent(eraseUser)).toHaveLength(2);
    await opened.user.click(button('Cancel'));
    await opened.user.click(button(`Erase the data of ${cid.email}`));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('that needs a fresh sign-in leads there and sends nothing more', async () => {
    const opened = await ask({ [eraseUser]: refused(403, 'fresh_sign_in_required') });
    await opened.confirm();
    await opened.user.click(button('Sign in again'));
    expect(opened.session.signIn).toHaveBeenCalledWith({ fresh: true, returnPath: '/privacy' });
    expect(opened.sent(eraseUser)).toHaveLength(1);
  });
});

describe('the data of somebody who is gone', () => {
  test.each([
    ['a customer', 'Zeta', 'GET /privacy/customer/:id', zeta.customerId],
    ['a user', cid.email, 'GET /privacy/user/:id', cid.userId],
  ])(
    'as of %s is handed out in either form, and of the one that was asked for',
    async (_what, name, operation, id) => {
      const opened = await open({ [operation]: file('data') });
      await opened.user.click(button(`Export the data of ${name}`));
      expect(dialogText()).toContain(`Everything the portal holds about ${name}.`);
      await opened.user.click(button('Export data (JSON)'));
      await opened.user.click(button('Export data (CSV)'));
      expect(opened.sent(operation)).toMatchObject([
        { params: { id }, query: { format: 'json' } },
        { params: { id }, query: { format: 'csv' } },
      ]);
      expect(opened.saved()).toEqual(['data', 'data']);
      expect(dialogText()).toContain('The file has been saved by your browser.');
    },
  );

  test('says that it is on its way, and why it could not be handed out', async () => {
    const answer = new Held();
    const opened = await open({ 'GET /privacy/user/:id': answer });
    await opened.user.click(button(`Export the data of ${bob.email}`));
    await opened.user.click(button('Export data (CSV)'));
    expect(button('Preparing...').disabled).toBe(true);
    expect(button('Export data (JSON)').disabled).toBe(true);
    answer.give(refused(500, 'internal', { message: 'Out of order' }));
    await opened.settled();
    expect(screen.getByRole('alert').textContent).toBe('Out of order');
    expect(button('Export data (CSV)').disabled).toBe(false);
    expect(opened.saved()).toEqual([]);
  });
});

describe('each of the two lists', () => {
  test('is read on its own, the latest first, and searched on its own', async () => {
    const { user, sent, settled } = await open();
    expect([sent(customers)[0]?.query, sent(users)[0]?.query]).toEqual([
      { page: '1', pageSize: '50', sort: '-deletedAt' },
      { page: '1', pageSize: '50', sort: '-removedAt' },
    ]);
    await user.type(screen.getByRole('textbox', { name: 'Search removed users by email' }), 'cid');
    const asked = () => sent(users).map(({ query }) => query);
    await eventually(() =>
      expect(asked()).toContainEqual(expect.objectContaining({ search: 'cid', page: '1' })),
    );
    await settled();
    expect(sent(customers)).toHaveLength(1);
  });

  test('is as it was before the sign-in that an erasure asked for, each on its own', async () => {
    const first = { page: 1, pageSize: 50, sort: '-deletedAt', search: '' };
    keepDraft('former-customers', { ...first, page: 2, search: 'zet' }, first);
    const { sent } = await open();
    const kept = { page: '2', pageSize: '50', sort: '-deletedAt', search: 'zet' };
    expect(sent(customers)[0]?.query).toEqual(kept);
    expect(screen.getByRole('textbox', { name: 'Search deleted customers' })).toHaveProperty('value', 'zet');
    expect(sent(users)[0]?.query).toEqual({ page: '1', pageSize: '50', sort: '-removedAt' });
  });

  test('says that nobody is what was searched for', async () => {
    const { user, answer, sent, settled } = await open();
    answer(customers, paged([]));
    answer(users, paged([]));
    await user.type(screen.getByRole('textbox', { name: 'Search removed users by email' }), 'x');
    await user.type(screen.getByRole('textbox', { name: 'Search deleted customers' }), 'x');
    await eventually(() => expect([...sent(users), ...sent(customers)]).toHaveLength(4));
    await settled();
    expect(screen.getByText('No removed users match')).toBeDefined();
    expect(screen.getByText('No deleted customers match')).toBeDefined();
  });

  test('says that there is nobody', async () => {
    await open({ [customers]: paged([]), [users]: paged([]) });
    expect(screen.getByText('No deleted customers')).toBeDefined();
    expect(screen.getByText('No removed users')).toBeDefined();
  });

  test('that cannot be read says so, and is read again', async () => {
    const opened = await open({ [users]: refused(500, 'internal', { message: 'Out of order' }) });
    expect(screen.getByText('Zeta')).toBeDefined();
    opened.answer(users, paged([bob]));
    await opened.user.click(button('Try again'));
    expect(screen.getByText(bob.email)).toBeDefined();
    expect(opened.sent(customers)).toHaveLength(1);
  });
});
