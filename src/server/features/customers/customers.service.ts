import { AppError } from '#contracts/errors.ts';
import type {
  CreateCustomerBody,
  Customer,
  CustomerChoice,
  UpdateCustomerBody,
} from '#contracts/operations/customers.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import type { Contacts } from '#contracts/values/contact.ts';
import { audit } from '#kernel/audit.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { requireOpen } from '#kernel/db/open-organisation.ts';
import { inTransactionOnce } from '#kernel/idempotency.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { requireWithin } from '#kernel/room.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import type { UsersApi } from '../users/index.ts';
import {
  type CustomerListQuery,
  type ListedCustomer,
  listChoices,
  listCustomers,
} from './customer-list.repo.ts';
import {
  type CustomerState,
  countCustomers,
  customerExists,
  deleteWithoutDomains,
  findCustomer,
  hasDomains,
  insertedCustomer,
  lockContacts,
  lockCustomer,
  updateCustomer,
} from './customers.repo.ts';
import { saidOf, stateAfter, stateOf, stateOfNew, wantsDirectBilling } from './customers.rules.ts';
import { requireRight, visibleChoice, visibleTo } from './rights.rules.ts';

export interface CustomersDeps {
  db: Db;
  clock: Clock;
  newId: (nowMs: number) => string;
  users: Pick<UsersApi, 'endCustomerAccess'>;
  /**
   * Makes the customer known to the payment provider (direct billing). Called after the commit that wants it; a job
   * that was enqueued with that commit does the same should this fail.
   */
  connect?: (customer: { organisationId: string; customerId: string }) => Promise<void>;
}

export type CustomersApi = ReturnType<typeof createCustomers>;
export type OrderContacts = Contacts;

/** The request itself connects the customer; the job is for when it could not. */
const connectJobDelayMs = 20_000;

