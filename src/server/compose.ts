import { machineRates } from '#contracts/values/rates.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config.ts';
import { withSeal } from '#kernel/db/bound-seal.ts';
import type { Db } from '#kernel/db/database.ts';
import { createGate, type Gate } from '#kernel/db/place.ts';
import { newId } from '#kernel/ids.ts';
import { createLeases } from '#kernel/leases.ts';
import type { Logger } from '#kernel/logger.ts';
import { sealedReplies } from '#kernel/request-keys.ts';
import { createSeal } from '#kernel/seal.ts';
import { sealedSubjectKeys } from '#kernel/subject-keys.ts';
import { longestActMs } from './adapters/opensrs/index.ts';
import { attentionSources } from './attention-sources.ts';
import { type Adapters, timeoutsOf } from './compose-adapters.ts';
import {
  createAccessService,
  createAcme,
  createAcmeAccesses,
  sealedAccessKeys,
  spentByAccess,
} from './features/acme/index.ts';
import { createAttention } from './features/attention/index.ts';
import { createAudit, sealedHeads } from './features/audit/index.ts';
import { createBilling, endAutoBalance } from './features/billing/index.ts';
import { createCertificatePricing, createCertificates, readCsr } from './features/certificates/index.ts';
import { createChanges } from './features/changes/index.ts';
import { createCustomers, createExport, createImports } from './features/customers/index.ts';
import { createDirectBilling } from './features/direct-billing/index.ts';
import { createDns } from './features/dns/index.ts';
import { createDomainPricing, createDomains, sealedDomains } from './features/domains/index.ts';
import { createHealth, endWatching } from './features/health/index.ts';
import { createMoves, sealedMoveCodes } from './features/moves/index.ts';
import { createKeys, createOperator } from './features/operator/index.ts';
import { createOrders, sealedOrderItems, secretsContext } from './features/orders/index.ts';
import { createOverview } from './features/overview/index.ts';
import { createPrivacy, sealedHolds } from './features/privacy/index.ts';
import { createRecovery, heldSeconds } from './features/recovery/index.ts';
import { createRegistrarWatch } from './features/registrar/index.ts';
import { createRenewals } from './features/renewals/index.ts';
import { createStatement } from './features/statement/index.ts';
import { createTokens } from './features/tokens/index.ts';
import { createLogo, createUsers, sealedInvites } from './features/users/index.ts';
import { createViews } from './features/views/index.ts';
import { count, createSharedLimiter, scaled } from './http/rate-limits.ts';

/** The composition: configuration -> adapters -> features -> http. The only place that knows all features. */

const everything = 1_000_000_000_00;

export type Features = ReturnType<typeof createFeatures>;

/** What features work with, beside the outside world. */
export interface Ground {
  config: Config;
  /** Tenants' work. */
  db: Db;
  /** Work across tenants. */
  systemDb: Db;
  logger: Logger;
  /** Whether anything may be sent; absent in tests of a part. */
  gate?: Gate;
}

/** A look at a zone may be this old; a change never is. */
const zoneCopyMs = 15_000;

/** Every feature, in the order in which they know each other. */
export function createFeatures(ground: Ground, adapters: Adapters) {
  const tools = toolsOf(ground, adapters);
  const trade = createTrade(tools);
  return {
    ...trade,
    ...createMachines(tools, trade),
    ...createCare(tools, trade),
    ...createRunning(tools, trade, ground),
  };
}

type Tools = ReturnType<typeof toolsOf>;
type Trade = ReturnType<typeof createTrade>;

/** What several features are made with. */
function toolsOf({ config, logger, ...ground }: Ground, adapters: Adapters) {
  const clock = systemClock;
  const seal = createSeal(config.sealKeys);
  const db = withSeal(ground.db, seal);
  const systemDb = withSeal(ground.systemDb, seal);
  const actMs = longestActMs(timeoutsOf(config));
  const leases = createLeases({ db, newId, writeMs: actMs, times: { leaseMs: config.leaseMs } });
  const pendingLimitCents = config.orders.pendingSpendLimitCents ?? everything;
  const { registrar } = adapters;
  const pricing = {
    domains: createDomainPricing({
      ...{ db, registrar, clock },
      marginPercent: config.prices.domainMarginPercent,
      redemptionCents: config.prices.redemptionCents,
    }),
    certificates: createCertificatePricing({
      db,
      clock,
      marginPercent: config.prices.certificateMarginPercent,
    }),
  };
  return { config, logger, adapters, clock, seal, db, systemDb, actMs, leases, pendingLimitCents, pricing };
}

