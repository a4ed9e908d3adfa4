import { AppError } from '#contracts/errors.ts';
import type {
  ErasureBlocker,
  ErasurePlan,
  FormerCustomer,
  FormerUser,
} from '#contracts/operations/privacy.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Selectable, type Tx } from '#kernel/db/database.ts';
import type { CustomersTable } from '#kernel/db/schema.ts';
import { forgetReplies } from '#kernel/idempotency.ts';
import { forgetLetters } from '#kernel/jobs.ts';
import { forgetKeptReplies } from '#kernel/request-keys.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import type { Seal } from '#kernel/seal.ts';
import { destroyKeys } from '#kernel/subject-keys.ts';
import { eraseFromAcme } from '../acme/index.ts';
import { eraseAttentionPeople, eraseFromAttention } from '../attention/index.ts';
import { eraseFromCertificates } from '../certificates/index.ts';
import { eraseChangeAuthors, eraseFromChanges } from '../changes/index.ts';
import {
  eraseCustomerRow,
  eraseFromImports,
  eraseImporters,
  lockForErasure,
  signsOf,
} from '../customers/index.ts';
import { eraseFromDirectBilling } from '../direct-billing/index.ts';
import { eraseZoneAuthors, eraseZones } from '../dns/index.ts';
import { eraseFromDomains } from '../domains/index.ts';
import { eraseHealth } from '../health/index.ts';
import { eraseMoves } from '../moves/index.ts';
import { eraseFromOrders } from '../orders/index.ts';
import { eraseFromRenewals } from '../renewals/index.ts';
import { eraseTokens } from '../tokens/index.ts';
import { erasePeople, peopleOf, type UsersApi } from '../users/index.ts';
import { eraseViews } from '../views/index.ts';
import type { Subject } from './data-map.ts';
import { monthsAfter } from './months.ts';
import * as repo from './privacy.repo.ts';

export interface ErasureDeps {
  db: Db;
  clock: Clock;
  newId: (nowMs: number) => string;
  seal: Seal;
  users: Pick<UsersApi, 'removeIn' | 'endCustomerAccess'>;
}

type CustomerRow = Selectable<CustomersTable>;

/** Registrant data is needed for transfer disputes until 15 months after the registration's end (design: GDPR). */
const heldMonths = 15;

/** Who is gone, what an erasure would meet, and the erasure itself, all at once. */
export function createErasure(deps: ErasureDeps) {
  const { db, clock } = deps;

  /** Customers who are gone and can still be erased. */
  async function formerCustomers(scope: Scope, query: repo.FormerQuery) {
    requirePermission(scope, 'privacy.manage');
    const { rows, total } = await inReading(db, scope, (tx) => repo.formerCustomers(tx, scope, query));
    const customers = rows.map(
      ({ id, organization, at }): FormerCustomer => ({
        ...{ customerId: id, organization, deletedAt: at.toISOString() },
      }),
    );
    return { rows: customers, total };
  }

  /** The same of users. */
  async function formerUsers(scope: Scope, query: repo.FormerQuery) {
    requirePermission(scope, 'privacy.manage');
    const { rows, total } = await inReading(db, scope, (tx) => repo.formerUsers(tx, scope, query));
    const users = rows.map(
      ({ id, email, at }): FormerUser => ({
        ...{ userId: id, email, removedAt: at.toISOString() },
      }),
    );
    return { rows: users, total };
  }

  async function plan(scope: Scope, id: string): Promise<ErasurePlan> {
    requirePermission(scope, 'privacy.manage');
    return inReading(db, scope, async (tx) => {
      const customer = await repo.findCustomerRow(tx, scope, id);
      if (!customer) throw new AppError('not_found');
      return planOf(tx, scope, customer, clock.now());
    });
  }

  /** Blocked while anything of the customer is alive or under way; else all at once, in one transaction. */
  async function eraseCustomer(scope: Scope, id: string): Promise<ErasurePlan> {
    requirePermission(scope, 'privacy.manage');
    const now = clock.now();
    return inTransaction(db, scope, async (tx) => {
      // An order that is being written holds a share lock; once it is through, the plan below sees it.
      const customer = await lockForErasure(tx, scope, id);
      if (!customer) throw new AppError('not_found');
      const planned = await planOf(tx, scope, customer, now);
      if (planned.blockers.length > 0) throw blocked(planned.blockers);
      const people = await peopleOf(tx, scope, { customerId: id });
      const emails = [...repo.emailsOf(customer), ...people.emails];
      await hold(deps, tx, scope, { customer, now });
      await deps.users.endCustomerAccess(tx, scope, id);
      await erasePeople(tx, scope, people, now);
      await eraseTokens(tx, scope, { userIds: people.userIds, customerId: id }, now);
      await eraseViews(tx, scope, people.userIds);
      await eraseFromImports(tx, scope, { customerId: id, signs: signsOf(customer, people.emails) }, now);
      await eraseImporters(tx, scope, people.userIds);
      await eraseZones(tx, scope, id);
      await eraseZoneAuthors(tx, scope, people.userIds);
      await eraseFromDomains(tx, scope, id);
      await eraseFromOrders(tx, scope, id);
      await eraseFromRenewals(tx, scope, id);
      await eraseFromCertificates(tx, scope, id);
      await eraseFromAcme(tx, scope, id, now);
      await eraseFromDirectBilling(tx, scope, id);
      await eraseHealth(tx, scope, id);
      await eraseFromChanges(tx, scope, id);
      await eraseChangeAuthors(tx, scope, people.userIds);
      await eraseMoves(tx, scope, id);
      await eraseFromAttention(tx, scope, id);
      await eraseAttentionPeople(tx, scope, people.userIds);
      await eraseCustomerRow(tx, scope, id, now);
      await forgetReplies(tx, scope, id);
      await forgetKeptReplies(tx, scope);
      await forgetLetters(tx, [...repo.wordsAbout(customer), ...emails]);
      await logAbout(tx, scope, now, 'privacy.eraseCustomer', { kind: 'customer', id });
      await destroyKeys(tx, scope.organisationId, [id, ...people.userIds, ...people.inviteIds]);
      return planned;
    });
  }

  /** The rules of removing a user hold here too; one who was removed before is only forgotten. */
  async function eraseUser(scope: Scope, id: string): Promise<void> {
    requirePermission(scope, 'privacy.manage');
    requirePermission(scope, 'users.manage');
    const now = clock.now();
    await inTransaction(db, scope, async (tx) => {
      const user = await repo.findUserRow(tx, scope, id);
      if (!user) throw new AppError('not_found');
      if (user.role === 'MSP_OWNER' && scope.role !== 'MSP_OWNER') {
        throw new AppError('forbidden', { message: 'Only an owner can erase an owner.' });
      }
      // An erasure requires a fresh sign-in, no matter who the user is.
      await deps.users.removeIn(tx, scope, id, () => undefined);
      const people = await peopleOf(tx, scope, { userId: id });
      await erasePeople(tx, scope, people, now);
      await eraseTokens(tx, scope, { userIds: [id], customerId: null }, now);
      await eraseViews(tx, scope, [id]);
      await eraseZoneAuthors(tx, scope, [id]);
      await eraseImporters(tx, scope, [id]);
      await eraseChangeAuthors(tx, scope, [id]);
      await eraseAttentionPeople(tx, scope, [id]);
      await forgetKeptReplies(tx, scope);
      await forgetLetters(tx, people.emails);
      await logAbout(tx, scope, now, 'privacy.eraseUser', { kind: 'user', id });
      await destroyKeys(tx, scope.organisationId, [id, ...people.inviteIds]);
    });
  }

  return { formerCustomers, formerUsers, plan, eraseCustomer, eraseUser };
}

