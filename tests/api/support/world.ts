import { randomBytes } from 'node:crypto';
import type { Role } from '../../../src/contracts/permissions.ts';
import { newId } from '../../../src/server/kernel/ids.ts';
import { contact } from '../../support/account.ts';
import type { Portal } from './portal.ts';

/** A text that stands in everything an organisation or a customer has, and nowhere else. */
export const markerOf = (name: string) => `zq${name}marker`;

export interface Customer {
  id: string;
  marker: string;
  domain: string;
}

export interface Organisation {
  id: string;
  marker: string;
  /** The first one is the MSP_CUSTOMER's own. */
  customers: [Customer, Customer];
  tokens: Record<Role, string>;
  userIds: Record<Role, string>;
}

/** An organisation with a person of each role, two customers, and a row in every table that holds tenants' rows. */
export async function seedOrganisation(portal: Portal, name: string): Promise<Organisation> {
  const marker = markerOf(name);
  const id = newId();
  await insert(portal, 'organisations', { id, name: marker });
  await insert(portal, 'wallets', { organisation_id: id, posted_cents: 10_000_000 });
  const customers = [
    await seedCustomer(portal, id, `${name}one`),
    await seedCustomer(portal, id, `${name}two`),
  ];
  const [first, second] = customers;
  if (!first || !second) throw new Error('no customers');
  const people = { tokens: {} as Record<Role, string>, userIds: {} as Record<Role, string> };
  for (const role of ['MSP_OWNER', 'MSP_ADMIN', 'MSP_EMPLOYEE', 'MSP_CUSTOMER'] as const) {
    const customerId = role === 'MSP_CUSTOMER' ? first.id : null;
    const email = `${role.toLowerCase()}@${marker}.example`;
    const { token, userId } = await person(portal, email, { organisationId: id, role, customerId });
    people.tokens[role] = token;
    people.userIds[role] = userId;
  }
  for (const [index, customer] of [first, second].entries()) {
    await seedRows(portal, { id, marker: index === 0 ? marker : customer.marker, customer });
  }
  return { id, marker, customers: [first, second], ...people };
}

/** Someone who can sign in, with a profile of this kind, or with none. */
export async function person(
  portal: Portal,
  email: string,
  profile: { organisationId: string | null; role: Role; customerId: string | null } | null,
): Promise<{ token: string; userId: string }> {
  const account = await portal.stack.control<{ id: string }>('identity', 'users/add', {
    email,
    name: 'Somebody',
  });
  const userId = newId();
  if (profile) {
    await insert(portal, 'users', {
      id: userId,
      organisation_id: profile.organisationId,
      identity_issuer: portal.issuer,
      identity_subject: account.id,
      email,
      email_verified: true,
      username: 'somebody',
      role: profile.role,
      customer_id: profile.customerId,
    });
  }
  return { userId, token: await mint(portal, { email, exp: Math.floor(Date.now() / 1_000) + 3_600 }) };
}

export async function mint(portal: Portal, wanted: Record<string, unknown>): Promise<string> {
  return (await portal.stack.control<{ token: string }>('identity', 'tokens/mint', wanted)).token;
}

async function seedCustomer(portal: Portal, organisationId: string, name: string): Promise<Customer> {
  const marker = markerOf(name);
  const id = newId();
  const held = JSON.stringify({ ...contact, organization: marker, email: `ann@${marker}.example` });
  await insert(portal, 'customers', {
    ...{ id, organisation_id: organisationId, owner: held, admin: held, billing_contact: held },
    billing_email: `billing@${marker}.example`,
    markups: JSON.stringify({ cents: 0, percent: 0, domains: {}, certificates: {} }),
    payment_customer_id: `cus_${marker}`,
  });
  return { id, marker, domain: `${marker}.com` };
}

const inAYear = new Date(Date.now() + 365 * 86_400_000);

