import type { BuyLimits } from '#contracts/values/acme-access.ts';
import { later, type Tx } from '#kernel/db/database.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import { limitsOf } from './access-log.repo.ts';

/** What the users of a customer may make themselves. */
export interface StoredAllowance {
  mostAccesses: number;
  productType: string;
  limits: BuyLimits | null;
}

/** Another who sets this customer's allowance waits until this transaction ends. Call it before `findAllowance`. */
export async function lockAllowance(
  tx: Tx,
  { organisationId }: Pick<Scope, 'organisationId'>,
  customerId: string,
): Promise<void> {
  const customer = tx
    .selectFrom('customers')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('id', '=', customerId);
  await later(tx, customer.forNoKeyUpdate());
}

/** A living customer in reach, with its allowance. */
export async function findAllowance(
  tx: Tx,
  scope: Scope,
  customerId: string,
): Promise<{ customerId: string; allowance: StoredAllowance | null } | undefined> {
  const row = await tx
    .selectFrom('customers as c')
    .leftJoin('acme_allowances as w', (join) =>
      join.onRef('w.customer_id', '=', 'c.id').onRef('w.organisation_id', '=', 'c.organisation_id'),
    )
    .where('c.organisation_id', '=', scope.organisationId)
    .where(withinReach(scope, 'c.id'))
    .where('c.id', '=', customerId)
    .where('c.deleted_at', 'is', null)
    .select(['c.id', 'w.most_accesses', 'w.product_type', 'w.orders_per_month', 'w.cents_per_month'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { most_accesses: mostAccesses, product_type: productType } = row;
  if (mostAccesses === null || productType === null) return { customerId, allowance: null };
  const limits = limitsOf(row.orders_per_month, row.cents_per_month);
  return { customerId, allowance: { mostAccesses, productType, limits } };
}

export async function putAllowance(
  tx: Tx,
  scope: Scope,
  customerId: string,
  allowance: StoredAllowance | null,
): Promise<void> {
  const { organisationId } = scope;
  await tx
    .deleteFrom('acme_allowances')
    .where('organisation_id', '=', organisationId)
    .where('customer_id', '=', customerId)
    .execute();
  if (allowance === null) return;
  await tx
    .insertInto('acme_allowances')
    .values({
      ...{ organisation_id: organisationId, customer_id: customerId },
      ...{ most_accesses: allowance.mostAccesses, product_type: allowance.productType },
      orders_per_month: allowance.limits?.ordersPerMonth ?? null,
      cents_per_month: allowance.limits?.centsPerMonth ?? null,
    })
    .execute();
}
