import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#kernel/ids.ts';
import { openStand, type Stand, WEBHOOK_SECRET } from '../../../sandbox/payments/test-stand.ts';
import { fencelessPayments } from '../../ports/conformance/fenceless.ts';
import { createStripe } from './index.ts';
import { openFullSchema } from './testing/full-schema.ts';
import { newerParameters, replyShapes, requestShapes } from './testing/published-shapes.ts';
import { type Exchange, startRecorder } from './testing/recorder.ts';

let stand: Stand;
let recorder: Awaited<ReturnType<typeof startRecorder>>;
let payments: ReturnType<typeof fencelessPayments>;
beforeAll(async () => {
  stand = await openStand();
  recorder = await startRecorder(stand.part.url);
  payments = fencelessPayments(
    createStripe({
      secretKey: 'sk_test_sandbox',
      webhookSecrets: [WEBHOOK_SECRET],
      apiBase: recorder.url,
    }),
  );
  await useEverything();
});
afterAll(async () => {
  await recorder.close();
  await stand.close();
});

/** Each call of the port at least once, with each kind of outcome. */
async function useEverything(): Promise<void> {
  const since = new Date(Date.now() - 3_600_000);
  const organisationId = 'organisation';
  const key = () => `key-${recorder.exchanges.length}`;
  const customer = await payments.createCustomer({
    organisationId,
    email: 'a@b.example',
    name: 'A',
    idempotencyKey: key(),
  });
  const topup = { topupId: 'topup', organisationId, customer, amountCents: 100_00 };
  const first = await payments.createTopUp({ ...topup, idempotencyKey: key() });
  await stand.control('pay', { paymentIntent: first.id, paymentMethod: 'pm_card_visa' });
  const paid = await payments.payment(first.id);
  await payments.chargeStored({ ...topup, paymentMethod: paid?.paymentMethod ?? '', idempotencyKey: key() });
  const unpaid = await payments.createTopUp({ ...topup, idempotencyKey: key() });
  await payments.cancelPayment(unpaid.id);
  await stand.control('dispute', { paymentIntent: first.id });
  await payments.payment(first.id);
  for await (const _ of payments.paymentsSince(since));
  for await (const _ of payments.eventsSince(since));
  await useConnected();
}

async function useConnected(): Promise<void> {
  const key = () => `key-${recorder.exchanges.length}`;
  const accountId = await payments.createAccount({
    organisationId: 'o',
    email: 'a@b.example',
    name: 'A',
    idempotencyKey: key(),
  });
  await payments.accountSetupLink({
    accountId,
    returnUrl: 'https://p.example/r',
    refreshUrl: 'https://p.example/f',
  });
  await stand.control('account-finish', { account: accountId });
  await payments.accountStatus(accountId);
  await payments.dashboardLink(accountId);
  const connectedCustomer = await payments.createConnectedCustomer({
    accountId,
    customerId: 'c',
    email: 'c@d.example',
    name: 'C',
    idempotencyKey: key(),
  });
  await payments.setupSession({
    accountId,
    connectedCustomer,
    successUrl: 'https://p.example/s',
    cancelUrl: 'https://p.example/c',
  });
  for (const token of ['pm_card_chargeCustomerFail', 'pm_usBankAccount_success']) {
    await stand.stripe.setupIntents.create(
      {
        customer: connectedCustomer,
        payment_method: token,
        confirm: true,
        usage: 'off_session',
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      },
      { stripeAccount: accountId },
    );
  }
  const [bank = '', card = ''] = await payments.connectedPaymentMethods(accountId, connectedCustomer);
  const charge = {
    accountId,
    connectedCustomer,
    amountCents: 13_20,
    description: 'a.com',
    metadata: { charge: 'x' },
  };
  const declined = await payments.chargeConnected({ ...charge, paymentMethod: card, idempotencyKey: key() });
  expect(declined.state).toBe('requires_payment_method');
  const retried = await payments.retryConnected({
    accountId,
    paymentId: declined.id,
    paymentMethod: bank,
    amountCents: 12_00,
    idempotencyKey: key(),
  });
  expect(retried).toMatchObject({ state: 'processing', amountCents: 12_00 });
  await payments.findConnected(accountId, connectedCustomer, { chargeId: 'x', since: new Date(0) });
  for await (const _ of payments.eventsSince(new Date(Date.now() - 3_600_000), accountId));
  await stand.control('settle', { paymentIntent: declined.id, account: accountId });
  const refund = {
    accountId,
    paymentId: declined.id,
    amountCents: 3_20,
    itemId: newId(),
    idempotencyKey: key(),
  };
  const refunded = await payments.refundConnected(refund);
  await stand.control('fail-refund', { refund: refunded, account: accountId });
  expect(await payments.connectedRefunds(accountId, declined.id)).toMatchObject([
    { id: refunded, itemId: refund.itemId, amountCents: 3_20, returned: true },
  ]);
  await payments.connectedPayment(accountId, declined.id);
  const setups = await stand.stripe.setupIntents.list(
    { customer: connectedCustomer },
    { stripeAccount: accountId },
  );
  const mandate = setups.data.find(({ payment_method }) => payment_method === bank)?.mandate;
  await payments.connectedMandate(accountId, typeof mandate === 'string' ? mandate : '');
}