/** One row in each tenants' table, made from the table's own description; values that rules ask for are given. */
async function seedRows(
  portal: Portal,
  owner: { id: string; marker: string; customer: Customer },
): Promise<void> {
  const { customer } = owner;
  const ids = { domains: newId(), orders: newId(), order_items: newId(), topups: newId(), journal: newId() };
  const common = {
    ...{ organisation_id: owner.id, customer_id: customer.id, address: customer.domain },
    ...{ domain_id: ids.domains, order_id: ids.orders, order_item_id: ids.order_items, topup_id: null },
  };
  const known: Record<string, Record<string, unknown>> = {
    domains: { id: ids.domains, status: 'active', registered_at: new Date(), expires_at: inAYear },
    certificates: { state: 'Active', product_type: 'rapidssl', csr: 'none', registrar_order_id: '700001' },
    orders: { id: ids.orders, source: 'cart', state: 'settled', total_cents: 1_200 },
    order_items: {
      ...{ id: ids.order_items, kind: 'domain', years: 1, state: 'succeeded', details: '{}' },
      ...{ price_cents: 1_200, cost_cents: 1_000, position: 0 },
    },
    holds: { item_id: ids.order_items, state: 'captured', cents: 1_200 },
    topups: { id: ids.topups, kind: 'manual', state: 'succeeded', cents: 5_000 },
    journal: { id: ids.journal, kind: 'adjustment', ref: `seed:${customer.id}`, topup_id: null },
    invites: { role: 'MSP_EMPLOYEE', email: `invited@${customer.marker}.example`, expires_at: inAYear },
    idempotency_keys: { key: `key-${customer.marker}` },
    zone_versions: { state: 'applied', records: '{}', domain_id: ids.domains },
  };
  const skipped = new Set(['organisations', 'users', 'customers', 'wallets', 'postings', 'audit_log']);
  for (const table of await tenantTables(portal)) {
    if (skipped.has(table)) continue;
    await tryInsert(portal, table, owner.marker, { ...common, ...known[table] }, table in known);
  }
}

/** Tables whose rows belong to an organisation. */
export async function tenantTables(portal: Portal): Promise<string[]> {
  const { rows } = await portal.owner.query<{ table_name: string }>(
    `SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'organisation_id' AND t.table_type = 'BASE TABLE'
     ORDER BY array_position(ARRAY['domains', 'orders', 'order_items', 'journal'], c.table_name::text), c.table_name`,
  );
  return rows.map((row) => row.table_name);
}

async function tryInsert(
  portal: Portal,
  table: string,
  marker: string,
  given: Record<string, unknown>,
  required: boolean,
): Promise<void> {
  const { rows: columns } = await portal.owner.query<{
    column_name: string;
    data_type: string;
    filled: boolean;
  }>(
    `SELECT column_name, data_type, (is_nullable = 'NO' AND column_default IS NULL) AS filled
     FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' AND is_identity = 'NO'`,
    [table],
  );
  const row: Record<string, unknown> = {};
  for (const { column_name: name, data_type: type, filled } of columns) {
    if (name in given) row[name] = given[name];
    else if (filled) row[name] = anyOf(type, marker);
  }
  try {
    await insert(portal, table, row);
  } catch (error) {
    // One row an organisation, or rules of a table that nobody told of here: rows of others stand for it.
    if (required && !(error instanceof Error && 'code' in error && error.code === '23505')) throw error;
  }
}

function anyOf(type: string, marker: string): unknown {
  if (type === 'uuid') return newId();
  if (type === 'bytea') return randomBytes(32);
  if (type === 'boolean') return false;
  if (type === 'jsonb') return JSON.stringify({ note: marker });
  if (type.startsWith('timestamp')) return new Date();
  return /int|numeric/.test(type) ? 1 : `${marker}-${randomBytes(4).toString('hex')}`;
}

export async function insert(portal: Portal, table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  const places = names.map((_name, index) => `$${index + 1}`);
  await portal.owner.query(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
    Object.values(row),
  );
}

/** All that an organisation has, table by table, as one text: what changed shows in it. */
export async function stateOf(portal: Portal, organisationId: string): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  for (const table of await tenantTables(portal)) {
    const { rows } = await portal.owner.query<{ hash: string }>(
      `SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS hash FROM ${table} t
       WHERE organisation_id = $1`,
      [organisationId],
    );
    state[table] = rows[0]?.hash ?? '';
  }
  const { rows } = await portal.owner.query(
    'SELECT md5(t::text) AS hash FROM organisations t WHERE id = $1',
    [organisationId],
  );
  return { ...state, organisations: rows[0]?.hash };
}

/** Every id and name by which one might ask for something: of an organisation, or of one of its customers. */
export async function idsOf(portal: Portal, organisationId: string, customerId?: string): Promise<string[]> {
  const found = new Set<string>();
  for (const table of [...(await tenantTables(portal))]) {
    if (table === 'audit_log') continue;
    const { rows } = await portal.owner.query<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(t) AS row FROM ${table} t WHERE organisation_id = $1 LIMIT 50`,
      [organisationId],
    );
    for (const { row } of rows) {
      const isIts = table === 'customers' ? row.id === customerId : row.customer_id === customerId;
      if (customerId && !isIts) continue;
      for (const key of ['id', 'address', 'payment_customer_id']) {
        if (typeof row[key] === 'string') found.add(row[key]);
      }
    }
  }
  return [...found];
}
