import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationSpec } from '../../src/contracts/operation.ts';
import { operations } from '../../src/contracts/operations.ts';
import { type Permission, permissions } from '../../src/contracts/permissions.ts';
import { type AuditAction, auditActionNames, jobActions } from '../../src/contracts/values/audit-actions.ts';
import { liveThrough } from './support/acts.ts';
import type { Actor, Does } from './support/life.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { about, inOrder, permitted } from './support/probe.ts';
import { requestFor } from './support/samples.ts';
import { idsOf, type Organisation, seedOrganisation } from './support/world.ts';

/** Made from the contract: what changes something is in the log, as the contract says. */

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'log');
});
afterAll(() => portal[Symbol.asyncDispose]());

/** The actions that an operation may write. */
function actionsOf({ audit }: OperationSpec): readonly AuditAction[] {
  if (audit === undefined || (typeof audit === 'object' && 'none' in audit)) return [];
  return typeof audit === 'string' ? [audit] : [...audit];
}

/**
 * What an entry says of the thing: how it was and how it is (`changed`), how it is (`made`), how it was (`ended`), or
 * that something was done to it, which leaves no state to tell (`done`). An action that is not here does not compile.
 */
const says: Record<AuditAction, 'changed' | 'made' | 'ended' | 'done'> = {
  'acme.change': 'changed',
  'acme.make': 'made',
  'acme.revoke': 'ended',
  'acme.setAllowance': 'changed',
  'attention.change': 'changed',
  'attention.setDigest': 'changed',
  'billing.accountLink': 'done',
  'billing.autoBalance': 'changed',
  'billing.autoTopUp': 'made',
  'billing.cancelTopUp': 'changed',
  'billing.dashboardLink': 'done',
  'billing.topUp': 'made',
  'certificates.autoReissue': 'made',
  'certificates.cancel': 'changed',
  'certificates.reissue': 'changed',
  'certificates.resendApproval': 'done',
  'certificates.revoke': 'changed',
  'certificates.setAutoReissue': 'changed',
  'certificates.setProof': 'changed',
  'changes.apply': 'changed',
  'changes.cancel': 'changed',
  'changes.choose': 'made',
  'changes.create': 'made',
  'changes.describe': 'changed',
  'changes.discard': 'ended',
  'changes.pause': 'changed',
  'changes.resume': 'changed',
  'changes.retry': 'changed',
  'changes.undo': 'made',
  'customers.create': 'made',
  'customers.csvExport': 'done',
  'customers.delete': 'ended',
  'customers.dropImportMapping': 'ended',
  'customers.keepImportMapping': 'made',
  'customers.resendPaymentLink': 'made',
  'customers.update': 'changed',
  'direct.charge': 'made',
  'direct.refund': 'made',
  'direct.release': 'made',
  'direct.retry': 'changed',
  'direct.settle': 'changed',
  'dns.changeZone': 'changed',
  'dns.createGlue': 'made',
  'dns.deleteGlue': 'ended',
  'dns.acceptDrift': 'changed',
  'dns.changeTemplate': 'changed',
  'dns.deleteTemplate': 'ended',
  'dns.forceNameservers': 'changed',
  'dns.removeDnssec': 'ended',
  'dns.forgetTemplate': 'ended',
  'dns.saveTemplate': 'made',
  'dns.updateGlue': 'changed',
  'domains.assign': 'changed',
  'domains.autoRenew': 'changed',
  'domains.contacts': 'changed',
  'domains.lock': 'changed',
  'domains.privacy': 'changed',
  'domains.readAuthPassword': 'done',
  'domains.resendVerification': 'done',
  'domains.unlock': 'changed',
  'domains.updateNameservers': 'changed',
  'health.assignWatched': 'changed',
  'health.mute': 'changed',
  'health.unwatch': 'ended',
  'health.watch': 'made',
  'moves.change': 'changed',
  'moves.create': 'made',
  'moves.drop': 'ended',
  'moves.setCode': 'done',
  'operator.correct': 'changed',
  'operator.endDomain': 'changed',
  'operator.giveDomain': 'made',
  'operator.retry': 'made',
  'orders.purchase': 'made',
  'orders.recover': 'made',
  'orders.refund': 'made',
  'orders.renew': 'made',
  'orders.restore': 'made',
  'orders.transfer': 'made',
  // Values would outlive what they speak of.
  'privacy.eraseCustomer': 'done',
  'privacy.eraseUser': 'done',
  'privacy.export': 'done',
  'privacy.readHold': 'done',
  'renewals.autoRenew': 'made',
  'statement.setAddress': 'changed',
  'tokens.create': 'made',
  'tokens.end': 'changed',
  'tokens.revoke': 'ended',
  'transfers.cancel': 'changed',
  'users.acceptInvite': 'made',
  'users.cancelInvite': 'ended',
  'users.change': 'changed',
  'users.closeOrganization': 'ended',
  'users.createProfile': 'made',
  'users.finishLogo': 'changed',
  'users.invite': 'made',
  'users.remove': 'ended',
  'users.resendInvite': 'made',
  'views.delete': 'ended',
  'views.rename': 'changed',
  'views.save': 'made',
};