/** People, their customers, what those have, and the money. */
function createTrade(tools: Tools) {
  const { config, logger, adapters, clock, seal, db, systemDb, actMs, leases, pendingLimitCents, pricing } =
    tools;
  const { registrar, payments, mail, resolver } = adapters;
  const tokens = createTokens({ db, systemDb, clock, newId });
  const logo = createLogo({ db, storage: adapters.storage, clock });
  const users = createUsers({
    ...{ db, systemDb, clock, newId, seal, mail, tokens, brandOf: logo.brandOf },
    endsWithOrganisation: [endAutoBalance, endWatching],
    publicUrl: config.publicUrl,
    clientUrl: config.clientUrl,
    openSignUp: config.appType === 'msp',
    productName: config.productName,
  });
  const directBilling = createDirectBilling({
    ...{ db, systemDb, payments, clock, logger, seal, claimMs: config.payments.claimMs },
    publicUrl: config.publicUrl,
  });
  const audit = createAudit({ db, systemDb, clock, seal, logger });
  const customers = createCustomers({ db, clock, newId, users, connect: directBilling.connect });
  const imports = createImports({ db, systemDb, storage: adapters.storage, clock, newId });
  const customerExport = createExport({ db, clock });
  const domains = createDomains({
    ...{ db, systemDb, registrar, pricing: pricing.domains, clock, customers, leases },
    ...{ resolver, zoneSource: adapters.zoneSource },
    transferTimes: config.transferTimes,
    publicUrl: config.publicUrl,
    facts: { nameservers: config.registrar.nameservers, periods: config.periods },
  });
  const registrarWatch = createRegistrarWatch({
    ...{ systemDb, registrar, clock, logger },
    alarmCents: config.registrar.balanceAlarmCents,
  });
  const dns = createDns({
    ...{ db, systemDb, registrar, clock, newId, leases },
    nameservers: config.registrar.nameservers,
    settleMs: actMs,
    copyMs: zoneCopyMs,
  });
  const certificates = createCertificates({
    ...{ db, systemDb, registrar, resolver, clock, customers, leases, actMs },
    pricing: pricing.certificates,
    setProof: dns.setProof,
    publicUrl: config.publicUrl,
  });
  const orders = createOrders({
    ...{ db, systemDb, clock, seal, logger, pricing, customers, registrar, pendingLimitCents },
    readCsr,
    requireRegistrarFunds: registrarWatch.balance.requireFunds,
    replyWaitMs: config.orders.replyWaitMs,
    parallelItems: config.orders.parallelItems,
    times: {
      callMs: actMs,
      claimMarginMs: config.orders.claimMarginMs,
      releaseAfterMs: config.orders.releaseAfterMs,
      reviewAfterMs: config.orders.reviewAfterMs,
    },
  });
  const billing = createBilling({
    ...{ db, systemDb, payments, clock, logger, pendingLimitCents, users },
    claimMs: config.payments.claimMs,
    publicUrl: config.publicUrl,
    onConnected: directBilling.onEvent,
  });
  const renewals = createRenewals({
    ...{ db, systemDb, clock, orders, pendingLimitCents },
    pricing: pricing.domains,
    renewDays: config.autoRenewDays,
    reminderDays: config.reminderDays,
    graceDays: config.periods.graceDays,
    publicUrl: config.publicUrl,
  });
  return {
    ...{ tokens, logo, users, directBilling, audit, customers, imports, customerExport, domains },
    ...{ registrarWatch, dns, certificates, orders, billing, renewals },
  };
}

/** Certificates by ACME. */
function createMachines(
  { config, logger, clock, seal, db, systemDb, pricing }: Tools,
  { orders, certificates }: Trade,
) {
  const acmeAccesses = createAcmeAccesses({ systemDb, clock, seal });
  const acmeService = createAccessService({
    ...{ db, clock, seal, newId, pricing: pricing.certificates },
    publicUrl: config.publicUrl,
    spentThisMonth: (tx, _scope, ids) => spentByAccess(tx, ids, clock.now()),
  });
  const acme = createAcme({
    ...{ db, systemDb, clock, logger, seal, orders, readCsr },
    accesses: acmeAccesses,
    certificates: certificates.byMachine,
    pricing: pricing.certificates,
    nameservers: config.registrar.nameservers,
    publicUrl: config.publicUrl,
    limit: limiterOf(db, config.rateLimitScale),
  });
  return { acmeAccesses, acmeService, acme };
}

