import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { AcmeAllowance, setAllowance } from '#contracts/operations/acme.ts';
import type { BuyLimits } from '#contracts/values/acme-access.ts';
import { audit } from '#kernel/audit.ts';
import { inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import type { AccessServiceDeps } from './access.service.ts';
import { shownAllowance } from './access-shown.ts';
import { type createAccessWishes, requireProduct } from './access-wishes.ts';
import { findAllowance, lockAllowance, putAllowance, type StoredAllowance } from './allowances.repo.ts';

/** What an MSP allows a customer's own users. */
export function createAllowances(
  { db, clock, pricing }: Pick<AccessServiceDeps, 'db' | 'clock' | 'pricing'>,
  { requireDaily }: Pick<ReturnType<typeof createAccessWishes>, 'requireDaily'>,
) {
  async function getAllowance(scope: Scope, customerId: string): Promise<AcmeAllowance> {
    requirePermission(scope, 'acme.manage');
    const [allowance, products] = await inReading(db, scope, (tx) =>
      Promise.all([allowanceOf(tx, scope, customerId), pricing.list(tx)]),
    );
    return shownAllowance(scope, allowance, products);
  }

  async function setAllowanceOf(
    scope: Scope,
    customerId: string,
    body: BodyOf<typeof setAllowance>,
  ): Promise<AcmeAllowance> {
    requirePermission(scope, 'orders.purchase');
    const products = await pricing.list();
    const [shown, after] = [storedOf(body.shown), storedOf(body.allowance)];
    if (after) requireProduct(products, after.productType, 'allowance.productType');
    return inTransaction(db, scope, async (tx) => {
      await lockAllowance(tx, scope, customerId);
      const before = await allowanceOf(tx, scope, customerId);
      if (!isDeepStrictEqual(before, shown)) {
        throw new AppError('conflict', { data: shownAllowance(scope, before, products) });
      }
      await requireDaily(tx, scope, total(after), total(before));
      await putAllowance(tx, scope, customerId, after);
      await audit(tx, scope, {
        ...{ at: clock.now(), action: 'acme.setAllowance', objectKind: 'customer', object: customerId },
        ...{ customerId, before: before ?? { mostAccesses: 0 }, after: after ?? { mostAccesses: 0 } },
      });
      return shownAllowance(scope, after, products);
    });
  }

  return { getAllowance, setAllowanceOf };
}

function storedOf(allowance: BodyOf<typeof setAllowance>['allowance']): StoredAllowance | null {
  if (!allowance) return null;
  const { mostAccesses, productType, mayBuy } = allowance;
  return { mostAccesses, productType, limits: mayBuy };
}

/** The allowance of a living customer in reach. */
export async function allowanceOf(tx: Tx, scope: Scope, customerId: string): Promise<StoredAllowance | null> {
  const found = await findAllowance(tx, scope, customerId);
  if (!found) throw new AppError('not_found');
  return found.allowance;
}

/** All that the accesses of an allowance may buy together. */
function total(allowance: StoredAllowance | null): BuyLimits | null {
  if (!allowance?.limits) return null;
  const { ordersPerMonth, centsPerMonth } = allowance.limits;
  const { mostAccesses } = allowance;
  return { ordersPerMonth: ordersPerMonth * mostAccesses, centsPerMonth: centsPerMonth * mostAccesses };
}
