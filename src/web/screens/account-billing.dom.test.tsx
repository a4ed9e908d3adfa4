import { describe, expect, test, vi } from 'vitest';
import { hurried, payments, providerAnswers } from '../../../tests/support/payments.ts';
import {
  type Answers,
  openScreen,
  profileOf,
  refused,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import type { Role } from '../../contracts/permissions.ts';
import Billing from './account-billing.tsx';

const balanceOf = (balance: number, more: object = {}) => ({
  ...{ balance, pendingBalance: 0, held: 0, spendable: balance, ...more },
});
const before = balanceOf(1_234_56, { held: 50_00, pendingBalance: 20_00, spendable: 1_254_56 });
const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const due = {
  rows: [
    {
      ...{ address: 'acme.example', customerId: null, customer: '', expireDate: soon(10), autoRenew: true },
      ...{ state: 'planned', renewAt: soon(5), reason: null, price: 12.5, covered: true },
    },
  ],
  ...{ spendable: 1_254_56, total: 12.5, automaticTotal: 12.5, automaticCount: 1, unpriced: 0, more: false },
  ...{ shortFrom: null as string | null, missing: 0 },
};
const lineOf = (n: number, text: string, amount: number) => ({
  ...{ entryId: uuid(n), at: '2026-11-20T12:00:00Z', kind: 'topup', text, amount, balance: 0 },
  ...{ orderId: null, itemId: null, registrarOrderId: null, customerId: null, customer: '' },
  ...{ topupId: null, payment: null },
});
const account = {
  ...profileOf('MSP_OWNER', { autoBalance: { active: false, amount: 100_00, mark: 10_00 } }),
  ...{ balance: 0, pendingBalance: 0, hasPaymentMethod: true },
};
const [looks, dueNow, statement] = ['GET /account/balancev2', 'GET /renewals/due', 'GET /account/statement'];
const answers: Answers = {
  [looks]: before,
  [dueNow]: due,
  [statement]: [lineOf(51, 'Top-up by card', 200_00), lineOf(52, 'Renewal of acme.example', -12_50)],
  'GET /account': account,
};

async function open(more: Answers = {}, { initial = false, role = 'MSP_OWNER' as Role } = {}) {
  const onPaid = vi.fn();
  const there = await openScreen(() => <Billing initial={initial} onPaid={onPaid} />, {
    role,
    answers: { ...answers, ...more },
    config: { payments },
  });
  return { ...there, onPaid };
}
const figure = (label: string) =>
  [...(screen.getByText(label).parentElement?.querySelectorAll('dd') ?? [])].map((dd) =>
    dd.textContent?.trim(),
  );
const text = () => document.body.textContent;
const retry = () => screen.getByRole('button', { name: 'Try again' });

describe('the figures', () => {
  test('tell what is there, held, on its way, and how long it lasts', async () => {
    await open();
    expect(screen.getByLabelText('Balance')).toMatchObject({ value: '$1,234.56', readOnly: true });
    expect(figure('Held for open orders')).toEqual(['$50.00', 'returned if they fail']);
    expect(figure('On its way')).toEqual(['$20.00', 'you can already spend it']);
    expect(figure('Lasts until')).toEqual(['90 days and longer', 'with every automatic renewal']);
    expect(screen.getByRole('button', { name: '$20.00 pending' })).toBeDefined();
  });

  test.each([
    ['nothing of it', { spendable: 1_234_56 }, 'you can spend it when it has arrived'],
    ['a part of it', { spendable: 1_239_56 }, 'you can already spend $5.00 of it'],
    ['nothing is pending', { pendingBalance: 0, spendable: 1_234_56 }, 'no payment is pending'],
  ])('tell what of the pending money can be spent: %s', async (_what, more, note) => {
    await open({ [looks]: { ...before, ...more } });
    expect(figure('On its way')[1]).toBe(note);
  });

  test('tell the day from which renewals are not covered, and how much is missing', async () => {
    await open({
      [dueNow]: { ...due, shortFrom: '2027-01-05T12:00:00Z', missing: 34.5, unpriced: 2, automaticTotal: 99 },
    });
    expect(figure('Lasts until')).toEqual([
      'Jan 5, 2027',
      'with the automatic renewals whose price is known',
    ]);
    expect(text()).toContain('Automatic renewals take at least $99.00. $34.50 more is needed to cover them.');
    expect(text()).toContain('2 have no price at the moment.');
  });

  test('have no amount where the balance cannot be read', async () => {
    const there = await open({ [looks]: refused(500, 'internal') });
    expect(screen.getByLabelText('Balance')).toMatchObject({ value: '', placeholder: 'Not available' });
    expect(figure('Held for open orders')[0]).toBe('…');
    there.answer(looks, before);
    await there.user.click(screen.getByRole('button', { name: 'Refresh balance' }));
    expect(screen.getByLabelText('Balance')).toHaveProperty('value', '$1,234.56');
  });
});

test('a payment that is not to be seen yet stands beside the balance, until the balance is refreshed', async () => {
  hurried();
  providerAnswers([async () => ({ paymentIntent: { status: 'succeeded' } })]);
  const there = await open({
    [looks]: balanceOf(1_000),
    'GET /user': profileOf('MSP_OWNER'),
    'POST /account/topupv2': { intentSecret: 'secret', topupId: uuid(41), amount: 100_00 },
  });
  await there.user.click(screen.getByRole('button', { name: 'Top up now' }));
  const before = there.sent(looks).length;
  await there.user.click(screen.getByRole('button', { name: 'Pay' }));
  expect(there.onPaid).toHaveBeenCalledTimes(1);
  // Ten looks, and the reading that follows them.
  expect(there.sent(looks)).toHaveLength(before + 11);
  await there.user.hover(screen.getByRole('button', { name: '$100.00 pending' }));
  expect(screen.getByRole('tooltip').textContent).toBe(
    'Your payment of $100.00 is being processed. Please refresh later.',
  );
  await there.user.click(screen.getByRole('button', { name: 'Refresh balance' }));
  expect(screen.queryByRole('button', { name: '$100.00 pending' })).toBeNull();
});

describe('who may do what', () => {
  test.each([
    ['MSP_OWNER', false, true, true],
    ['MSP_ADMIN', false, true, true],
    ['MSP_EMPLOYEE', false, false, false],
    ['MSP_OWNER', true, true, false],
    ['MSP_EMPLOYEE', true, false, false],
  ] as const)('%s, account to be opened: %s', async (role, initial, mayTopUp, mayAutomate) => {
    const there = await open({}, { role, initial });
    expect(screen.queryByRole('button', { name: 'Top up now' }) !== null).toBe(mayTopUp);
    expect(screen.queryByRole('button', { name: 'Enable' }) !== null).toBe(mayAutomate);
    expect(screen.queryByText('Auto Balance') !== null).toBe(mayAutomate);
    expect(screen.getByLabelText('Balance')).toHaveProperty('value', '$1,234.56');
    expect(screen.queryByText('Latest transactions') !== null).toBe(!initial);
    // An account that is not open yet has nothing else to read.
    expect(there.sent(statement)).toHaveLength(initial ? 0 : 1);
  });
});

describe('what is ahead and what was', () => {
  test('are the renewals of 90 days, and the five newest lines with their sign', async () => {
    const there = await open();
    expect(there.sent(dueNow).map(({ query }) => query)).toEqual([{ days: '90' }]);
    expect(there.sent(statement).map(({ query }) => query)).toEqual([
      { page: '1', pageSize: '5', sort: '-at' },
    ]);
    expect(text()).toContain('Automatic renewals take $12.50.');
    expect(screen.getByRole('img').getAttribute('aria-label')).toMatch(
      /^From \$1,254\.56 .* to \$1,242\.06 /,
    );
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'Nov 20, 2026Top-up by card+$200.00',
      'Nov 20, 2026Renewal of acme.example−$12.50',
    ]);
    expect(screen.getByRole('link', { name: 'Statement' }).getAttribute('href')).toBe('/account/statement');
    expect(screen.getByRole('link', { name: 'Renewals' }).getAttribute('href')).toBe('/domain/renewals');
  });

  test('say so where nothing was', async () => {
    await open({ [statement]: [] });
    expect(text()).toContain('No transactions yet.');
  });

  test.each([
    [dueNow, due, 'Automatic renewals take $12.50.'],
    [statement, answers[statement], 'Top-up by card'],
  ])('say where they cannot be read, and are read again: %s', async (name, answer, shown) => {
    const there = await open({ [name]: refused(500, 'internal', { message: 'No luck.' }) });
    expect(within(screen.getByRole('alert')).getByText('No luck.')).toBeDefined();
    expect(text()).not.toContain(shown);
    there.answer(name, answer);
    await there.user.click(retry());
    expect(text()).toContain(shown);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
