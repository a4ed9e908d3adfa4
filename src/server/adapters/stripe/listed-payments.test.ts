import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStand, type Stand, WEBHOOK_SECRET } from '../../../sandbox/payments/test-stand.ts';
import { fencelessPayments } from '../../ports/conformance/fenceless.ts';
import type { Payment } from '../../ports/payments.ts';
import { createStripe } from './index.ts';

let stand: Stand;
let payments: ReturnType<typeof fencelessPayments>;
beforeAll(async () => {
  stand = await openStand();
  payments = fencelessPayments(
    createStripe({
      secretKey: 'sk_test_sandbox',
      webhookSecrets: [WEBHOOK_SECRET],
      apiBase: stand.part.url,
    }),
  );
});
afterAll(() => stand.close());

async function paid(topupId: string): Promise<string> {
  const { id } = await payments.createTopUp({
    topupId,
    organisationId: 'organisation',
    customer: (await stand.stripe.customers.create({})).id,
    amountCents: 100_00,
    idempotencyKey: topupId,
  });
  await stand.control('pay', { paymentIntent: id, paymentMethod: 'pm_card_visa' });
  return id;
}

test('a list of payments says the same of each as reading it does: what went back by refund and by dispute too', async () => {
  const [whole, refunded, disputed] = [await paid('whole'), await paid('refunded'), await paid('disputed')];
  await stand.stripe.refunds.create({ payment_intent: refunded, amount: 12_34 });
  await stand.control('dispute', { paymentIntent: disputed });
  await payments.createTopUp({
    topupId: 'open',
    organisationId: 'organisation',
    customer: (await stand.stripe.customers.create({})).id,
    amountCents: 20_00,
    idempotencyKey: 'open',
  });
  const listed: Payment[] = [];
  for await (const payment of payments.paymentsSince(new Date(0))) listed.push(payment);
  const read = await Promise.all(listed.map(({ id }) => payments.payment(id)));
  expect(listed).toEqual(read);
  const reversed = Object.fromEntries(listed.map(({ id, reversedCents }) => [id, reversedCents]));
  expect([whole, refunded, disputed].map((id) => reversed[id])).toEqual([0, 12_34, 100_00]);
});
