import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { directBilling } from './direct-billing.ts';
import { toPayment } from './payment.ts';

/** A paid payment of which so many cents were refunded, with these disputes; null: they were not read. */
function paymentWith(disputes: readonly object[] | null, refundedCents = 0) {
  const charge = { amount_refunded: refundedCents, payment_method_details: null, balance_transaction: null };
  const intent = {
    ...{ id: 'pi_1', status: 'succeeded', amount: 100_00, created: 0, metadata: {} },
    ...{ latest_charge: charge, payment_method: null, last_payment_error: null },
  };
  return toPayment(intent as unknown as Stripe.PaymentIntent, disputes as Stripe.Dispute[] | null);
}
const reversedCents = (status: string, refundedCents = 0) =>
  paymentWith([{ status, amount: 100_00 }], refundedCents).reversedCents;

test('what a dispute has is told apart from refunds, an inquiry has nothing, and what was not read is not nothing', () => {
  const refundedCents = 20_00;
  const disputed = (...statuses: string[]) => {
    const disputes = statuses.map((status, index) => ({ status, amount: 40_00, created: index + 1 }));
    return paymentWith(disputes, refundedCents);
  };
  const taken = (second: number) => ({ cents: 40_00, createdAt: new Date(second * 1000) });
  expect(disputed('won', 'lost', 'needs_response')).toMatchObject({ disputes: [taken(2), taken(3)] });
  expect(disputed('needs_response')).toMatchObject({ reversedCents: 60_00, disputes: [taken(1)] });
  expect(disputed('lost', 'warning_needs_response', 'won')).toMatchObject({ disputes: [taken(1)] });
  expect(disputed('warning_needs_response')).toMatchObject({ reversedCents: 20_00, disputes: [] });
  expect(disputed()).toMatchObject({ reversedCents: 20_00, disputes: [] });
  expect(paymentWith(null, refundedCents)).toMatchObject({ reversedCents: 20_00, disputes: null });
});

test.each(['needs_response', 'under_review', 'appeal_needs_response', 'appeal_under_review', 'lost'])(
  'a dispute that is %s has the money',
  (status) => {
    expect(reversedCents(status)).toBe(100_00);
  },
);

test.each(['won', 'warning_needs_response', 'warning_under_review', 'warning_closed'])(
  'a dispute that is %s has no money',
  (status) => {
    expect(reversedCents(status)).toBe(0);
  },
);

test('a dispute that was prevented takes nothing: a refund made for it counts once', () => {
  expect(reversedCents('prevented')).toBe(0);
  expect(reversedCents('prevented', 100_00)).toBe(100_00);
  expect(reversedCents('prevented', 12_34)).toBe(12_34);
});

test('a dispute in a state that nobody knows yet has the money, which could be spent meanwhile; an inquiry has none', () => {
  expect(reversedCents('decided_by_nobody_yet')).toBe(100_00);
  expect(reversedCents('warning_of_a_new_kind')).toBe(0);
});

test('a payment with words of others where our ids would be is not ours', () => {
  const id = '01a222d5-5dca-70de-b590-d02f79d0a997';
  const named = (metadata: object) => {
    const { topupId, organisationId, chargeId } = toPayment({
      ...{ id: 'pi_1', status: 'succeeded', amount: 1, created: 1, latest_charge: null, metadata },
    } as unknown as Stripe.PaymentIntent);
    return [topupId, organisationId, chargeId];
  };
  expect(named({ topup: id, organisation: id, charge: id })).toEqual([id, id, id]);
  expect(named({ topup: 'basket 7', organisation: 'a shop', charge: `${id}0` })).toEqual([null, null, null]);
  expect(named({})).toEqual([null, null, null]);
});

test('a refund with words of others where our id would be is of none of our items', async () => {
  const id = '0198a5a4-1f3c-7000-8000-000000000001';
  const refund = { id: 're_1', status: 'succeeded', amount: 5_00, failure_reason: null };
  const list = async function* () {
    for (const metadata of [{ item: id }, { item: 'basket 7' }, {}, null]) yield { ...refund, metadata };
  };
  const stripe = { refunds: { list } } as unknown as Stripe;
  const refunds = await directBilling(stripe, []).connectedRefunds('acct_1', 'pi_1');
  expect(refunds.map(({ itemId }) => itemId)).toEqual([id, null, null, null]);
});
