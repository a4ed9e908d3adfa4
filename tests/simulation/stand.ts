import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createDatabase, type Db, sql } from '../../src/server/kernel/db/database.ts';
import { urlAs } from '../../src/server/kernel/db/logins.ts';
import { type TestCluster, templateName } from '../support/cluster.ts';
import { watchEnds } from '../support/invariants.ts';
import { GatedStatements } from './statements.ts';

const simulatedTemplate = 'simulated_template';
/** More than two processes of the portal take at once: a life opens none. */
const connections = { tenants: 40, system: 20 };
/** Lives whose dead rows lie in the tables at most. */
const wholeEvery = 40;
/** Hosts that certificates are bought for. */
export const hosts = Array.from({ length: 6 }, (_, index) => `host${index}.com`);

/** Where lives are lived: a database that several share one after the other, and what is made once. */
export interface Stand {
  readonly statements: GatedStatements;
  readonly db: Db;
  readonly systemDb: Db;
  /** Of the owner, outside of the simulation. */
  readonly ownerDb: Db;
  readonly urls: { tenants: string; system: string };
  readonly csrs: ReadonlyMap<string, string>;
  /** Takes away what earlier lives have left: a life is the same whatever came before it. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** The product's schema, with the simulation's time in place of the server's, and watched ends. Once a cluster. */
export async function prepareTemplate(cluster: TestCluster): Promise<void> {
  await asAdmin(cluster, `CREATE DATABASE ${simulatedTemplate} TEMPLATE ${templateName}`);
  const url = cluster.url.replace(/\/\w+$/, `/${simulatedTemplate}`);
  const owner = createDatabase({ url, maxConnections: 1 });
  await sql`
    CREATE SCHEMA simulated;
    -- The clock is a file of the database's own folder: to set it is no trip to the database, and no transaction takes it back. That
    -- its reading is STABLE, as now() is, is why conditions of time find their rows by an index.
    ALTER FUNCTION pg_catalog.pg_read_file(text, bigint, bigint) STABLE;
    GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text, bigint, bigint) TO PUBLIC;
    CREATE FUNCTION simulated.now() RETURNS timestamptz LANGUAGE sql STABLE
      AS $now$ SELECT to_timestamp(pg_read_file('clock-of-' || current_database(), 0, 13)::bigint / 1000.0) $now$;
    CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
      AS 'SELECT simulated.now()';
    GRANT USAGE ON SCHEMA simulated TO PUBLIC;
    -- Where a table was truncated each connection plans its statements again, which takes a fifth of a life. So rows are deleted,
    -- and tables truncated only when many lives have left their dead rows (wholly). Everything refers to the rows of two tables: to
    -- truncate those is to truncate every table, which takes as long as half a life.
    CREATE FUNCTION simulated.empty(wholly boolean) RETURNS void LANGUAGE plpgsql AS $empty$
      DECLARE filled regclass[]; one regclass;
      BEGIN
        SET LOCAL session_replication_role = replica;
        DELETE FROM public.organisations;
        DELETE FROM public.customers;
        SELECT array_agg(oid::regclass) INTO filled FROM pg_class
          WHERE relkind = 'r' AND pg_relation_size(oid) > 0
            AND (relnamespace = 'public'::regnamespace OR oid = 'graphile_worker._private_jobs'::regclass)
            AND oid NOT IN (SELECT lasting FROM simulated.lasting)
            AND relname NOT IN ('organisations', 'customers');
        IF filled IS NULL THEN RETURN; END IF;
        IF wholly THEN EXECUTE 'TRUNCATE ' || array_to_string(filled, ', ') || ' CASCADE';
        ELSE FOREACH one IN ARRAY filled LOOP EXECUTE 'DELETE FROM ' || one; END LOOP;
        END IF;
      END $empty$;
    CREATE TABLE simulated.lasting (lasting oid NOT NULL);
    DO $$
    DECLARE c record;
    BEGIN
      FOR c IN SELECT a.attrelid::regclass AS t, a.attname AS name FROM pg_attrdef d
        JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
        WHERE pg_get_expr(d.adbin, d.adrelid) ~ '^(now|clock_timestamp)\\(\\)$' AND a.attgenerated = ''
      LOOP
        EXECUTE format('ALTER TABLE %s ALTER %I SET DEFAULT simulated.now()', c.t, c.name);
      END LOOP;
      -- Where rows lie and how they are found depends on nothing but the life.
      FOR c IN SELECT oid::regclass AS t FROM pg_class
        WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, 'graphile_worker'::regnamespace)
      LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', c.t);
      END LOOP;
    END $$`.execute(owner);
  await watchEnds(owner);
  // What the product's own migrations have written stays.
  await sql`INSERT INTO simulated.lasting SELECT oid FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`.execute(
    owner,
  );
  await owner.destroy();
}

export async function openStand(cluster: TestCluster): Promise<Stand> {
  const name = `lives_${randomBytes(6).toString('hex')}`;
  await asAdmin(cluster, `CREATE DATABASE ${name} TEMPLATE ${simulatedTemplate} STRATEGY file_copy`);
  await asAdmin(cluster, `ALTER DATABASE ${name} SET search_path = simulated, pg_catalog, public`);
  await asAdmin(cluster, `ALTER DATABASE ${name} SET plan_cache_mode = force_generic_plan`);
  // Times of the world outside have no place in a life, and a timer for each statement takes a tenth of it.
  for (const login of ['nameward_app', 'nameward_system']) {
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await asAdmin(cluster, `ALTER ROLE ${login} IN DATABASE ${name} SET ${limit} = 0`);
  }
  const url = cluster.url.replace(/\/\w+$/, `/${name}`);
  const urls = {
    tenants: urlAs(url, 'tenants', cluster.passwords.tenants),
    system: urlAs(url, 'system', cluster.passwords.system),
  };
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  const { rows } = await observer.query<{ folder: string }>(
    "SELECT current_setting('data_directory') AS folder",
  );
  const clock = join(rows[0]?.folder ?? '', `clock-of-${name}`);
  const statements = new GatedStatements(observer, clock);
  const db = createDatabase({ url: urls.tenants, maxConnections: connections.tenants });
  const systemDb = createDatabase({ url: urls.system, maxConnections: connections.system });
  const ownerDb = createDatabase({ url, maxConnections: 1 });
  await warm(statements, db, connections.tenants);
  await warm(statements, systemDb, connections.system);
  let emptied = 0;
  return {
    ...{ statements, db, systemDb, ownerDb, urls, csrs: await csrs() },
    async empty() {
      const isWhole = emptied % wholeEvery === 0;
      emptied += 1;
      await statements.ask('SELECT simulated.empty($1)', [isWhole]);
      if (!isWhole) return;
      await statements.ask('VACUUM organisations, customers');
      // As after TRUNCATE: what the planner believes of a table depends on nothing that earlier lives did.
      await statements.ask(
        "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid IN ('organisations'::regclass, 'customers'::regclass)",
      );
    },
    async close() {
      await Promise.all([db.destroy(), systemDb.destroy(), ownerDb.destroy(), observer.end()]);
      await asAdmin(cluster, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** All connections are there before a life begins: how long one takes to open is no part of it. */
async function warm(statements: GatedStatements, db: Db, connections: number): Promise<void> {
  const { place } = db.getExecutor().adapter as unknown as { place: { pool: pg.Pool } };
  const { pool } = place;
  statements.watch(pool);
  const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()));
  for (const client of clients) client.release();
}

let madeCsrs: Promise<Map<string, string>> | null = null;
function csrs(): Promise<Map<string, string>> {
  madeCsrs ??= Promise.all(hosts.map(async (host) => [host, await csrFor(host)] as const)).then(
    (pairs) => new Map(pairs),
  );
  return madeCsrs;
}

async function csrFor(host: string): Promise<string> {
  const { stdout } = await promisify(execFile)('openssl', [
    ...['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', '/dev/null', '-subj', `/CN=${host}`],
  ]);
  return stdout;
}

async function asAdmin(cluster: TestCluster, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
