import type { AcmeAccess, AcmeAllowance } from '#contracts/operations/acme.ts';
import { type BuyLimits, troubleOutcomes } from '#contracts/values/acme-access.ts';
import { isLimited, type Scope } from '#kernel/scope.ts';
import type { AccessRecord } from './access.repo.ts';
import { limitsNow, type SpentThisMonth, stateOf } from './access.rules.ts';
import type { StoredAllowance } from './allowances.repo.ts';

export const nothingSpent: SpentThisMonth = { orders: 0, cents: 0 };

/** An access as the caller may see it: a customer's own users read nothing of the MSP's money. */
export function shownAccess(
  scope: Scope,
  row: AccessRecord,
  spent: SpentThisMonth,
  { now, directoryUrl }: { now: Date; directoryUrl: string },
): AcmeAccess {
  const limited = isLimited(scope);
  const limits = (of: BuyLimits | null) => shownLimits(limited, of);
  const state = stateOf({ ...row, organisationClosedAt: null }, now);
  return {
    ...{ id: row.id, name: row.name, keyId: row.keyId, customerId: row.customerId },
    directoryUrl,
    ...{ customer: row.customer ?? '', hosts: row.hosts, productType: row.productType },
    product: row.product ?? row.productType,
    mayBuy: limits(row.mayBuy),
    buysNow: limits(limitsNow(row.mayBuy, row.byCustomer, row.allowance)),
    usedThisMonth: { orders: spent.orders, cents: limited ? null : spent.cents },
    ...{ state, ended: endedOf(row, state) },
    // Staff of the MSP are not named to their customers.
    madeBy: limited && !row.byCustomer ? '' : row.madeBy,
    byCustomer: row.byCustomer,
    mayChange: state !== 'revoked' && (!limited || row.byCustomer),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    problem: problemOf(row, limited),
  };
}

function shownLimits(limited: boolean, limits: BuyLimits | null) {
  return limits && { ...limits, centsPerMonth: limited ? null : limits.centsPerMonth };
}

function endedOf(row: AccessRecord, state: AcmeAccess['state']): AcmeAccess['ended'] {
  if (state === 'active') return null;
  if (row.revokedAt) return { at: row.revokedAt.toISOString(), because: 'It was revoked' };
  const { customerDeletedAt: deleted, expiresAt } = row;
  if (deleted) return { at: deleted.toISOString(), because: 'The customer was deleted' };
  return expiresAt && { at: expiresAt.toISOString(), because: 'Its last day is over' };
}

/** Staff read what they can do about it, and a customer's own users the reply that their machine received. */
function problemOf({ newest }: AccessRecord, limited: boolean): AcmeAccess['problem'] {
  if (!newest || !troubleOutcomes.some((outcome) => outcome === newest.outcome)) return null;
  const text = (!limited && newest.advice) || newest.detail;
  return { at: new Date(newest.at).toISOString(), text };
}

export function shownAllowance(
  scope: Scope,
  allowance: StoredAllowance | null,
  products: readonly { productType: string; certificate: string }[],
): AcmeAllowance {
  if (!allowance) return null;
  const { mostAccesses, productType, limits } = allowance;
  const product = products.find((one) => one.productType === productType)?.certificate ?? productType;
  return { mostAccesses, productType, product, mayBuy: shownLimits(isLimited(scope), limits) };
}
