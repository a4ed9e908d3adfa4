import { addYears, epoch, priceText } from '../format.ts';
import { canPay } from '../state/account.ts';
import type { OrderTwist, World } from '../world.ts';
import { isMap, mapOf, ok, Refusal, textOf, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import { readCsr } from './csr.ts';
import { approversOf, proofMap } from './dv.ts';
import { certificateCents, contactsNeeded } from './products.ts';
import {
  type CertificateOrder,
  type DvMethod,
  endCertificateOrder,
  findCertificateOrder,
  findCertificateOrders,
  findProduct,
  placeCertificateOrder,
  productState,
  updateCertificateOrder,
} from './state.ts';

type TrustCommand = (world: World, request: XcpRequest, twist?: OrderTwist) => XcpReply;

export const DONE = 'Command completed successfully.';
const openStates = ['pending', 'awaiting-approval', 'approver-confirmed', 'in-progress'];

function orderOf(world: World, request: XcpRequest): CertificateOrder {
  const id = textOf(request.attributes, 'order_id');
  if (!id) throw new Refusal(460, 'Missing required field: order_id');
  const order = findCertificateOrder(world, id);
  if (!order) throw new Refusal(480, 'Order not found.');
  return order;
}

function needCsr(text: string) {
  if (!text) throw new Refusal(460, 'Missing required field: csr');
  const csr = readCsr(text);
  if (!csr) throw new Refusal(465, 'Invalid CSR: it cannot be parsed, or its key is too weak');
  return csr;
}

function parseCsr(_world: World, { attributes }: XcpRequest): XcpReply {
  const productType = textOf(attributes, 'product_type');
  if (!productType) throw new Refusal(460, 'Missing required field: product_type');
  const csr = needCsr(textOf(attributes, 'csr'));
  return ok(DONE, {
    csr_data: {
      domain: csr.domain,
      organization: csr.organization,
      organization_unit: csr.organizationUnit,
      state: csr.state,
      locality: csr.locality,
      country: csr.country,
      email: csr.email,
      has_bad_extensions: csr.badExtensions ? '1' : '0',
      valid_quick_domain: '1',
      valid_true_domain: '1',
    },
  });
}

function approverList(_world: World, request: XcpRequest): XcpReply {
  const productType = textOf(request.attributes, 'product_type');
  if (!request.domain) throw new Refusal(460, 'No Domain Supplied');
  if (!productType) throw new Refusal(460, 'Missing required field: product_type');
  if (productType.startsWith('trustwave')) throw new Refusal(465, 'Not available for this product');
  return ok(DONE, {
    approver_list: approversOf(request.domain).map((entry) => ({ ...entry, type: 'GENERIC' })),
  });
}

function methodOf(attributes: XcpMap): DvMethod {
  const given = textOf(attributes, 'dv_auth_method') || 'Email';
  const method = (['DNS', 'File', 'Email'] as const).find(
    (name) => name.toLowerCase() === given.toLowerCase(),
  );
  if (!method) throw new Refusal(465, `Invalid dv_auth_method: ${given}`);
  return method;
}

/** The given address, or the admin contact's; an address that an authority may not ask is refused. */
function approverOf(attributes: XcpMap, domain: string, method: DvMethod): string {
  if (method !== 'Email') return '';
  const contacts = mapOf(attributes, 'contact_set');
  const given = textOf(attributes, 'approver_email') || textOf(mapOf(contacts, 'admin'), 'email');
  const known = approversOf(domain).some(({ email }) => email === given.toLowerCase());
  if (!known) throw new Refusal(465, `Invalid approver email: ${given || 'none'}`);
  return given.toLowerCase();
}

function checkContacts(attributes: XcpMap, productType: string): void {
  const contacts = mapOf(attributes, 'contact_set');
  for (const type of contactsNeeded(productType)) {
    const contact = contacts[type];
    if (!isMap(contact)) throw new Refusal(465, `Missing contact: ${type}`);
    const missing = ['first_name', 'last_name', 'email', 'phone'].filter((field) => !textOf(contact, field));
    if (missing.length > 0) throw new Refusal(465, `${type}: ${missing.join(', ')} missing`);
  }
}

/** A reissue names the order whose term it belongs to; it ends with that term and costs nothing. */
function baseOf(
  world: World,
  attributes: XcpMap,
  domain: string,
  productType: string,
): CertificateOrder | null {
  const id = textOf(attributes, 'base_order_id');
  if (!id) return null;
  const base = findCertificateOrder(world, id);
  if (!base) throw new Refusal(480, 'Order not found.');
  const fits = base.domain === domain && base.productType === productType && base.state === 'completed';
  if (!fits || base.termEndsAt <= world.now()) throw new Refusal(465, 'The base order cannot be reissued');
  return base;
}

function swRegister(world: World, request: XcpRequest, twist?: OrderTwist): XcpReply {
  const { attributes, domain } = request;
  const productType = textOf(attributes, 'product_type');
  const regType = textOf(attributes, 'reg_type').toLowerCase();
  const period = Number(textOf(attributes, 'period') || '1');
  if (!productType) throw new Refusal(460, 'Missing required field: product_type');
  if (!domain) throw new Refusal(460, 'No Domain Supplied');
  if (regType !== 'new' && regType !== 'renew') throw new Refusal(465, 'Invalid registration type');
  if (!Number.isInteger(period) || period < 1 || period > 3) throw new Refusal(465, 'Invalid period');
  const priceCents = certificateCents(productType, period);
  if (priceCents === null) throw new Refusal(465, `Invalid product type: ${productType}`);
  const csr = needCsr(textOf(attributes, 'csr'));
  const within = (name: string) =>
    name === domain || name.replace(/^\*\./, '').endsWith(`.${domain}`) || name === `*.${domain}`;
  if (!csr.names.every(within)) throw new Refusal(465, 'The names in the CSR do not belong to the domain');
  checkContacts(attributes, productType);
  const method = methodOf(attributes);
  const base = baseOf(world, attributes, domain, productType);
  const costCents = base ? 0 : priceCents;
  const saved = textOf(attributes, 'handle').toLowerCase() === 'save' || twist === 'forced-pending';
  const short = !saved && !canPay(world, costCents);
  if (short && world.knobs().shortage === '440') throw new Refusal(440, 'Insufficient funds');
  const order = placeCertificateOrder(world, {
    ...{ domain, productType, regType, period, costCents, method },
    state: saved || short ? 'pending' : 'awaiting-approval',
    affiliateId: textOf(attributes, 'affiliate_id'),
    instructions: textOf(attributes, 'special_instructions'),
    csr: textOf(attributes, 'csr'),
    approver: approverOf(attributes, domain, method),
    contacts: mapOf(attributes, 'contact_set'),
    baseOrderId: base?.id ?? null,
    termEndsAt: base?.termEndsAt ?? termEnd(world, attributes, regType, period),
  });
  const id = String(order.id);
  return ok(DONE, {
    domain,
    order_id: id,
    state: order.state,
    ...(twist === 'forced-pending' || short ? { forced_pending: id } : {}),
    dv_auth_details: proofMap(order),
  });
}

/** A renewal adds to what is left of the order it renews, for at most 30 days (authorities' custom). */
function termEnd(world: World, attributes: XcpMap, regType: string, period: number): number {
  const earlier = regType === 'renew' ? findCertificateOrder(world, textOf(attributes, 'order_id')) : null;
  if (regType === 'renew' && !earlier) throw new Refusal(480, 'Order not found.');
  const left = Math.min(Math.max((earlier?.termEndsAt ?? 0) - world.now(), 0), 30 * 86_400_000);
  return addYears(world.now(), period) + left;
}

function orderInfo(world: World, request: XcpRequest): XcpReply {
  const order = orderOf(world, request);
  return ok(DONE, {
    order_id: String(order.id),
    domain: order.domain,
    product_type: order.productType,
    reg_type: order.regType,
    state: order.state,
    period: String(order.period),
    price: priceText(order.costCents),
    csr: order.csr,
    server_type: 'other',
    server_count: '1',
    approver_email: order.approver,
    contact_email: textOf(mapOf(order.contacts, 'admin'), 'email'),
    contact_set: order.contacts,
    special_instructions: order.instructions,
    supplier_order_id: `SA-${order.id}`,
    dv_auth_method: order.method,
    dv_auth_details: proofMap(order),
    notes_list: order.notes.map(({ at, note }) => ({ date: iso(at), type: 'NOTE', note })),
    ...(order.productId === null ? {} : { product_id: String(order.productId) }),
  });
}

/** ISO 8601 with an offset, as this object's replies have it. */
function iso(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '+00:00');
}

