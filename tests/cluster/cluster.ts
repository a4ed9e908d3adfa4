import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ordinaryUser } from '../../src/server/kernel/db/embedded-place.ts';
import { urlAs } from '../../src/server/kernel/db/logins.ts';
import { migrate } from '../../src/server/kernel/db/migrate.ts';
import { serverProgram } from '../../src/start/programs.ts';
import { installFromDebian } from '../../tools/browser.ts';
import type { World } from '../rounds/stand.ts';
import { openPools } from '../support/database.ts';
import { adapted, documented, programOf } from '../support/documented.ts';
import { type Relay, startRelay, through } from '../support/relay.ts';
import { call, freePort, startOutside } from '../support/stack.ts';
import { type Pair, programsOfPostgres, startPair } from './pair.ts';
import { keep, type Program } from './program.ts';

/** The whole product on loopback, as docs/operations.md describes it: every address is one that a test may break. */
export interface Cluster extends AsyncDisposable {
  world: World;
  pair: Pair;
  /** By name: haproxy, pgbouncer, web1, web2, worker1, worker2. */
  programs: ReadonlyMap<string, Program>;
  /** Between each process of the portal and its database. */
  relays: ReadonlyMap<string, readonly Relay[]>;
  dir: string;
  operatorToken: string;
  /** Logs and data stay when it ends. */
  keep(): void;
}

const root = join(import.meta.dirname, '../..');
const processes = ['web1', 'web2', 'worker1', 'worker2'];

/** Programs of Debian's; installed where they are missing. */
function programs(): { haproxy: string; pgbouncer: string } {
  const find = () => ({ haproxy: programOf('haproxy'), pgbouncer: programOf('pgbouncer') });
  const missing = () => !find().haproxy || !find().pgbouncer || !programsOfPostgres();
  if (missing()) installFromDebian(['haproxy', 'pgbouncer', 'postgresql']);
  const { haproxy, pgbouncer } = find();
  if (!haproxy || !pgbouncer || missing())
    throw new Error('Please install haproxy, pgbouncer and postgresql (Debian: "apt-get install" as root).');
  return { haproxy, pgbouncer };
}

