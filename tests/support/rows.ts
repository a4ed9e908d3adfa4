import type { Insertable } from 'kysely';
import { noMarkups } from '../../src/contracts/values/money.ts';
import { inTransaction, systemTransaction, type Tx } from '../../src/server/kernel/db/database.ts';
import type {
  CertificatesTable,
  CustomersTable,
  DomainsTable,
  OrderItemsTable,
  TopupsTable,
  UsersTable,
} from '../../src/server/kernel/db/schema.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { openWallet } from '../../src/server/ledger/ledger.ts';
import type { TestDatabase } from './database.ts';
import { contactsOf } from './people.ts';

/** Rows for tests of one statement: what it must find, and beside it what it must leave alone. */

export async function organisationRow(database: TestDatabase): Promise<string> {
  const id = newId();
  await inTransaction(database.db, { organisationId: id }, async (tx) => {
    await tx.insertInto('organisations').values({ id, name: 'Test' }).execute();
    await openWallet(tx, id);
  });
  return id;
}

/** Runs as the portal does for this organisation. */
export function within<T>(database: TestDatabase, organisationId: string, run: (tx: Tx) => Promise<T>) {
  return inTransaction(database.db, { organisationId }, run);
}

/** Runs as the portal does across organisations. */
export function across<T>(database: TestDatabase, run: (tx: Tx) => Promise<T>) {
  return systemTransaction(database.systemDb, run);
}

export async function userRow(
  database: TestDatabase,
  organisationId: string,
  change: Partial<Insertable<UsersTable>> = {},
): Promise<string> {
  const id = newId();
  const identity = { identity_issuer: 'https://identity.test/', identity_subject: id };
  const user = { id, organisation_id: organisationId, ...identity, email: `${id}@example.com` };
  await across(database, (tx) =>
    tx
      .insertInto('users')
      .values({ ...user, role: 'MSP_EMPLOYEE', ...change })
      .execute(),
  );
  return id;
}

export async function customerRow(
  database: TestDatabase,
  organisationId: string,
  change: Partial<Insertable<CustomersTable>> = {},
): Promise<string> {
  const id = newId();
  const { owner, admin, billing } = contactsOf();
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('customers')
      .values({
        ...{ id, organisation_id: organisationId },
        ...{ owner: JSON.stringify(owner), admin: JSON.stringify(admin) },
        ...{ billing_contact: JSON.stringify(billing), markups: JSON.stringify(noMarkups) },
        ...change,
      })
      .execute(),
  );
  return id;
}

export async function orderRow(
  database: TestDatabase,
  organisationId: string,
  change: { user_id?: string; created_at?: Date; attached?: string[] } = {},
): Promise<string> {
  const id = newId();
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('orders')
      .values({
        ...{ id, organisation_id: organisationId, source: 'cart', state: 'held', total_cents: 1_000 },
        ...{ user_id: null, ended_at: null, ...change },
      })
      .execute(),
  );
  return id;
}

const counter = (function* () {
  for (let n = 1; ; n += 1) yield n;
})();
const next = () => counter.next().value ?? 0;
export const newName = () => `name-${next()}.com`;

export async function itemRow(
  database: TestDatabase,
  order: { organisationId: string; orderId: string },
  change: Partial<Insertable<OrderItemsTable>> = {},
): Promise<string> {
  const id = newId();
  await within(database, order.organisationId, (tx) =>
    tx
      .insertInto('order_items')
      .values({
        ...{ id, organisation_id: order.organisationId, order_id: order.orderId, position: next() },
        ...{ kind: 'domain', address: newName(), customer_id: null, years: 1 },
        ...{ price_cents: 1_000, cost_cents: 800, details: '{}', secrets_sealed: null, state: 'queued' },
        ...{ intent_hash: null, sent_at: null, unknown_since: null, next_check_at: null },
        ...{ registrar_order_id: null, expiry_year: null, public_error: null, outcome_note: null },
        ...change,
      })
      .execute(),
  );
  return id;
}

export async function domainRow(
  database: TestDatabase,
  organisationId: string,
  change: Partial<Insertable<DomainsTable>> = {},
): Promise<{ id: string; address: string }> {
  const [id, address] = [newId(), change.address ?? newName()];
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('domains')
      .values({ id, organisation_id: organisationId, address, status: 'active', ...change })
      .execute(),
  );
  return { id, address };
}

export async function topupRow(
  database: TestDatabase,
  organisationId: string,
  change: Partial<Insertable<TopupsTable>> = {},
): Promise<string> {
  const id = newId();
  const topup = { id, organisation_id: organisationId, user_id: null, kind: 'manual', cents: 20_00 } as const;
  const open = { state: 'requested', payment_intent: null, method: null, failure: null } as const;
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('topups')
      .values({ ...topup, ...open, ...change })
      .execute(),
  );
  return id;
}

export async function certificateRow(
  database: TestDatabase,
  organisationId: string,
  change: Partial<Insertable<CertificatesTable>> = {},
): Promise<string> {
  const id = newId();
  await within(database, organisationId, (tx) =>
    tx
      .insertInto('certificates')
      .values({
        ...{ id, organisation_id: organisationId, customer_id: null, address: newName() },
        ...{ provider: 'authority', product_type: 'product', state: 'completed', csr: 'csr' },
        ...change,
      })
      .execute(),
  );
  return id;
}
