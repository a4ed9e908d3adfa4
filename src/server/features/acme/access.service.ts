import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type {
  AccessEntry,
  AcmeAccess,
  AcmeAllowance,
  changeAccess,
  makeAccess,
  setAllowance,
} from '#contracts/operations/acme.ts';
import type { BuyLimits } from '#contracts/values/acme-access.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { newSecret } from '#kernel/ids.ts';
import { requireRoom } from '#kernel/room.ts';
import { isLimited, requirePermission, type Scope } from '#kernel/scope.ts';
import type { Seal } from '#kernel/seal.ts';
import type { CertificatePricing } from '../certificates/index.ts';
import { dailyLimitCents } from '../orders/index.ts';
import {
  type AccessChange,
  type AccessQuery,
  type AccessRecord,
  countAccesses,
  findAccess,
  insertAccess,
  listAccesses,
  lockAccess,
  readLog,
  revokeAccess,
  updateAccess,
} from './access.repo.ts';
import {
  endOfDay,
  exceedsOwnLimit,
  fitsCommandLines,
  liesWithin,
  opensMore,
  type SpentThisMonth,
} from './access.rules.ts';
import { hmacContext } from './access-log.repo.ts';
import { nothingSpent, shownAccess, shownAllowance } from './access-shown.ts';
import { findAllowance, putAllowance, type StoredAllowance } from './allowances.repo.ts';

export interface AccessServiceDeps {
  db: Db;
  clock: Clock;
  seal: Seal;
  newId: (nowMs: number) => string;
  pricing: Pick<CertificatePricing, 'list'>;
  publicUrl: string;
  /** What each access has bought in this calendar month; one that has bought nothing may be missing. */
  spentThisMonth(tx: Tx, scope: Scope, ids: readonly string[]): Promise<Map<string, SpentThisMonth>>;
}

export type AccessApi = ReturnType<typeof createAccessService>;

/** By this a key id found in a file is known for what it is. */
const keyIdPrefix = 'nwe_';

const texts = {
  notAllowed: 'Your provider has not allowed this. Please ask them.',
  notTheirs: 'Your provider made this access. Please ask them to change it.',
  beyondAllowance: 'This is more than your provider allows.',
  beyondDaily: 'An access may spend no more in a month than your own daily purchase limit.',
} as const;

