import pg from 'pg';
import { pino } from 'pino';
import { createFeatures } from '../src/server/compose.ts';
import type { Adapters } from '../src/server/compose-adapters.ts';
import { schedule } from '../src/server/jobs/tasks.ts';
import { readConfig } from '../src/server/kernel/config.ts';
import { createDatabase } from '../src/server/kernel/db/database.ts';
import { urlAs } from '../src/server/kernel/db/logins.ts';
import { migrate } from '../src/server/kernel/db/migrate.ts';
import { sliceAt } from '../src/server/kernel/slices.rules.ts';
import { jobsOf } from '../src/server/worker-jobs.ts';
import { openAccount } from './customer-list.ts';
import { fillPortal } from './growth-fill.ts';
import { databasePidOf, processorMsOf } from './processor.ts';
import { median, type Result } from './result.ts';
import { openShop } from './shop.ts';
import { comparison, sideBySide } from './side-by-side.ts';
import { slowRegistrar } from './slow-registrar.ts';
import { root, type Stand, startPortal } from './stand.ts';

/** Organizations of 500 domains each: 1,000 domains, and a million (`GROWTH_DOMAINS` for another number). */
const domainsEach = 500;
const few = { domains: 1_000, auditRows: 5 };
const many = { domains: Number(process.env.GROWTH_DOMAINS ?? 1_000_000), auditRows: 5 };
/** What anything may cost in the large portal, of what it costs in the small one. */
const mostFactor = 1.5;
const plan = { rounds: 3, seconds: 1.5, warmUpSeconds: 1.5 };

/** What one organization's people look at: each sort, far pages, searches, a detail, the log, an export. */
const views = [
  { name: 'domains by name', path: '/api/domain?page=1&pageSize=50&sort=address' },
  { name: 'domains by expiry, page 10', path: '/api/domain?page=10&pageSize=50&sort=-expireDate' },
  { name: 'domains by customer', path: '/api/domain?page=2&pageSize=50&sort=customer' },
  { name: 'domains expiring in a month', path: '/api/domain?page=1&pageSize=50&expiringWithinDays=30' },
  { name: 'domains, search', path: '/api/domain?page=1&pageSize=50&search=growth-' },
  { name: 'customers by name', path: '/api/customer?page=1&pageSize=50&sort=organization' },
  { name: 'customers by number of domains', path: '/api/customer?page=1&pageSize=50&sort=-domains' },
  { name: 'customers, search', path: '/api/customer?page=1&pageSize=50&search=first1' },
  { name: 'orders', path: '/api/order?page=1&pageSize=50' },
  { name: 'orders, search', path: '/api/order?page=1&pageSize=50&search=growth-1' },
  { name: 'the log', path: '/api/audit?page=1&pageSize=50' },
  { name: 'the log of one name', path: '/api/audit?page=1&pageSize=50&domain=growth-0.com' },
  { name: 'the log as a file', path: '/api/audit/csv' },
  { name: 'customers as a file', path: '/api/customer/csv/export' },
  { name: 'what falls due', path: '/api/renewals/due' },
  { name: 'the start screen', path: '/api/overview' },
  { name: 'statement', path: '/api/account/statement' },
];

/** Jobs that ask nobody outside. Those of each minute find nothing to do, and must find that out at any size. */
const withoutOutside = [
  ...['orders.sweep', 'attention.sweep', 'changes.sweep', 'moves.sweep', 'dns.check-templates'],
  ...['dns.settle-versions', 'acme.sweep', 'certificates.sweep', 'domains.verification-letters'],
  ...[
    'health.sweep',
    'audit.keep-heads',
    'counts.check',
    'domains.verification-due',
    'renewals.run',
    'ledger.check',
  ],
  ...['attention.digest', 'attention.forget', 'health.forget', 'changes.forget', 'moves.forget'],
  ...['certificates.remind', 'privacy.forget', 'customers.forget-imports', 'requests.forget-keys'],
  ...['domains.sync-due', 'registrar.forget-events', 'renewals.remind'],
];

/** One that takes a thousand names a minute: it is measured with as many due. */
const byParts = 'domains.sync-due';

/** Those that look at a part of the organizations each minute (decision 271): they are counted for each domain of that part. */
const bySlices = ['attention.sweep', 'health.sweep'];

interface Grown {
  size: { organisations: number; domains: number; auditRows: number };
  url: string;
  urls: { tenants: string; system: string };
}

