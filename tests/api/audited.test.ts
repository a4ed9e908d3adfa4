import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationSpec } from '../../src/contracts/operation.ts';
import { operations } from '../../src/contracts/operations.ts';
import { auditActionNames, jobActions } from '../../src/contracts/values/audit-actions.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { about, inOrder, permitted } from './support/probe.ts';
import { requestFor } from './support/samples.ts';
import { idsOf, type Organisation, seedOrganisation } from './support/world.ts';

/** Made from the contract: whatever changes something is in the log, as the contract says it would be. */

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'log');
}, 120_000);
afterAll(() => portal[Symbol.asyncDispose]());

const writing = operations.filter(({ method }) => method !== 'GET');

/** The actions that an operation may write. */
function actionsOf({ audit }: OperationSpec): readonly string[] {
  if (audit === undefined || (typeof audit === 'object' && 'none' in audit)) return [];
  return typeof audit === 'string' ? [audit] : [...audit];
}

interface Entry {
  action: string;
  actor_id: string | null;
  ip: string | null;
  object: string;
  before: unknown;
  after: unknown;
}

async function entriesSince(sequence: number): Promise<Entry[]> {
  const { rows } = await portal.owner.query<Entry>(
    `SELECT action, actor_id, ip, object, before, after FROM audit_log
     WHERE organisation_id = $1 AND sequence > $2 ORDER BY sequence`,
    [a.id, sequence],
  );
  return rows;
}

async function lastSequence(): Promise<number> {
  const { rows } = await portal.owner.query<{ last: string }>(
    'SELECT coalesce(max(sequence), 0) AS last FROM audit_log WHERE organisation_id = $1',
    [a.id],
  );
  return Number(rows[0]?.last);
}

/** What is said of these acts is that they were done: there is no state before or after. */
const withoutState = [
  ...['domains.resendVerification', 'privacy.eraseUser', 'tokens.revoke', 'customers.dropImportMapping'],
  ...['dns.deleteTemplate', 'transfers.cancel', 'views.delete'],
];

test('every writing operation that was carried out is in the log, with its person, address and object; a refused one is not', async () => {
  const own = { id: a.customers[0].id, domain: a.customers[0].domain, text: 'x.png' };
  const me = a.userIds.MSP_OWNER;
  const others = [own.id, a.userIds.MSP_EMPLOYEE, ...(await idsOf(portal, a.id))].filter((id) => id !== me);
  const faults: string[] = [];
  const carriedOut: string[] = [];
  for (const operation of inOrder(permitted).filter(({ method }) => method !== 'GET')) {
    for (const id of [...new Set(others)]) {
      const before = await lastSequence();
      const { status } = await portal.call(requestFor(operation, about(own, id), a.tokens.MSP_OWNER));
      const entries = await entriesSince(before);
      faults.push(...faultsOf(operation, status, entries, me));
      if (status < 300) carriedOut.push(operation.id);
      if (![401, 403, 404].includes(status)) break;
    }
  }
  expect(faults).toEqual([]);
  // So many are carried out in the seeded world; the others are refused there, and their entries are shown elsewhere.
  expect(carriedOut.length).toBeGreaterThan(15);
}, 240_000);

/** In the seeded world these find nothing left to do, and say so: a payment that has succeeded cannot be cancelled. */
const idle = ['billing.cancelTopUp'];

function faultsOf(operation: OperationSpec, status: number, entries: readonly Entry[], me: string): string[] {
  const { id } = operation;
  const may = actionsOf(operation);
  if (status >= 300)
    return entries.map(({ action }) => `${id}: refused with ${status}, and logged ${action}`);
  if (may.length > 0 && entries.length === 0 && !idle.includes(id))
    return [`${id}: carried out, and not in the log`];
  return entries.flatMap((entry) => [
    ...(may.includes(entry.action)
      ? []
      : [`${id}: logged ${entry.action}, which its contract does not name`]),
    ...(entry.actor_id === me ? [] : [`${id}: the log names ${entry.actor_id}`]),
    ...(entry.ip === '127.0.0.1' ? [] : [`${id}: the log has the address ${entry.ip}`]),
    ...(entry.object === '' ? [`${id}: the log names no object`] : []),
    ...(entry.before === null && entry.after === null && !withoutState.includes(entry.action)
      ? [`${id}: neither before nor after`]
      : []),
  ]);
}

test('each action of the table belongs to an operation or to a job', () => {
  const used = new Set<string>(operations.flatMap(actionsOf));
  for (const { action } of Object.values(jobActions)) used.add(action);
  expect(auditActionNames.filter((action) => !used.has(action))).toEqual([]);
  const reasons = writing.flatMap(({ id, audit }) =>
    typeof audit === 'object' && 'none' in audit && audit.none.length < 10 ? [id] : [],
  );
  expect(reasons).toEqual([]);
});
