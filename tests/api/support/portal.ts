import type { FastifyInstance, InjectOptions } from 'fastify';
import type { KyselyPlugin } from 'kysely';
import pg from 'pg';
import { createFeatures, type Features } from '../../../src/server/compose.ts';
import { type Adapters, createAdapters } from '../../../src/server/compose-adapters.ts';
import { appOptions } from '../../../src/server/compose-http.ts';
import { createApp } from '../../../src/server/http/app.ts';
import { readConfig } from '../../../src/server/kernel/config.ts';
import type { Db } from '../../../src/server/kernel/db/database.ts';
import { createLogger } from '../../../src/server/kernel/logger.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** The portal as it is served, in this process, on a database and a sandbox of its own. */
export interface Portal extends AsyncDisposable {
  stack: Stack;
  app: FastifyInstance;
  features: Features;
  adapters: Adapters;
  issuer: string;
  /** Of an operator. */
  operatorKey: string;
  /** What was logged so far, without the first so many lines. */
  log(from?: number): string;
  /** How many lines were logged so far. */
  logged(): number;
  /** As the database's owner, whom no policy holds back. */
  owner: pg.Client;
  /** Another portal over the same database, with its queries changed on the way. */
  withPlugin(plugin: KyselyPlugin): Promise<FastifyInstance>;
  /** Another portal over the same database, with these settings beside the others. */
  withSettings(more: Record<string, string>): Promise<{ app: FastifyInstance; features: Features }>;
  /** Another portal over the same database, by pools of the test's own. */
  withPools(pools: { db: Db; systemDb: Db }): Promise<{ app: FastifyInstance; features: Features }>;
  call(request: InjectOptions): Promise<Answer>;
}

export interface Answer {
  status: number;
  body: string;
  headers: string;
}

/** The setting that makes keys for operators. */
export const operatorToken = 'the-operator-token-of-these-tests';

const operatorKeys = new WeakMap<FastifyInstance, string>();

/** The key of an operator of this portal. */
export function operatorKeyOf(app: FastifyInstance): string {
  const key = operatorKeys.get(app);
  if (key === undefined) throw new Error('no operator has a key here');
  return key;
}

/** `settings`: beside those of a development portal. */
export async function startPortal(settings: Record<string, string> = {}): Promise<Portal> {
  const stack = await startStack();
  const { db, systemDb } = stack.database;
  const lines: string[] = [];
  const logger = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const configWith = (more: Record<string, string>) =>
    readConfig({
      ...stack.settings,
      OPERATOR_TOKEN: operatorToken,
      REGISTRAR_PER_SECOND: '10000',
      REGISTRAR_PARALLEL: '50',
      ...settings,
      ...more,
    });
  const config = configWith({});
  const adapters = createAdapters(config, logger);
  const appOver = (over: Db, own = config, overSystem = systemDb.withoutPlugins()) => {
    const ground = { config: own, db: over, systemDb: overSystem, logger };
    const features = createFeatures(ground, adapters);
    return { features, app: createApp(appOptions(ground, adapters, features)) };
  };
  // As the process opens it: the composition alone gives a database its seal.
  const tenants = db.withoutPlugins();
  const made = appOver(tenants);
  const app = await made.app;
  const { key: operatorKey } = await made.features.operator.operators.make('Ada Smith');
  operatorKeys.set(app, operatorKey);
  const owner = new pg.Client({ connectionString: stack.database.url });
  await owner.connect();
  const others: FastifyInstance[] = [];
  return {
    stack,
    app,
    owner,
    adapters,
    features: made.features,
    issuer: config.identity.issuer,
    operatorKey,
    log: (from = 0) => lines.slice(from).join(''),
    logged: () => lines.length,
    async withPlugin(plugin) {
      const other = await appOver(tenants.withPlugin(plugin)).app;
      operatorKeys.set(other, operatorKey);
      others.push(other);
      return other;
    },
    async withSettings(more) {
      const other = appOver(tenants, configWith(more));
      const made = { features: other.features, app: await other.app };
      operatorKeys.set(made.app, operatorKey);
      others.push(made.app);
      return made;
    },
    async withPools(pools) {
      const other = appOver(pools.db, config, pools.systemDb);
      const made = { features: other.features, app: await other.app };
      others.push(made.app);
      return made;
    },
    call: (request) => ask(app, request),
    async [Symbol.asyncDispose]() {
      for (const each of [app, ...others]) await each.close();
      await owner.end();
      await stack[Symbol.asyncDispose]();
    },
  };
}

export async function ask(app: FastifyInstance, request: InjectOptions): Promise<Answer> {
  const reply = await app.inject(request);
  return { status: reply.statusCode, body: reply.body, headers: JSON.stringify(reply.headers) };
}