interface Entry {
  sequence: number;
  action: AuditAction;
  actor_id: string | null;
  actor: string;
  ip: string | null;
  object: string;
  customer_id: string | null;
  before: unknown;
  after: unknown;
}

/** What rows are called in the log. */
const callings = ['id', 'address', 'domain'];
type Owners = Map<string, Set<string | null>>;

/** Whose each thing is: each row that belongs to a customer or might, by what the log may call it. */
async function owners(): Promise<Owners> {
  const tables = await portal.owner.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'customer_id' AND t.table_type = 'BASE TABLE'
       AND c.table_name <> 'audit_log'`,
  );
  const each = tables.rows.map(
    ({ name }) =>
      `SELECT v.value AS called, t.customer_id FROM "${name}" t, jsonb_each_text(to_jsonb(t)) v WHERE v.key = any($1)`,
  );
  const { rows } = await portal.owner.query<{ called: string; customer_id: string | null }>(
    [
      'SELECT id::text AS called, id AS customer_id FROM customers',
      'SELECT l.address, m.customer_id FROM move_lines l JOIN moves m ON m.id = l.move_id',
      ...each,
    ].join(' UNION ALL '),
    [callings],
  );
  const found: Owners = new Map();
  for (const { called, customer_id } of rows) {
    found.set(called, (found.get(called) ?? new Set()).add(customer_id));
  }
  return found;
}

/** The entry is about the customer whose thing it is, before or after; a thing that is nobody's is about none. */
function customerFaults(entry: Entry, [was, is]: readonly [Owners, Owners]): string[] {
  const whose = new Set([...(was.get(entry.object) ?? []), ...(is.get(entry.object) ?? [])]);
  if (whose.size === 0) whose.add(null);
  if (whose.has(entry.customer_id)) return [];
  return [
    `${entry.action} of ${entry.object} is about customer ${entry.customer_id}, not ${[...whose].join(' or ')}`,
  ];
}

interface Told {
  sequence: number;
  action: string;
  objectKind: string;
  object: string;
  customerId: string | null;
  before: unknown;
  after: unknown;
}

/** What the organization's owner reads in these entries. Ids, times and what is made by chance are the same in each run. */
async function toldIn(entries: readonly Entry[]): Promise<string[]> {
  const headers = { authorization: `Bearer ${a.tokens.MSP_OWNER}` };
  const answer = await portal.call({ method: 'GET', url: '/api/audit?page=1&pageSize=100', headers });
  const { data } = JSON.parse(answer.body) as { data: Told[] };
  return entries.flatMap(({ sequence, action, object }) => {
    const told = data.find(
      (one) => one.sequence === Number(sequence) && one.action === action && one.object === object,
    );
    if (!told) return [];
    const whose = told.customerId === null ? '' : ", a customer's";
    const states = [told.before, told.after].map((state) => `\n    ${JSON.stringify(state)}`).join('');
    return [`${action}: ${told.objectKind} ${object}${whose}${states}`.replace(byChance, '…')];
  });
}

const byChance = new RegExp(
  [
    '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    '\\d{4}-\\d\\d-\\d\\d(T[\\d:.]+Z)?',
    '[\\w-]{40,}(?=\\.png)',
    '(?<=acct_|marker-|nwe_)[\\w-]+',
    '\\b([0-9a-f]{32}|[0-9a-f]{40}|\\d{8})\\b',
  ].join('|'),
  'g',
);

/** Where each log ends. */
async function ends(): Promise<string> {
  const { rows } = await portal.owner.query<{ ends: string }>(
    `SELECT coalesce(json_object_agg(organisation_id, last), '{}')::text AS ends
     FROM (SELECT organisation_id, max(sequence) AS last FROM audit_log GROUP BY 1) l`,
  );
  return rows[0]?.ends ?? '{}';
}

async function entriesSince(before: string): Promise<Entry[]> {
  const { rows } = await portal.owner.query<Entry>(
    `SELECT sequence, action, actor_id, actor, ip, object, customer_id, before, after FROM audit_log
     WHERE sequence > coalesce(($1::json ->> organisation_id::text)::bigint, 0) ORDER BY sequence`,
    [before],
  );
  return rows;
}

/**
 * Operations that a customer's own users may not call, and whose entries they read: what was done to a domain of theirs,
 * and nothing that only staff may read.
 */
const toldToCustomers: Readonly<Record<string, string>> = {
  'certificates.reissue': 'its entry of the zone names the record that proves control, and the zone has it',
  'domains.unlock': 'the page of the domain shows the lock',
  'health.mute': 'the health of the domain says the same: until when it is muted, and why',
  'transfers.cancel': 'the status of the transfer says that it was cancelled',
};

/**
 * Entries that the customer's own user reads, by the operations that wrote them. The log shows entries about the domains
 * that are a customer's now: each name that an entry speaks of becomes the customer's domain first.
 */
async function writtenForCustomers(writers: ReadonlyMap<number, string>): Promise<Set<string>> {
  const its = [a.id, a.customers[0].id];
  await portal.owner.query('UPDATE domains SET customer_id = $2 WHERE organisation_id = $1', its);
  await portal.owner.query(
    `INSERT INTO domains (id, organisation_id, customer_id, address, status)
     SELECT gen_random_uuid(), $1, $2, object, 'active' FROM audit_log
     WHERE organisation_id = $1 AND object ~ '^[a-z0-9-]+[.]com$' GROUP BY object
     ON CONFLICT DO NOTHING`,
    its,
  );
  const headers = { authorization: `Bearer ${a.tokens.MSP_CUSTOMER}` };
  const answer = await portal.call({ method: 'GET', url: '/api/audit', headers });
  const { data } = JSON.parse(answer.body) as { data: { sequence: number }[] };
  return new Set(data.flatMap(({ sequence }) => writers.get(sequence) ?? []));
}

function leaksOf(read: ReadonlySet<string>): string[] {
  const customersMay = ({ access }: OperationSpec) =>
    access in permissions && permissions[access as Permission].MSP_CUSTOMER !== 'none';
  const may = new Set(operations.filter(customersMay).map(({ id }) => id));
  return [
    ...[...read]
      .filter((id) => !may.has(id) && !(id in toldToCustomers))
      .map(
        (id) =>
          `${id}: a customer's user reads this entry and may not call the operation. Give it another objectKind, ` +
          'or name it in toldToCustomers with the reason',
      ),
    ...Object.keys(toldToCustomers)
      .filter((id) => may.has(id) || !operations.some((one) => one.id === id))
      .map((id) => `${id}: take it out of toldToCustomers`),
  ];
}

