import type { DifferenceKind } from '#contracts/values/differences.ts';
import { moneyText } from '#contracts/values/format.ts';
import type { OrderItemKind, OrderItemState, TopupState } from '#kernel/db/schema.ts';
import type { Payment } from '../../ports/payments.ts';

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

const idsOf = (orders: readonly PlacedOrder[]) => orders.map(({ orderId }) => orderId).join(', ');
