import { availableParallelism } from 'node:os';
import { openAccount } from './customer-list.ts';
import { fillPortal } from './growth-fill.ts';
import { holdEach } from './hold.ts';
import { throughput } from './load.ts';
import { databasePidOf, processorMsOf, withEndedChildrenMs } from './processor.ts';
import { median, type Result } from './result.ts';
import { type Stand, startPortal } from './stand.ts';

const connections = 12;
const rounds = 3;
const seconds = 3;
/**
 * Of a core, for each web process. One that may take a whole core, its database and the load generators fill two cores: a second one
 * could then serve nothing more on that machine, however well it scales.
 */
const webShare = 0.25;
const size = { organisations: 4, domains: 4_000, auditRows: 5 };

const views = [
  { name: 'who asks', path: '/api/user' },
  { name: 'first page of domains', path: '/api/domain?page=1&pageSize=50&sort=address' },
  { name: 'the log', path: '/api/audit?page=1&pageSize=50' },
  { name: 'first page of customers', path: '/api/customer?page=1&pageSize=50&sort=organization' },
  { name: 'the start screen', path: '/api/overview' },
];

interface Served {
  perSecond: number;
  /** Cores that each part kept busy. */
  web: number;
  database: number;
  generators: number;
}

/**
 * What more web processes serve than one, of one database on the same machine: two on two cores, four where there are four. Each is kept
 * to a quarter of a core, so that database and load generators never lack any; the figure tells what each of them took.
 */
export async function* measureScaling(stand: Stand): AsyncGenerator<Result> {
  const cores = availableParallelism();
  const processes = cores >= 4 ? 4 : 2;
  const target = cores >= 4 ? 3.2 : 1.6;
  await using stack = new AsyncDisposableStack();
  const portals: Awaited<ReturnType<typeof startPortal>>[] = [];
  for (let process = 0; process < processes; process += 1) {
    portals.push(stack.use(await startPortal({ ...stand.settings, ROLES: 'web', RATE_LIMITS: '999999' })));
  }
  const [first] = portals;
  if (!first) throw new Error('no portal was started');
  const { token, organisationId } = await openAccount(stand, first.url, 'scaling@msp.example');
  await fillPortal(stand.databaseUrl, organisationId, size);
  await using held = await holdEach(
    portals.map(({ pid }) => pid),
    webShare,
  );
  const headers = { authorization: `Bearer ${token}` };
  const database = databasePidOf(stand);

  async function serve(among: typeof portals, path: string, forSeconds = seconds): Promise<Served> {
    const used = () => ({
      web: among.reduce((sum, { pid }) => sum + processorMsOf(pid), 0),
      database: processorMsOf(database),
      generators: withEndedChildrenMs(process.pid),
    });
    const [before, beganAt] = [used(), performance.now()];
    const loads = await Promise.all(
      among.map(({ url }) =>
        throughput(url + path, { connections: connections / among.length, seconds: forSeconds, headers }),
      ),
    );
    const [after, tookMs] = [used(), performance.now() - beganAt];
    return {
      perSecond: loads.reduce((sum, { perSecond }) => sum + perSecond, 0),
      web: (after.web - before.web) / tookMs,
      database: (after.database - before.database) / tookMs,
      generators: (after.generators - before.generators) / tookMs,
    };
  }

  for (const { name, path } of views) {
    for (const portal of portals) await serve([portal], path, 1);
    const pairs: { one: Served; all: Served }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const one = await serve([first], path);
      pairs.push({ one, all: await serve(portals, path) });
    }
    const of = (part: keyof Served, who: 'one' | 'all') => median(pairs.map((pair) => pair[who][part]));
    const factors = pairs.map(({ one, all }) => all.perSecond / one.perSecond).sort((a, b) => a - b);
    const factor = median(factors);
    const share = (who: 'one' | 'all') =>
      `web ${of('web', who).toFixed(2)}, database ${of('database', who).toFixed(2)}, generators ${of('generators', who).toFixed(2)}`;
    yield {
      name: `${processes} web processes / one: ${name}`,
      measured: `${factor.toFixed(2)} (${factors.at(0)?.toFixed(2)} to ${factors.at(-1)?.toFixed(2)}; ${of('perSecond', 'all').toFixed(0)} / ${of('perSecond', 'one').toFixed(0)} per s; cores of one: ${share('one')}; of all: ${share('all')}${held.isHeld ? '' : '; the web processes could not be kept to a part of a core'})`,
      target: `≥ ${target}`,
      passed: factor >= target,
      figures: { factor, isHeld: Number(held.isHeld), generators: of('generators', 'all') },
    };
  }
}