async function planOf(tx: Tx, scope: Scope, customer: CustomerRow, now: Date): Promise<ErasurePlan> {
  const { id } = customer;
  const [blockers, ended, orders, people] = await Promise.all([
    repo.findBlockers(tx, scope, id, now),
    repo.endedSince(tx, scope, id, monthsAfter(now, -heldMonths)),
    repo.countKept(tx, scope, id),
    peopleOf(tx, scope, { customerId: id }),
  ]);
  return {
    blockers: blockers.map((one) => ({ ...one, text: blockerTexts[one.kind](one.subject) })),
    held: ended.map((one) => ({
      address: one.address,
      endedAt: one.ended_at.toISOString(),
      deleteAfter: monthsAfter(one.ended_at, heldMonths).toISOString(),
    })),
    orders,
    people: people.userIds.length + people.inviteIds.length,
    paymentCustomer: customer.payment_customer_id,
  };
}

/** What registries need of registrations that ended lately: sealed, each with its last day. */
async function hold(
  deps: Pick<ErasureDeps, 'newId' | 'seal'>,
  tx: Tx,
  scope: Scope,
  { customer, now }: { customer: CustomerRow; now: Date },
): Promise<void> {
  const { organisationId } = scope;
  const contacts = { owner: customer.owner, admin: customer.admin, billing: customer.billing_contact };
  for (const one of await repo.endedSince(tx, scope, customer.id, monthsAfter(now, -heldMonths))) {
    const id = deps.newId(now.getTime());
    const { address, registered_at: registeredAt, ended_at, ordered } = one;
    const data = JSON.stringify({ address, registeredAt, endedAt: ended_at, contacts, ordered });
    await repo.insertHold(tx, {
      ...{ id, organisation_id: organisationId, customer_id: customer.id, address, ended_at },
      data_sealed: deps.seal.seal(data, repo.holdContext(organisationId, id)),
      delete_after: monthsAfter(ended_at, heldMonths),
    });
  }
}

/** Without values: they would outlive what they speak of. */
export function logAbout(
  tx: Tx,
  scope: Scope,
  at: Date,
  action: AuditAction,
  { kind, id }: Pick<Subject, 'kind' | 'id'>,
): Promise<void> {
  const customerId = kind === 'customer' ? id : null;
  return audit(tx, scope, { at, action, objectKind: kind, object: id, customerId });
}

const blockerTexts: Record<ErasureBlocker['kind'], (subject: string) => string> = {
  domain: (name) => `${name} is still registered for this customer.`,
  order: (name) => `An order for ${name} is still being processed.`,
  transfer: (name) => `The transfer of ${name} has not ended.`,
  certificate: (name) => `A certificate for ${name} is valid or being issued.`,
  charge: (order) => `A direct charge for order ${order} is not settled.`,
  refund: (name) => `A refund for ${name} is under way.`,
  import: (file) => `The file ${file} is being imported.`,
};

function blocked(blockers: readonly ErasureBlocker[]): AppError {
  const [first] = blockers;
  const more = blockers.length - 1;
  const rest = more > 0 ? ` ${more} more ${more === 1 ? 'item prevents' : 'items prevent'} it.` : '';
  return new AppError('unprocessable', {
    message: `This customer cannot be erased yet. ${first?.text ?? ''}${rest}`,
    details: blockers.map(({ kind, text }) => ({ path: kind, message: text })),
  });
}
