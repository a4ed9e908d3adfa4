import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/server/kernel/db/embedded.ts';
import { migrate } from '../../src/server/kernel/db/migrate.ts';
import { preparePrograms } from './compile-cache.ts';
import { throwAwayFolder } from './throw-away.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Owner's login to the throw-away cluster of this run. */
    clusterUrl: string;
    /** By which the portal's two logins come in. */
    loginPasswords: { tenants: string; system: string };
  }
}

/** Where test databases are made, and by which passwords the portal's two logins come in. */
export interface TestCluster {
  url: string;
  passwords: { tenants: string; system: string };
}

/** One throw-away PostgreSQL a test run, with a migrated template that test databases are cloned from. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [cluster] = await Promise.all([openCluster(), preparePrograms()]);
  project.provide('clusterUrl', cluster.url);
  project.provide('loginPasswords', cluster.passwords);
  return cluster.close;
}

export interface OpenCluster extends TestCluster {
  /**
   * The same cluster by the socket in its folder, for a program that asks it so much that the network's part counts; by its port
   * where the path is too long for a socket.
   */
  bySocket: TestCluster;
  /** Of the server and of all that it has started, the server first. */
  processIds(): Promise<number[]>;
  close(): Promise<void>;
}

export async function openCluster(): Promise<OpenCluster> {
  const dir = await throwAwayFolder('test');
  const dataDir = join(dir, 'postgres');
  const postgres = await startEmbedded({
    ...{ dataDir, port: 0, durable: false },
    // All test files of a run share it, and some bring two pools for each of several servers.
    maxConnections: 400,
  });
  await createTemplate(postgres.url);
  const passwordIn = (url: string) => new URL(url).password;
  const { tenants, system } = postgres.urls;
  const passwords = { tenants: passwordIn(tenants), system: passwordIn(system) };
  const folder = join(dataDir, 'cluster');
  const hasSocket = existsSync(join(folder, `.s.PGSQL.${postgres.port}`));
  const host = hasSocket ? encodeURIComponent(folder) : '127.0.0.1';
  return {
    url: postgres.url,
    passwords,
    bySocket: { url: postgres.url.replace('127.0.0.1', host), passwords },
    async processIds() {
      const [first] = (await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
      const children = await readFile(`/proc/${first}/task/${first}/children`, 'utf8');
      return [first, ...children.trim().split(' ')].map(Number).filter((id) => id > 0);
    },
    async close() {
      await postgres.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export const templateName = 'nameward_template';

export async function createTemplate(clusterUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${templateName}`);
  await client.end();
  await migrate(
    clusterUrl.replace(/\/\w+$/, `/${templateName}`),
    join(import.meta.dirname, '../../migrations'),
  );
}