/** Accesses by which customers' machines get certificates, as the people of an organization make and end them. */
export function createAccessService(deps: AccessServiceDeps) {
  const { db, clock, seal, pricing } = deps;
  const directoryUrl = new URL('/acme/directory', deps.publicUrl).href;

  async function list(scope: Scope, query: AccessQuery): Promise<{ rows: AcmeAccess[]; total: number }> {
    requirePermission(scope, 'acme.manage');
    const now = clock.now();
    return inTransaction(db, scope, async (tx) => {
      const { rows, total } = await listAccesses(tx, scope, query, now);
      const ids = rows.map(({ id }) => id);
      const spent = await deps.spentThisMonth(tx, scope, ids);
      return {
        total,
        rows: rows.map((row) =>
          shownAccess(scope, row, spent.get(row.id) ?? nothingSpent, { now, directoryUrl }),
        ),
      };
    });
  }

  async function get(scope: Scope, id: string): Promise<AcmeAccess> {
    requirePermission(scope, 'acme.manage');
    return inTransaction(db, scope, (tx) => present(tx, scope, id));
  }

  async function present(tx: Tx, scope: Scope, id: string): Promise<AcmeAccess> {
    const found = await findAccess(tx, scope, id);
    if (!found) throw new AppError('not_found');
    const spent = await deps.spentThisMonth(tx, scope, [id]);
    return shownAccess(scope, found, spent.get(id) ?? nothingSpent, { now: clock.now(), directoryUrl });
  }

  async function make(
    scope: Scope,
    body: BodyOf<typeof makeAccess>,
  ): Promise<AcmeAccess & { hmacKey: string }> {
    requirePermission(scope, 'acme.manage');
    const now = clock.now();
    const id = deps.newId(now.getTime());
    const hmacKey = newKey();
    const { customerId } = body;
    return inTransaction(db, scope, async (tx) => {
      const allowance = await allowanceOf(tx, scope, customerId);
      if (isLimited(scope)) await requireOwnRoom(tx, scope, customerId, allowance);
      const wanted = await wantedState(scope, body, allowance);
      await requirePower(tx, scope, wanted.mayBuy, null, allowance);
      await requireRoom(tx, 'acmeAccesses', scope.organisationId, () => countAccesses(tx, scope));
      await insertAccess(tx, scope, {
        ...{ id, customerId, now, keyId: `${keyIdPrefix}${newKey().slice(0, 22)}` },
        ...{ hmacSealed: seal.seal(hmacKey, hmacContext(scope.organisationId, id)), ...wanted },
        byCustomer: isLimited(scope),
      });
      const made = await present(tx, scope, id);
      await log(tx, scope, 'acme.make', { id, customerId }, { after: { ...wanted, keyId: made.keyId } });
      return { ...made, hmacKey };
    });
  }

  async function change(
    scope: Scope,
    id: string,
    body: BodyOf<typeof changeAccess>,
    requireFreshSignIn: () => void,
  ): Promise<AcmeAccess> {
    requirePermission(scope, 'acme.manage');
    return inTransaction(db, scope, async (tx) => {
      const before = await changeable(tx, scope, id);
      const allowance = await allowanceOf(tx, scope, before.customerId);
      const from = stateOf(before);
      const to = await wantedState(scope, merged(from, body), allowance, from);
      const parts = changedParts(from, to);
      if (!parts) return present(tx, scope, id);
      if (opensMore(from, to)) requireFreshSignIn();
      await requirePower(tx, scope, to.mayBuy, from.mayBuy, allowance);
      if (!(await updateAccess(tx, scope, id, to))) throw new AppError('not_found');
      await log(tx, scope, 'acme.change', before, parts);
      return present(tx, scope, id);
    });
  }

  async function revoke(scope: Scope, id: string): Promise<void> {
    requirePermission(scope, 'acme.manage');
    await inTransaction(db, scope, async (tx) => {
      const before = await changeable(tx, scope, id);
      if (!(await revokeAccess(tx, scope, id, clock.now()))) throw new AppError('not_found');
      await log(tx, scope, 'acme.revoke', before, { before: stateOf(before) });
    });
  }

  async function readAccessLog(scope: Scope, id: string): Promise<AccessEntry[]> {
    requirePermission(scope, 'acme.manage');
    return inTransaction(db, scope, async (tx) => {
      if (!(await findAccess(tx, scope, id))) throw new AppError('not_found');
      return (await readLog(tx, scope, id)).map(({ at, lastAt, advice, ...entry }) => ({
        ...entry,
        // What the MSP can do is not their customer's to read.
        advice: isLimited(scope) ? '' : advice,
        ...{ at: at.toISOString(), lastAt: lastAt.toISOString() },
      }));
    });
  }

  async function getAllowance(scope: Scope, customerId: string): Promise<AcmeAllowance> {
    requirePermission(scope, 'acme.manage');
    const allowance = await inReading(db, scope, (tx) => allowanceOf(tx, scope, customerId));
    return shownAllowance(scope, allowance, await pricing.list());
  }

  async function setAllowanceOf(
    scope: Scope,
    customerId: string,
    { allowance: wanted }: BodyOf<typeof setAllowance>,
  ): Promise<AcmeAllowance> {
    requirePermission(scope, 'orders.purchase');
    const products = await pricing.list();
    if (wanted) requireProduct(products, wanted.productType, 'allowance.productType');
    return inTransaction(db, scope, async (tx) => {
      const before = await allowanceOf(tx, scope, customerId);
      const after: StoredAllowance | null = wanted && {
        ...{ mostAccesses: wanted.mostAccesses, productType: wanted.productType, limits: wanted.mayBuy },
      };
      await requireDaily(tx, scope, total(after), total(before));
      await putAllowance(tx, scope, customerId, after);
      await audit(tx, scope, {
        ...{ at: clock.now(), action: 'acme.setAllowance', objectKind: 'customer', object: customerId },
        ...{ customerId, before: before ?? { mostAccesses: 0 }, after: after ?? { mostAccesses: 0 } },
      });
      return shownAllowance(scope, after, products);
    });
  }

  /** The allowance of a living customer in reach. */
  async function allowanceOf(tx: Tx, scope: Scope, customerId: string): Promise<StoredAllowance | null> {
    const found = await findAllowance(tx, scope, customerId);
    if (!found) throw new AppError('not_found');
    return found.allowance;
  }

  /** One that is there, not revoked, and the caller's to change. */
  async function changeable(tx: Tx, scope: Scope, id: string): Promise<AccessRecord> {
    const found = await lockAccess(tx, scope, id);
    if (!found || found.revokedAt !== null || found.customerDeletedAt !== null)
      throw new AppError('not_found');
    if (isLimited(scope) && !found.byCustomer) throw new AppError('forbidden', { message: texts.notTheirs });
    return found;
  }

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
    if (productType !== from?.productType) {
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

  function log(
    tx: Tx,
    scope: Scope,
    action: AuditAction,
    access: { id: string; customerId: string },
    change: { before?: unknown; after?: unknown },
  ): Promise<void> {
    const object = { objectKind: 'acme access', object: access.id, customerId: access.customerId };
    return audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  return {
    ...{ list, get, make, change, revoke, log: readAccessLog },
    ...{ allowance: getAllowance, setAllowance: setAllowanceOf },
  };
}

/** 256 bits, as clients take them. */
function newKey(): string {
  for (;;) {
    const key = newSecret();
    if (fitsCommandLines(key)) return key;
  }
}

const invalid = (path: string, message: string) =>
  new AppError('validation_failed', { details: [{ path, message }] });

/** A machine proves control of names, and nothing of an organization. */
function requireProduct(
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

/** All that the accesses of an allowance may buy together. */
function total(allowance: StoredAllowance | null): BuyLimits | null {
  if (!allowance?.limits) return null;
  const { ordersPerMonth, centsPerMonth } = allowance.limits;
  const { mostAccesses } = allowance;
  return { ordersPerMonth: ordersPerMonth * mostAccesses, centsPerMonth: centsPerMonth * mostAccesses };
}

function stateOf({ name, hosts, productType, mayBuy, expiresAt }: AccessRecord): AccessChange {
  return { name, hosts, productType, mayBuy, expiresAt };
}

/** What a request asks for, where it says nothing as it is. */
function merged(from: AccessChange, body: BodyOf<typeof changeAccess>) {
  const hosts = from.hosts && [...from.hosts];
  return {
    name: body.name ?? from.name,
    hosts: body.hosts === undefined ? hosts : body.hosts,
    productType: body.productType ?? from.productType,
    mayBuy: body.mayBuy === undefined ? from.mayBuy : body.mayBuy,
    lastDay: body.lastDay,
  };
}
