import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { makeAccess } from '#contracts/operations/acme.ts';
import type { BuyLimits } from '#contracts/values/acme-access.ts';
import type { Tx } from '#kernel/db/database.ts';
import { requireRoom } from '#kernel/room.ts';
import { isLimited, type Scope } from '#kernel/scope.ts';
import { dailyLimitCents } from '../orders/index.ts';
import { type AccessChange, countAccesses } from './access.repo.ts';
import { endOfDay, exceedsOwnLimit, liesWithin } from './access.rules.ts';
import type { AccessServiceDeps } from './access.service.ts';
import type { StoredAllowance } from './allowances.repo.ts';

const texts = {
  notAllowed: 'Your provider has not allowed this. Please ask them.',
  beyondAllowance: 'This is more than your provider allows.',
  beyondDaily: 'An access may spend no more in a month than your own daily purchase limit.',
} as const;

/** Whether a person may have the access that they ask for, and all that it is to be. */
export function createAccessWishes({ clock, pricing }: Pick<AccessServiceDeps, 'clock' | 'pricing'>) {
  async function requireOwnRoom(
    tx: Tx,
    scope: Scope,
    customerId: string,
    allowance: StoredAllowance | null,
  ): Promise<void> {
    if (!allowance) throw new AppError('forbidden', { message: texts.notAllowed });
    await requireRoom(tx, 'acmeAccesses', customerId, async () => 0);
    if ((await countAccesses(tx, scope, customerId)) < allowance.mostAccesses) return;
    const { mostAccesses: most } = allowance;
    const message = `Your provider allows ${most} ${most === 1 ? 'access' : 'accesses'}. Please revoke one first.`;
    throw new AppError('unprocessable', { message });
  }

  /** What a request asks for, with what the MSP has set for a customer's own users, and all of it possible. */
  async function wantedState(
    scope: Scope,
    body: Pick<BodyOf<typeof makeAccess>, 'name' | 'hosts' | 'mayBuy' | 'productType' | 'lastDay'>,
    allowance: StoredAllowance | null,
    from?: AccessChange,
  ): Promise<AccessChange> {
    const productType = isLimited(scope) ? (from ?? allowance)?.productType : body.productType;
    if (!from || productType !== from.productType) {
      requireProduct(await pricing.list(), productType ?? '', 'productType');
    }
    return {
      ...{ name: body.name, productType: productType ?? '' },
      hosts: body.hosts === null ? null : [...new Set(body.hosts)],
      mayBuy: wholeLimits(scope, body.mayBuy, allowance, from?.mayBuy ?? null),
      expiresAt: endOf(body.lastDay, from?.expiresAt ?? null),
    };
  }

  function endOf(lastDay: string | null | undefined, before: Date | null): Date | null {
    if (lastDay === undefined) return before;
    if (lastDay === null) return null;
    const end = endOfDay(lastDay, clock.now());
    if (end) return end;
    throw invalid('lastDay', 'Please choose a day that is not over');
  }

  /** Nobody grants more than they hold; what is not raised needs no power. */
  async function requirePower(
    tx: Tx,
    scope: Scope,
    wanted: BuyLimits | null,
    before: BuyLimits | null,
    allowance: StoredAllowance | null,
  ): Promise<void> {
    if (isLimited(scope)) {
      if (liesWithin(wanted, before) || liesWithin(wanted, allowance?.limits ?? null)) return;
      throw new AppError('forbidden', { message: texts.beyondAllowance });
    }
    await requireDaily(tx, scope, wanted, before);
  }

  async function requireDaily(
    tx: Tx,
    scope: Scope,
    wanted: BuyLimits | null,
    before: BuyLimits | null,
  ): Promise<void> {
    if (liesWithin(wanted, before)) return;
    if (!exceedsOwnLimit(await dailyLimitCents(tx, scope.userId), wanted)) return;
    throw new AppError('forbidden', { message: texts.beyondDaily });
  }

  return { requireOwnRoom, wantedState, requirePower, requireDaily };
}

const invalid = (path: string, message: string) =>
  new AppError('validation_failed', { details: [{ path, message }] });

/** A machine proves control of names, and nothing of an organization. */
export function requireProduct(
  products: readonly { productType: string; businessValidated: boolean }[],
  productType: string,
  path: string,
): void {
  const found = products.find((one) => one.productType === productType);
  if (found && !found.businessValidated) return;
  throw invalid(
    path,
    found ? 'This certificate needs a check of the company by people' : 'Please choose a certificate',
  );
}

/** A customer's user says how many; the money is the MSP's to set. */
function wholeLimits(
  scope: Scope,
  wanted: { ordersPerMonth: number; centsPerMonth?: number | undefined } | null,
  allowance: StoredAllowance | null,
  before: BuyLimits | null,
): BuyLimits | null {
  if (wanted === null) return null;
  const { ordersPerMonth } = wanted;
  if (isLimited(scope)) {
    const centsPerMonth = before?.centsPerMonth ?? allowance?.limits?.centsPerMonth;
    if (centsPerMonth === undefined) throw new AppError('forbidden', { message: texts.beyondAllowance });
    return { ordersPerMonth, centsPerMonth };
  }
  if (wanted.centsPerMonth !== undefined) return { ordersPerMonth, centsPerMonth: wanted.centsPerMonth };
  throw invalid('mayBuy.centsPerMonth', 'Please enter an amount');
}
