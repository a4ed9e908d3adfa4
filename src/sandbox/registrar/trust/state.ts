import { randomBytes } from 'node:crypto';
import { emit, moveFunds, nextId } from '../state/account.ts';
import type { World } from '../world.ts';
import type { XcpMap } from '../xcp.ts';

export type CertificateState =
  | 'pending'
  | 'awaiting-approval'
  | 'approver-confirmed'
  | 'in-progress'
  | 'completed'
  | 'declined'
  | 'cancelled';
export type DvMethod = 'DNS' | 'File' | 'Email';

export interface OrderNote {
  at: number;
  note: string;
}

export interface CertificateOrder {
  id: number;
  domain: string;
  productType: string;
  regType: 'new' | 'renew';
  state: CertificateState;
  period: number;
  costCents: number;
  affiliateId: string;
  instructions: string;
  csr: string;
  method: DvMethod;
  approver: string;
  /** What has to be shown under the name; also the secret of the approval link. */
  token: string;
  contacts: XcpMap;
  /** Set for a reissue: the order whose term it belongs to. */
  baseOrderId: number | null;
  productId: number | null;
  orderedAt: number;
  termEndsAt: number;
  mailed: boolean;
  approved: boolean;
  validatedAt: number | null;
  nextCheckAt: number;
  /** A person at the authority has it on hold: it goes no further. */
  held: boolean;
  notes: OrderNote[];
}

interface Row {
  id: number;
  domain: string;
  product_type: string;
  reg_type: 'new' | 'renew';
  state: CertificateState;
  period: number;
  cost_cents: number;
  affiliate_id: string;
  instructions: string;
  csr: string;
  method: DvMethod;
  approver: string;
  token: string;
  contacts: string;
  base_order_id: number | null;
  product_id: number | null;
  ordered_at: number;
  term_ends_at: number;
  mailed: number;
  approved: number;
  validated_at: number | null;
  next_check_at: number;
  held: number;
  notes: string;
}

function fromRow(row: Row): CertificateOrder {
  return {
    id: row.id,
    domain: row.domain,
    productType: row.product_type,
    regType: row.reg_type,
    state: row.state,
    period: row.period,
    costCents: row.cost_cents,
    affiliateId: row.affiliate_id,
    instructions: row.instructions,
    csr: row.csr,
    method: row.method,
    approver: row.approver,
    token: row.token,
    contacts: JSON.parse(row.contacts) as XcpMap,
    baseOrderId: row.base_order_id,
    productId: row.product_id,
    orderedAt: row.ordered_at,
    termEndsAt: row.term_ends_at,
    mailed: row.mailed === 1,
    approved: row.approved === 1,
    validatedAt: row.validated_at,
    nextCheckAt: row.next_check_at,
    held: row.held === 1,
    notes: JSON.parse(row.notes) as OrderNote[],
  };
}

/** Newest first. `condition` is SQL of this part's own, never a caller's. */
export function findCertificateOrders(
  world: World,
  condition: string,
  ...values: (string | number)[]
): CertificateOrder[] {
  return world.sql
    .all<Row>(`SELECT * FROM registrar_certificate_orders WHERE ${condition} ORDER BY id DESC`, ...values)
    .map(fromRow);
}

export function findCertificateOrder(world: World, id: string): CertificateOrder | null {
  if (!/^\d{1,15}$/.test(id)) return null;
  return findCertificateOrders(world, 'id = ?', Number(id))[0] ?? null;
}

export type NewCertificateOrder = Pick<
  CertificateOrder,
  | 'domain'
  | 'productType'
  | 'regType'
  | 'state'
  | 'period'
  | 'costCents'
  | 'affiliateId'
  | 'instructions'
  | 'csr'
  | 'method'
  | 'approver'
  | 'contacts'
  | 'baseOrderId'
  | 'termEndsAt'
>;

