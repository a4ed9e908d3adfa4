import { describe, expect, test, vi } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  type Answers,
  type Call,
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
import DirectBillingScreen from './direct-billing.tsx';

const itemOf = (address: string, refund: object | null = null) => ({
  ...{ address, kind: 'renewal', price: 10, markup: 2.5, refund },
});
const chargeOf = (n: number, customer: string, state: string, more: object = {}) => ({
  ...{ chargeId: uuid(n), customerId: uuid(100 + n), customer, orderId: uuid(200 + n), amount: 12.5 },
  ...{
    refunded: 0,
    returned: 0,
    disputed: 0,
    disputedAt: null,
    stopsCharges: false,
    chargesStopped: null,
    state,
    error: null,
    attempts: 1,
    nextTryAt: null,
    note: null,
  },
  ...{
    paymentId: null,
    createdAt: '2026-11-20T12:00:00Z',
    items: [itemOf(`${customer.toLowerCase()}.example`)],
  },
  ...more,
});
const acme = chargeOf(1, 'Acme', 'failed', { error: 'The card was declined.' });
const zeta = chargeOf(2, 'Zeta', 'failed', { amount: 99 });
const [list, retry, settle, release] = [
  'GET /direct-charge',
  'POST /direct-charge/:id/retry',
  'POST /direct-charge/:id/settle',
  'POST /direct-charge/:id/release',
];

