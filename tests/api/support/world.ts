import { randomBytes } from 'node:crypto';
import type { Role } from '../../../src/contracts/permissions.ts';
import { noMarkups } from '../../../src/contracts/values/money.ts';
import { newId } from '../../../src/server/kernel/ids.ts';
import type { JobPayload } from '../../../src/server/kernel/job-table.ts';
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
  await insertOrganisation(portal, id, marker);
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
    const userId = people.userIds.MSP_OWNER;
    await seedRows(portal, { id, userId, marker: index === 0 ? marker : customer.marker, customer });
  }
  return { id, marker, customers: [first, second], ...people };
}

/** An organisation that has made its first payment, and has money. */
export async function insertOrganisation(portal: Portal, id: string, name: string): Promise<void> {
  await insert(portal, 'organisations', { id, name });
  await insert(portal, 'wallets', { organisation_id: id, posted_cents: 10_000_000 });
  await insert(portal, 'billing_profiles', { organisation_id: id, initial_fee_paid: true });
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
    markups: JSON.stringify(noMarkups),
    payment_customer_id: `cus_${marker}`,
  });
  return { id, marker, domain: `${name}-shop-zq.com` };
}

const inAYear = new Date(Date.now() + 365 * 86_400_000);

/**
 * One row in each tenants' table, made from the database's own description of it: a new table is in it. What rules
 * ask for beyond that is given.
 */
async function seedRows(
  portal: Portal,
  owner: { id: string; userId: string; marker: string; customer: Customer },
): Promise<void> {
  const { customer } = owner;
  const none = { A: [], AAAA: [], CNAME: [], MX: [], SRV: [] };
  const zone = { ...none, TXT: [{ subdomain: '', text: owner.marker }] };
  const copied = { ...none, TXT: [{ subdomain: '', text: `cus_${customer.marker}` }] };
  const common = {
    organisation_id: owner.id,
    customer_id: customer.id,
    address: customer.domain,
    topup_id: null,
  };
  const known: Record<string, Record<string, unknown>> = {
    domains: { status: 'active', registered_at: new Date(), expires_at: inAYear },
    certificates: {
      ...{ state: 'completed', product_type: 'rapidssl', csr: 'none' },
      registrar_order_id: registrarOrderOf(customer.id),
    },
    orders: { state: 'settled' },
    order_items: { state: 'succeeded', details: '{}' },
    journal: { kind: 'adjustment', ref: `seed:${customer.id}` },
    invites: { role: 'MSP_EMPLOYEE', email: `invited@${customer.marker}.example`, expires_at: inAYear },
    zone_versions: { state: 'applied', records: JSON.stringify(zone) },
    // What it would be found by; read a year ago, so that a question about the zone is asked at the registrar.
    zone_copies: {
      ...{ body: JSON.stringify({ data: { records: copied } }), nameservers: [] },
      checked_at: new Date(Date.now() - 365 * 86_400_000),
    },
    dns_templates: { records: JSON.stringify(zone) },
    dns_template_versions: { version: 1, records: JSON.stringify(zone), variables: '[]' },
    dns_template_uses: {
      ...{ version: 1, filled: JSON.stringify({ host: customer.marker }), owned: '[]', state: 'held' },
      next_at: inAYear,
    },
    api_tokens: { reach: 'customer' },
    // The MSP lets these customers' users make accesses, and they have made one.
    acme_accesses: { product_type: 'rapidssl', by_customer: true },
    acme_allowances: { product_type: 'rapidssl', most_accesses: 50 },
    // The start names it, and the sentence.
    acme_access_log: { outcome: 'refused', last_at: new Date() },
    // Customers' users have none.
    health_findings: { kind: 'spf-open', detail: owner.marker, watched_id: null },
    health_checks: { next_at: inAYear, watched_id: null },
    watched_names: { address: `watched-${customer.domain}`, registrar: owner.marker },
    attention_items: {
      ...{ cause: 'acme', object: `access of ${customer.id}`, rank: 1 },
      facts: JSON.stringify({
        accessId: customer.id,
        name: owner.marker,
        text: owner.marker,
        at: new Date(),
      }),
    },
    changes: {
      ...{ state: 'ready', title: owner.marker, user_id: owner.userId, undoes: null },
      request: JSON.stringify({ kind: 'set-spf', text: owner.marker, where: 'missing' }),
    },
    change_items: { state: 'ready', before: '[]', after: '[]', warnings: '[]', address: customer.domain },
    saved_views: { screen: 'domains', shared: true, user_id: owner.userId },
    billing_addresses: { address: [owner.marker] },
    // The payment that opened the account.
    topups: { state: 'succeeded', cents: 100_00 },
  };
  const waiting = new Set(await tenantTables(portal));
  for (const table of ['users', 'customers', 'wallets', 'postings']) waiting.delete(table);
  // What refers to another table's row comes after it.
  for (let pass = 0; pass < 4; pass += 1) {
    for (const table of waiting) {
      if (await tryInsert(portal, table, owner.marker, { ...common, ...known[table] })) waiting.delete(table);
    }
  }
  const journal = await portal.owner.query('SELECT id FROM journal WHERE organisation_id = $1 LIMIT 1', [
    owner.id,
  ]);
  await portal.owner.query(
    `INSERT INTO postings (journal_id, organisation_id, account, cents)
     VALUES ($1, $2, 'wallet', 5), ($1, $2, 'adjustments', -5)`,
    [journal.rows[0]?.id, owner.id],
  );
}

