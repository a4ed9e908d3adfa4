import { operations } from '#contracts/operations.ts';
import { machineRates } from '#contracts/values/rates.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config.ts';
import { withSeal } from '#kernel/db/bound-seal.ts';
import { type Db, sql } from '#kernel/db/database.ts';
import { createGate, type Gate } from '#kernel/db/place.ts';
import { createHttpClient } from '#kernel/http-client.ts';
import { newId } from '#kernel/ids.ts';
import { createLeases } from '#kernel/leases.ts';
import type { Logger } from '#kernel/logger.ts';
import { createRequestKeys, sealedReplies } from '#kernel/request-keys.ts';
import { createSeal } from '#kernel/seal.ts';
import { sealedSubjectKeys } from '#kernel/subject-keys.ts';
import { createDns as createResolver, createZoneSource } from './adapters/dns/index.ts';
import { createLocalStorage } from './adapters/local-storage/index.ts';
import { createOidc } from './adapters/oidc/index.ts';
import { createOpenSrs, longestActMs } from './adapters/opensrs/index.ts';
import { createProbe, readAuthorities } from './adapters/probe/index.ts';
import { createRdap } from './adapters/rdap/index.ts';
import { createS3 } from './adapters/s3/index.ts';
import { createSmtp } from './adapters/smtp/index.ts';
import { createStripe } from './adapters/stripe/index.ts';
import { attentionSources } from './attention-sources.ts';
import {
  acmeRoutes,
  createAccessService,
  createAcme,
  createAcmeAccesses,
  sealedAccessKeys,
  spentByAccess,
} from './features/acme/index.ts';
import { attentionRoutes, createAttention } from './features/attention/index.ts';
import { auditRoutes, createAudit, sealedHeads } from './features/audit/index.ts';
import { billingRoutes, createBilling } from './features/billing/index.ts';
import {
  certificateRoutes,
  createCertificatePricing,
  createCertificates,
  readCsr,
} from './features/certificates/index.ts';
import { changeRoutes, createChanges } from './features/changes/index.ts';
import {
  createCustomers,
  createExport,
  createImports,
  customerRoutes,
  importRoutes,
} from './features/customers/index.ts';
import { createDirectBilling, directBillingRoutes } from './features/direct-billing/index.ts';
import { createDns, dnsRoutes } from './features/dns/index.ts';
import { createDomainPricing, createDomains, domainRoutes, sealedDomains } from './features/domains/index.ts';
import { createHealth, healthRoutes } from './features/health/index.ts';
import { createMoves, moveRoutes, sealedMoveCodes } from './features/moves/index.ts';
import { createKeys, createOperator, operatorRoutes } from './features/operator/index.ts';
import { createOrders, orderRoutes, sealedOrderItems, secretsContext } from './features/orders/index.ts';
import { createOverview, overviewRoutes } from './features/overview/index.ts';
import { createPrivacy, privacyRoutes, sealedHolds } from './features/privacy/index.ts';
import { createRecovery, heldSeconds, recoveryRoutes } from './features/recovery/index.ts';
import { createRegistrarWatch } from './features/registrar/index.ts';
import { createRenewals, renewalRoutes } from './features/renewals/index.ts';
import { createStatement, healthReportRoutes, statementRoutes } from './features/statement/index.ts';
import { createTokens, tokenRoutes } from './features/tokens/index.ts';
import { createLogo, createUsers, logoRoutes, sealedInvites, userRoutes } from './features/users/index.ts';
import { createViews, viewRoutes } from './features/views/index.ts';
import type { AppOptions } from './http/app.ts';
import { registryWith } from './http/operator-metrics.ts';
import { count, createSharedLimiter, scaled } from './http/rate-limits.ts';
import { originsOf } from './http/security-headers.ts';
import { systemRoutes } from './http/system-routes.ts';

/** The composition: configuration -> adapters -> features -> http. The only place that knows them all. */

const everything = 1_000_000_000_00;

export type Adapters = ReturnType<typeof createAdapters>;
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

function timeoutsOf(config: Config) {
  return { writeMs: config.registrar.writeTimeoutMs, readMs: config.registrar.readTimeoutMs };
}

