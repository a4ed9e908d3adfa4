import { availableParallelism } from 'node:os';
import pg from 'pg';
import { createDatabase } from '../src/server/kernel/db/database.ts';
import { freePort } from '../src/server/kernel/db/embedded.ts';
import { checkLedger } from '../src/server/ledger/check.ts';
import { withProcessSettings } from '../src/server/process-settings.ts';
import { Acme } from '../tests/support/acme-protocol.ts';
import { newRequestKeys, requestFor } from '../tests/support/acme-request.ts';
import { busyCores, databasePidOf, othersSince, processorMsOf } from './processor.ts';
import type { Result } from './result.ts';
import { comparison, sideBySide, urlOf, usualPlan } from './side-by-side.ts';
import { pause, readyLine, runNode, type Stand, startPortal } from './stand.ts';

const poolSize = 20;
const targetRatio = 0.8;
const clients = 20;
const warmUp = 8;
const seconds = 4;
const targetPerSecond = 30;
const mostEach = 100;
const cores = availableParallelism();

/** New nonces beside a bare Fastify that writes a row for each. */
export async function measureNonces(stand: Stand): Promise<Result> {
  await using portal = await startPortal({
    ...{ ...stand.settings, ROLES: 'web', DATABASE_CONNECTIONS: String(poolSize) },
  });
  await using floor = runNode(['bench/acme-floor.ts'], {
    ...{ DATABASE_URL: stand.databaseUrl, DATABASE_CONNECTIONS: String(poolSize) },
  });
  const pair = {
    portal: { url: `${portal.url}/acme/new-nonce`, headers: {}, pid: portal.pid },
    floor: { url: `${await urlOf(floor)}/nonce`, headers: {}, pid: floor.pid },
    targetRatio,
  };
  // It answers more often in two seconds than others in ten.
  const compared = await sideBySide(stand, pair, { ...usualPlan, firstWarmUpSeconds: 2 });
  return comparison('new nonces by ACME, portal / bare Fastify that writes a row', compared, targetRatio);
}

interface Client {
  acme: Acme;
  wishes: { name: string; csr: string }[];
}

/** From the order to the chain, each a purchase for a new name, while the authority takes no time. */
export async function measureIssues(stand: Stand): Promise<Result> {
  const port = await freePort(0);
  await using server = runNode(
    ['bench/acme-server.ts'],
    withProcessSettings({
      ...{ ...stand.settings, PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
    }),
  );
  const { directory = '', keyId = '', key = '', domain = '' } = await readyLine(server);
  const all = await Promise.all(
    Array.from({ length: clients }, async (_, index): Promise<Client> => {
      const acme = new Acme(directory);
      const { status, text } = await acme.register({ id: '', keyId, key });
      if (status !== 201) throw new Error(text);
      return { acme, wishes: await wishesOf(index, domain) };
    }),
  );
  await Promise.all(all.map((client) => issueUntil(client, warmUp, Number.POSITIVE_INFINITY)));
  await analyse(stand);
  const used = () => ({
    portal: processorMsOf(server.pid),
    database: processorMsOf(databasePidOf(stand)),
    clients: (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
  });
  const others = othersSince([server.pid, databasePidOf(stand)]);
  const before = used();
  const startedMs = performance.now();
  const endsMs = startedMs + seconds * 1_000;
  const counts = await Promise.all(all.map((client) => issueUntil(client, mostEach, endsMs)));
  const tookMs = performance.now() - startedMs;
  const after = used();
  const othersCores = others();
  const issued = counts.reduce((sum, count) => sum + count, 0);
  const perSecond = (issued * 1_000) / tookMs;
  // What other programs took is not the portal's to use: a machine that they left alone would do as much more.
  const isBusy = othersCores > busyCores;
  const alone = isBusy ? perSecond / (1 - othersCores / cores) : perSecond;
  const busy = isBusy
    ? `${alone.toFixed(1)} without the ${othersCores.toFixed(1)} cores that others took; `
    : '';
  const each = {
    portal: (after.portal - before.portal) / issued,
    database: (after.database - before.database) / issued,
    clients: (after.clients - before.clients) / issued,
  };
  await requireSoundLedger(stand);
  return {
    name: `certificates by ACME, ordered, paid and issued, ${clients} clients, instant authority`,
    measured: `${perSecond.toFixed(1)} per s (${busy}processor ms each: ${shown(each)})`,
    target: `≥ ${targetPerSecond} per s`,
    passed: alone >= targetPerSecond,
    figures: { perSecond, others: othersCores, issued, tookMs, ...each },
  };
}

const shown = (each: Record<string, number>) =>
  Object.entries(each)
    .map(([of, ms]) => `${of} ${ms.toFixed(1)}`)
    .join(', ');

/** Made before anything is measured: they are the clients' own work. */
async function wishesOf(client: number, domain: string): Promise<Client['wishes']> {
  const wishes: Client['wishes'] = [];
  const keys = await newRequestKeys();
  for (let n = 0; n < mostEach + warmUp; n += 1) {
    const name = `c${client}-${n}.${domain}`;
    wishes.push({ name, csr: await requestFor([name], keys) });
  }
  return wishes;
}

/** How many were issued; what is under way at the end is finished, in the time that is counted. */
async function issueUntil({ acme, wishes }: Client, most: number, endsMs: number): Promise<number> {
  let issued = 0;
  while (issued < most && performance.now() < endsMs) {
    const wish = wishes.pop();
    if (!wish) break;
    await issue(acme, wish);
    issued += 1;
  }
  return issued;
}

async function issue(acme: Acme, { name, csr }: Client['wishes'][number]): Promise<void> {
  const ordered = await acme.order(name);
  if (ordered.status !== 201) throw new Error(ordered.text);
  const finalized = await acme.post(ordered.json.finalize, { csr });
  if (finalized.status !== 200) throw new Error(finalized.text);
  let order = finalized;
  while (order.json.status === 'processing') {
    order = await acme.post(ordered.headers.get('location') ?? '');
    if (order.json.status === 'processing') await pause();
  }
  if (order.json.status !== 'valid') throw new Error(order.text);
  const chain = await acme.post(order.json.certificate);
  if (chain.text.match(/BEGIN CERTIFICATE/g)?.length !== 2) throw new Error(chain.text);
}

/** As PostgreSQL does by itself under such a load: once a minute, which is longer than this takes. */
async function analyse(stand: Stand): Promise<void> {
  const owner = new pg.Client({ connectionString: stand.databaseUrl });
  await owner.connect();
  await owner.query('ANALYZE');
  await owner.end();
}

async function requireSoundLedger(stand: Stand): Promise<void> {
  const systemDb = createDatabase({ url: stand.urls.system, maxConnections: 1 });
  try {
    const faults = await checkLedger(systemDb);
    if (faults.length > 0) throw new Error(`the ledger is not sound: ${JSON.stringify(faults)}`);
  } finally {
    await systemDb.destroy();
  }
}