/** An MSP's end customers: everything P1 and P2 let people do with them, but for the import. */
export function createCustomers(deps: CustomersDeps) {
  const { db, clock } = deps;

  /** Rows as the contract of the list has them, as JSON. */
  async function list(scope: Scope, query: CustomerListQuery): Promise<{ rows: string[]; total: number }> {
    const { rows, total } = await inReading(db, scope, (tx) => listCustomers(tx, scope, query));
    return { rows: rows.map((row) => writtenRow(scope, row)), total };
  }

  /** All of them, by organization, as far as choosing one takes. */
  async function choices(scope: Scope): Promise<CustomerChoice[]> {
    const found = await inReading(db, scope, (tx) => listChoices(tx, scope));
    return found.map((choice) => visibleChoice(scope, choice));
  }

  async function get(scope: Scope, id: string): Promise<Customer> {
    const found = await inReading(db, scope, (tx) => findCustomer(tx, scope, id));
    if (!found) throw new AppError('not_found');
    return visibleTo(scope, found);
  }

  async function create(
    scope: Scope,
    body: CreateCustomerBody,
    idempotencyKey: string | null,
  ): Promise<Customer> {
    requirePermission(scope, 'customers.create');
    const { before, state } = stateOfNew(body);
    requireRight(scope, before, state);
    const request = { operation: 'customers.create', key: idempotencyKey, request: body };
    const created = await inTransactionOnce(db, scope, request, async (tx) => {
      await requireOpen(tx, scope);
      const now = clock.now();
      const id = deps.newId(now.getTime());
      const [customer] = await Promise.all([
        insertedCustomer(tx, scope, { id, now, ...state }),
        wantConnection(tx, scope, { id, now, state }),
        requireWithin(tx, 'customers', scope.organisationId, () => countCustomers(tx, scope)),
        log(tx, scope, now, { action: 'customers.create', id, after: saidOf(state) }),
      ]);
      return visibleTo(scope, customer);
    });
    return connected(scope, created);
  }

  /** The customer with its id at the provider, where direct billing is on and the provider answers at once. */
  async function connected(scope: Scope, customer: Customer): Promise<Customer> {
    if (!deps.connect || !wantsDirectBilling(customer.billing) || customer.billing.stripeId !== null)
      return customer;
    try {
      await deps.connect({ organisationId: scope.organisationId, customerId: customer.customerId });
    } catch {
      // Saved is saved: the job makes the connection later.
      return customer;
    }
    return get(scope, customer.customerId);
  }

  /**
   * Changes what is sent and differs. With a version that has moved on nothing is changed, and the answer carries
   * the present state, so that the second of two editors can compare.
   */
  async function update(scope: Scope, id: string, body: UpdateCustomerBody): Promise<Customer> {
    const updated = await inTransaction(db, scope, async (tx) => {
      const before = await lockCustomer(tx, scope, id);
      if (!before) throw new AppError('not_found');
      if (body.version !== undefined && body.version !== before.version) {
        throw new AppError('conflict', { data: visibleTo(scope, before) });
      }
      const from = stateOf(before);
      const to = stateAfter(from, body, visibleTo(scope, before));
      requireRight(scope, from, to);
      const parts = changedParts(from, to);
      if (!parts) return visibleTo(scope, before);
      const now = clock.now();
      const written = await updateCustomer(tx, scope, { id, version: before.version, now, ...to });
      if (!written) throw new AppError('conflict');
      await wantConnection(tx, scope, { id, now, state: to });
      const [customer] = await Promise.all([
        present(tx, scope, id),
        log(tx, scope, now, { action: 'customers.update', id, ...parts }),
      ]);
      return customer;
    });
    return connected(scope, updated);
  }

  async function remove(scope: Scope, id: string): Promise<void> {
    requirePermission(scope, 'customers.delete');
    await inTransaction(db, scope, async (tx) => {
      // An order that is being written holds a share lock; once it is through, the deletion below sees it.
      const before = await lockCustomer(tx, scope, id);
      if (!before) throw new AppError('not_found');
      const now = clock.now();
      if (!(await deleteWithoutDomains(tx, scope, id, now))) {
        // The list of customers counts domains alone, and this one may show none.
        const message = (await hasDomains(tx, scope, id)) ? {} : { message: orderedText };
        throw new AppError('has_active_domains', message);
      }
      await deps.users.endCustomerAccess(tx, scope, id);
      await log(tx, scope, now, { action: 'customers.delete', id, before: saidOf(stateOf(before)) });
    });
  }

  return {
    ...{ list, choices, get, create, update, remove },
    /** Refuses with `not_found` unless the customer, deleted or not, is in reach of the scope: its domains and certificates may be read. */
    requireVisible: async (tx: Tx, scope: Scope, id: string): Promise<void> => {
      if (!(await customerExists(tx, scope, id))) throw new AppError('not_found');
    },
    /**
     * Contacts of a living customer in reach, for an order that is written in this transaction; null when there is
     * none. Until the transaction ends, the customer cannot be deleted.
     */
    contactsForOrder: async (tx: Tx, scope: Scope, id: string): Promise<OrderContacts | null> =>
      (await lockContacts(tx, scope, id)) ?? null,
  };
}

/**
 * The contacts are most of a row, and the database keeps in them what the contract shows (`contact_shown`): they are passed on as
 * they come. Every other field has its name in `besideContacts`.
 */
function writtenRow(scope: Scope, { contacts, ...row }: ListedCustomer): string {
  return `${JSON.stringify(visibleTo(scope, row)).slice(0, -1)},"contacts":${contacts}}`;
}

async function present(tx: Tx, scope: Scope, id: string): Promise<Customer> {
  const found = await findCustomer(tx, scope, id);
  if (!found) throw new Error(`customer ${id} is gone within its own transaction`);
  return visibleTo(scope, found);
}

const orderedText = 'This customer has an order under way. It can be deleted once the order has ended.';

function log(
  tx: Tx,
  scope: Scope,
  at: Date,
  { action, id, ...change }: { action: AuditAction; id: string; before?: unknown; after?: unknown },
): Promise<void> {
  const object = { objectKind: 'customer', object: id, customerId: id };
  return audit(tx, scope, { at, action, ...object, ...change });
}

/** Direct billing needs the customer at the payment provider: enqueued with the change that calls for it. */
async function wantConnection(
  tx: Tx,
  { organisationId }: Scope,
  { id, now, state }: { id: string; now: Date; state: CustomerState },
): Promise<void> {
  if (!wantsDirectBilling(state.billing)) return;
  const runAt = new Date(now.getTime() + connectJobDelayMs);
  const payload = { organisationId, customerId: id };
  await enqueueJob(tx, 'direct-billing.connect', payload, { key: `connect:${id}`, runAt });
}
