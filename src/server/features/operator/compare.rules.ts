import type { DifferenceKind } from '#contracts/values/differences.ts';
import { moneyText } from '#contracts/values/format.ts';
import type { OrderItemKind, OrderItemState, TopupState } from '#kernel/db/schema.ts';
import type { Payment } from '../../ports/payments.ts';
import type { CertificateOrder, RegistrarOrder } from '../../ports/registrar.ts';

/** What registrar, ledger and payment provider say differently: pure, from what each of them said. */

/** One thing that two sides say differently. `subject` and kind make it the same one from day to day. */
export interface Difference {
  kind: DifferenceKind;
  subject: string;
  organisationId: string | null;
  text: string;
}

export interface BookedItem {
  id: string;
  organisation_id: string;
  kind: OrderItemKind;
  address: string;
  state: OrderItemState;
  registrar_order_id: string | null;
  cost_cents: number;
  /** Its price went back to the wallet after it had succeeded. */
  refunded: boolean;
}

/** An order as the registrar has it, of a name or of a certificate. */
export interface PlacedOrder {
  orderId: string;
  tag: string | null;
  done: boolean;
  costCents: number | null;
  orderedAt: Date | null;
}

/** A finding of the ledger's own check. */
export function bookDifference(fault: {
  invariant: string;
  found: string;
  organisationId: string | null;
}): Difference {
  const text = `${fault.invariant}: ${fault.found}`;
  return { kind: 'ledger', subject: text.slice(0, 300), organisationId: fault.organisationId, text };
}

/** An order of a name. */
export const placedOf = (order: RegistrarOrder): PlacedOrder => ({
  ...order,
  done: order.state === 'completed',
});

/** An order of a certificate. It is charged when it is accepted; what follows is the authority's work. */
export function placedCertificate({ orderId, tag, state }: CertificateOrder): PlacedOrder {
  const done = state !== 'declined' && state !== 'cancelled';
  return { orderId, tag, done, costCents: null, orderedAt: null };
}

/** When an order of nobody's was placed: older ones are history, younger ones may be under way. */
export interface Span {
  since: Date;
  settled: Date;
}

/**
 * Orders of one name at the registrar against our items for it. `others`: items that are not judged, and whose orders
 * are not nobody's.
 */
export function compareOrders(
  address: string,
  items: readonly BookedItem[],
  others: readonly BookedItem[],
  orders: readonly PlacedOrder[],
  span: Span,
): Difference[] {
  const found: Difference[] = [];
  for (const item of items) {
    const what = `${item.kind} ${item.address}`;
    const own = orders.filter((order) => order.tag === item.id || order.orderId === item.registrar_order_id);
    const done = own.filter((order) => order.done);
    const add = (kind: DifferenceKind, text: string) =>
      found.push({ kind, subject: item.id, organisationId: item.organisation_id, text: `${what}: ${text}` });
    const paid = item.state === 'succeeded' && !item.refunded;
    if (paid && done.length === 0) {
      add('charged-without-order', 'was charged, but the registrar has no completed order for it');
    }
    if (!paid && done.length > 0) {
      add('order-without-charge', `was refunded, but the registrar completed order ${idsOf(done)}`);
    }
    if (done.length > 1)
      add('order-twice', `the registrar completed it ${done.length} times: ${idsOf(done)}`);
    const [first] = done;
    if (paid && first?.costCents != null && first.costCents !== item.cost_cents) {
      const [said, booked] = [first.costCents, item.cost_cents].map(moneyText);
      add('cost-differs', `the registrar took ${said} for order ${first.orderId}, and ${booked} was booked`);
    }
  }
  for (const order of orders) {
    const ours = [...items, ...others].some(
      (item) => item.id === order.tag || item.registrar_order_id === order.orderId,
    );
    if (ours || !order.done || !order.orderedAt) continue;
    if (order.orderedAt < span.since || order.orderedAt >= span.settled) continue;
    found.push({
      kind: 'order-unknown',
      subject: order.orderId,
      organisationId: null,
      text: `${address}: the registrar completed order ${order.orderId}, which the portal did not make`,
    });
  }
  return found;
}

export interface BookedTopup {
  id: string;
  organisation_id: string;
  cents: number;
  reversed_cents: number;
  state: TopupState;
  payment_intent: string | null;
}

