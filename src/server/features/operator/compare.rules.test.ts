import { describe, expect, test } from 'vitest';
import type { Payment } from '../../ports/payments.ts';
import {
  type BookedItem,
  type BookedTopup,
  bookDifference,
  compareAsked,
  compareNames,
  compareOrders,
  comparePayment,
  comparePayments,
  type Difference,
  type ListedName,
  missingPayment,
  type PlacedOrder,
  placedCertificate,
  placedOf,
} from './compare.rules.ts';

const at = (day: number) => new Date(Date.UTC(2026, 10, day));
const span = { since: at(10), settled: at(20) };
const kinds = (found: readonly Difference[]) => found.map(({ kind }) => kind);

const item = (change: Partial<BookedItem> = {}): BookedItem => ({
  ...{ id: 'item', organisation_id: 'org', kind: 'domain', address: 'a.com', state: 'succeeded' },
  ...{ registrar_order_id: 'o1', cost_cents: 1026, refunded: false },
  ...change,
});
const order = (change: Partial<PlacedOrder> = {}): PlacedOrder => ({
  ...{ orderId: 'o1', tag: 'item', done: true, costCents: 1026, orderedAt: at(15) },
  ...change,
});
const compared = (
  items: readonly BookedItem[],
  orders: readonly PlacedOrder[],
  others: readonly BookedItem[] = [],
) => kinds(compareOrders('a.com', items, others, orders, span));

describe('orders of a name', () => {
  test.each([
    ['what was charged and done is in order', [item()], [order()], []],
    ['charged, and no order', [item()], [], ['charged-without-order']],
    ['charged, and an order that is not done', [item()], [order({ done: false })], ['charged-without-order']],
    [
      'refunded after it had succeeded, and done',
      [item({ refunded: true })],
      [order()],
      ['order-without-charge'],
    ],
    ['refunded, and not done', [item({ refunded: true })], [], []],
    ['declined, and done', [item({ state: 'declined' })], [order()], ['order-without-charge']],
    ['declined, and not done', [item({ state: 'declined' })], [order({ done: false })], []],
    [
      'done twice, once by its tag and once by its number',
      [item()],
      [order({ orderId: 'o2' }), order({ tag: null })],
      ['order-twice'],
    ],
    ['another cost', [item()], [order({ costCents: 1027 })], ['cost-differs']],
    ['a cost that the registrar does not say', [item()], [order({ costCents: null })], []],
    [
      'another cost of what was not charged',
      [item({ state: 'declined' })],
      [order({ costCents: 1 })],
      ['order-without-charge'],
    ],
  ])('%s', (_what, items, orders, expected) => {
    expect(compared(items, orders)).toEqual(expected);
  });

  test('a difference names its item, whose it is, and what each side says', () => {
    const found = (items: readonly BookedItem[], orders: readonly PlacedOrder[]) =>
      compareOrders('a.com', items, [], orders, span);
    const of = { subject: 'item', organisationId: 'org' };
    const other = order({ orderId: 'o2', tag: null });
    expect(found([item()], [])).toEqual([
      {
        ...{ kind: 'charged-without-order', ...of },
        text: 'domain a.com: was charged, but the registrar has no completed order for it',
      },
    ]);
    expect(found([item({ state: 'declined' })], [order()])[0]).toEqual({
      ...{ kind: 'order-without-charge', ...of },
      text: 'domain a.com: was refunded, but the registrar completed order o1',
    });
    expect(found([item()], [order({ orderId: 'o3' }), order()])[0]).toEqual({
      ...{ kind: 'order-twice', ...of },
      text: 'domain a.com: the registrar completed it 2 times: o3, o1',
    });
    expect(found([item({ kind: 'renewal' })], [order({ costCents: 1027 })])[0]).toEqual({
      ...{ kind: 'cost-differs', ...of },
      text: 'renewal a.com: the registrar took $10.27 for order o1, and $10.26 was booked',
    });
    // The order of another item, or of nobody, is not this one's.
    expect(found([item()], [other]).map((one) => [one.kind, one.subject, one.organisationId])).toEqual([
      ['charged-without-order', 'item', 'org'],
      ['order-unknown', 'o2', null],
    ]);
    expect(found([], [other])[0]?.text).toBe(
      'a.com: the registrar completed order o2, which the portal did not make',
    );
  });

  const strange = (change: Partial<PlacedOrder>) =>
    compared([], [order({ orderId: 'x', tag: null, ...change })]);

  test('an order of nobody counts from the beginning of the span, and before its end', () => {
    expect(strange({ orderedAt: span.since })).toEqual(['order-unknown']);
    expect(strange({ orderedAt: new Date(span.since.getTime() - 1) })).toEqual([]);
    expect(strange({ orderedAt: new Date(span.settled.getTime() - 1) })).toEqual(['order-unknown']);
    expect(strange({ orderedAt: span.settled })).toEqual([]);
    expect(strange({ orderedAt: null })).toEqual([]);
    expect(strange({ done: false })).toEqual([]);
  });

  test('an order of an item that is not judged is not one of nobody, by its tag or by its number', () => {
    const other = item({ id: 'other', registrar_order_id: 'o9' });
    expect(compared([], [order({ orderId: 'x', tag: 'other' })], [other])).toEqual([]);
    expect(compared([], [order({ orderId: 'o9', tag: null })], [other])).toEqual([]);
    expect(compared([], [order({ orderId: 'x', tag: 'else' })], [other])).toEqual(['order-unknown']);
  });

  test('an order of a name is done when it is completed, one of a certificate unless it came to nothing', () => {
    const common = { orderId: 'o', domain: 'a.com', tag: 't', costCents: 1, orderedAt: at(1) };
    const ofName = (state: 'completed' | 'pending' | 'cancelled' | 'declined' | 'unknown') =>
      placedOf({ ...common, kind: 'new', years: 1, state }).done;
    expect((['completed', 'pending', 'cancelled', 'declined', 'unknown'] as const).filter(ofName)).toEqual([
      'completed',
    ]);
    const ofCertificate = (state: string) =>
      placedCertificate({
        ...{ ...common, state, productType: 'p', productId: null, approverEmail: null, validation: null },
        notes: [],
      });
    expect(ofCertificate('in-progress')).toEqual({
      ...{ orderId: 'o', tag: 't', done: true, costCents: null, orderedAt: null },
    });
    const states = ['awaiting-approval', 'completed', 'pending', 'declined', 'cancelled'];
    expect(states.filter((state) => !ofCertificate(state).done)).toEqual(['declined', 'cancelled']);
  });
});