/** What looks after many domains, and shows how things are. */
function createCare(
  { config, logger, adapters, clock, seal, db, systemDb, pendingLimitCents, pricing }: Tools,
  { customers, orders, dns, domains, certificates, logo }: Trade,
) {
  const { resolver } = adapters;
  const health = createHealth({
    ...{
      db,
      systemDb,
      clock,
      logger,
      resolver,
      probe: adapters.probe,
      rdap: adapters.rdap,
      enabled: config.healthChecks,
    },
    managed: config.registrar.nameservers,
  });
  const moves = createMoves({
    ...{ db, systemDb, clock, logger, seal, newId, customers, orders, dns, domains },
    ...{ pricing: pricing.domains, zoneSource: adapters.zoneSource, rdap: adapters.rdap },
    ...{ managed: config.registrar.nameservers, transferTimes: config.transferTimes },
  });
  const attention = createAttention({
    ...{ db, systemDb, clock, logger, publicUrl: config.publicUrl, clientUrl: config.clientUrl },
    sources: attentionSources(config, { pricing: pricing.domains, pendingLimitCents }),
  });
  const overview = createOverview({
    ...{ db, clock, graceDays: config.periods.graceDays },
    certificateBands: (scope) => certificates.bands(scope),
    attention: (scope) => attention.counts(scope),
  });
  const statement = createStatement({
    ...{ db, clock, orders, productName: config.productName, issuer: config.issuer },
    brandOf: logo.brandOf,
  });
  return {
    ...{ health, moves, attention, overview, statement },
    views: createViews({ db, clock, newId }),
    changes: createChanges({
      ...{ db, systemDb, clock, logger, newId, domains, zones: dns.zones, templates: dns.templates },
      ...{ settings: domains.settings.many, prices: pricing.domains },
      ...{ parallel: config.registrar.parallel, claimMs: 2 * config.leaseMs },
    }),
  };
}

/** What the operator runs the portal with. */
function createRunning(
  { config, logger, adapters, clock, seal, db, systemDb, pricing }: Tools,
  { users, orders, billing, directBilling, renewals, registrarWatch, dns }: Trade,
  ground: Ground,
) {
  const { registrar, payments, mail } = adapters;
  const operator = createOperator({
    ...{ systemDb, clock, logger, registrar, payments, mail, orders, billing, directBilling, renewals },
    pricing: pricing.domains,
    marginPercent: {
      domain: config.prices.domainMarginPercent,
      certificate: config.prices.certificateMarginPercent,
    },
    newId,
    aloneLimitCents: config.operatorAloneCents,
    operatorEmail: config.operatorEmail,
    publicUrl: config.publicUrl,
    registrarAccount: registrarWatch.balance.account,
  });
  const { losslessPromotions } = config.database;
  const recovery = createRecovery({
    ...{ db, systemDb, clock, logger, newId, registrar, payments, orders, billing, dns },
    ...{ losslessPromotions, heldSeconds },
    gate: ground.gate ?? createGate(ground.systemDb, { losslessPromotions }),
  });
  const privacy = createPrivacy({ db, systemDb, clock, newId, seal, logger, users });
  const keys = createKeys({
    ...{ systemDb, seal, logger },
    places: [
      sealedInvites(systemDb),
      // Before the items that they are copies of.
      sealedDomains(systemDb, secretsContext),
      sealedOrderItems(systemDb),
      sealedHeads(systemDb),
      sealedHolds(systemDb),
      sealedAccessKeys(systemDb),
      sealedReplies(systemDb),
      sealedMoveCodes(systemDb),
      sealedSubjectKeys(systemDb),
    ],
  });
  return { operator, recovery, privacy, keys };
}

/** Named limits for what is no operation, counted where all processes see them. */
function limiterOf(db: Db, scale: number) {
  const limiter = scale > 0 ? createSharedLimiter(db) : null;
  return async (name: keyof typeof machineRates, key: string): Promise<void> => {
    if (limiter) await count(limiter, name, scaled(machineRates[name], scale), `${name}:${key}`);
  };
}
