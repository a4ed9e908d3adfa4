import type { World } from '../world.ts';
import { textOf, type XcpMap } from '../xcp.ts';
import { addNote, emit, moveFunds, nextId } from './account.ts';

/**
 * `pending` waits for a person (handle=save, forced), `processing` for an asynchronous registry,
 * `waiting` for the other side of a transfer.
 */
type OrderStatus = 'completed' | 'pending' | 'processing' | 'waiting' | 'cancelled' | 'declined';
type RegType = 'new' | 'renewal' | 'transfer' | 'redeem';

export interface Order {
  id: number;
  domain: string;
  regType: RegType;
  status: OrderStatus;
  period: number;
  costCents: number;
  /** What of the account is held for it. */
  heldCents: number;
  affiliateId: string;
  orderedAt: number;
  processedAt: number | null;
  completedAt: number | null;
  /** The request, to carry it out later. */
  attributes: XcpMap;
}

interface OrderRow {
  id: number;
  domain: string;
  reg_type: RegType;
  status: OrderStatus;
  period: number;
  cost_cents: number;
  held_cents: number;
  affiliate_id: string;
  ordered_at: number;
  processed_at: number | null;
  completed_at: number | null;
  attributes: string;
}

function fromRow(row: OrderRow): Order {
  return {
    id: row.id,
    domain: row.domain,
    regType: row.reg_type,
    status: row.status,
    period: row.period,
    costCents: row.cost_cents,
    heldCents: row.held_cents,
    affiliateId: row.affiliate_id,
    orderedAt: row.ordered_at,
    processedAt: row.processed_at,
    completedAt: row.completed_at,
    attributes: JSON.parse(row.attributes) as XcpMap,
  };
}

export function findOrder(world: World, id: string): Order | null {
  if (!/^\d{1,15}$/.test(id)) return null;
  const row = world.sql.get<OrderRow>('SELECT * FROM registrar_orders WHERE id = ?', Number(id));
  return row ? fromRow(row) : null;
}

/** Newest first. `condition` is SQL of this part's own, never a caller's. */
export function findOrders(world: World, condition: string, ...values: (string | number)[]): Order[] {
  return world.sql
    .all<OrderRow>(`SELECT * FROM registrar_orders WHERE ${condition} ORDER BY id DESC`, ...values)
    .map(fromRow);
}

export interface NewOrder {
  domain: string;
  regType: RegType;
  status: OrderStatus;
  period: number;
  costCents: number;
  attributes: XcpMap;
}

/** Completed orders are paid at once, processing and waiting ones are held for, pending ones cost nothing yet. */
export function placeOrder(world: World, input: NewOrder): Order {
  const now = world.now();
  const held = input.status === 'processing' || input.status === 'waiting' ? input.costCents : 0;
  const order: Order = {
    id: nextId(world, 'order'),
    ...input,
    heldCents: held,
    affiliateId: textOf(input.attributes, 'affiliate_id'),
    orderedAt: now,
    processedAt: input.status === 'pending' ? null : now,
    completedAt: input.status === 'completed' ? now : null,
  };
  if (input.status === 'completed') moveFunds(world, -input.costCents, 0);
  if (held > 0) moveFunds(world, 0, held);
  saveOrder(world, order);
  addNote(
    world,
    order.domain,
    order.id,
    'order',
    `Order ${order.id} placed: ${order.regType}, ${order.status}`,
  );
  emit(world, 'ORDER', 'STATUS_CHANGE', statusData(order));
  return order;
}

/** Ends an order: a completed one is charged, any other gives back what it held. */
export function finishOrder(
  world: World,
  order: Order,
  status: 'completed' | 'cancelled' | 'declined',
): Order {
  const now = world.now();
  moveFunds(world, status === 'completed' ? -order.costCents : 0, -order.heldCents);
  const next: Order = {
    ...order,
    status,
    heldCents: 0,
    processedAt: order.processedAt ?? now,
    completedAt: status === 'completed' ? now : null,
  };
  saveOrder(world, next);
  addNote(world, order.domain, order.id, 'order', `Order ${order.id} ${status}`);
  emit(world, 'ORDER', 'STATUS_CHANGE', statusData(next));
  return next;
}

function statusData(order: Order) {
  return { order_id: String(order.id), order_status: order.status, domain_name: order.domain };
}

function saveOrder(world: World, order: Order): void {
  world.sql.run(
    'INSERT OR REPLACE INTO registrar_orders VALUES (?,?,?,?,?,?,?,?,?,?,?,?)',
    order.id,
    order.domain,
    order.regType,
    order.status,
    order.period,
    order.costCents,
    order.heldCents,
    order.affiliateId,
    order.orderedAt,
    order.processedAt,
    order.completedAt,
    JSON.stringify(withoutSecrets(order.attributes)),
  );
}

/** Needed to carry a transfer out later: its code. Nothing else that is secret is kept. */
function withoutSecrets(attributes: XcpMap): XcpMap {
  const { reg_password: _, ...rest } = attributes;
  return rest;
}

/** On a new registration the account's pending orders for that name are dropped (checked 2026-11-21). */
export function cancelPendingOrders(world: World, domain: string): string[] {
  const pending = findOrders(world, `domain = ? AND status = 'pending'`, domain);
  for (const order of pending) finishOrder(world, order, 'cancelled');
  return pending.map((order) => String(order.id));
}
