import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { z } from 'zod';
import { csvColumns } from '../src/contracts/values/customer-csv.ts';
import { noMarkups } from '../src/contracts/values/money.ts';
import { openAccount } from './customer-list.ts';
import { median, ofRounds, type Result } from './result.ts';
import { pause, type Stand, startPortal } from './stand.ts';

const rows = 10_000;
const rounds = 3;
const rowsPerStatement = 1_000;
const targetRatio = 0.6;
/** Other answers during an import, beside their usual time. */
const mostTimesUsual = 2;
const usualAnswers = 20;
/** They are asked for to be measured, and must be no load of their own: asked for every 50 ms they took a twentieth of the import's time. */
const answerEveryMs = 100;

const grantReply = z.object({ data: z.object({ signedUrl: z.string(), keyName: z.string() }) });
const importReply = z.object({
  data: z.object({ importId: z.string(), state: z.string(), progress: z.object({ done: z.number() }) }),
});

type Call = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** 10,000 customers from a file, from the start of the writing until the last is there, beside a bare insert of them. */
export async function measureCustomerImport(stand: Stand): Promise<Result[]> {
  await using portal = await startPortal({ ...stand.settings, ROLES: 'web,worker' });
  const client = new pg.Client({ connectionString: stand.databaseUrl });
  await client.connect();
  try {
    const pairs: ({ floorMs: number } & Imported)[] = [];
    // The first of all compiles what an import runs, as a portal does before any other line of the benchmark.
    for (let round = -1; round < rounds; round += 1) {
      const bare = await openAccount(stand, portal.url, `bare${round}@msp.example`);
      const floorMs = await insertBare(client, bare.organisationId);
      const { token, organisationId } = await openAccount(stand, portal.url, `file${round}@msp.example`);
      const committed = () => writingEnds(client, organisationId);
      const imported = await importFile(callerOf(portal.url, token), committed);
      if (round >= 0) pairs.push({ floorMs, ...imported });
    }
    return [writing(pairs), beside(pairs)];
  } finally {
    await client.end();
  }
}

function writing(pairs: readonly { portalMs: number; checkMs: number; floorMs: number }[]): Result {
  const spread = ofRounds(pairs.map(({ portalMs, floorMs }) => floorMs / portalMs));
  const { ratio } = spread;
  const [portalMs, floorMs, checkMs] = (['portalMs', 'floorMs', 'checkMs'] as const).map((name) =>
    median(pairs.map((pair) => pair[name])),
  ) as [number, number, number];
  return {
    name: `import of ${rows} customers, bare multi-row insert / portal`,
    measured: `${ratio.toFixed(2)} (${floorMs.toFixed(0)} / ${portalMs.toFixed(0)} ms; the check before: ${checkMs.toFixed(0)} ms)`,
    target: `≥ ${targetRatio}`,
    passed: ratio >= targetRatio,
    figures: { ...spread, portalMs, floorMs, checkMs },
  };
}

/** The middle answer counts: what one person meets. The slowest waited for a moment in which all of the processor was taken. */
function beside(pairs: readonly Imported[]): Result {
  const slowestMs = Math.max(...pairs.map(({ answersMs }) => Math.max(...answersMs)));
  const usualMs = median(pairs.map((pair) => pair.usualMs));
  const duringMs = median(pairs.map(({ answersMs }) => median(answersMs)));
  const times = median(pairs.map((pair) => median(pair.answersMs) / pair.usualMs));
  return {
    name: 'other answers during an import, beside their usual time',
    measured: `${times.toFixed(1)} (${duringMs.toFixed(1)} / ${usualMs.toFixed(1)} ms; the slowest ${slowestMs.toFixed(0)} ms)`,
    target: `≤ ${mostTimesUsual}`,
    passed: times <= mostTimesUsual,
    figures: { times, duringMs, usualMs, slowestMs },
  };
}