/** The same organization in a portal of two, and in one of two thousand. */
export async function* measureGrowth(stand: Stand): AsyncGenerator<Result> {
  const sizes = [few, many].map((size) => ({ ...size, organisations: size.domains / domainsEach }));
  const [small, large] = (await Promise.all(
    sizes.map((size) => makeDatabase(stand, `growth_${size.domains}`, size)),
  )) as [Grown, Grown];
  {
    await using smaller = await portalOn(stand, small);
    await using larger = await portalOn(stand, large);
    const calls = [];
    for (const [portal, grown] of [
      [smaller, small],
      [larger, large],
    ] as const) {
      const on = { ...stand, urls: grown.urls, databaseUrl: grown.url };
      const email = `growth-${grown.size.domains}@msp.example`;
      const { token, organisationId } = await openAccount(on, portal.url, email);
      await fillPortal(grown.url, organisationId, grown.size);
      calls.push((path: string) => ({
        url: portal.url + path,
        headers: { authorization: `Bearer ${token}` },
        pid: portal.pid,
      }));
    }
    const [callSmall, callLarge] = calls;
    if (!callSmall || !callLarge) throw new Error('two portals were filled');
    for (const { name, path } of views) {
      const pair = { portal: callLarge(path), floor: callSmall(path), targetRatio: 1 / mostFactor };
      const compared = await sideBySide(stand, pair, plan);
      yield comparison(`${name}: ${many.domains} / ${few.domains} domains`, compared, pair.targetRatio);
    }
  }
  yield await measurePurchases(small, large);
  yield* measureJobs(stand, small, large);
}