export async function startCluster(options: {
  synchronous: boolean;
  port: number;
  settings?: Record<string, string>;
  say(text: string): void;
}): Promise<Cluster> {
  const { haproxy, pgbouncer } = programs();
  const { say, synchronous } = options;
  const dir = await mkdtemp(join(tmpdir(), 'nameward-cluster-'));
  // As root the servers of others run as another user, who must be able to enter.
  await chmod(dir, 0o755);
  const log = (name: string) => join(dir, `${name}.log`);
  let isKept = false;
  const stops: (() => Promise<unknown>)[] = [async () => isKept || rm(dir, { recursive: true, force: true })];
  const dispose = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    say('starting two servers of PostgreSQL');
    const servers = join(dir, 'postgres');
    await mkdir(servers);
    const pair = await startPair({ dir: servers, synchronous, say });
    stops.push(pair.stop);
    const ports = { portal: options.port, database: await freePort(), pooler: await freePort() };
    const web = [await freePort(), await freePort()];
    const started = new Map<string, Program>();
    const begin = (program: Program, signal: NodeJS.Signals) => {
      started.set(program.name, program);
      stops.push(() => program.stop(signal));
    };
    await writeFile(
      join(dir, 'haproxy.cfg'),
      `${adapted(documented('haproxy.cfg'), {
        '127.0.0.1:4300': `127.0.0.1:${ports.portal}`,
        '127.0.0.1:4301': `127.0.0.1:${web[0]}`,
        '127.0.0.1:4302': `127.0.0.1:${web[1]}`,
        '127.0.0.1:5433': `127.0.0.1:${ports.database}`,
        '127.0.0.1:5441': `127.0.0.1:${pair.ports[0]}`,
        '127.0.0.1:5442': `127.0.0.1:${pair.ports[1]}`,
      })}\n`,
    );
    begin(
      keep({
        ...{ name: 'haproxy', path: haproxy, log: log('haproxy') },
        args: ['-db', '-f', join(dir, 'haproxy.cfg')],
      }),
      'SIGTERM',
    );
    const url = `postgres://nameward:${pair.password}@127.0.0.1:${ports.database}/nameward`;
    const urls = {
      tenants: urlAs(url, 'tenants', pair.password),
      system: urlAs(url, 'system', pair.password),
    };
    await answered('the database', () =>
      migrate(url, join(root, 'migrations'), { tenants: pair.password, system: pair.password }),
    );
    const userlist = join(dir, 'userlist.txt');
    await writeFile(userlist, `"nameward_app" "${pair.password}"\n"nameward_system" "${pair.password}"\n`);
    await writeFile(
      join(dir, 'pgbouncer.ini'),
      `${adapted(documented('pgbouncer.ini'), {
        'port=5432': `port=${ports.database}`,
        'listen_port = 6432': `listen_port = ${ports.pooler}`,
        '/etc/pgbouncer/userlist.txt': userlist,
      })}\nunix_socket_dir =\n`,
    );
    begin(
      keep({
        ...{ name: 'pgbouncer', path: pgbouncer, log: log('pgbouncer'), user: ordinaryUser() },
        args: [join(dir, 'pgbouncer.ini')],
      }),
      'SIGINT',
    );
    say('starting the sandbox and the portal');
    const portal = `http://127.0.0.1:${ports.portal}`;
    const outside = await startOutside(dir, portal);
    stops.push(outside.stop);
    const operatorToken = 'operate-this-cluster-on-loopback';
    const settings = {
      ...{
        PUBLIC_URL: portal,
        DATA_DIR: dir,
        LOG_LEVEL: 'warn',
        RATE_LIMITS: 'off',
        TRUSTED_PROXIES: '127.0.0.1',
      },
      ...{ DATABASE_CONNECTIONS: '10', DATABASE_PREPARED_STATEMENTS: 'off', OPERATOR_TOKEN: operatorToken },
      DATABASE_STANDBY: synchronous ? 'synchronous' : 'asynchronous',
      ...outside.settings,
      ...options.settings,
    };
    const relays = new Map<string, Relay[]>();
    for (const [index, name] of processes.entries()) {
      const relayed = [
        await startRelay(url.replace(`:${ports.database}/`, `:${ports.pooler}/`)),
        await startRelay(url),
      ];
      relays.set(name, relayed);
      for (const relay of relayed) stops.push(async () => relay[Symbol.asyncDispose]());
      const [pooled, direct] = relayed as [Relay, Relay];
      const env = {
        ...{ NODE_ENV: 'test', ...process.env, ...settings },
        DATABASE_URL: through(pooled, urls.tenants),
        DATABASE_SYSTEM_URL: through(pooled, urls.system),
        DATABASE_DIRECT_URL: through(direct, urls.system),
        // Whichever of them is the standby answers lists.
        DATABASE_READ_URL: urls.tenants.replace(
          `127.0.0.1:${ports.database}`,
          pair.ports.map((own) => `127.0.0.1:${own}`).join(),
        ),
        ROLES: name.startsWith('web') ? 'web' : 'worker',
        PORT: String(web[index] ?? 0),
      };
      begin(
        keep({
          ...{ name, path: process.execPath, args: [serverProgram], cwd: root },
          ...{ log: log(name), env },
        }),
        'SIGTERM',
      );
    }
    await answered('the portal', async () => {
      const { ok } = await fetch(`${portal}/readyz`);
      if (!ok) throw new Error('not ready');
    });
    const { db, systemDb, destroy } = openPools(urls);
    stops.push(destroy);
    const close = async () => undefined;
    const database = { url, urls, db, systemDb, close, [Symbol.asyncDispose]: close };
    const world: World = {
      ...{ database, settings, url: portal, control: outside.control },
      call: (...given) => call(portal, ...given),
      log: () => outside.output(),
    };
    return {
      ...{ world, pair, programs: started, relays, dir, operatorToken },
      keep() {
        isKept = true;
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    for (const name of ['haproxy', 'pgbouncer', ...processes]) {
      const said = await readFile(log(name), 'utf8').catch(() => '');
      if (said) say(`${name}:\n${said.slice(-2_000)}`);
    }
    await dispose();
    throw error;
  }
}

async function answered(what: string, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return void (await work());
    } catch (error) {
      if (attempt > 300) throw new Error(`${what} does not answer`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}