function callerOf(url: string, token: string): Call {
  return async (method, path, body) => {
    const reply = await fetch(`${url}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
}

interface Imported {
  portalMs: number;
  checkMs: number;
  /** Of other answers before it, and of each during it. */
  usualMs: number;
  answersMs: number[];
}

/** @param committed resolves when the import that is under way is committed */
async function importFile(call: Call, committed: () => Promise<unknown>): Promise<Imported> {
  const { signedUrl, keyName } = grantReply.parse(await call('GET', 'customer/upload-csv-url')).data;
  await fetch(signedUrl, { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: file() });
  let startedAt = performance.now();
  const look = importReply.parse(
    await call('POST', 'customer/upload-csv-finish', { key: keyName, preview: true }),
  );
  const checkMs = performance.now() - startedAt;
  const address = `customer/import/${look.data.importId}`;
  const answer = async () => {
    const askedAt = performance.now();
    const { state, progress } = importReply.parse(await call('GET', address)).data;
    return { state, done: progress.done, ms: performance.now() - askedAt };
  };
  const before: number[] = [];
  for (let count = 0; count < usualAnswers; count += 1) {
    before.push((await answer()).ms);
    await pause(answerEveryMs);
  }
  startedAt = performance.now();
  await call('POST', `${address}/start`, { mode: 'all' });
  const answersMs: number[] = [];
  let end: Promise<number> | undefined;
  let portalMs: number | undefined;
  for (;;) {
    const { state, done, ms } = await answer();
    answersMs.push(ms);
    if (done > 0 && end === undefined) {
      end = committed().then(() => performance.now() - startedAt);
      end.then((endMs) => (portalMs = endMs)).catch(() => undefined);
    }
    if (state === 'done' || portalMs !== undefined) break;
    await pause(answerEveryMs);
  }
  const { state } = await answer();
  if (state !== 'done' || end === undefined)
    throw new Error(`the import is ${state}, and its end was not seen`);
  return { portalMs: await end, checkMs, usualMs: median(before), answersMs };
}

/**
 * Resolves when the import is committed that is writing for this organisation: what writes holds this lock. Asking the portal instead
 * would add up to 50 ms, and its own load.
 */
async function writingEnds(client: pg.Client, organisationId: string): Promise<void> {
  const lock = `customer-import:${organisationId}`;
  await client.query('SELECT pg_advisory_lock_shared(hashtextextended($1, 0))', [lock]);
  await client.query('SELECT pg_advisory_unlock_shared(hashtextextended($1, 0))', [lock]);
}

function contactOf(n: number): Record<string, string> {
  return {
    organization: `Customer ${n} Ltd`,
    firstName: 'Ann',
    lastName: `Smith ${n % 977}`,
    address1: `${n} Main Street`,
    city: 'New York',
    state: 'NY',
    postalCode: '10001',
    country: 'US',
    email: `c${n}@example.com`,
    phone: '+1.2125550100',
  };
}

function file(): string {
  const columns = csvColumns.filter((name) =>
    /^contacts_owner_(?!address[23])|^billing_(bill|allow)/.test(name),
  );
  const line = (n: number) => {
    const contact = contactOf(n);
    const cells = columns.map((name) => contact[name.split('_')[2] ?? ''] ?? 'false');
    return cells.join(',').replace('+1.', '+1 ');
  };
  return [columns.join(','), ...Array.from({ length: rows }, (_, n) => line(n))].join('\n');
}

/** The same customers by statements of a thousand rows in one transaction, as the owner of the table. */
async function insertBare(client: pg.Client, organisationId: string): Promise<number> {
  const startedAt = performance.now();
  await client.query('BEGIN');
  for (let start = 0; start < rows; start += rowsPerStatement) {
    const values: unknown[] = [];
    const places: string[] = [];
    for (let n = start; n < Math.min(rows, start + rowsPerStatement); n += 1) {
      const contact = JSON.stringify(contactOf(n));
      const row = [randomUUID(), organisationId, contact, contact, contact, JSON.stringify(noMarkups)];
      places.push(`(${row.map((_, index) => `$${values.length + index + 1}`).join(', ')})`);
      values.push(...row);
    }
    await client.query(
      `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups) VALUES ${places.join(', ')}`,
      values,
    );
  }
  await client.query('COMMIT');
  return performance.now() - startedAt;
}