/** One adapter for each port, with the addresses and keys of the configuration. */
export function createAdapters(
  config: Config,
  logger: Logger,
  mayAct: () => Promise<boolean> = async () => true,
) {
  const registrarHttp = createHttpClient({
    allowedOrigins: [config.registrar.url],
    timeoutMs: config.registrar.readTimeoutMs,
    connectTimeoutMs: 10_000,
    maxResponseBytes: 5_000_000,
    maxConnections: config.registrar.parallel,
    mayAct,
  });
  const identityHttp = createHttpClient({
    allowedOrigins: config.identity.allowedOrigins,
    timeoutMs: 5_000,
    connectTimeoutMs: 5_000,
    maxResponseBytes: 1_000_000,
    maxConnections: 4,
  });
  return {
    registrar: createOpenSrs({
      url: config.registrar.url,
      username: config.registrar.username,
      key: config.registrar.key,
      http: registrarHttp,
      limits: { parallel: config.registrar.parallel, perSecond: config.registrar.perSecond },
      timeouts: timeoutsOf(config),
      logger,
    }),
    payments: createStripe({
      secretKey: config.payments.secretKey,
      webhookSecrets: config.payments.webhookSecrets,
      apiBase: config.payments.apiBase,
      mayAct,
    }),
    identity: createOidc({
      issuer: config.identity.issuer,
      audience: config.identity.audience,
      clientId: config.identity.clientId,
      algorithms: config.identity.allowedAlgs,
      tokenTypes: config.identity.acceptedTyp,
      clockToleranceSeconds: config.identity.clockToleranceSeconds,
      claims: config.identity.claims,
      http: identityHttp,
    }),
    ...createQuestions(config),
    rdap: createRdap({ bootstrapUrl: config.rdapBootstrapUrl }),
    probe: createProbe({
      proxy: config.probe.proxy,
      authorities: readAuthorities(config.probe.authoritiesFile),
      name: new URL(config.publicUrl).hostname,
    }),
    mail: createSmtp({
      ...{ url: config.mail.smtpUrl, from: config.mail.from, mayAct },
      productName: config.productName,
    }),
    ...createStorage(config),
  };
}

/** Both ask the same servers: one for what a name leads to, one for the records of a zone. */
function createQuestions({ dnsServers: servers, dnsZoneServers: zoneServers }: Config) {
  const resolver = createResolver({ servers });
  return { resolver, zoneSource: createZoneSource({ servers, zoneServers, resolver }) };
}

/** Files on this machine, which we then take ourselves, or in a bucket, to which browsers send them. */
function createStorage(config: Config) {
  const { kind, localDir, uploadSigningKey, s3 } = config.storage;
  if (kind === 's3') return { storage: createS3(s3), uploads: null };
  const local = createLocalStorage({
    directory: localDir,
    signingKey: uploadSigningKey,
    publicUrl: config.publicUrl,
    clock: systemClock,
  });
  return { storage: local, uploads: local };
}

/** A look at a zone may be this old; a change never is. */
const zoneCopyMs = 15_000;

