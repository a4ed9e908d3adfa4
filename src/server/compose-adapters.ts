import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config.ts';
import { createHttpClient } from '#kernel/http-client.ts';
import type { Logger } from '#kernel/logger.ts';
import { createDns as createResolver, createZoneSource } from './adapters/dns/index.ts';
import { createLocalStorage } from './adapters/local-storage/index.ts';
import { createOidc } from './adapters/oidc/index.ts';
import { createOpenSrs } from './adapters/opensrs/index.ts';
import { createProbe, readAuthorities } from './adapters/probe/index.ts';
import { createRdap } from './adapters/rdap/index.ts';
import { createS3 } from './adapters/s3/index.ts';
import { createSmtp } from './adapters/smtp/index.ts';
import { createStripe } from './adapters/stripe/index.ts';

export type Adapters = ReturnType<typeof createAdapters>;

/** How long a call of the registrar may take. */
export function timeoutsOf(config: Config) {
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
