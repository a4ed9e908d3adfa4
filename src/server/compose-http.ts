import type { PublicConfig } from '#contracts/operations/system.ts';
import { operations } from '#contracts/operations.ts';
import { figureTexts } from '#contracts/values/operator-figures.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config.ts';
import { sql } from '#kernel/db/database.ts';
import { createRequestKeys } from '#kernel/request-keys.ts';
import { createSeal } from '#kernel/seal.ts';
import type { Features, Ground } from './compose.ts';
import type { Adapters } from './compose-adapters.ts';
import { acmeRoutes } from './features/acme/index.ts';
import { attentionRoutes } from './features/attention/index.ts';
import { auditRoutes } from './features/audit/index.ts';
import { billingRoutes } from './features/billing/index.ts';
import { certificateRoutes } from './features/certificates/index.ts';
import { changeRoutes } from './features/changes/index.ts';
import { customerRoutes, importRoutes } from './features/customers/index.ts';
import { directBillingRoutes } from './features/direct-billing/index.ts';
import { dnsRoutes } from './features/dns/index.ts';
import { domainRoutes } from './features/domains/index.ts';
import { healthRoutes } from './features/health/index.ts';
import { moveRoutes } from './features/moves/index.ts';
import { operatorRoutes } from './features/operator/index.ts';
import { orderRoutes } from './features/orders/index.ts';
import { overviewRoutes } from './features/overview/index.ts';
import { privacyRoutes } from './features/privacy/index.ts';
import { recoveryRoutes } from './features/recovery/index.ts';
import { renewalRoutes } from './features/renewals/index.ts';
import { healthReportRoutes, statementRoutes } from './features/statement/index.ts';
import { tokenRoutes } from './features/tokens/index.ts';
import { logoRoutes, userRoutes } from './features/users/index.ts';
import { viewRoutes } from './features/views/index.ts';
import type { AppOptions } from './http/app.ts';
import { registryWith } from './http/operator-metrics.ts';
import { createSharedLimiter } from './http/rate-limits.ts';
import { originsOf } from './http/security-headers.ts';
import { systemRoutes } from './http/system-routes.ts';

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
  const toEveryone = () => publicConfig(config, users, adapters.identity);
  return {
    operations,
    bindings: [
      ...systemRoutes(toEveryone, config.contentDir),
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
    registry: registryWith({ help: figureTexts, read: features.operator.figures }),
    webDir: 'dist/web',
    publicConfig: toEveryone,
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

/** Where browsers send files: ourselves (null), or the bucket's address. */
function uploadOrigin(config: Config): string | null {
  if (config.storage.kind === 'local') return null;
  const { bucket, region, endpoint, forcePathStyle } = config.storage.s3;
  const host = endpoint ?? `https://s3.${region}.amazonaws.com`;
  return forcePathStyle ? host : host.replace('://', `://${bucket}.`);
}

async function publicConfig(
  config: Config,
  users: Features['users'],
  identity: Adapters['identity'],
): Promise<PublicConfig> {
  return {
    brand: config.clientOrganisation ? await users.brandOf(config.clientOrganisation) : null,
    // Customers see nobody's name but their provider's.
    productName: config.appType === 'client' ? '' : config.productName,
    appType: config.appType,
    identity: {
      authority: config.identity.issuer,
      clientId: config.identity.clientId,
      scope: config.identity.scope,
      extraParams: config.identity.authorizeParams,
      passwordResetUrl: config.identity.passwordResetUrl,
      passwordResetConnection: config.identity.passwordResetConnection,
      metadata: identity.signInMetadata(),
    },
    payments: {
      publishableKey: config.payments.publishableKey,
      scriptUrl: config.payments.scriptUrl,
      dashboardUrl: config.payments.dashboardUrl,
    },
    paymentAccountRequired: config.payments.accountRequired,
  };
}