/** The registrar numbers its orders: each customer's certificate has a number of its own. */
const registrarOrderOf = (customerId: string) =>
  `7${Number.parseInt(customerId.slice(-9), 16).toString().padStart(11, '0')}`;

/** Tables whose rows belong to an organisation. */
export async function tenantTables(portal: Portal): Promise<string[]> {
  const { rows } = await portal.owner.query<{ table_name: string }>(
    `SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'organisation_id' AND t.table_type = 'BASE TABLE'
     ORDER BY array_position(ARRAY['domains', 'orders', 'order_items', 'journal'], c.table_name::text), c.table_name`,
  );
  return rows.map((row) => row.table_name);
}

/** Whether the row is there now; false when what it refers to is still missing. */
async function tryInsert(
  portal: Portal,
  table: string,
  marker: string,
  given: Record<string, unknown>,
): Promise<boolean> {
  const row = await rowOf(portal, table, marker, given);
  try {
    await insert(portal, table, row);
    return true;
  } catch (error) {
    // One row an organisation is enough.
    return error instanceof Error && 'code' in error && error.code === '23505';
  }
}

/** What is given, and something for each other column that must hold something: texts hold the marker. */
export async function rowOf(
  portal: Portal,
  table: string,
  marker: string,
  given: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const row: Record<string, unknown> = {};
  for (const { name, type, needed, choice, refers } of await columnsOf(portal, table)) {
    if (name in given) row[name] = given[name];
    // Operators belong to no organisation.
    else if (refers === 'operators') row[name] = null;
    else if (refers && refers !== 'organisations') {
      const found = await portal.owner.query(
        `SELECT id FROM ${refers} WHERE organisation_id = $1 ORDER BY id DESC LIMIT 1`,
        [given.organisation_id],
      );
      row[name] = found.rows[0]?.id ?? null;
    } else if (needed) row[name] = choice ?? anyOf(type, marker);
  }
  return row;
}

interface Column {
  name: string;
  type: string;
  /** Without a default, and never null. */
  needed: boolean;
  /** The first of the values that a rule names. */
  choice: string | null;
  refers: string | null;
}

async function columnsOf(portal: Portal, table: string): Promise<Column[]> {
  const { rows } = await portal.owner.query<Column>(
    `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type, (a.attnotnull AND NOT a.atthasdef) AS needed,
       (SELECT f.confrelid::regclass::text FROM pg_constraint f
        WHERE f.conrelid = a.attrelid AND f.contype = 'f' AND f.conkey = ARRAY[a.attnum] LIMIT 1) AS refers,
       (SELECT substring(pg_get_constraintdef(k.oid) from 'ARRAY\\[''([^'']+)''') FROM pg_constraint k
        WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum] LIMIT 1) AS choice
     FROM pg_attribute a
     WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attgenerated = '' AND a.attidentity = ''`,
    [table],
  );
  return rows;
}

/** Names of the columns that an INSERT may fill, with commas between them. */
export async function writableColumns(portal: Portal, table: string): Promise<string> {
  return (await columnsOf(portal, table)).map(({ name }) => `"${name}"`).join(', ');
}

function anyOf(type: string, marker: string): unknown {
  if (type.endsWith('[]')) return [marker];
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

/** All jobs that wait, and all mail that was sent or waits in one of them, as one text. */
export async function mailsOf(portal: Portal): Promise<string> {
  const { rows } = await portal.owner.query<{ task: string; payload: JobPayload<'users.mail-invite'> }>(
    `SELECT t.identifier AS task, j.payload FROM graphile_worker._private_jobs j
     JOIN graphile_worker._private_tasks t ON t.id = j.task_id`,
  );
  const invitations = rows.filter(({ task }) => task === 'users.mail-invite');
  for (const { payload } of invitations) await portal.features.users.tasks['users.mail-invite'](payload);
  const sent = await portal.stack.control('mail', 'messages');
  return JSON.stringify([rows, sent]);
}

/**
 * Every id and name by which one might ask for something: of an organisation, or of one of its customers. `perTable`: of so many
 * rows of each table at most.
 */
export async function idsOf(
  portal: Portal,
  organisationId: string,
  { customerId, perTable = 50 }: { customerId?: string; perTable?: number } = {},
): Promise<string[]> {
  const found = new Set<string>();
  for (const table of [...(await tenantTables(portal))]) {
    if (table === 'audit_log') continue;
    const { rows } = await portal.owner.query<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(t) AS row FROM ${table} t WHERE organisation_id = $1 LIMIT $2`,
      [organisationId, perTable],
    );
    for (const { row } of rows) {
      const isIts = table === 'customers' ? row.id === customerId : row.customer_id === customerId;
      if (customerId && !isIts) continue;
      for (const key of [
        'id',
        'address',
        'payment_customer_id',
        ...(table === 'certificates' ? ['registrar_order_id'] : []),
      ]) {
        if (typeof row[key] === 'string') found.add(row[key]);
      }
    }
  }
  return [...found];
}