const v1 = () => recorder.exchanges.filter(({ path }) => path.startsWith('/v1/'));
const nameOf = ({ method, path }: Exchange) =>
  `${method} ${path.replace(/\/(pi|acct|mandate|cus|seti|cs)_\w+/, '/:id')}`;

test('every request that the adapter sends is one that the vendor has published', () => {
  const complaints = v1().flatMap((exchange) => {
    const shape = requestShapes[nameOf(exchange)];
    if (!shape) return [`${nameOf(exchange)}: not described`];
    const known = Object.fromEntries(
      Object.entries(exchange.parameters).filter(([name]) => !newerParameters.includes(name)),
    );
    const parsed = shape.safeParse(known);
    return parsed.success ? [] : [`${nameOf(exchange)}: ${parsed.error.message}`];
  });
  expect(complaints).toEqual([]);
  // And each described call was made: a description of what nobody sends proves nothing.
  expect(Object.keys(requestShapes).filter((name) => !v1().some((one) => nameOf(one) === name))).toEqual([]);
});

test('every reply of the sandbox, with all that is nested in it, is as the vendor has published', () => {
  const seen = new Set<string>();
  const complaints: string[] = [];
  const look = (value: unknown, where: string) => {
    if (value === null || typeof value !== 'object') return;
    const kind = 'object' in value && typeof value.object === 'string' ? value.object : null;
    const shape = kind ? replyShapes[kind] : undefined;
    if (kind && shape) {
      seen.add(kind);
      const parsed = shape.safeParse(value);
      if (!parsed.success) complaints.push(`${where} ${kind}: ${parsed.error.message}`);
    }
    for (const [key, inner] of Object.entries(value)) look(inner, `${where}.${key}`);
  };
  for (const exchange of v1().filter(({ status }) => status < 400)) look(exchange.reply, nameOf(exchange));
  expect(complaints).toEqual([]);
  expect([...seen].sort()).toEqual(Object.keys(replyShapes).sort());
});

test('an amount is always whole cents in dollars of the United States', () => {
  const amounts = v1().filter(({ parameters }) => 'amount' in parameters);
  // As they were given to the port: neither a hundredth nor a hundredfold.
  const cents = amounts.map(({ parameters }) => parameters.amount);
  expect(cents).toEqual(['10000', '10000', '10000', '1320', '1200', '320']);
  for (const { path, parameters } of amounts) {
    expect(parameters.amount).toMatch(/^\d+$/);
    // A refund is in the currency of its payment, and a changed amount in the one it had.
    if (path !== '/v1/refunds' && !path.includes('/pi_')) expect(parameters.currency).toBe('usd');
  }
});

/** `STRIPE_OPENAPI=…/stripe.com.json vitest run --project unit published-schema` (docs/sandbox.md). */
const fullSchema = process.env.STRIPE_OPENAPI;
test.runIf(fullSchema)('the vendor’s whole description takes every request and every reply, v2 aside', () => {
  const complaintsOf = openFullSchema(fullSchema ?? '');
  const known = v1().map(({ parameters, ...exchange }) => ({
    ...exchange,
    parameters: Object.fromEntries(
      Object.entries(parameters).filter(([name]) => !newerParameters.includes(name)),
    ),
  }));
  const complaints = known.flatMap((exchange) => complaintsOf(exchange) ?? `${nameOf(exchange)}: not known`);
  expect(complaints).toEqual([]);
  // And it does find something: dollars where cents belong, and a name that nobody published.
  const payment = known.find(({ path, method }) => method === 'POST' && path === '/v1/payment_intents');
  if (!payment) throw new Error('no payment was made');
  const dollars = { ...payment, reply: { ...(payment.reply as object), amount: '100.00' } };
  expect(complaintsOf(dollars)).toHaveLength(1);
  const misspelt = { ...payment, parameters: { ...payment.parameters, amuont: '1' } };
  expect(complaintsOf(misspelt)).toHaveLength(1);
});
