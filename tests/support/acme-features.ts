import fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { longestActMs } from '../../src/server/adapters/opensrs/index.ts';
import type { Adapters } from '../../src/server/compose-adapters.ts';
import {
  createAccessService,
  createAcme,
  createAcmeAccesses,
  spentByAccess,
} from '../../src/server/features/acme/index.ts';
import {
  createCertificatePricing,
  createCertificates,
  readCsr,
} from '../../src/server/features/certificates/index.ts';
import { createDns } from '../../src/server/features/dns/index.ts';
import { createOrders } from '../../src/server/features/orders/index.ts';
import { type AcmeServer, serveAcme } from '../../src/server/http/acme.ts';
import { type Clock, systemClock } from '../../src/server/kernel/clock.ts';
import { type Config, readConfig } from '../../src/server/kernel/config.ts';
import { withSeal } from '../../src/server/kernel/db/bound-seal.ts';
import { inTransaction, systemTransaction } from '../../src/server/kernel/db/database.ts';
import { freePort } from '../../src/server/kernel/db/embedded.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { createLeases } from '../../src/server/kernel/leases.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { createSeal } from '../../src/server/kernel/seal.ts';
import { adjust } from '../../src/server/ledger/ledger.ts';
import { contact } from './account.ts';
import type { Access } from './acme-stand.ts';
import type { TestDatabase } from './database.ts';
import { instantAuthority } from './instant-authority.ts';
import { customerRow, organisationRow, userRow } from './rows.ts';

/** The ACME server over its real features, in the caller's own process. */

export const acmeProduct = 'rapidssl';
const plenty = 10_000_000_00;

type Databases = Pick<TestDatabase, 'db' | 'systemDb'>;

interface Ground {
  database: Databases;
  config: Config;
  adapters: Pick<Adapters, 'registrar' | 'resolver'>;
  clock: Clock;
  /** Without one, nothing is limited. */
  limit?: Parameters<typeof createAcme>[0]['limit'];
}

/** What ACME needs, as `compose.ts` makes it, with a clock and adapters of the caller's. */
export function composeAcme({ database, config, adapters, clock, limit = async () => undefined }: Ground) {
  const { db, systemDb } = database;
  const { registrar, resolver } = adapters;
  const { publicUrl } = config;
  const { nameservers, writeTimeoutMs: writeMs, readTimeoutMs: readMs } = config.registrar;
  const actMs = longestActMs({ writeMs, readMs });
  const logger = pino({ level: 'silent' });
  const seal = createSeal(config.sealKeys);
  const leases = createLeases({ db, newId, writeMs: actMs });
  const common = { db, systemDb, registrar, clock, newId, leases, logger, seal };
  const dns = createDns({ ...common, nameservers, settleMs: actMs, copyMs: 0 });
  const pricing = createCertificatePricing({ db, clock, marginPercent: 15 });
  const customers = {
    requireVisible: () => Promise.reject(new Error('not asked')),
    contactsForOrder: async () => ({ owner: contact, admin: contact, billing: contact }),
  };
  const certificates = createCertificates({
    ...{ ...common, resolver, pricing, customers, actMs, publicUrl },
    setProof: dns.setProof,
  });
  const { claimMarginMs, releaseAfterMs, reviewAfterMs } = config.orders;
  const orders = createOrders({
    ...{ ...common, readCsr, customers, pendingLimitCents: 0, parallelItems: 10, replyWaitMs: 55_000 },
    requireRegistrarFunds: async () => undefined,
    pricing: {
      domains: {
        price: async (_address, _kind, years) => ({
          ...{ priceCents: 1_200 * years, costCents: 1_000 * years, premium: false },
        }),
        standardPriceCents: async () => 1_200,
        premiumPriceCents: (cents) => cents,
      },
      certificates: pricing,
    },
    times: { callMs: actMs, claimMarginMs, releaseAfterMs, reviewAfterMs },
  });
  const accesses = createAcmeAccesses({ systemDb, clock, seal });
  const accessService = createAccessService({
    ...{ ...common, pricing, publicUrl },
    spentThisMonth: (tx, _scope, ids) => spentByAccess(tx, ids, clock.now()),
  });
  const acme = createAcme({
    ...{ ...common, orders, readCsr, accesses, pricing, nameservers, publicUrl },
    certificates: certificates.byMachine,
    limit,
  });
  return { orders, certificates, accessService, acme, pricing };
}

export type AcmeFeatures = ReturnType<typeof composeAcme>;

export type Buyer = Scope & { customerId: string };

/** A customer with money, and one access that may buy a certificate a month for each host. */
export async function openFleet(
  { db, systemDb }: Databases,
  { accessService }: Pick<AcmeFeatures, 'accessService'>,
  hosts: number,
): Promise<{ scope: Buyer; access: Access }> {
  const database = { db, systemDb } as TestDatabase;
  const organisationId = await organisationRow(database);
  const customerId = await customerRow(database, organisationId);
  const userId = await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  await systemTransaction(systemDb, (tx) =>
    adjust(tx, { organisationId, cents: plenty, ref: organisationId, actor: 'test', text: '' }),
  );
  const scope: Buyer = {
    ...{ organisationId, customerId, userId, email: 'a@example.com', role: 'MSP_ADMIN' },
    ...{ reach: { kind: 'organisation' }, rights: { kind: 'role' }, ip: null, requestId: 'year' },
  };
  const made = await accessService.make(scope, {
    ...{ customerId, name: 'web servers', hosts: null, productType: acmeProduct, lastDay: null },
    mayBuy: { ordersPerMonth: hosts, centsPerMonth: hosts * 100_00 },
  });
  return { scope, access: { id: made.id, keyId: made.keyId, key: made.hmacKey } };
}

/** Listens at the address of the configuration. */
export async function listenAcme(acme: AcmeServer, { publicUrl }: Config): Promise<FastifyInstance> {
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  serveAcme(app, acme);
  await app.listen({ host: '127.0.0.1', port: Number(new URL(publicUrl).port) });
  return app;
}

/** The server with an authority that takes no time, a customer with money, an access and a domain with managed DNS. */
export async function startInstantAcme(
  database: Databases,
  { clock = systemClock, hosts }: { clock?: Clock; hosts: number },
) {
  const url = `http://127.0.0.1:${await freePort(0)}`;
  const config = readConfig({
    ...{ DATABASE_URL: 'postgres://unused', PORT: new URL(url).port, PUBLIC_URL: url },
  });
  const seal = createSeal(config.sealKeys);
  const sealed = { db: withSeal(database.db, seal), systemDb: withSeal(database.systemDb, seal) };
  /** Nothing has to be proven, and so nothing is looked up. */
  const silent = async () => [];
  const resolver = {
    ...{ nameservers: silent, txt: silent, cname: silent, addresses: silent, mx: silent, caa: silent },
  };
  const adapters = { registrar: await instantAuthority(), resolver };
  const features = composeAcme({ database: sealed, config, clock, adapters });
  const app = await listenAcme(features.acme, config);
  const { scope, access } = await openFleet(sealed, features, hosts);
  const domain = `instant-${newId().slice(-12)}.com`;
  await inTransaction(sealed.db, scope, (tx) =>
    tx
      .insertInto('domains')
      .values({
        ...{ id: newId(), organisation_id: scope.organisationId, customer_id: scope.customerId },
        ...{ address: domain, status: 'active', nameservers: [...config.registrar.nameservers] },
      })
      .execute(),
  );
  return { features, app, scope, access, domain, base: `${url}/acme` };
}
