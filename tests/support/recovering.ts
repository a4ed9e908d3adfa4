import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from '../../src/server/kernel/db/database.ts';
import { readTag } from '../../src/server/ports/tag.ts';
import type { World } from '../rounds/stand.ts';
import type { Account } from './account.ts';
import { patientCall } from './patient.ts';

/** Deeds, and what is true of an account's money and things afterwards, for tests of recovery (docs/decisions/0251). */

export const ask = <T>(stack: World, account: Account, method: string, path: string, body?: unknown) =>
  patientCall<T>(stack, account.token, method, path, body);

interface Line {
  address: string;
  kind: string;
  productType?: string;
}

export async function buy(
  stack: World,
  account: Account,
  lines: readonly Line[],
  body: object,
): Promise<void> {
  const asked = lines.map((line) => ({ ...line, period: 1 }));
  const prices = await ask<{ price: number }[]>(stack, account, 'POST', 'cart/prices', asked);
  const price = prices.reduce((sum, one) => sum + Math.round(one.price * 100), 0) / 100;
  await ask(stack, account, 'POST', 'cart/purchase', { ...body, price });
}

export const register = (
  stack: World,
  account: Account,
  names: readonly string[],
  customerId = account.customerId,
) =>
  buy(
    stack,
    account,
    names.map((address) => ({ address, kind: 'domain' })),
    { domains: names.map((address) => ({ address, customerId, period: 1, whois: false })) },
  );

export const addRecord = (stack: World, account: Account, domain: string, value: string) =>
  ask(stack, account, 'PUT', `${domain}/zone`, {
    records: [{ type: 'TXT', subdomain: '', action: 'add', text: value }],
  });

export async function topUp(stack: World, account: Account, amount: number): Promise<string> {
  const { intentSecret } = await ask<{ intentSecret: string }>(stack, account, 'POST', 'account/topupv2', {
    amount,
  });
  const paymentIntent = intentSecret.split('_secret')[0] ?? '';
  await stack.control('payments', 'pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
  return paymentIntent;
}

export async function csrFor(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)('openssl', [
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', '/dev/null', '-subj', `/CN=${name}`],
  ]);
  return stdout;
}

export interface Truth {
  balance: { balance: number; held: number; pendingBalance: number };
  domains: { address: string; expires: string; customerId: string; autoRenew: boolean }[];
  certificates: { address: string; orderId: string | null }[];
  zones: Record<string, unknown>;
  journal: string[];
  completed: string[];
}

/** What people see of their money and things, and what the registrar was paid for. */
export async function truthOf(stack: World, account: Account): Promise<Truth> {
  const domains = await sql<Truth['domains'][number]>`SELECT address, expires_at::date::text AS expires,
      customer_id AS "customerId", auto_renew AS "autoRenew" FROM domains
    WHERE organisation_id = ${account.organisationId} AND status <> 'ended' ORDER BY address`.execute(
    stack.database.systemDb,
  );
  const zones: Record<string, unknown> = {};
  for (const { address } of domains.rows) {
    zones[address] = (await ask<{ records: unknown }>(stack, account, 'GET', `${address}/zone`)).records;
  }
  const journal = await sql<{ line: string }>`SELECT ref || ' ' || coalesce(sum(p.cents) FILTER
      (WHERE account = 'wallet'), 0) AS line FROM journal j LEFT JOIN postings p ON p.journal_id = j.id
    WHERE j.organisation_id = ${account.organisationId} GROUP BY j.id ORDER BY 1`.execute(
    stack.database.systemDb,
  );
  const listed = await ask<{ address: string; orderId: string | null }[]>(stack, account, 'GET', 'ssl');
  return {
    balance: await ask(stack, account, 'GET', 'account/balancev2'),
    domains: domains.rows,
    certificates: listed.map(({ address, orderId }) => ({ address, orderId })),
    zones,
    journal: journal.rows.map(({ line }) => line),
    completed: await completedOrders(stack),
  };
}

async function completedOrders(stack: World): Promise<string[]> {
  const names = await stack.control<{ orders: { id: string; affiliateId: string; status: string }[] }>(
    ...(['registrar', 'state'] as const),
  );
  const trust = await stack.control<{ orders: { id: string; tag: string }[] }>('registrar', 'certificates');
  return [
    ...names.orders
      .filter(({ status }) => status === 'completed')
      .map((one) => readTag(one.affiliateId).tag ?? ''),
    ...trust.orders.map(({ tag }) => readTag(tag).tag ?? ''),
  ].sort();
}

export async function until(stack: World, what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 600_000;
  let last: unknown = null;
  while (performance.now() < end) {
    try {
      if (await holds()) return;
      last = null;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what}: ${last}\n${stack.log()}`);
}

export const quiet = (stack: World) =>
  until(stack, 'items did not come to rest', async () => {
    // What takes days is asked about at once.
    await sql`UPDATE order_items SET next_check_at = now() WHERE state = 'pending'`.execute(
      stack.database.systemDb,
    );
    const { rows } = await sql`SELECT FROM order_items WHERE state NOT IN ('succeeded', 'declined')`.execute(
      stack.database.systemDb,
    );
    return rows.length === 0;
  });

export const recoveries = async (stack: World) =>
  (await sql<{ state: string }>`SELECT state FROM recoveries`.execute(stack.database.systemDb)).rows.map(
    ({ state }) => state,
  );

export const findings = async (stack: World) =>
  (
    await sql<{ kind: string; text: string; person: boolean }>`
      SELECT kind, text, needs_person AS person FROM recovery_findings ORDER BY id`.execute(
      stack.database.systemDb,
    )
  ).rows;

/** A reversal is numbered by how often its top-up was read. */
export const normalised = (line: string) => line.replace(/:reversed:\d+/, ':reversed');