async function open(charges: unknown[] = [acme, zeta], answers: Answers = {}, path = '/direct-billing') {
  const there = await openScreen(DirectBillingScreen, {
    route: '/direct-billing',
    path,
    answers: { [list]: paged(charges), ...answers },
  });
  return { ...there, queries: () => there.sent(list).map(({ query }) => query) };
}
const button = (name: string) => screen.getByRole('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
const inDialog = (name: string) => dialog().getByRole('button', { name });
const rowOf = (customer: string) => screen.getByRole('link', { name: customer }).closest('tr') as HTMLElement;
const query = { page: '1', pageSize: '50', sort: '-createdAt' };

describe('the list', () => {
  const past = '2020-01-01T00:00:00Z';
  test.each([
    ['collecting', {}, 'Waiting', true],
    ['sending', {}, 'Being charged', true],
    ['processing', {}, 'In progress', false],
    ['succeeded', {}, 'Paid', false],
    ['succeeded', { refunded: 5 }, 'Partly refunded or disputed', false],
    ['succeeded', { refunded: 12.5 }, 'Refunded or disputed', false],
    ['failed', {}, 'Open', false],
    ['failed', { nextTryAt: '2099-01-01T00:00:00Z' }, 'Open', false],
    ['failed', { nextTryAt: past }, 'Open', true],
    ['waived', { note: 'Paid by check' }, 'Settled', false],
  ])('says what %s %o is, and offers acts for an open charge alone', async (state, more, label, follows) => {
    const every = vi.fn((_look: () => void, _ms?: number) => 1);
    vi.stubGlobal('setInterval', every);
    const there = await open([chargeOf(1, 'Acme', state, more)]);
    expect(within(rowOf('Acme')).getByText(label)).toBeDefined();
    expect(rowOf('Acme').textContent).not.toContain('$5.00 refunded');
    const offered = within(rowOf('Acme')).queryAllByRole('button');
    expect(offered.map((act) => act.getAttribute('aria-label'))).toEqual(
      state === 'failed' ? ['Try again: Acme', 'Settle: Acme'] : [],
    );
    // What is on its way is looked at again.
    const looks = every.mock.calls.filter(([, ms]) => ms === 2_000);
    expect(looks).toHaveLength(follows ? 1 : 0);
    looks[0]?.[0]();
    await there.settled();
    expect(there.queries()).toHaveLength(follows ? 2 : 1);
  });

  test('tells whom, what for, how much, and what is known of it', async () => {
    const failed = { state: 'failed', amount: 10, error: 'The card has expired.' };
    const charge = chargeOf(1, 'Acme', 'failed', {
      ...{ amount: 1_037.5, refunded: 0, error: 'The card was declined.', nextTryAt: '2099-01-02T12:00:00Z' },
      ...{ returned: 7, items: [itemOf('acme.example', failed), itemOf('acme.test'), itemOf('acme.org')] },
    });
    const back = { state: 'done', amount: 5, error: null };
    await open([
      charge,
      chargeOf(2, 'Zeta', 'succeeded', { refunded: 5, items: [itemOf('zeta.example', back)] }),
    ]);
    const row = rowOf('Acme').textContent;
    for (const part of ['acme.example and 2 more', 'Nov 20, 2026', '$1,037.50', '$7.50 markup']) {
      expect(row).toContain(part);
    }
    for (const part of [
      'The card was declined.',
      "$7.00 in refunds came back from the customer's bank. Please refund this amount another way.",
      'acme.example: $10.00 could not be refunded. The card has expired.',
      'Next try on Jan 2, 2099',
    ]) {
      expect(row).toContain(part);
    }
    // Whole, as the last words of a note are what is to be done.
    const note = screen.getByText(/Please refund this amount another way\.$/);
    expect([note.style.whiteSpace, note.hasAttribute('data-truncate')]).toEqual(['normal', false]);
    expect(rowOf('Zeta').textContent).toContain('$5.00 refunded');
    expect(rowOf('Zeta').textContent).toContain('zeta.example: refunded because the order did not complete');
    expect(screen.getByRole('link', { name: 'Acme' }).getAttribute('href')).toBe(
      `/customers/${charge.customerId}/billing`,
    );
    expect(screen.getByRole('link', { name: 'acme.example and 2 more' }).getAttribute('href')).toBe(
      `/orders/${charge.orderId}`,
    );
  });

  test('is asked for what the address says: all, open, or of a customer', async () => {
    const there = await open([acme], {}, `/direct-billing?customer=${uuid(101)}&page=2&search=acme`);
    await there.user.click(screen.getByLabelText('Open'));
    await there.user.click(screen.getByLabelText('All'));
    const filtered = { ...query, search: 'acme', customerId: uuid(101) };
    await there.user.click(screen.getByLabelText('Disputed'));
    await there.user.click(screen.getByLabelText('All'));
    expect(there.queries()).toEqual([
      ...[{ ...filtered, page: '2' }, { ...filtered, open: 'true' }, filtered],
      { ...filtered, stopping: 'true' },
    ]);
    expect(there.path()).not.toContain('kind=');
  });

  test('is asked for one charge where a link names it, until others are looked for', async () => {
    const there = await open([acme], {}, `/direct-billing?charge=${uuid(1)}`);
    await there.user.click(button('Clear search and filters'));
    expect(there.path()).toBe('/direct-billing');
    expect(screen.queryByRole('button', { name: 'Clear search and filters' })).toBeNull();
    expect(there.queries()).toEqual([{ ...query, chargeId: uuid(1) }, query]);
  });

  test.each([
    ['Open', { open: 'true' }, 'kind=open'],
    ['x', { search: 'x' }, 'search=x'],
  ])('leaves the one that a link has named when %s is asked for', async (what, more, path) => {
    const there = await open([acme], {}, `/direct-billing?charge=${uuid(1)}`);
    if (what === 'x')
      await there.user.type(screen.getByLabelText('Search by customer or domain'), 'x{Enter}');
    else await there.user.click(screen.getByLabelText(what));
    await eventually(() => expect(there.path()).toBe(`/direct-billing?${path}`));
    await there.settled();
    expect(there.queries().at(-1)).toEqual({ ...query, ...more });
  });

  test('says where nothing is', async () => {
    const there = await open([]);
    expect(screen.getByText('No charges found')).toBeDefined();
    const how = "Direct billing is switched on in a customer's Billing tab.";
    expect(screen.getByText(how)).toBeDefined();
    await there.user.click(screen.getByLabelText('Open'));
    expect(screen.getByText('No open charges')).toBeDefined();
    expect(screen.queryByText(how)).toBeNull();
    await there.user.click(screen.getByLabelText('Disputed'));
    expect(screen.getByText('No disputes stop charges')).toBeDefined();
  });

  test('says where it cannot be read, is read again, and can be turned round', async () => {
    const there = await open([], { [list]: refused(500, 'internal', { message: 'No luck.' }) });
    expect(screen.getByRole('alert').textContent).toContain('No luck.');
    expect(screen.queryByText('No charges found')).toBeNull();
    there.answer(list, paged([acme]));
    await there.user.click(button('Try again'));
    expect(rowOf('Acme')).toBeDefined();
    await there.user.click(button('Date'));
    expect(there.queries()).toEqual([query, query, { ...query, sort: 'createdAt' }]);
  });
});

describe('another try of a charge', () => {
  /** `shown`: the list, and what has become of the charge when it is looked at. */
  const listing = (shown: unknown[], ended: object) => (call: Call) =>
    paged(call.query.chargeId === zeta.chargeId ? [{ ...zeta, ...ended }] : shown);
  async function ask(answers: Answers = {}, ended: object = { state: 'succeeded', attempts: 2 }) {
    const there = await open([acme, zeta], {
      [retry]: zeta,
      [list]: listing([acme, zeta], ended),
      ...answers,
    });
    await there.user.click(button('Try again: Zeta'));
    const queries = () => there.queries().filter(({ chargeId }) => chargeId === undefined);
    return { ...there, queries, charge: () => there.user.click(inDialog('Charge')) };
  }

  test('asks first, with whom and how much, and charges the one that was asked about', async () => {
    const there = await ask();
    expect(screen.getByRole('dialog').textContent).toContain("Zeta's payment method is charged $99.00 now.");
    await there.user.click(inDialog('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(there.sent(retry)).toEqual([]);
    await there.user.click(button('Try again: Zeta'));
    there.answer(list, listing([acme], { state: 'succeeded', attempts: 2 }));
    await there.charge();
    expect(there.sent(retry).map(({ params, body }) => ({ params, body }))).toEqual([
      { params: { id: zeta.chargeId }, body: null },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(there.queries()).toHaveLength(2);
    expect(screen.queryByRole('link', { name: 'Zeta' })).toBeNull();
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'It is paid by now.' }), 'It is paid by now.'],
    ['without an answer', silence, 'Something went wrong'],
  ])(
    'that is %s says why for as long as it is looked at, and then shows what became of it',
    async (_what, answer, message) => {
      const there = await ask({ [retry]: answer });
      there.answer(list, paged([acme]));
      await there.charge();
      expect(dialog().getByRole('alert').textContent).toBe(message);
      expect(inDialog('Charge')).toHaveProperty('disabled', false);
      expect(there.queries()).toHaveLength(1);
      await there.user.click(inDialog('Cancel'));
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(there.queries()).toHaveLength(2);
      expect(screen.queryByRole('link', { name: 'Zeta' })).toBeNull();
    },
  );

  test('that is declined again stays, says so and why, and can be made once more', async () => {
    const declined = { attempts: 2, error: 'Your card has insufficient funds.' };
    const there = await ask({}, declined);
    await there.charge();
    const said = () => dialog().getByRole('alert').textContent;
    expect(said()).toBe('The charge failed. Your card has insufficient funds.');
    expect(screen.getByRole('dialog').textContent).toContain("Zeta's payment method is charged $99.00 now.");
    expect(there.queries()).toHaveLength(1);
    there.answer(retry, { ...zeta, ...declined });
    there.answer(list, listing([acme, zeta], { attempts: 3, error: 'Your card has expired.' }));
    await there.charge();
    expect(said()).toBe('The charge failed. Your card has expired.');
    await there.user.click(inDialog('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(there.queries()).toHaveLength(2);
    expect(there.sent(retry)).toHaveLength(2);
  });

  test('whose end is not there yet goes on: nothing can be pressed, and the dialog stays', async () => {
    const held = new Held();
    const there = await ask();
    there.answer(list, held);
    await there.charge();
    expect(there.sent(list).at(-1)?.query).toEqual({ chargeId: zeta.chargeId });
    expect(inDialog('Charging...')).toHaveProperty('disabled', true);
    there.answer(list, paged([acme]));
    held.give(paged([{ ...zeta, attempts: 2, error: 'Declined.' }]));
    await there.settled();
    expect(dialog().getByRole('alert').textContent).toBe('The charge failed. Declined.');
  });

  test('asks again after a refusal that was closed', async () => {
    const there = await ask({ [retry]: refused(422, 'unprocessable') });
    await there.charge();
    await there.user.click(inDialog('Cancel'));
    await there.user.click(button('Try again: Zeta'));
    expect(dialog().queryByRole('alert')).toBeNull();
    there.answer(retry, zeta);
    await there.charge();
    expect(there.sent(retry)).toHaveLength(2);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('is made once: while it runs nothing can be pressed', async () => {
    const held = new Held();
    const there = await ask({ [retry]: held });
    await there.charge();
    for (const name of ['Charging...', 'Cancel']) {
      expect(inDialog(name)).toHaveProperty('disabled', true);
      await there.user.click(inDialog(name));
    }
    held.give(zeta);
    await there.settled();
    expect(there.sent(retry)).toHaveLength(1);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('a dispute that stops charges', () => {
  const disputed = chargeOf(3, 'Dora', 'succeeded', {
    ...{ amount: 99, refunded: 12.5, disputed: 12.5, stopsCharges: true, disputedAt: '2026-11-25T12:00:00Z' },
    items: [itemOf('dora.example'), itemOf('dora.test')],
    chargesStopped: { since: '2026-11-20T12:00:00Z', disputes: 1, chargeId: uuid(3) },
  });
  async function ask(answers: Answers = {}) {
    const there = await open([disputed, acme], { [release]: disputed, ...answers });
    await there.user.click(button('Allow charges: Dora'));
    return there;
  }

  test('is called one, says what it does, and offers to allow charges, which others do not', async () => {
    await open([disputed, acme, { ...disputed, chargeId: uuid(4), customer: 'Eve', stopsCharges: false }]);
    expect(within(rowOf('Dora')).getByText('Disputed')).toBeDefined();
    expect(rowOf('Dora').textContent).toContain(
      'Charges have been stopped since Nov 20, 2026, until you allow them or the dispute is won.',
    );
    const offered = screen.getAllByRole('button', { name: /^Allow charges/ });
    expect(offered.map((act) => act.getAttribute('aria-label'))).toEqual(['Allow charges: Dora']);
  });

  test('is asked about with the customer, the charge, the dispute and what follows, before charges are allowed', async () => {
    const there = await ask();
    const said = screen.getByRole('dialog').textContent;
    expect(said).toContain(
      'Dora disputed $12.50 of a charge of $99.00 on Nov 20, 2026 for dora.example and 1 more. The dispute began on Nov 25, 2026.',
    );
    expect(said).toContain('for everything that is open as well');
    await there.user.click(inDialog('Cancel'));
    expect(there.sent(release)).toEqual([]);
    await there.user.click(button('Allow charges: Dora'));
    there.answer(list, paged([acme]));
    await there.user.click(inDialog('Allow charges'));
    expect(there.sent(release).map(({ params, body }) => ({ params, body }))).toEqual([
      { params: { id: disputed.chargeId }, body: { disputed: 12.5, disputedAt: '2026-11-25T12:00:00Z' } },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.queryByRole('link', { name: 'Dora' })).toBeNull();
  });

  test('that is over by now says so, and the list is read again', async () => {
    const there = await ask({ [release]: refused(422, 'unprocessable', { message: 'It is over.' }) });
    there.answer(list, paged([acme]));
    await there.user.click(inDialog('Allow charges'));
    expect(dialog().getByRole('alert').textContent).toBe('It is over.');
    await there.user.click(inDialog('Cancel'));
    expect(screen.queryByRole('link', { name: 'Dora' })).toBeNull();
  });
});

describe('an open charge of a customer whose charges are stopped', () => {
  const stoppedBy = (disputes: number) => ({
    ...{
      error: 'The card was declined.',
      chargesStopped: { since: '2026-11-20T12:00:00Z', disputes, chargeId: disputes === 1 ? uuid(9) : null },
    },
  });

  test.each([
    ['Review dispute', 1, `charge=${uuid(9)}`],
    ['Review disputes', 2, `kind=disputed&customer=${uuid(101)}`],
  ])(
    'is not offered to be tried again; "%s" leads to that payment, or to those of the customer',
    async (label, disputes, where) => {
      const there = await open([chargeOf(1, 'Acme', 'failed', stoppedBy(disputes))]);
      const row = within(rowOf('Acme'));
      expect(row.getAllByRole('button').map((act) => act.getAttribute('aria-label'))).toEqual([
        'Settle: Acme',
      ]);
      expect(rowOf('Acme').textContent).toContain(
        'The card was declined.Charges have been stopped since Nov 20, 2026: the customer disputed a payment.',
      );
      await there.user.click(row.getByRole('link', { name: `${label}: Acme` }));
      expect(there.path()).toBe(`/direct-billing?${where}`);
    },
  );

  test('is nothing else where charges are not stopped, or where it was paid', async () => {
    await open([acme, chargeOf(2, 'Zeta', 'succeeded', { ...stoppedBy(1), error: null })]);
    expect(document.body.textContent).not.toContain('stopped since');
    expect(button('Try again: Acme')).toBeDefined();
  });

  test.each([
    [2, 'Another dispute stops their charges until you allow charges there as well.'],
    [3, '2 other disputes stop their charges until you allow charges there as well.'],
  ])('of %i disputes the question about one says that charges stay stopped', async (disputes, said) => {
    const disputed = { refunded: 12.5, disputed: 12.5, stopsCharges: true, ...stoppedBy(disputes) };
    const there = await open([chargeOf(3, 'Dora', 'succeeded', disputed)]);
    await there.user.click(button('Allow charges: Dora'));
    expect(screen.getByRole('dialog').textContent).toContain(
      `Dora disputed $12.50 of a charge of $12.50 on Nov 20, 2026 for dora.example. ${said}`,
    );
    expect(screen.getByRole('dialog').textContent).not.toContain('charged again from now');
  });
});

describe('the settlement of a charge', () => {
  async function ask(answers: Answers = {}) {
    const there = await open([acme, zeta], { [settle]: zeta, ...answers });
    await there.user.click(button('Settle: Zeta'));
    return { ...there, settle: () => there.user.click(inDialog('Settle')) };
  }
  const reason = () => dialog().getByLabelText(/^Reason/);

  test.each(['', '   '])('needs a reason: %j is refused at its field', async (typed) => {
    const there = await ask();
    expect(screen.getByRole('dialog').textContent).toContain('Zeta owes $99.00.');
    if (typed) await there.user.type(reason(), typed);
    await there.settle();
    expect(fieldErrors()).toEqual({ Reason: 'This field is required' });
    expect(there.sent(settle)).toEqual([]);
    await there.user.type(reason(), 'x');
    expect(fieldErrors()).toEqual({});
  });

  test('is sent with the reason, for the one that was asked about', async () => {
    const there = await ask();
    await there.user.type(reason(), 'Paid by bank transfer');
    await there.user.click(inDialog('Cancel'));
    expect(there.sent(settle)).toEqual([]);
    await there.user.click(button('Settle: Acme'));
    expect(reason()).toHaveProperty('value', '');
    await there.user.type(reason(), 'Paid by check');
    await there.settle();
    expect(there.sent(settle).map(({ params, body }) => ({ params, body }))).toEqual([
      { params: { id: acme.chargeId }, body: { note: 'Paid by check' } },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(there.sent(retry)).toEqual([]);
    expect(there.queries()).toHaveLength(2);
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'It is paid by now.' }), 'It is paid by now.'],
    ['without an answer', silence, 'Something went wrong'],
  ])(
    'that is %s says why, keeps the reason, and shows what became of it once closed',
    async (_what, answer, message) => {
      const there = await ask({ [settle]: answer });
      await there.user.type(reason(), 'Paid by check');
      await there.settle();
      expect(dialog().getByRole('alert').textContent).toBe(message);
      expect(reason()).toHaveProperty('value', 'Paid by check');
      expect(there.queries()).toHaveLength(1);
      await there.settle();
      expect(there.sent(settle)).toHaveLength(2);
      await there.user.click(inDialog('Cancel'));
      expect(there.queries()).toHaveLength(2);
    },
  );

  test('is made once: while it runs nothing can be pressed', async () => {
    const held = new Held();
    const there = await ask({ [settle]: held });
    await there.user.type(reason(), 'Paid by check{Enter}');
    for (const name of ['Processing...', 'Cancel']) {
      expect(inDialog(name)).toHaveProperty('disabled', true);
      await there.user.click(inDialog(name));
    }
    held.give(zeta);
    await there.settled();
    expect(there.sent(settle)).toHaveLength(1);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test.each([
    ['is paid', [acme, { ...zeta, state: 'succeeded' }]],
    ['leaves the list', [acme]],
  ])('stays, with what was typed, while its charge %s behind it', async (_what, charges) => {
    const every = vi.fn((_look: () => void, _ms?: number) => 1);
    vi.stubGlobal('setInterval', every);
    // One that is on its way has the list read again and again.
    const there = await open([acme, zeta, chargeOf(3, 'Moss', 'collecting')], {
      [settle]: refused(422, 'unprocessable', { message: 'It is paid by now.' }),
    });
    await there.user.click(button('Settle: Zeta'));
    await there.user.type(reason(), 'Paid by check');
    there.answer(list, paged(charges));
    every.mock.calls.find(([, ms]) => ms === 2_000)?.[0]();
    await there.settled();
    expect(screen.queryByRole('button', { name: 'Settle: Zeta' })).toBeNull();
    expect(reason()).toHaveProperty('value', 'Paid by check');
    await there.user.click(inDialog('Settle'));
    expect(dialog().getByRole('alert').textContent).toBe('It is paid by now.');
  });
});