/** Every feature, in the order in which they know each other. */
export function createFeatures({ config, logger, ...ground }: Ground, adapters: Adapters) {
  const clock = systemClock;
  const seal = createSeal(config.sealKeys);
  const db = withSeal(ground.db, seal);
  const systemDb = withSeal(ground.systemDb, seal);
  const actMs = longestActMs(timeoutsOf(config));
  const leases = createLeases({ db, newId, writeMs: actMs, times: { leaseMs: config.leaseMs } });
  const pendingLimitCents = config.orders.pendingSpendLimitCents ?? everything;
  const { registrar, payments, mail, resolver } = adapters;
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
  const tokens = createTokens({ db, systemDb, clock, newId });
  const logo = createLogo({ db, storage: adapters.storage, clock });
  const users = createUsers({
    ...{ db, systemDb, clock, newId, seal, mail, tokens, brandOf: logo.brandOf },
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
    ...{ db, systemDb, clock, logger, publicUrl: config.publicUrl },
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
  return {
    ...{ audit, keys, privacy, tokens, operator, recovery, users, customers, imports },
    ...{ domains, registrarWatch, dns, certificates, orders, acmeAccesses, acmeService, acme },
    ...{ renewals, billing, directBilling, statement, overview, attention, health, moves },
    views: createViews({ db, clock, newId }),
    changes: createChanges({
      ...{ db, systemDb, clock, logger, newId, domains, zones: dns.zones, templates: dns.templates },
      ...{ settings: domains.settings.many, prices: pricing.domains },
      ...{ parallel: config.registrar.parallel, claimMs: 2 * config.leaseMs },
    }),
    logo,
    customerExport,
  };
}

/** All that the HTTP server is made of: each operation with its handler, and who may call. */
export function appOptions(ground: Ground, adapters: Adapters, features: Features): AppOptions {
  const { config, db, logger } = ground;
  const {
    users,
    customers,
    domains,
    dns,
    certificates,
    orders,
    renewals,
    billing,
    statement,
    overview,
    logo,
  } = features;
  return {
    operations,
    bindings: [
      ...systemRoutes(() => publicConfig(config, users), config.contentDir),
      ...userRoutes(users),
      ...logoRoutes(logo),
      ...attentionRoutes(features.attention),
      ...healthRoutes(features.health),
      ...healthReportRoutes({ ...features, clock: systemClock, productName: config.productName }),
      ...moveRoutes(features.moves),
      ...auditRoutes(features.audit),
      ...tokenRoutes(features.tokens),
      ...customerRoutes(customers),
      ...importRoutes(features.imports, features.customerExport),
      ...domainRoutes(domains),
      ...dnsRoutes(dns),
      ...changeRoutes(features.changes),
      ...certificateRoutes(certificates),
      ...acmeRoutes(features.acmeService),
      ...orderRoutes(orders),
      ...billingRoutes(billing),
      ...directBillingRoutes(features.directBilling),
      ...renewalRoutes(renewals),
      ...statementRoutes(statement),
      ...overviewRoutes(overview),
      ...viewRoutes(features.views),
      ...operatorRoutes(features.operator, features.keys),
      ...recoveryRoutes(features.recovery),
      ...privacyRoutes(features.privacy),
    ],
    logger,
    identity: adapters.identity,
    loadActor: users.loadActor,
    loadByToken: features.tokens.loadByToken,
    requestKeys: createRequestKeys({ systemDb: ground.systemDb, seal: createSeal(config.sealKeys) }),
    sharedLimiter: config.rateLimitScale > 0 ? createSharedLimiter(db) : null,
    operatorToken: config.operatorToken ?? '',
    loadOperator: features.operator.operators.load,
    recordAct: features.operator.operators.record,
    clock: systemClock,
    origins: {
      identity: new URL(config.identity.issuer).origin,
      payments: [config.payments.scriptUrl, config.payments.apiBase],
      connect: originsOf([config.identity.passwordResetUrl, uploadOrigin(config)]),
      secure: config.publicUrl.startsWith('https:'),
    },
    ...(adapters.uploads ? { uploads: adapters.uploads } : {}),
    acme: features.acme,
    registry: registryWith({ help: features.operator.figureTexts, read: features.operator.figures }),
    webDir: 'dist/web',
    siteName: config.appType === 'client' ? null : config.productName,
    rateLimits: config.rateLimitScale,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    ...(ground.gate ? { isHeld: ground.gate.isHeld } : {}),
    ping: async () => {
      await sql`SELECT 1`.execute(db);
    },
  };
}

/** Named limits for what is no operation, counted where all processes see them. */
function limiterOf(db: Db, scale: number) {
  const limiter = scale > 0 ? createSharedLimiter(db) : null;
  return async (name: keyof typeof machineRates, key: string): Promise<void> => {
    if (limiter) await count(limiter, name, scaled(machineRates[name], scale), `${name}:${key}`);
  };
}

/** Where browsers send files: ourselves (null), or the bucket's address. */
function uploadOrigin(config: Config): string | null {
  if (config.storage.kind === 'local') return null;
  const { bucket, region, endpoint, forcePathStyle } = config.storage.s3;
  const host = endpoint ?? `https://s3.${region}.amazonaws.com`;
  return forcePathStyle ? host : host.replace('://', `://${bucket}.`);
}

async function publicConfig(config: Config, users: Features['users']) {
  return {
    brand: config.clientOrganisation ? await users.brandOf(config.clientOrganisation) : null,
    productName: config.productName,
    appType: config.appType,
    identity: {
      authority: config.identity.issuer,
      clientId: config.identity.clientId,
      scope: config.identity.scope,
      extraParams: config.identity.authorizeParams,
      passwordResetUrl: config.identity.passwordResetUrl,
      passwordResetConnection: config.identity.passwordResetConnection,
    },
    payments: {
      publishableKey: config.payments.publishableKey,
      scriptUrl: config.payments.scriptUrl,
      dashboardUrl: config.payments.dashboardUrl,
    },
    paymentAccountRequired: config.payments.accountRequired,
  };
}