function faultsOf(operation: OperationSpec, entries: readonly Entry[], by: Actor): string[] {
  const { id } = operation;
  const may = actionsOf(operation);
  if (may.length > 0 && entries.length === 0) return [`${id}: carried out, and not in the log`];
  // A proof of control that the certificate now wants is set by the portal itself: an entry of its own.
  const own = entries.filter(({ action, actor }) => !(action === 'dns.changeZone' && actor === 'Nameward'));
  return own.flatMap((entry) => {
    const person = by.name?.startsWith('operator') ? entry.actor : entry.actor_id;
    const expectedPerson = by.name?.startsWith('operator') ? by.name : by.userId;
    return [
      ...(may.includes(entry.action) ? [] : [`logged ${entry.action}, which its contract does not name`]),
      ...(expectedPerson === null || person === expectedPerson ? [] : [`the log names ${person}`]),
      ...(entry.ip === '127.0.0.1' ? [] : [`the log has the address ${entry.ip}`]),
      ...(entry.object === '' ? ['the log names no object'] : []),
      ...changeFaults(entry),
    ].map((fault) => `${id}: ${fault}`);
  });
}

/** Before and after, as the kind of the action demands. */
function changeFaults({ action, before, after }: Entry): string[] {
  const [was, is] = [before !== null, after !== null];
  const expected = says[action];
  const told = expected === 'changed' ? was && is : expected === 'made' ? is : was;
  if (expected === 'done' || told) return [];
  const [first, second] = [was ? 'before' : 'no before', is ? 'after' : 'no after'];
  return [`${action} says ${first} and ${second}, and is ${expected}`];
}

