import type { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KyselyPlugin, RawNode } from 'kysely';
import { pino } from 'pino';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { createAdapters } from '../../src/server/compose-adapters.ts';
import { issuedIdOf } from '../../src/server/features/acme/issued.ts';
import type { Clock } from '../../src/server/kernel/clock.ts';
import { type Config, readConfig } from '../../src/server/kernel/config.ts';
import { inTransaction, sql, systemTransaction } from '../../src/server/kernel/db/database.ts';
import { freePort } from '../../src/server/kernel/db/embedded.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { balances } from '../../src/server/ledger/ledger.ts';
import {
  type AcmeFeatures,
  acmeProduct,
  type Buyer,
  composeAcme,
  listenAcme,
  openFleet,
} from '../support/acme-features.ts';
import type { Access } from '../support/acme-stand.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

export const dayMs = 86_400_000;
const hostsOfDomain = 10;

/** The ACME server over its real features and adapters, with the sandbox's clock as the one of all. */
export interface AcmeYear extends AsyncDisposable {
  database: TestDatabase;
  directory: string;
  acme: AcmeFeatures['acme'];
  /** The kinds of the statements that are sent meanwhile; of raw ones their texts. */
  statementsOf(work: () => Promise<void>): Promise<string[]>;
  /** For all hosts. */
  access: Access;
  /** Of the hosts, below domains of the customer. */
  names: string[];
  now(): number;
  /** Lets the time come. */
  until(ms: number): Promise<void>;
  /** Some seconds pass, in which the authority checks and issues what it can. */
  authorityWorks(): Promise<void>;
  /** What the jobs do now and then. */
  sweep(): Promise<void>;
  issuedIdOf(leaf: X509Certificate): Promise<string>;
  priceCents(): Promise<number>;
  postedCents(): Promise<number>;
  openHolds(): Promise<number>;
  boughtItems(): Promise<{ address: string; state: string; cents: number }[]>;
  /** Paid orders at the authority. */
  terms(): Promise<{ domain: string; endsAt: number }[]>;
  /** How many it has issued for the name, by terms and reissues. */
  issuesAtAuthority(name: string): Promise<number>;
}

interface SandboxOrder {
  domain: string;
  state: string;
  cost: string;
  termEndsAt: string;
  baseOrderId: string | null;
}