/** A payment at the provider against the top-up it stands for. */
export function comparePayment(payment: Payment, topup: BookedTopup | undefined): Difference[] {
  if (payment.state !== 'succeeded') return [];
  const amount = moneyText(payment.amountCents);
  if (!topup) {
    const text = `the provider has payment ${payment.id} of ${amount}, which belongs to no top-up of the portal`;
    return [{ kind: 'payment-unknown', subject: payment.id, organisationId: payment.organisationId, text }];
  }
  const add = (kind: DifferenceKind, text: string): Difference[] => [
    { kind, subject: topup.id, organisationId: topup.organisation_id, text },
  ];
  if (topup.state !== 'succeeded' && topup.state !== 'reversed') {
    return add('payment-without-credit', `payment ${payment.id} of ${amount} succeeded and was not credited`);
  }
  if (topup.cents !== payment.amountCents) {
    return add(
      'payment-differs',
      `${amount} was paid by ${payment.id}, and ${moneyText(topup.cents)} was credited`,
    );
  }
  if (topup.reversed_cents !== payment.reversedCents) {
    const [back, booked] = [payment.reversedCents, topup.reversed_cents].map(moneyText);
    return add('payment-differs', `${back} of ${payment.id} went back, and ${booked} was taken back here`);
  }
  return [];
}

/** A credited top-up whose payment the provider does not have, or does not have as paid. */
export function missingPayment(topup: BookedTopup, payment: Payment | null): Difference[] {
  if (payment?.state === 'succeeded') return [];
  const named = topup.payment_intent ?? 'any payment';
  const found = payment ? `has ${named} as ${payment.state}` : `does not have ${named}`;
  const text = `${moneyText(topup.cents)} was credited, and the provider ${found}`;
  return [{ kind: 'credit-without-payment', subject: topup.id, organisationId: topup.organisation_id, text }];
}

/**
 * Payments of the provider against top-ups. A payment younger than `settled` may be under way between the two sides.
 * `unseen`: credited top-ups whose payment was not among these, and has to be asked for by itself.
 */
export function comparePayments(
  payments: readonly Payment[],
  topups: readonly BookedTopup[],
  settled: Date,
): { differences: Difference[]; unseen: BookedTopup[] } {
  const topupAt = new Map(topups.map((topup) => [topup.id, topup]));
  const topupOf = new Map(topups.map((topup) => [topup.payment_intent, topup]));
  /** Its own, or the one that its metadata names, unless that stands for another payment: the sum of this one is then nobody's. */
  const standingFor = ({ id, topupId }: Payment) => {
    const named = topupAt.get(topupId ?? '');
    return topupOf.get(id) ?? (named?.payment_intent === null ? named : undefined);
  };
  const paymentAt = new Map(payments.map((payment) => [payment.id, payment]));
  const differences = payments
    .filter((payment) => payment.createdAt < settled)
    .flatMap((payment) => comparePayment(payment, standingFor(payment)));
  const unseen: BookedTopup[] = [];
  for (const topup of topups.filter(isCredited)) {
    const payment = paymentAt.get(topup.payment_intent ?? '');
    if (payment) differences.push(...missingPayment(topup, payment));
    else unseen.push(topup);
  }
  return { differences, unseen };
}

/** A credited top-up whose payment was asked for by itself; null: the provider does not have it. */
export function compareAsked(topup: BookedTopup, payment: Payment | null): Difference[] {
  return [...(payment ? comparePayment(payment, topup) : []), ...missingPayment(topup, payment)];
}

const isCredited = ({ state }: BookedTopup) => state === 'succeeded' || state === 'reversed';

/** A name on an organisation's list. */
export interface ListedName {
  address: string;
  organisation_id: string;
  expires_at: Date | null;
  created_at: Date;
}

/**
 * Names that the registrar has for us against those on the lists. A listed name is missing only when it has not expired and
 * is old enough for both sides to know it.
 */
export function compareNames(
  held: readonly string[],
  listed: readonly ListedName[],
  { now, settled }: { now: Date; settled: Date },
): Difference[] {
  const there = new Set(held.map((name) => name.toLowerCase()));
  const known = new Set(listed.map(({ address }) => address));
  const missing = listed.filter(
    (row) => row.created_at < settled && row.expires_at && row.expires_at > now && !there.has(row.address),
  );
  const unknown = [...there].filter((name) => !known.has(name));
  return [
    ...missing.map(
      (row): Difference => ({
        ...{ kind: 'name-missing', subject: row.address, organisationId: row.organisation_id },
        text: `${row.address} is listed as active, and the registrar does not have it for us`,
      }),
    ),
    ...unknown.map(
      (name): Difference => ({
        ...{ kind: 'name-unknown', subject: name, organisationId: null },
        text: `the registrar has ${name} for us, and no organization has it`,
      }),
    ),
  ];
}

const idsOf = (orders: readonly PlacedOrder[]) => orders.map(({ orderId }) => orderId).join(', ');