/** Paid when it is accepted; a saved one costs nothing yet. */
export function placeCertificateOrder(world: World, input: NewCertificateOrder): CertificateOrder {
  const now = world.now();
  const order: CertificateOrder = {
    ...input,
    id: nextId(world, 'order'),
    token: randomBytes(16).toString('hex'),
    productId: null,
    orderedAt: now,
    mailed: false,
    approved: false,
    validatedAt: null,
    nextCheckAt: now,
    held: false,
    notes: [{ at: now, note: `Order placed: ${input.regType}, ${input.state}` }],
  };
  if (input.state !== 'pending') moveFunds(world, -input.costCents, 0);
  save(world, order);
  emit(world, 'TRUST_SERVICE', 'ORDER_STATUS_CHANGE', statusData(order));
  return order;
}

/** Writes changes; a change of state is noted and told as an event. */
export function updateCertificateOrder(
  world: World,
  order: CertificateOrder,
  changes: Partial<CertificateOrder>,
  note?: string,
): CertificateOrder {
  const next = { ...order, ...changes };
  if (note) next.notes = [...next.notes, { at: world.now(), note }];
  save(world, next);
  if (next.state !== order.state) {
    emit(world, 'TRUST_SERVICE', 'ORDER_STATUS_CHANGE', statusData(next));
  }
  return next;
}

/** Ends an order that came to nothing, and gives the money back. */
export function endCertificateOrder(
  world: World,
  order: CertificateOrder,
  state: 'declined' | 'cancelled',
  note: string,
): CertificateOrder {
  if (order.state !== 'pending') moveFunds(world, order.costCents, 0);
  return updateCertificateOrder(world, order, { state }, note);
}

function statusData(order: CertificateOrder) {
  return { order_id: String(order.id), order_status: order.state, domain_name: order.domain };
}

function save(world: World, order: CertificateOrder): void {
  world.sql.run(
    `INSERT OR REPLACE INTO registrar_certificate_orders VALUES (${new Array(24).fill('?').join(',')})`,
    order.id,
    order.domain,
    order.productType,
    order.regType,
    order.state,
    order.period,
    order.costCents,
    order.affiliateId,
    order.instructions,
    order.csr,
    order.method,
    order.approver,
    order.token,
    JSON.stringify(order.contacts),
    order.baseOrderId,
    order.productId,
    order.orderedAt,
    order.termEndsAt,
    Number(order.mailed),
    Number(order.approved),
    order.validatedAt,
    order.nextCheckAt,
    Number(order.held),
    JSON.stringify(order.notes),
  );
}

export interface Product {
  productId: number;
  orderId: number;
  domain: string;
  serial: string;
  pem: string;
  notBefore: number;
  notAfter: number;
  revokedAt: number | null;
}

export function addProduct(world: World, input: Omit<Product, 'productId' | 'revokedAt'>): Product {
  const product: Product = { ...input, productId: nextId(world, 'domain'), revokedAt: null };
  world.sql.run(
    'INSERT INTO registrar_certificates VALUES (?,?,?,?,?,?,?,?)',
    product.productId,
    product.orderId,
    product.domain,
    product.serial,
    product.pem,
    product.notBefore,
    product.notAfter,
    null,
  );
  return product;
}

export function findProduct(world: World, productId: number | null): Product | null {
  if (productId === null) return null;
  const row = world.sql.get<{
    product_id: number;
    order_id: number;
    domain: string;
    serial: string;
    pem: string;
    not_before: number;
    not_after: number;
    revoked_at: number | null;
  }>('SELECT * FROM registrar_certificates WHERE product_id = ?', productId);
  if (!row) return null;
  return {
    productId: row.product_id,
    orderId: row.order_id,
    domain: row.domain,
    serial: row.serial,
    pem: row.pem,
    notBefore: row.not_before,
    notAfter: row.not_after,
    revokedAt: row.revoked_at,
  };
}

export function productState(world: World, product: Product): 'active' | 'expired' | 'revoked' {
  if (product.revokedAt !== null) return 'revoked';
  return product.notAfter <= world.now() ? 'expired' : 'active';
}