export async function startAcmeYear(given: { startsAt: number; hosts: number }): Promise<AcmeYear> {
  const database = await createTestDatabase();
  const dir = await mkdtemp(join(tmpdir(), 'acme-year-'));
  const url = `http://127.0.0.1:${await freePort(0)}`;
  const sandbox = await startSandbox({ dir, portalUrl: url });
  const config = readConfig({
    ...{ DATABASE_URL: database.urls.tenants, DATABASE_SYSTEM_URL: database.urls.system },
    ...{ PORT: new URL(url).port, PUBLIC_URL: url, DATA_DIR: dir },
    ...{ REGISTRAR_URL: sandbox.urls.registrar, DNS_SERVERS: sandbox.urls.dns.replace(/^\w+:\/\//, '') },
    ...{ STRIPE_API_BASE: sandbox.urls.payments, OIDC_ISSUER: sandbox.urls.identity },
    ...{ SMTP_URL: sandbox.urls.smtp, REGISTRAR_PER_SECOND: '10000', REGISTRAR_PARALLEL: '20' },
  });
  const now = () => sandbox.store.now();
  const clock: Clock = { now: () => new Date(now()) };
  const adapters = createAdapters(config, pino({ level: 'silent' }));
  let sent: string[] | null = null;
  const kinds = recording((kind) => sent?.push(kind));
  const [db, systemDb] = [database.db.withPlugin(kinds), database.systemDb.withPlugin(kinds)];
  const features = composeAcme({ database: { db, systemDb }, config, adapters, clock });
  const { acme, certificates, pricing } = features;
  const app = await listenAcme(acme, config);

  const control = (route: string, body: unknown = {}) => sandbox.control('registrar', route, body);
  const advance = (ms: number) => sandbox.control('clock', 'advance', { ms: Math.max(0, Math.ceil(ms)) });
  await control('knobs', { certificateCheckMs: 0, certificateIssueMs: 0, certificateReissueDays: 0 });
  await control('balance', { balance: '1000000.00' });
  await advance(given.startsAt - 3 * dayMs - now());
  const { scope, access } = await openFleet(database, features, given.hosts);
  const names = await buyNames(database, features, { scope, config, hosts: given.hosts });

  const atAuthority = async () =>
    ((await control('certificates')) as { orders: SandboxOrder[] }).orders.filter(
      ({ state }) => state === 'completed',
    );
  return {
    ...{ database, acme, access, names, now, directory: `${url}/acme/directory` },
    async statementsOf(work) {
      const list: string[] = [];
      sent = list;
      await work();
      sent = null;
      return list;
    },
    until: async (ms) => void (await advance(ms - now())),
    async authorityWorks() {
      await advance(3_000);
      // Proven, in progress, issued.
      for (let round = 0; round < 3; round += 1) await control('certificates/round');
    },
    async sweep() {
      await acme.tasks['acme.sweep']();
      await certificates.tasks['certificates.sweep']();
    },
    issuedIdOf: async (leaf) => (await issuedIdOf(leaf)) ?? '',
    priceCents: async () => (await pricing.price(acmeProduct, 1)).priceCents,
    async postedCents() {
      const { balanceCents, heldCents } = await inTransaction(database.db, scope, (tx) =>
        balances(tx, scope.organisationId),
      );
      return balanceCents + heldCents;
    },
    openHolds: async () => {
      const { rows } = await sql<{ open: number }>`
        SELECT count(*)::int AS open FROM holds WHERE state = 'open'`.execute(systemDb);
      return rows[0]?.open ?? -1;
    },
    boughtItems: () =>
      systemDb
        .selectFrom('order_items')
        .select(['address', 'state', 'price_cents as cents'])
        .where('kind', '=', 'certificate')
        .orderBy('id')
        .execute(),
    terms: async () =>
      (await atAuthority())
        .filter(({ baseOrderId }) => baseOrderId === null)
        .map(({ domain, termEndsAt }) => ({ domain, endsAt: Date.parse(termEndsAt) })),
    issuesAtAuthority: async (name) => (await atAuthority()).filter(({ domain }) => domain === name).length,
    async [Symbol.asyncDispose]() {
      await app.close();
      await sandbox.close();
      await database.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Domains of the customer, delegated to the portal, and a name below one of them for each host. */
async function buyNames(
  database: TestDatabase,
  { orders }: AcmeFeatures,
  { scope, config, hosts }: { scope: Buyer; config: Config; hosts: number },
): Promise<string[]> {
  const { customerId } = scope;
  const addresses = Array.from(
    { length: Math.ceil(hosts / hostsOfDomain) },
    (_, index) => `fleet-${index}.com`,
  );
  const bought = await orders.purchase(
    scope,
    {
      domains: addresses.map((address) => ({
        ...{ address, customerId, period: 2 as const, whois: false, autoRenew: false },
      })),
      ...{ domainRenewals: [], domainTransfers: [], certificates: [], price: 24 * addresses.length },
    },
    newId(),
  );
  if (bought.domains.success.length !== addresses.length) throw new Error(JSON.stringify(bought));
  // As the portal reads them soon after.
  await systemTransaction(database.systemDb, (tx) =>
    tx
      .updateTable('domains')
      .set({ nameservers: [...config.registrar.nameservers] })
      .where('organisation_id', '=', scope.organisationId)
      .execute(),
  );
  return Array.from({ length: hosts }, (_, index) => `web-${index}.${addresses[index % addresses.length]}`);
}

function recording(note: (kind: string) => void): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      note(RawNode.is(node) ? node.sqlFragments.join('?') : node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}
