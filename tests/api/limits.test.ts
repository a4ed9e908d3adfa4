import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LimitName, limits } from '../../src/contracts/values/limits.ts';
import { noMarkups } from '../../src/contracts/values/money.ts';
import { contact } from '../support/account.ts';
import { csvFile, namedRow } from '../support/customer-file.ts';
import { operatorToken, type Portal, startPortal } from './support/portal.ts';
import { type Organisation, seedOrganisation, writableColumns } from './support/world.ts';

/** Nothing is stored without end: each limit of the table is met exactly, and each table of the database has one. */

let portal: Portal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal[Symbol.asyncDispose]());

interface Case {
  /** What is counted, as a condition on a table. `$1`: the organisation. */
  table: string;
  where: string;
  /** What differs from row to row, as SQL; `n` is its number. */
  fresh?: Record<string, string>;
  /** What makes a row of the seeded world one that counts, as SQL. */
  prepare?: string;
  /** Rows of another table that count too. */
  beside?: { table: string; where: string };
  add(a: Organisation, n: number): Promise<{ status: number; message?: string }>;
  /** Another way to make one. */
  otherwise?(a: Organisation, n: number): Promise<{ status: number; message?: string }>;
}

async function send(token: string, method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) {
  const answer = await portal.call({
    ...{ method, url: path.startsWith('/api') || path.startsWith('/up') ? path : `/api${path}` },
    headers: {
      ...{ authorization: `Bearer ${token}` },
      'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const json = answer.body === '' ? {} : (JSON.parse(answer.body) as { message?: string; data?: unknown });
  return { status: answer.status, ...json };
}

const records = { A: [], AAAA: [], CNAME: [], MX: [], SRV: [], TXT: [{ subdomain: '', text: 'x' }] };
const hash = 'sha256(gen_random_uuid()::text::bytea)';
const open = 'organisation_id = $1 AND accepted_at IS NULL AND cancelled_at IS NULL';
const invite = (a: Organisation, n: number) =>
  send(a.tokens.MSP_OWNER, 'POST', '/user/subuser', {
    ...{ email: `person${n}@${a.marker}.example`, type: 'MSP_EMPLOYEE' },
  });

async function uploaded(a: Organisation, n: number, preview: boolean) {
  const token = a.tokens.MSP_OWNER;
  const { data } = await send(token, 'GET', '/customer/upload-csv-url');
  const { signedUrl, keyName } = data as { signedUrl: string; keyName: string };
  const { pathname, search } = new URL(signedUrl);
  await send(token, 'PUT', pathname + search, csvFile([namedRow(`File ${n}`)]));
  return send(token, 'POST', '/customer/upload-csv-finish', { key: keyName, preview });
}

/** A limit without its way to be met does not compile. */
const cases: Record<LimitName, Case> = {
  acmeAccesses: {
    table: 'acme_accesses',
    where: 'organisation_id = $1 AND revoked_at IS NULL',
    fresh: { key_id: "'nwe_' || n || gen_random_uuid()" },
    prepare: 'UPDATE acme_accesses SET revoked_at = NULL WHERE organisation_id = $1',
    add: (a, n) =>
      send(a.tokens.MSP_OWNER, 'POST', '/acme/access', {
        ...{ name: `One more ${n}`, customerId: a.customers[0].id, hosts: null },
        ...{ productType: 'rapidssl', mayBuy: null },
      }),
  },
  apiTokens: {
    table: 'api_tokens',
    where: 'organisation_id = $1 AND revoked_at IS NULL',
    fresh: { token_hash: hash },
    add: (a, n) =>
      send(a.tokens.MSP_OWNER, 'POST', '/user/tokens', {
        name: `Script ${n}`,
        permissions: ['domains.read'],
      }),
  },
  checkedFiles: {
    table: 'imports',
    where: "organisation_id = $1 AND state = 'ready'",
    fresh: { upload_key: "'key' || n" },
    add: (a, n) => uploaded(a, n, true),
  },
  columnMappings: {
    table: 'import_mappings',
    where: 'organisation_id = $1',
    fresh: { name: "'mapping ' || n" },
    add: (a, n) =>
      send(a.tokens.MSP_OWNER, 'POST', '/customer/import/mapping', {
        ...{ name: `One more ${n}`, mapping: { columns: {}, values: {} } },
      }),
  },
  customers: {
    table: 'customers',
    where: 'organisation_id = $1 AND deleted_at IS NULL',
    // To write into it fifty thousand times takes a while, and nobody searches here.
    prepare: 'DROP INDEX customers_search',
    fresh: { payment_customer_id: 'NULL' },
    add: (a) =>
      send(a.tokens.MSP_OWNER, 'POST', '/customer', {
        contacts: { owner: contact, admin: contact, billing: contact },
      }),
    otherwise: (a, n) => uploaded(a, n, false),
  },
  dnsTemplates: {
    table: 'dns_templates',
    where: 'organisation_id = $1',
    fresh: { name: "'template ' || n" },
    add: (a, n) => send(a.tokens.MSP_OWNER, 'POST', '/dns/templates', { name: `One more ${n}`, records }),
  },
  unfinishedChanges: {
    table: 'changes',
    where: "organisation_id = $1 AND state IN ('draft', 'ready', 'running', 'paused', 'partly')",
    prepare: "UPDATE changes SET state = 'ready' WHERE organisation_id = $1",
    fresh: {},
    add: (a, n) =>
      send(a.tokens.MSP_OWNER, 'POST', '/changes', {
        ...{ title: `One more ${n}`, targets: { kind: 'all' } },
        request: { kind: 'set-spf', text: 'v=spf1 -all', where: 'missing' },
      }),
  },
  openInvitations: {
    table: 'invites',
    where: open,
    fresh: { token_hash: hash, email: "'i' || n || '@full.example'" },
    add: invite,
  },
  operatorKeys: {
    table: 'operators',
    where: 'ended_at IS NULL AND $1::text IS NOT NULL',
    fresh: { key_hash: hash, name: "'Operator ' || n" },
    add: (_a, n) => send(operatorToken, 'POST', '/operator/operators', { name: `One More ${n}` }),
  },
  paymentLinks: {
    table: 'payment_setup_links',
    where: `customer_id = (SELECT id FROM customers WHERE organisation_id = $1 ORDER BY payment_customer_id LIMIT 1)
      AND expires_at > now()`,
    prepare: `WITH billed AS (UPDATE customers SET bill_directly = true, markups = '${JSON.stringify(noMarkups)}' WHERE organisation_id = $1)
      UPDATE payment_setup_links SET expires_at = now() + interval '5 days', created_at = now() - interval '2 days'
      WHERE organisation_id = $1`,
    fresh: { token_hash: hash },
    add: (a) => send(a.tokens.MSP_OWNER, 'GET', `/customer/resend-payment-link/cus_${a.customers[0].marker}`),
  },
  savedViews: {
    table: 'saved_views',
    where: "user_id = (SELECT id FROM users WHERE organisation_id = $1 AND role = 'MSP_OWNER')",
    prepare: `UPDATE saved_views SET user_id = (SELECT id FROM users WHERE organisation_id = $1 AND role = 'MSP_OWNER')
      WHERE organisation_id = $1`,
    fresh: { name: "'view ' || n" },
    add: (a, n) =>
      send(a.tokens.MSP_OWNER, 'POST', '/view', {
        ...{ screen: 'domains', name: `One more ${n}`, query: 'page=2', shared: false },
      }),
  },
  moves: {
    table: 'moves',
    where: 'organisation_id = $1',
    fresh: {},
    add: (a, n) =>
      send(a.tokens.MSP_OWNER, 'POST', '/move', {
        ...{ customerId: a.customers[0].id, text: `one-more-${n}.com, EPP-2468-move` },
      }),
  },
  watchedNames: {
    table: 'watched_names',
    where: 'organisation_id = $1',
    fresh: { address: "'full' || n || '.example'" },
    add: (a, n) =>
      send(a.tokens.MSP_OWNER, 'POST', '/health/watched', { text: `one-more-${n}.com`, customerId: null }),
  },
  users: {
    table: 'users',
    where: 'organisation_id = $1 AND removed_at IS NULL',
    fresh: { identity_subject: "'somebody ' || n", email: "'u' || n || '@full.example'" },
    beside: { table: 'invites', where: open },
    add: invite,
  },
};

async function counted(table: string, where: string, organisation: string): Promise<number> {
  const { rows } = await portal.owner.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${table} WHERE ${where}`,
    [organisation],
  );
  return rows[0]?.n ?? 0;
}

/** Copies a row of the table until one more makes the limit full. */
async function fill({ table, where, prepare, fresh, beside }: Case, most: number, organisation: string) {
  if (prepare) await portal.owner.query(prepare, prepare.includes('$1') ? [organisation] : []);
  const others = beside ? await counted(beside.table, beside.where, organisation) : 0;
  const copies = most - 1 - others - (await counted(table, where, organisation));
  const columns = await writableColumns(portal, table);
  const changed = Object.entries({ '#': 'n', id: 'gen_random_uuid()', ...fresh }).flatMap(([name, value]) => [
    `'${name}', ${value}`,
  ]);
  await portal.owner.query(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (SELECT p.* FROM
       (SELECT to_jsonb(t) AS row FROM ${table} t WHERE ${where} LIMIT 1) r, generate_series(1, ${copies}) n,
       LATERAL jsonb_populate_record(NULL::${table}, r.row || jsonb_build_object(${changed.join(', ')})) p) made`,
    [organisation],
  );
}

test.each(Object.entries(cases) as [LimitName, Case][])(
  'of %s there are as many as the table of limits says, and the next is refused with its words',
  async (name, one) => {
    const a = await seedOrganisation(portal, `lm${name.slice(0, 4).toLowerCase()}`);
    const { most, message } = limits[name];
    await fill(one, most, a.id);
    // Several want the last place at once, and one of them gets it.
    const replies = await Promise.all([1, 3, 4, 5, 6].map((n) => one.add(a, n)));
    const [last, ...late] = replies.sort((first, second) => first.status - second.status);
    expect([last?.status, last?.message]).toEqual([200, undefined]);
    expect(late.map((reply) => [reply.status, reply.message])).toEqual(Array(4).fill([422, message]));
    for (const more of [one.add, one.otherwise ?? one.add]) {
      const next = await more(a, 2);
      expect([next.status, next.message]).toEqual([422, message]);
    }
    expect(await counted(one.table, one.where, a.id)).toBeLessThanOrEqual(most);
  },
);

const paid = { because: 'Each row belongs to what was paid for.' };
const money = { because: 'The books: a row for each movement of money.' };
const oneEach = { because: 'One row for what has a limit of its own.' };
const record = {
  because: 'A record of acts and events; what somebody may do has limits, its record has none.',
};
const prices = { because: 'Made by operators and by the registrar’s price list.' };

/** Why a table cannot be filled without end: a limit of the table, or what each of its rows takes. */
const bounds: Readonly<Record<string, LimitName | { because: string }>> = {
  acme_accesses: 'acmeAccesses',
  attention_items: {
    because: 'One for each thing that waits, whose own table has a limit; closed ones go after 30 days.',
  },
  attention_marks: { because: 'They are taken within seconds of the change that they stand for.' },
  kept_counts: { because: 'Every 64th change makes one row of all rows of an organization.' },
  moves: 'moves',
  move_lines: { because: 'At most 200 of each list.' },
  watched_names: 'watchedNames',
  health_checks: { because: 'One for each domain, which was paid, and each watched name.' },
  health_findings: { because: 'One for each domain or watched name and kind of finding.' },
  attention_digests: { because: 'One row for each user.' },
  changes: 'unfinishedChanges',
  dns_template_versions: { because: 'A hundred of each template, and those that a domain has.' },
  dns_template_uses: { because: 'One for each template and domain.' },
  change_items: { because: 'At most 2,000 of each change, and those that ended go after 400 days.' },
  ...{ api_tokens: 'apiTokens', imports: 'checkedFiles', import_mappings: 'columnMappings' },
  ...{ customers: 'customers', dns_templates: 'dnsTemplates', invites: 'openInvitations', users: 'users' },
  ...{ operators: 'operatorKeys', payment_setup_links: 'paymentLinks', saved_views: 'savedViews' },
  ...{ domains: paid, orders: paid, order_items: paid, transfers: paid, certificates: paid },
  ...{ auto_renewals: paid, renewal_reminders: paid, certificate_issues: paid, certificate_notices: paid },
  ...{ certificate_reissues: paid, zone_copies: paid, zone_leases: paid },
  ...{ direct_charges: money, direct_charge_items: money, direct_refunds: money, holds: money },
  ...{ journal: money, postings: money, topups: money, corrections: money },
  ...{ receipts: money, direct_takings: money, billing_addresses: oneEach },
  database_place: { because: 'One row.' },
  payment_sweeps: { because: 'One row for each account at the payment provider.' },
  ...{ wallets: oneEach, billing_profiles: oneEach, audit_heads: oneEach, organisations: oneEach },
  ...{ subject_keys: oneEach, legal_holds: oneEach },
  ...{ audit_log: record, operator_acts: record, webhook_events: record, registrar_events: record },
  ...{
    reconciliations: record,
    reconciliation_differences: record,
    recoveries: record,
    recovery_findings: record,
    schema_migrations: record,
  },
  ...{ price_entries: prices, price_versions: prices, certificate_products: prices },
  ...{ cost_quotes: prices, registrar_account: prices },
  acme_accounts: { because: 'Only with the key of an access, and so many an hour from an address.' },
  acme_orders: { because: 'So many an hour for each access; those that came to nothing go after 30 days.' },
  acme_nonces: { because: 'They end after 3 hours.' },
  acme_compromised_keys: { because: 'One for each revoked certificate, which was paid.' },
  acme_allowances: { because: 'One row for each customer.' },
  acme_access_log: { because: 'The newest 200 to 250 entries of each access.' },
  import_rows: { because: 'At most 10,000 in a file; they go 14 days after its end.' },
  zone_versions: { because: 'The history of a zone: each is a change that the registrar was sent.' },
  rate_windows: { because: 'They end a day after the limit is whole again.' },
  idempotency_keys: { because: 'They end after 30 days.' },
  request_keys: { because: 'They end after 30 days.' },
};

test('each table has a limit, or a reason why it needs none', async () => {
  const { rows } = await portal.owner.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  const tables = rows.map(({ name }) => name);
  expect(
    tables.filter((table) => !(table in bounds)),
    'name in `bounds` above a limit of contracts/values/limits.ts for each of these, or why it needs none',
  ).toEqual([]);
  expect(
    Object.keys(bounds).filter((table) => !tables.includes(table)),
    'these tables are gone: take them out of `bounds` above',
  ).toEqual([]);
  const used = new Set(Object.values(bounds));
  expect(
    Object.keys(limits).filter((name) => !used.has(name as LimitName)),
    'name in `bounds` above the table that each of these limits keeps small, or take it out of contracts/values/limits.ts',
  ).toEqual([]);
});
