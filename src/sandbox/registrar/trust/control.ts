import { z } from 'zod';
import type { ControlHandler, PanelTable } from '../../part.ts';
import { balanceText, DAY_MS, stamp } from '../format.ts';
import type { World } from '../world.ts';
import { issueFor, type TrustLife, trustRound } from './life.ts';
import {
  type CertificateOrder,
  endCertificateOrder,
  findCertificateOrder,
  findCertificateOrders,
  findProduct,
  productState,
  updateCertificateOrder,
} from './state.ts';

const which = { orderId: z.coerce.string() };

/** The authority's side of the control plane (`/control/registrar/certificates/…`). */
export function trustControl(world: World, life: TrustLife): Record<string, ControlHandler> {
  const done = { ok: true };
  const orderOf = (id: string): CertificateOrder => {
    const order = findCertificateOrder(world, id);
    if (!order) throw new Error(`There is no certificate order ${id}.`);
    return order;
  };
  return {
    certificates: () => ({ orders: findCertificateOrders(world, '1').map((order) => shown(world, order)) }),
    'certificates/root': () => ({ root: life.authority.rootPem, chain: life.authority.chainPem }),
    /** Checks and issues what is due, without waiting for the next round. */
    'certificates/round': async () => {
      await trustRound(world, life);
      return done;
    },
    'certificates/decline': (body) => {
      const given = z
        .strictObject({ ...which, reason: z.string().default('Declined by the authority') })
        .parse(body);
      endCertificateOrder(world, orderOf(given.orderId), 'declined', given.reason);
      return done;
    },
    /** A person at the authority keeps it from going on where it is or at a state, or lets it go on. */
    'certificates/hold': (body) => {
      const { orderId, on, at } = z
        .strictObject({ ...which, on: z.boolean().default(true), at: z.literal('in-progress').optional() })
        .parse(body);
      const state = at ? { state: at } : {};
      updateCertificateOrder(world, orderOf(orderId), { ...state, held: on, nextCheckAt: world.now() });
      return done;
    },
    'certificates/revoke': (body) => {
      const order = orderOf(z.strictObject(which).parse(body).orderId);
      world.sql.run(
        'UPDATE registrar_certificates SET revoked_at = ? WHERE order_id = ?',
        world.now(),
        order.id,
      );
      return done;
    },
    /** Replaces the certificate by one with other dates, and moves the end of the term if asked to. */
    'certificates/dates': async (body) => {
      const given = z
        .strictObject({
          ...which,
          expiresInDays: z.number(),
          /** Where none is given, it is one of 90 days. */
          validFrom: z.iso.date().optional(),
          termEndsInDays: z.number().optional(),
        })
        .parse(body);
      const order = orderOf(given.orderId);
      const notAfter = world.now() + given.expiresInDays * DAY_MS;
      const notBefore = given.validFrom ? Date.parse(given.validFrom) : notAfter - 90 * DAY_MS;
      await issueFor(world, life, order, { by: 'control', notBefore, notAfter });
      if (given.termEndsInDays !== undefined) {
        const termEndsAt = world.now() + given.termEndsInDays * DAY_MS;
        updateCertificateOrder(world, orderOf(given.orderId), { termEndsAt });
      }
      return done;
    },
  };
}

function shown(world: World, order: CertificateOrder) {
  const product = findProduct(world, order.productId);
  return {
    id: String(order.id),
    domain: order.domain,
    productType: order.productType,
    regType: order.regType,
    state: order.state,
    cost: balanceText(order.costCents),
    tag: order.affiliateId,
    method: order.method,
    approver: order.approver,
    baseOrderId: order.baseOrderId === null ? null : String(order.baseOrderId),
    orderedAt: new Date(order.orderedAt).toISOString(),
    termEndsAt: new Date(order.termEndsAt).toISOString(),
    notes: order.notes.map(({ note }) => note),
    certificate: product && {
      serial: product.serial,
      notAfter: new Date(product.notAfter).toISOString(),
      state: productState(world, product),
    },
  };
}

export function trustView(world: World): PanelTable[] {
  const orders = findCertificateOrders(world, '1').slice(0, 200);
  return [
    {
      title: 'Certificate orders',
      columns: ['Order', 'Name', 'Product', 'State', 'Proof', 'Cost', 'Term ends', 'Last note'],
      rows: orders.map((order) => [
        String(order.id),
        order.domain,
        order.productType,
        order.state,
        order.method === 'Email' ? order.approver : order.method,
        balanceText(order.costCents),
        stamp(order.termEndsAt),
        order.notes.at(-1)?.note ?? '',
      ]),
    },
    {
      title: 'Certificates',
      columns: ['Product', 'Order', 'Name', 'Serial', 'From', 'To', 'State'],
      rows: orders.flatMap((order) => {
        const product = findProduct(world, order.productId);
        if (!product) return [];
        const { notBefore, notAfter, serial } = product;
        return [
          [
            ...[String(product.productId), String(order.id), order.domain, serial],
            ...[stamp(notBefore), stamp(notAfter), productState(world, product)],
          ],
        ];
      }),
    },
  ];
}