function ordersByDomain(world: World, request: XcpRequest): XcpReply {
  if (!request.domain) throw new Refusal(460, 'No Domain Supplied');
  return ok(DONE, {
    orders: findCertificateOrders(world, 'domain = ?', request.domain).map((order) => ({
      id: String(order.id),
      domain: order.domain,
      order_date: epoch(order.orderedAt),
      status: order.state,
      reg_type: order.regType,
    })),
  });
}

function productOf(world: World, request: XcpRequest) {
  const { attributes } = request;
  const orderId = textOf(attributes, 'order_id');
  const given = textOf(attributes, 'product_id');
  if (!orderId && !given) throw new Refusal(460, 'Missing required field: product_id');
  const id = given ? Number(given) : (findCertificateOrder(world, orderId)?.productId ?? null);
  const product = findProduct(world, id);
  if (!product) throw new Refusal(480, 'Product not found.');
  return product;
}

function productDates(world: World, product: ReturnType<typeof productOf>): XcpMap {
  return {
    product_id: String(product.productId),
    domain: product.domain,
    state: productState(world, product),
    issue_date: iso(product.notBefore),
    start_date: iso(product.notBefore),
    expiry_date: iso(product.notAfter),
  };
}

function productInfo(world: World, request: XcpRequest): XcpReply {
  const product = productOf(world, request);
  const order = findCertificateOrder(world, String(product.orderId));
  return ok(DONE, {
    ...productDates(world, product),
    product_type: order?.productType ?? '',
    is_renewable: '1',
    contact_email: textOf(mapOf(order?.contacts ?? {}, 'admin'), 'email'),
  });
}

