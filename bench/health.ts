import pg from 'pg';
import { noMarkups } from '../src/contracts/values/money.ts';
import {
  faultyFleet,
  managedHosts,
  recordsOf,
  registrationsOf,
  worldHosts,
  writeFleet,
} from '../tests/support/faulty-fleet.ts';
import { processorMsOf } from './processor.ts';
import type { Result } from './result.ts';
import { pause, type Stand, startPortal } from './stand.ts';
import { openAccount } from './zones.ts';

const domains = 1_000;
const ofEachKind = 10;
const resolverMs = 20;
const mostMinutes = 10;
/** As `features/health/asking.ts` states them. */
const stated = { mostInSecond: 100, mostAtOnce: 16 };
const pollMs = 1_000;

/** As `features/health/probing.ts` states them. */
const statedOfHosts = { mostInSecond: 10, mostAtOnce: 4 };

interface HostLoad {
  connections: number;
  mostInSecond: number;
  mostAtOnce: number;
}

interface DnsLoad {
  queries: number;
  mostInSecond: number;
  mostAtOnce: number;
}

/** One worker looks at a fleet with planted faults: how long a round takes, what it finds, and what it asks of the resolver. */
export async function measureHealth(stand: Stand): Promise<Result[]> {
  const organisation = await openOrganisation(stand);
  const owner = new pg.Client({ connectionString: stand.databaseUrl });
  await owner.connect();
  try {
    const { domains: fleet, expected } = faultyFleet(domains, ofEachKind);
    const customers = await customersOf(owner, organisation);
    await writeFleet(
      owner,
      organisation,
      fleet,
      (_domain, index) => customers[index % customers.length] ?? '',
    );
    await owner.query('DELETE FROM health_checks');
    await owner.query(`INSERT INTO health_checks (domain_id, watched_id, organisation_id, next_at)
      SELECT id, NULL, organisation_id, now() FROM domains
      UNION ALL SELECT NULL, id, organisation_id, now() FROM watched_names`);
    await stand.control('dns', 'outside', recordsOf(fleet));
    await stand.control('internet', 'hosts', worldHosts);
    await stand.control('rdap', 'registrations', registrationsOf(fleet));
    await stand.control('dns', 'latency', { ms: resolverMs });
    const before = await stand.control<DnsLoad>('dns', 'queries', {});
    const round = await oneRound(stand, owner);
    const after = await stand.control<DnsLoad>('dns', 'queries', {});
    await stand.control('dns', 'latency', { ms: 0 });
    return [
      timeOf(round, after.queries - before.queries),
      accuracyOf(await foundIn(owner), expected),
      loadOf(after),
      hostLoadOf(await stand.control<HostLoad>('internet', 'load', {})),
    ];
  } finally {
    await owner.end();
  }
}

/** The rows of people and customers, by a portal that only answers. */
async function openOrganisation(stand: Stand): Promise<string> {
  await using portal = await startPortal({ ...stand.settings, ROLES: 'web' });
  return (await openAccount(stand, portal.url, 'health')).organisationId;
}

async function customersOf(owner: pg.Client, organisationId: string): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(
    `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups)
     SELECT gen_random_uuid(), $1, c, c, c, $2 FROM generate_series(1, 40) AS n,
       LATERAL (SELECT jsonb_build_object('organization', 'Customer ' || n)) AS contact (c) RETURNING id`,
    [organisationId, JSON.stringify(noMarkups)],
  );
  return rows.map(({ id }) => id);
}

async function oneRound(stand: Stand, owner: pg.Client) {
  const beganAt = performance.now();
  const REGISTRAR_NAMESERVERS = managedHosts.join(' ');
  await using portal = await startPortal({ ...stand.settings, REGISTRAR_NAMESERVERS });
  const idleSeconds = processorMsOf(portal.pid) / 1_000;
  for (;;) {
    const { rows } = await owner.query<{ left: number }>(
      'SELECT count(*)::int AS left FROM health_checks WHERE checked_at IS NULL',
    );
    if (rows[0]?.left === 0) break;
    if (performance.now() - beganAt > 2 * mostMinutes * 60_000) throw new Error(`${rows[0]?.left} are left`);
    await pause(pollMs);
  }
  const tookMs = performance.now() - beganAt;
  return { tookMs, workerSeconds: processorMsOf(portal.pid) / 1_000 - idleSeconds };
}

async function foundIn(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ found: string }>(
    `SELECT coalesce(d.address, w.address) || ' ' || f.kind AS found FROM health_findings f
     LEFT JOIN domains d ON d.id = f.domain_id LEFT JOIN watched_names w ON w.id = f.watched_id
     WHERE f.cleared_at IS NULL`,
  );
  return rows.map(({ found }) => found);
}

function timeOf(
  { tookMs, workerSeconds }: { tookMs: number; workerSeconds: number },
  queries: number,
): Result {
  return {
    name: `health of ${domains} domains by one worker, resolver of ${resolverMs} ms`,
    measured: `${(tookMs / 60_000).toFixed(1)} minutes (${workerSeconds.toFixed(0)} s of processor, ${queries} questions)`,
    target: `≤ ${mostMinutes} minutes`,
    passed: tookMs <= mostMinutes * 60_000,
    figures: { tookMs, workerSeconds, queries },
  };
}

function accuracyOf(found: readonly string[], expected: readonly string[]): Result {
  const planted = new Set(expected);
  const right = found.filter((each) => planted.has(each)).length;
  const [recall, precision] = [right / planted.size, right / Math.max(1, found.length)];
  for (const each of found.filter((one) => !planted.has(one))) console.log(`not planted: ${each}`);
  const missing = new Set(found);
  for (const each of expected.filter((one) => !missing.has(one))) console.log(`not found: ${each}`);
  return {
    name: `of ${planted.size} planted faults of every kind, found`,
    measured: `recall ${(100 * recall).toFixed(1)} %, precision ${(100 * precision).toFixed(1)} %`,
    target: '100 %, 100 %',
    passed: recall === 1 && precision === 1,
    figures: { recall, precision, planted: planted.size, found: found.length },
  };
}

function loadOf({ mostInSecond, mostAtOnce }: DnsLoad): Result {
  return {
    name: 'questions that a round asks the resolver, at most',
    measured: `${mostInSecond} within a second, ${mostAtOnce} at once`,
    target: `≤ ${stated.mostInSecond}, ≤ ${stated.mostAtOnce}`,
    passed: mostInSecond <= stated.mostInSecond && mostAtOnce <= stated.mostAtOnce,
    figures: { mostInSecond, mostAtOnce },
  };
}

function hostLoadOf({ connections, mostInSecond, mostAtOnce }: HostLoad): Result {
  return {
    name: `connections of a round to one server, at most (${connections} to all)`,
    measured: `${mostInSecond} within a second, ${mostAtOnce} at once`,
    target: `≤ ${statedOfHosts.mostInSecond}, ≤ ${statedOfHosts.mostAtOnce}`,
    passed: mostInSecond <= statedOfHosts.mostInSecond && mostAtOnce <= statedOfHosts.mostAtOnce,
    figures: { connections, mostInSecond, mostAtOnce },
  };
}
