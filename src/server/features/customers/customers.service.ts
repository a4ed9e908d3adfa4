import { AppError } from '#contracts/errors.ts';
import type {
  CreateCustomerBody,
  Customer,
  CustomerChoice,
  UpdateCustomerBody,
} from '#contracts/operations/customers.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import type { Contacts } from '#contracts/values/contact.ts';
import { type Markups, noMarkups } from '#contracts/values/money.ts';
import { audit, changedParts } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { once } from '#kernel/idempotency.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { requireWithin } from '#kernel/room.ts';
import { isLimited, requirePermission, type Scope } from '#kernel/scope.ts';
import type { UsersApi } from '../users/index.ts';
import { type CustomerListQuery, listChoices, listCustomers } from './customer-list.repo.ts';
import {
  type CustomerState,
  countCustomers,
  customerExists,
  deleteWithoutDomains,
  findCustomer,
  insertCustomer,
  lockContacts,
  lockCustomer,
  updateCustomer,
} from './customers.repo.ts';
import { requireRight, visibleTo } from './rights.ts';

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

const startingState: Omit<CustomerState, 'contacts'> = {
  billing: { billDirectly: false, email: '', allowChangeBilling: false },
  markups: noMarkups,
  allowDomainSettings: false,
};

/** An MSP's end customers: everything P1 and P2 let people do with them, but for the import. */
export function createCustomers(deps: CustomersDeps) {
  const { db, clock } = deps;

  async function list(scope: Scope, query: CustomerListQuery): Promise<{ rows: Customer[]; total: number }> {
    const { rows, total } = await inReading(db, scope, (tx) => listCustomers(tx, scope, query));
    return { rows: rows.map((row) => visibleTo(scope, row)), total };
  }

  /** All of them, by organization, as far as choosing one takes. */
  async function choices(scope: Scope): Promise<CustomerChoice[]> {
    const found = await inReading(db, scope, (tx) => listChoices(tx, scope));
    // The MSP's markups are not for a customer's own users (rights.ts).
    return isLimited(scope) ? found.map((choice) => ({ ...choice, markups: null })) : found;
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
    const state: CustomerState = {
      contacts: body.contacts,
      billing: body.billing,
      // P1 §5: the form sends them only with direct billing; the default is 0 percent.
      markups: body.markups ?? noMarkups,
      allowDomainSettings: false,
    };
    requireRight(scope, { ...startingState, contacts: body.contacts }, state);
    const request = { operation: 'customers.create', key: idempotencyKey, request: body };
    const created = await inTransaction(db, scope, (tx) =>
      once(tx, scope, request, async () => {
        const now = clock.now();
        const id = deps.newId(now.getTime());
        await insertCustomer(tx, scope, { id, now, ...state });
        await wantConnection(tx, scope, { id, now, state });
        const [customer] = await Promise.all([
          present(tx, scope, id),
          // With it comes the organisation's turn: nobody else adds one between the count and the commit.
          log(tx, scope, 'customers.create', id, { after: state }),
          countCustomers(tx, scope).then((count) => requireWithin('customers', count)),
        ]);
        return customer;
      }),
    );
    return connected(scope, created);
  }

  /** The customer with its id at the provider, where direct billing is on and the provider answers at once. */
  async function connected(scope: Scope, customer: Customer): Promise<Customer> {
    const { billDirectly, email, stripeId } = customer.billing;
    if (!deps.connect || !billDirectly || email === '' || stripeId !== null) return customer;
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
      const to = changed(from, body, visibleTo(scope, before));
      requireRight(scope, from, to);
      const parts = changedParts(from, to);
      if (!parts) return visibleTo(scope, before);
      const written = await updateCustomer(tx, scope, {
        id,
        version: before.version,
        now: clock.now(),
        ...to,
      });
      if (!written) throw new AppError('conflict');
      await wantConnection(tx, scope, { id, now: clock.now(), state: to });
      const [customer] = await Promise.all([
        present(tx, scope, id),
        log(tx, scope, 'customers.update', id, parts),
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
      if (!(await deleteWithoutDomains(tx, scope, id, clock.now()))) {
        throw new AppError('has_active_domains');
      }
      await deps.users.endCustomerAccess(tx, scope, id);
      await log(tx, scope, 'customers.delete', id, { before: stateOf(before) });
    });
  }

  async function present(tx: Tx, scope: Scope, id: string): Promise<Customer> {
    const found = await findCustomer(tx, scope, id);
    if (!found) throw new Error(`customer ${id} is gone within its own transaction`);
    return visibleTo(scope, found);
  }

  function log(
    tx: Tx,
    scope: Scope,
    action: AuditAction,
    id: string,
    change: { before?: unknown; after?: unknown },
  ): Promise<void> {
    const object = { objectKind: 'customer', object: id, customerId: id };
    return audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  return {
    list,
    choices,
    get,
    create,
    update,
    remove,
    /** Whether a customer, deleted or not, is in reach of the scope: its domains and certificates may be read. */
    requireVisible: (tx: Tx, scope: Scope, id: string): Promise<boolean> => customerExists(tx, scope, id),
    /**
     * Contacts of a living customer in reach, for an order that is written in this transaction; null when there is
     * none. Until the transaction ends, the customer cannot be deleted.
     */
    contactsForOrder: async (tx: Tx, scope: Scope, id: string): Promise<OrderContacts | null> =>
      (await lockContacts(tx, scope, id)) ?? null,
  };
}

/** Direct billing needs the customer at the payment provider: enqueued with the change that calls for it. */
async function wantConnection(
  tx: Tx,
  { organisationId }: Scope,
  { id, now, state }: { id: string; now: Date; state: CustomerState },
): Promise<void> {
  if (!state.billing.billDirectly || state.billing.email === '') return;
  const runAt = new Date(now.getTime() + connectJobDelayMs);
  const payload = { organisationId, customerId: id };
  await enqueueJob(tx, 'direct-billing.connect', payload, { key: `connect:${id}`, runAt });
}

function stateOf(customer: Customer): CustomerState {
  const { billDirectly, email, allowChangeBilling } = customer.billing;
  return {
    contacts: customer.contacts,
    billing: { billDirectly, email, allowChangeBilling },
    markups: customer.markups,
    allowDomainSettings: customer.allowDomainSettings,
  };
}

/** The state after a change. What equals what the person was shown counts as left alone, masked parts included. */
function changed(from: CustomerState, body: UpdateCustomerBody, shown: Customer): CustomerState {
  const seen = stateOf(shown);
  const billing = body.billing && changedParts(seen.billing, { ...seen.billing, ...defined(body.billing) });
  const markups = body.markups && changedParts(seen.markups, merged(seen.markups, body.markups));
  return {
    contacts: body.contacts ?? from.contacts,
    billing: billing ? { ...from.billing, ...defined(body.billing) } : from.billing,
    markups: markups ? merged(from.markups, body.markups) : from.markups,
    allowDomainSettings: body.allowDomainSettings ?? from.allowDomainSettings,
  };
}

/** P1 §5: on edit, missing markups are normalised to value 0 and type percentage. */
function merged(stored: Partial<Markups>, sent: UpdateCustomerBody['markups']): Markups {
  return {
    domain: { ...noMarkups.domain, ...stored.domain, ...defined(sent?.domain) },
    certificate: { ...noMarkups.certificate, ...stored.certificate, ...defined(sent?.certificate) },
  };
}

function defined<T extends object>(value: T | undefined): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