const payment = (change: Partial<Payment> = {}): Payment => ({
  ...{ id: 'pi_1', state: 'succeeded', amountCents: 5000, feeCents: null, reversedCents: 0, method: 'card' },
  disputes: [],
  ...{ paymentMethod: null, failure: null, failureCode: null, createdAt: at(12), topupId: 'top' },
  ...{ organisationId: 'org', chargeId: null },
  ...(change as object),
});
const topup = (change: Partial<BookedTopup> = {}): BookedTopup => ({
  ...{ id: 'top', organisation_id: 'org', cents: 5000, reversed_cents: 0, state: 'succeeded' },
  payment_intent: 'pi_1',
  ...change,
});

describe('a payment', () => {
  test.each([
    ['and its top-up agree', payment(), topup(), []],
    ['that did not succeed is nothing', payment({ state: 'processing' }), undefined, []],
    ['of no top-up', payment(), undefined, ['payment-unknown']],
    ['that was not credited', payment(), topup({ state: 'processing' }), ['payment-without-credit']],
    ['of another sum, one cent', payment(), topup({ cents: 4999 }), ['payment-differs']],
    ['of which a cent more went back', payment({ reversedCents: 1 }), topup(), ['payment-differs']],
    [
      'that went back, and was taken back',
      payment({ reversedCents: 5000 }),
      topup({ state: 'reversed', reversed_cents: 5000 }),
      [],
    ],
  ])('%s', (_what, one, of, expected) => {
    expect(kinds(comparePayment(one, of))).toEqual(expected);
  });

  test('that differs names its top-up, whose it is, and both sums', () => {
    const of = { subject: 'top', organisationId: 'org' };
    expect(comparePayment(payment(), undefined)).toEqual([
      {
        ...{ kind: 'payment-unknown', subject: 'pi_1', organisationId: 'org' },
        text: 'the provider has payment pi_1 of $50.00, which belongs to no top-up of the portal',
      },
    ]);
    expect(comparePayment(payment(), topup({ state: 'failed' }))).toEqual([
      {
        ...{ kind: 'payment-without-credit', ...of },
        text: 'payment pi_1 of $50.00 succeeded and was not credited',
      },
    ]);
    expect(comparePayment(payment(), topup({ cents: 4999 }))[0]).toEqual({
      ...{ kind: 'payment-differs', ...of },
      text: '$50.00 was paid by pi_1, and $49.99 was credited',
    });
    expect(comparePayment(payment({ reversedCents: 1 }), topup())[0]?.text).toBe(
      '$0.01 of pi_1 went back, and $0.00 was taken back here',
    );
    expect(missingPayment(topup(), null)).toEqual([
      {
        ...{ kind: 'credit-without-payment', ...of },
        text: '$50.00 was credited, and the provider does not have pi_1',
      },
    ]);
  });

  test('that the provider does not have as paid', () => {
    expect(missingPayment(topup(), payment())).toEqual([]);
    expect(missingPayment(topup(), payment({ state: 'cancelled' }))[0]?.text).toContain(
      'has pi_1 as cancelled',
    );
    expect(missingPayment(topup(), null)[0]?.text).toContain('does not have pi_1');
    expect(missingPayment(topup({ payment_intent: null }), null)[0]?.text).toContain(
      'does not have any payment',
    );
  });

  test('asked for by itself is compared, and missing where it is not paid', () => {
    expect(compareAsked(topup(), payment())).toEqual([]);
    expect(kinds(compareAsked(topup(), payment({ amountCents: 1 })))).toEqual(['payment-differs']);
    expect(kinds(compareAsked(topup(), payment({ state: 'processing' })))).toEqual([
      'credit-without-payment',
    ]);
    expect(kinds(compareAsked(topup(), null))).toEqual(['credit-without-payment']);
  });
});

