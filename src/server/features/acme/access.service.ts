import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { AcmeAccess, changeAccess, makeAccess } from '#contracts/operations/acme.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, type Tx } from '#kernel/db/database.ts';
import { newSecret } from '#kernel/ids.ts';
import { requireRoom } from '#kernel/room.ts';
import { isLimited, requirePermission, type Scope } from '#kernel/scope.ts';
import type { Seal } from '#kernel/seal.ts';
import type { CertificatePricing } from '../certificates/index.ts';
import {
  type AccessChange,
  type AccessRecord,
  countAccesses,
  insertAccess,
  lockAccess,
  revokeAccess,
  updateAccess,
} from './access.repo.ts';
import { fitsCommandLines, opensMore, type SpentThisMonth } from './access.rules.ts';
import { hmacContext } from './access-log.repo.ts';
import { createAccessReading } from './access-reading.ts';
import { createAccessWishes } from './access-wishes.ts';
import { allowanceOf, createAllowances } from './allowances.service.ts';

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

const notTheirs = 'Your provider made this access. Please ask them to change it.';

/** Accesses by which customers' machines get certificates, as the people of an organization make and end them. */
export function createAccessService(deps: AccessServiceDeps) {
  const { db, clock, seal } = deps;
  const wishes = createAccessWishes(deps);
  const { requireOwnRoom, wantedState, requirePower } = wishes;
  const { getAllowance, setAllowanceOf } = createAllowances(deps, wishes);
  const { list, get, present, log: readAccessLog } = createAccessReading(deps);

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

  /** One that is there, not revoked, and the caller's to change. */
  async function changeable(tx: Tx, scope: Scope, id: string): Promise<AccessRecord> {
    const found = await lockAccess(tx, scope, id);
    if (!found || found.revokedAt !== null || found.customerDeletedAt !== null)
      throw new AppError('not_found');
    if (isLimited(scope) && !found.byCustomer) throw new AppError('forbidden', { message: notTheirs });
    return found;
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