async function makeDatabase(stand: Stand, name: string, size: Grown['size']): Promise<Grown> {
  const client = new pg.Client({ connectionString: stand.databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`).finally(() => client.end());
  const at = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).toString();
  const url = at(stand.databaseUrl);
  await migrate(url, `${root}/migrations`);
  const passwordOf = (login: string) => new URL(login).password;
  return {
    ...{ size, url },
    urls: {
      tenants: urlAs(url, 'tenants', passwordOf(stand.urls.tenants)),
      system: urlAs(url, 'system', passwordOf(stand.urls.system)),
    },
  };
}

function portalOn(stand: Stand, { urls }: Grown) {
  return startPortal({
    ...stand.settings,
    ...{ DATABASE_URL: urls.tenants, DATABASE_SYSTEM_URL: urls.system },
    ...{ ROLES: 'web', RATE_LIMITS: '999999' },
  });
}

/** One name with an instant registrar, in turns. */
async function measurePurchases(small: Grown, large: Grown): Promise<Result> {
  await using few = openShop(small.urls, slowRegistrar(0).port);
  await using many = openShop(large.urls, slowRegistrar(0).port);
  const [fewBuyer, manyBuyer] = [await few.open(), await many.open()];
  const tookMs = async (work: () => Promise<void>) => {
    const beganAt = performance.now();
    for (let purchase = 0; purchase < 10; purchase += 1) await work();
    return (performance.now() - beganAt) / 10;
  };
  const rounds: { small: number; large: number }[] = [];
  for (let round = 0; round < 8; round += 1) {
    const smallMs = await tookMs(() => few.buy(fewBuyer, 1));
    rounds.push({ small: smallMs, large: await tookMs(() => many.buy(manyBuyer, 1)) });
  }
  return factorOf('a purchase', rounds.slice(2));
}

function factorOf(name: string, rounds: readonly { small: number; large: number }[]): Result {
  const factors = rounds.map(({ small, large }) => large / small);
  const [smallMs, largeMs] = [
    median(rounds.map(({ small }) => small)),
    median(rounds.map(({ large }) => large)),
  ];
  const factor = median(factors);
  return {
    name: `${name}: ${many.domains} / ${few.domains} domains`,
    measured: `${factor.toFixed(2)} (${largeMs.toFixed(1)} / ${smallMs.toFixed(1)} ms)`,
    target: `≤ ${mostFactor}`,
    passed: factor <= mostFactor,
    figures: { factor, smallMs, largeMs },
  };
}

/** Each job of the schedule: those of each minute as they are, others for each domain. */
async function* measureJobs(stand: Stand, small: Grown, large: Grown): AsyncGenerator<Result> {
  const [few, many] = [jobsOn(small), jobsOn(large)];
  const database = databasePidOf(stand);
  const cost = async (run: () => Promise<void>) => {
    const used = () => processorMsOf(process.pid) + processorMsOf(database);
    const [before, beganAt] = [used(), performance.now()];
    await run();
    return { processorMs: used() - before, ms: performance.now() - beganAt };
  };
  try {
    for (const { task, match } of schedule) {
      if (!withoutOutside.includes(task)) continue;
      // Each minute a job finds nothing to do, and must find that out at any size; others are counted for each domain.
      const isEachMinute = /^\*(\/\d+)? \* /.test(match);
      try {
        if (bySlices.includes(task)) yield await perDomainOfSlice(task);
        else if (task === byParts) yield await ofFullParts(task);
        else yield await (isEachMinute ? ofEachMinute(task) : perDomain(task));
      } catch (error) {
        const measured = `failed: ${error instanceof Error ? error.message : String(error)}`;
        yield { name: task, measured, target: `≤ ${mostFactor}`, passed: false, figures: {} };
      }
    }
  } finally {
    await Promise.all([few.close(), many.close()]);
  }

  async function perDomain(task: string): Promise<Result> {
    const [one, other] = [await cost(() => few.run(task)), await cost(() => many.run(task))];
    const each = { small: one.ms / small.size.domains, large: other.ms / large.size.domains };
    return { ...factorOf(task, [each]), ...said(task, other, large, each) };
  }

  async function perDomainOfSlice(task: string): Promise<Result> {
    const looked = ({ size }: Grown) =>
      sliceAt(Array.from({ length: size.organisations }), new Date()).length * domainsEach;
    const compared = await ofEachMinute(task);
    const { smallMs = 0, largeMs = 0 } = compared.figures;
    const each = { small: smallMs / looked(small), large: largeMs / looked(large) };
    return {
      ...factorOf(`${task}, per domain looked at`, [each]),
      measured: `${(each.large / each.small).toFixed(2)} (${largeMs.toFixed(0)} ms of ${looked(large)} / ${smallMs.toFixed(0)} ms of ${looked(small)})`,
    };
  }

  async function ofFullParts(task: string): Promise<Result> {
    const of = async (jobs: typeof few, { url }: Grown) => {
      await makeReadingsDue(url);
      return (await cost(() => jobs.run(task))).ms;
    };
    const rounds: { small: number; large: number }[] = [];
    for (let round = 0; round < 6; round += 1) {
      const smallMs = await of(few, small);
      rounds.push({ small: smallMs, large: await of(many, large) });
    }
    return factorOf(`${task}, 1,000 names`, rounds.slice(1));
  }

  async function ofEachMinute(task: string): Promise<Result> {
    // What the first time found is done; then nothing is due.
    await few.run(task);
    await many.run(task);
    const rounds: { small: number; large: number }[] = [];
    for (let round = 0; round < 7; round += 1) {
      const smallMs = (await cost(() => few.run(task))).ms;
      rounds.push({ small: smallMs, large: (await cost(() => many.run(task))).ms });
    }
    return factorOf(task, rounds);
  }
}

/** A thousand names, of all organizations of the portal in the same measure; none waits already. */
async function makeReadingsDue(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`DELETE FROM graphile_worker._private_jobs WHERE task_id =
      (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'domains.sync')`);
    await client.query(`UPDATE domains SET sync_due_at = now() - interval '1 minute' WHERE id IN
      (SELECT id FROM domains WHERE status = 'active' ORDER BY hashtext(address) LIMIT 1000)`);
  } finally {
    await client.end();
  }
}

function said(
  task: string,
  whole: { ms: number; processorMs: number },
  { size }: Grown,
  each: { small: number; large: number },
): Pick<Result, 'name' | 'measured' | 'figures'> {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  return {
    name: `${task}, per domain of ${size.domains} / ${few.domains}`,
    measured: `${(each.large / each.small).toFixed(2)} (the whole ${seconds(whole.ms)}, ${seconds(whole.processorMs)} of the processor)`,
    figures: { ...whole, ...each },
  };
}

function jobsOn({ urls }: Grown) {
  const config = readConfig({ DATABASE_URL: urls.tenants, DATABASE_SYSTEM_URL: urls.system });
  const db = createDatabase({ url: urls.tenants, maxConnections: 10 });
  const systemDb = createDatabase({ url: urls.system, maxConnections: 10 });
  const ground = { config, db, systemDb, logger: pino({ level: 'silent' }) };
  const adapters = nobodyOutside();
  const jobs = jobsOf(ground, adapters, createFeatures(ground, adapters));
  return {
    async run(task: string) {
      await jobs[task]?.({});
    },
    close: () => Promise.all([db.destroy(), systemDb.destroy()]),
  };
}

/** Whoever is asked, the measurement is of something else. */
function nobodyOutside(): Adapters {
  const nobody = new Proxy(
    {},
    {
      get: (_, name) => () => {
        throw new Error(`a job without anybody outside asked for ${String(name)}`);
      },
    },
  );
  const names = ['registrar', 'payments', 'identity', 'rdap', 'probe', 'storage', 'resolver'];
  const ports = Object.fromEntries([...names, 'zoneSource', 'mail'].map((name) => [name, nobody]));
  return { ...ports, uploads: null } as unknown as Adapters;
}