describe('payments', () => {
  const settled = at(20);

  test('younger than the settling time may be under way', () => {
    const made = (createdAt: Date) => comparePayments([payment({ createdAt })], [], settled).differences;
    expect(kinds(made(new Date(settled.getTime() - 1)))).toEqual(['payment-unknown']);
    expect(made(settled)).toEqual([]);
  });

  test('that were not seen are asked for, of credited top-ups alone', () => {
    const open = ['requested', 'requires_action', 'processing', 'failed', 'cancelled'] as const;
    const topups = (['succeeded', 'reversed', ...open] as const).map((state) =>
      topup({ id: state, state, payment_intent: state }),
    );
    const found = comparePayments([], topups, settled);
    expect(found.unseen.map(({ id }) => id)).toEqual(['succeeded', 'reversed']);
    expect(found.differences).toEqual([]);
  });

  test('that were seen are not asked for again; one that is not paid is missing, however young', () => {
    const seen = comparePayments([payment({ createdAt: at(25) })], [topup()], settled);
    expect(seen).toEqual({ differences: [], unseen: [] });
    const unpaid = comparePayments([payment({ state: 'cancelled', createdAt: at(25) })], [topup()], settled);
    expect(kinds(unpaid.differences)).toEqual(['credit-without-payment']);
    expect(unpaid.unseen).toEqual([]);
  });

  test('are compared with the top-up that their metadata names', () => {
    const topups = [topup(), topup({ id: 'other', cents: 1, payment_intent: 'pi_2' })];
    const found = comparePayments([payment(), payment({ id: 'pi_2', topupId: 'other' })], topups, settled);
    expect(found.differences).toEqual([
      expect.objectContaining({ kind: 'payment-differs', subject: 'other' }),
    ]);
  });
});

describe('two payments under one top-up', () => {
  const [first, second] = [payment(), payment({ id: 'pi_2', amountCents: 700 })];
  const found = (...topups: BookedTopup[]) =>
    comparePayments([first, second], topups, at(20)).differences.map(({ kind, subject }) => [kind, subject]);
  const own = topup({ id: 'own', cents: 700, payment_intent: 'pi_2' });

  test('are in order when each has a top-up of its own, whatever each comes to', () => {
    expect(found(topup(), own)).toEqual([]);
    const back = [payment(), { ...second, reversedCents: 1 }];
    const reversed = { ...own, state: 'reversed' as const, reversed_cents: 1 };
    expect(comparePayments(back, [topup(), reversed], at(20)).differences).toEqual([]);
  });

  test('are named when one of them was credited nowhere, of the same sum or of another', () => {
    expect(found(topup())).toEqual([['payment-unknown', 'pi_2']]);
    const same = comparePayments([first, payment({ id: 'pi_2' })], [topup()], at(20)).differences;
    expect(kinds(same)).toEqual(['payment-unknown']);
  });

  test('that its metadata names counts while it has no payment', () => {
    const waiting = topup({ state: 'requested', payment_intent: null });
    expect(kinds(comparePayments([first], [waiting], at(20)).differences)).toEqual([
      'payment-without-credit',
    ]);
  });
});

describe('names', () => {
  const now = at(22);
  const times = { now, settled: at(20) };
  const listed = (change: Partial<ListedName> = {}): ListedName => ({
    ...{ address: 'a.com', organisation_id: 'org', expires_at: at(30), created_at: at(1) },
    ...change,
  });

  test('on both sides are in order, however the registrar spells them', () => {
    expect(compareNames(['A.com'], [listed()], times)).toEqual([]);
  });

  test('at the registrar alone are known to nobody', () => {
    expect(compareNames(['b.com'], [], times)).toEqual([
      expect.objectContaining({ kind: 'name-unknown', subject: 'b.com', organisationId: null }),
    ]);
  });

  test.each([
    ['listed, and not there', {}, ['name-missing']],
    ['that expires this moment', { expires_at: now }, []],
    ['that expires a moment later', { expires_at: new Date(now.getTime() + 1) }, ['name-missing']],
    ['whose expiry is not known', { expires_at: null }, []],
    ['that came when the two sides may differ', { created_at: times.settled }, []],
    ['that came just before', { created_at: new Date(times.settled.getTime() - 1) }, ['name-missing']],
  ])('%s', (_what, change, expected) => {
    expect(kinds(compareNames([], [listed(change)], times))).toEqual(expected);
  });
});

test('a finding of the ledger is one difference, whose subject fits its column', () => {
  const found = bookDifference({ invariant: 'balance', found: 'x'.repeat(400), organisationId: 'org' });
  expect(found).toMatchObject({ kind: 'ledger', organisationId: 'org', text: `balance: ${'x'.repeat(400)}` });
  expect(found.subject).toBe(found.text.slice(0, 300));
});
