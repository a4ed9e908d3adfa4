import { openItemStates } from '#contracts/values/order-states.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { OrderRecord } from './orders.repo.ts';

/** What an order finds when it is decided what becomes of it. */

/** Spelled out, as the index of open items has them: a plan that is kept can use it. */
const openStates = openItemStates.map((state) => sql.lit(state));

/** What the portal knows about the names of an order: certificates, and what is being bought besides its own item. */
export async function standingOf(
  tx: Tx,
  order: Pick<OrderRecord, 'organisation_id' | 'customer_id'>,
  wanted: { address: string; productType: string; besides?: string },
) {
  const reading = tx
    .selectFrom('certificates as c')
    .select(['c.id', 'c.state', 'c.host_names', 'c.term_ends_at', 'c.valid_to'])
    .select(['c.registrar_order_id', 'c.acme_access_id'])
    .select(
      sql<boolean>`EXISTS (SELECT 1 FROM certificate_reissues r WHERE r.certificate_id = c.id
        AND r.state IN ('sending', 'unknown', 'running'))`.as('reissuing'),
    )
    .where('c.organisation_id', '=', order.organisation_id)
    .where('c.customer_id', '=', order.customer_id)
    .where('c.address', '=', wanted.address)
    .where('c.product_type', '=', wanted.productType)
    .where('c.state', 'not in', ['declined', 'cancelled', 'revoked'])
    .orderBy('c.term_ends_at', 'desc')
    .execute();
  const buying = tx
    .selectFrom('order_items as i')
    .innerJoin('orders as o', 'o.id', 'i.order_id')
    .select(['o.source'])
    .where('i.organisation_id', '=', order.organisation_id)
    .where('i.kind', '=', 'certificate')
    .where('i.address', '=', wanted.address)
    .where('i.state', 'in', openStates)
    .where('i.id', 'is distinct from', wanted.besides ?? null)
    .execute();
  const [certificates, open] = await Promise.all([reading, buying]);
  const byPerson = open.some(({ source }) => source !== 'acme');
  return {
    certificates,
    buying: byPerson ? ('person' as const) : open.length > 0 ? ('machine' as const) : null,
  };
}

/** Whether the registrar has refused to renew this order: then the next certificate is ordered as a new one. */
export async function wasNotRenewed(
  tx: Tx,
  { organisationId }: { organisationId: string },
  registrarOrderId: string,
): Promise<boolean> {
  const refused = await tx
    .selectFrom('order_items')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', 'certificate')
    .where('state', '=', 'declined')
    .where(sql<boolean>`details #>> '{certificate,renewsOrderId}' = ${registrarOrderId}`)
    .limit(1)
    .executeTakeFirst();
  return refused !== undefined;
}