test('every operation that the log speaks of is carried out, and each has its entry: person, address, object, before and after', async () => {
  const faults: string[] = [];
  const seen = new Set<string>();
  const writers = new Map<number, string>();
  const told = new Map<string, string>();
  const owner: Actor = { token: a.tokens.MSP_OWNER, userId: a.userIds.MSP_OWNER };
  const does: Does = async (id, { params = {}, query, body, as = owner } = {}) => {
    const operation = operations.find((one) => one.id === id);
    if (!operation) throw new Error(`there is no ${id}`);
    const path = operation.path.replace(/:(\w+)/g, (_all, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const [before, was] = [await ends(), await owners()];
    const answer = await portal.call({
      method: operation.method,
      url: `/api${path}${query ? `?${new URLSearchParams(query)}` : ''}`,
      headers: {
        authorization: `Bearer ${as.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${id}: ${answer.status} ${answer.body}`);
    const entries = await entriesSince(before);
    faults.push(...faultsOf(operation, entries, as));
    const whose = [was, await owners()] as const;
    faults.push(
      ...entries.flatMap((entry) => customerFaults(entry, whose)).map((fault) => `${id}: ${fault}`),
    );
    for (const text of entries.length === 0 ? [] : await toldIn(entries)) {
      const key = `${id} ${text.split(':')[0]}`;
      if (!told.has(key)) told.set(key, `${id} > ${text}\n`);
    }
    for (const { action, sequence } of entries) {
      seen.add(`${id} ${action}`);
      writers.set(Number(sequence), id);
    }
    return operation.replyKind === 'file' ? {} : JSON.parse(answer.body).data;
  };
  await liveThrough(portal, a, does);
  expect(faults).toEqual([]);
  const wanted = operations.flatMap((operation) =>
    actionsOf(operation).map((action) => `${operation.id} ${action}`),
  );
  const missed = wanted.filter((one) => !seen.has(one));
  expect(
    missed,
    'carry each of these operations out in tests/api/support/acts.ts; if you do, its service writes no entry',
  ).toEqual([]);
  // Read each line that changes as the person would who looks for what somebody did.
  const list = [...told.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  await expect(list.join('')).toMatchFileSnapshot('entries.txt');
  const read = await writtenForCustomers(writers);
  expect(read.size).toBeGreaterThan(10);
  expect(leaksOf(read)).toEqual([]);
});

test('what is refused is not in the log', async () => {
  const b = await seedOrganisation(portal, 'refused');
  const own = { id: b.customers[0].id, domain: b.customers[0].domain, text: 'x.png' };
  const me = b.userIds.MSP_OWNER;
  const others = [own.id, b.userIds.MSP_EMPLOYEE, ...(await idsOf(portal, b.id))].filter((id) => id !== me);
  const faults: string[] = [];
  let refused = 0;
  for (const operation of inOrder(permitted).filter(({ method }) => method !== 'GET')) {
    const asked = new Set<string>();
    for (const id of [...new Set(others)]) {
      const request = requestFor(operation, about(own, id), b.tokens.MSP_OWNER);
      // Ids that the operation has no place for make no other request.
      const what = `${request.url} ${request.payload}`;
      if (asked.has(what)) continue;
      asked.add(what);
      const before = await ends();
      const { status } = await portal.call(request);
      if (status >= 300) {
        refused += 1;
        const entries = await entriesSince(before);
        faults.push(
          ...entries.map(({ action }) => `${operation.id}: refused with ${status}, and logged ${action}`),
        );
      }
      if (![401, 403, 404].includes(status)) break;
    }
  }
  expect(faults).toEqual([]);
  expect(refused).toBeGreaterThan(50);
});

test('each action of the table belongs to an operation or to a job, and what needs no entry says why', () => {
  const used = new Set<string>(operations.flatMap(actionsOf));
  for (const { action } of Object.values(jobActions)) used.add(action);
  expect(
    auditActionNames.filter((action) => !used.has(action)),
    'name each of these actions as `audit` of an operation or in `jobActions`, or take it out of values/audit-actions.ts',
  ).toEqual([]);
  const reasons = operations.flatMap(({ id, audit }) =>
    typeof audit === 'object' && 'none' in audit && audit.none.length < 10 ? [id] : [],
  );
  expect(
    reasons,
    'say in `audit: { none: … }` of each of these operations why the log needs no entry',
  ).toEqual([]);
});