function getCert(world: World, request: XcpRequest): XcpReply {
  const product = productOf(world, request);
  const chain = textOf(request.attributes, 'return_ca_certs') === '1' ? world.authorityChain() : [];
  return ok(DONE, {
    ...productDates(world, product),
    cert_data: {
      certificate: product.pem,
      ...(chain[0] ? { ca_certificate: chain[0] } : {}),
      ...(chain[1] ? { root_certificate: chain[1] } : {}),
    },
  });
}

function resendApproval(world: World, request: XcpRequest): XcpReply {
  const order = orderOf(world, request);
  if (order.state !== 'awaiting-approval' || order.method !== 'Email') {
    throw new Refusal(465, 'No approval by e-mail is awaited');
  }
  updateCertificateOrder(world, order, { mailed: false, nextCheckAt: world.now() });
  return ok(DONE, { order_id: String(order.id) });
}

/** Cancels an open order and gives the money back; of a completed one the certificate is revoked. */
function cancelOrder(world: World, request: XcpRequest): XcpReply {
  const order = orderOf(world, request);
  if (openStates.includes(order.state)) {
    const ended = endCertificateOrder(world, order, 'cancelled', 'Cancelled by the reseller');
    return ok(DONE, { domain: order.domain, order_id: String(order.id), state: ended.state });
  }
  const product = findProduct(world, order.productId);
  if (order.state !== 'completed' || !product) throw new Refusal(465, 'The order cannot be cancelled');
  world.sql.run(
    'UPDATE registrar_certificates SET revoked_at = ? WHERE order_id = ? AND revoked_at IS NULL',
    world.now(),
    order.id,
  );
  updateCertificateOrder(world, order, { held: true }, `Revoked ${product.serial}`);
  return ok(DONE, { domain: order.domain, order_id: String(order.id), state: 'cancelled' });
}

function updateDvAuth(world: World, request: XcpRequest): XcpReply {
  const order = orderOf(world, request);
  if (order.state !== 'awaiting-approval') throw new Refusal(465, 'The order does not await approval');
  const method = methodOf(request.attributes);
  const approver = approverOf(request.attributes, order.domain, method);
  const next = updateCertificateOrder(
    world,
    order,
    { method, approver, mailed: false, approved: false, nextCheckAt: world.now() },
    `Validation by ${method}`,
  );
  return ok(DONE, { order_id: String(order.id), state: next.state, dv_auth_details: proofMap(next) });
}

/** Carries a saved order out. */
function processPending(world: World, request: XcpRequest): XcpReply {
  const order = orderOf(world, request);
  if (order.state !== 'pending') throw new Refusal(465, `Order ${order.id} is not pending`);
  if (textOf(request.attributes, 'command').toLowerCase() === 'cancel') {
    endCertificateOrder(world, order, 'cancelled', 'Cancelled by the reseller');
    return ok(DONE, { order_id: String(order.id) });
  }
  if (!canPay(world, order.costCents)) throw new Refusal(440, 'Insufficient funds');
  endCertificateOrder(world, order, 'cancelled', 'Processed as a new order');
  const again = placeCertificateOrder(world, { ...order, state: 'awaiting-approval' });
  return ok(DONE, { order_id: String(again.id), state: again.state });
}

/** Object TRUST_SERVICE (§16). There is no command for a reissue: a new order on `base_order_id` is one. */
export const trustCommands: Record<string, TrustCommand> = {
  'PARSE_CSR TRUST_SERVICE': parseCsr,
  'QUERY_APPROVER_LIST TRUST_SERVICE': approverList,
  'SW_REGISTER TRUST_SERVICE': swRegister,
  'GET_ORDER_INFO TRUST_SERVICE': orderInfo,
  'GET_ORDERS_BY_DOMAIN TRUST_SERVICE': ordersByDomain,
  'GET_PRODUCT_INFO TRUST_SERVICE': productInfo,
  'GET_CERT TRUST_SERVICE': getCert,
  'RESEND_APPROVE_EMAIL TRUST_SERVICE': resendApproval,
  'CANCEL_ORDER TRUST_SERVICE': cancelOrder,
  'UPDATE_DV_AUTH TRUST_SERVICE': updateDvAuth,
  'PROCESS_PENDING TRUST_SERVICE': processPending,
};
