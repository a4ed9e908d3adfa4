import { join } from 'node:path';
import { z } from 'zod';
import * as field from './config-fields.ts';
import { neverInProduction, sandboxLeftovers } from './config-production.ts';

/**
 * All settings. Every one has a default that works for the sandbox on its usual ports; `docs/operations.md` says
 * what each is for.
 */
const settings = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  ALLOW_SANDBOX: field.flag(false),
  /** For tests of crashes (`kernel/failpoint.ts`). */
  FAILPOINT: z.string().nullable().default(null),

  /** Of the login nameward_app: tenants' work. */
  DATABASE_URL: field.database('postgres://nameward_app@127.0.0.1:4307/nameward'),
  /** Of the login nameward_system: work across tenants. */
  DATABASE_SYSTEM_URL: field.database('postgres://nameward_system@127.0.0.1:4307/nameward'),
  /** Of the login nameward_system, past a pooler that shares connections: jobs need sessions of their own. */
  DATABASE_DIRECT_URL: field.optionalDatabase,
  /** `off` behind a pooler that does not keep prepared statements (PgBouncer before 1.21, transaction mode). */
  DATABASE_PREPARED_STATEMENTS: field.flag(true),
  DATABASE_CONNECTIONS: field.count(20, 2, 500),
  /** `synchronous`: a standby that is promoted has every commit, and nothing is compared after a failover. */
  DATABASE_STANDBY: z.enum(['asynchronous', 'synchronous']).default('asynchronous'),
  /** Of the login nameward_app on a standby, or on several: lists, exports, the audit log and reports are read there. */
  DATABASE_READ_URL: field.databaseHosts,
  /** A standby that lags by more than this is not read. */
  DATABASE_READ_LAG_MS: field.count(10_000, 100, 600_000),
  HOST: z.string().default('127.0.0.1'),
  PORT: field.port(4300),
  PUBLIC_URL: field.address('http://127.0.0.1:4300'),
  /** Addresses or networks of the reverse proxies whose X-Forwarded-For is believed; nobody's by default. */
  TRUSTED_PROXIES: field.optionalList,
  /** Other origins whose pages may call the API; none by default. */
  CORS_ORIGINS: field.origins,
  ROLES: field.listOf(['web', 'worker'], 'web,worker'),
  APP_TYPE: z.enum(['msp', 'client']).default('msp'),
  /** With APP_TYPE=client: the MSP whose name and logo stand there before anyone signs in (decision 90). */
  CLIENT_ORGANISATION: z.uuid('must be an organisation’s id').nullable().default(null),
  /** Address of the customers' own portal, if there is one: invitations of customers' users lead there. */
  CLIENT_URL: field.optionalAddress,
  PRODUCT_NAME: z.string().default('Nameward'),
  DATA_DIR: z.string().default('data'),
  CONTENT_DIR: z.string().default('content'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** `on`, `off`, or a factor on all limits such as `10`. */
  RATE_LIMITS: z
    .string()
    .regex(/^(on|off|\d{1,6}(\.\d+)?)$/, 'must be on, off or a factor')
    .transform((text) => (text === 'on' ? 1 : text === 'off' ? 0 : Number(text)))
    .default(1),
  /** Makes keys for the people who run the portal, and does nothing else; without it none can be made. */
  OPERATOR_TOKEN: z.string().min(24, 'must have at least 24 characters').nullable().default(null),
  /** Cents of corrections that one operator may enter alone within a day; above it a second one confirms. */
  OPERATOR_ALONE_CENTS: field.count(1_000_00, 0, 1_000_000_00),
  /** Who is told of orders that need a person's eye, and of books that do not balance. */
  OPERATOR_EMAIL: z.email().nullable().default(null),
  /** Who issues receipts and statements: name, address (lines divided by "|") and tax number, as its papers need them. */
  ISSUER_NAME: z.string().max(100).default(''),
  ISSUER_ADDRESS: z.string().max(400).default(''),
  ISSUER_TAX_ID: z.string().max(40).default(''),

  OIDC_ISSUER: field.issuerAddress('http://127.0.0.1:4303'),
  /**
   * Further origins that the provider's metadata point to. Entra ID has its keys at https://login.microsoftonline.com
   * and its user information at https://graph.microsoft.com (checked 2026-11-21).
   */
  OIDC_ORIGINS: field.optionalList,
  OIDC_CLIENT_ID: z.string().default('nameward'),
  OIDC_AUDIENCE: z.string().default('https://nameward.example/api'),
  OIDC_ALLOWED_ALGS: field.listOf(
    ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
    'RS256,ES256,EdDSA',
  ),
  /** Header `typ` of access tokens: `at+jwt` (RFC 9068), or `JWT` where the provider says so (Auth0, Entra ID, Keycloak). */
  OIDC_ACCEPTED_TYP: field.list('at+jwt'),
  OIDC_SCOPE: z.string().default('openid profile email offline_access'),
  /** Further parameters of the sign-in request, e.g. `{"audience":"…"}` for Auth0. */
  OIDC_AUTHORIZE_PARAMS: field.jsonTexts,
  OIDC_CLAIM_EMAIL: z.string().default('email'),
  OIDC_CLAIM_EMAIL_VERIFIED: z.string().default('email_verified'),
  OIDC_CLAIM_NAME: z.string().default('name'),
  /** When the person last proved who they are. Where it is missing, steps that ask for a fresh sign-in are refused. */
  OIDC_CLAIM_AUTH_TIME: z.string().default('auth_time'),
  OIDC_CLOCK_TOLERANCE_SECONDS: field.count(10, 0, 30),
  /** Empty: derived from the issuer as the sandbox and Auth0 have it; `none`: no password reset is offered. */
  OIDC_PASSWORD_RESET_URL: z.union([z.literal('none'), field.optionalAddress]).default(null),
  OIDC_PASSWORD_RESET_CONNECTION: z.string().default('Username-Password-Authentication'),

  REGISTRAR_URL: field.address('http://127.0.0.1:4301'),
  REGISTRAR_USERNAME: z.string().default('sandbox'),
  REGISTRAR_KEY: z.string().default('sandbox-registrar-key'),
  /** Hosts of the registrar's own DNS: a name delegated to these uses the managed DNS. */
  REGISTRAR_NAMESERVERS: field.list('ns1.systemdns.com ns2.systemdns.com ns3.systemdns.com'),
  /** The operator is told when less than this can be spent of the account at the registrar. */
  REGISTRAR_BALANCE_ALARM_CENTS: field.count(50_000),
  REGISTRAR_PARALLEL: field.count(10, 1, 1_000),
  REGISTRAR_PER_SECOND: field.count(20, 1, 10_000),
  REGISTRAR_READ_TIMEOUT_MS: field.count(15_000, 100),
  REGISTRAR_WRITE_TIMEOUT_MS: field.count(45_000, 100),

  STRIPE_SECRET_KEY: z.string().default('sk_test_sandbox'),
  STRIPE_PUBLISHABLE_KEY: z.string().default('pk_test_sandbox'),
  /** More than one: own and connected accounts' events, and during a rotation the old and the new. */
  STRIPE_WEBHOOK_SECRETS: field.list('whsec_sandbox'),
  STRIPE_API_BASE: field.address('http://127.0.0.1:4302'),
  /** The vendor's script of API version dahlia (checked 2026-11-21). */
  STRIPE_SCRIPT_URL: field.address('https://js.stripe.com/dahlia/stripe.js'),
  STRIPE_DASHBOARD_URL: field.address('https://dashboard.stripe.com'),
  /** P2 §2: whether an MSP must set up its payment account before it works (decision 63). */
  PAYMENT_ACCOUNT_REQUIRED: field.flag(true),

  SMTP_URL: field.addressWith(/^smtps?:$/, 'smtp:// or smtps://', 'smtp://127.0.0.1:4305'),
  MAIL_FROM: z.string().default('Nameward <no-reply@nameward.example>'),
  DNS_SERVERS: field.dnsServers('127.0.0.1:4306'),
  /** Asked in place of the servers of other people's zones. */
  DNS_ZONE_SERVERS: field.optionalDnsServers,
  HEALTH_CHECKS: field.flag(true),
  /** The list of the registries' RDAP servers (RFC 9224): IANA's own (checked 2026-11-23), or a copy. */
  RDAP_BOOTSTRAP_URL: field.address('https://data.iana.org/rdap/dns.json'),
  /** An HTTP proxy (CONNECT) through which servers of others are looked at; absent: directly. */
  PROBE_PROXY: field.optionalAddress,
  /** A file with authorities (PEM) that those servers' certificates may come from, beside the usual ones. */
  PROBE_AUTHORITIES: z.string().nullable().default(null),

  STORAGE: z.enum(['local', 's3']).default('local'),
  /** Absent: `storage` below DATA_DIR. */
  STORAGE_DIR: z.string().nullable().default(null),
  S3_BUCKET: z.string().default(''),
  S3_REGION: z.string().default('us-east-1'),
  /** Absent: the vendor's own. Any service that speaks its protocol will do. */
  S3_ENDPOINT: field.optionalAddress,
  S3_ACCESS_KEY_ID: z.string().nullable().default(null),
  S3_SECRET_ACCESS_KEY: z.string().nullable().default(null),
  S3_FORCE_PATH_STYLE: field.flag(false),
  /** Newest first; all open what was sealed, the first seals. */
  SEAL_KEYS: field.numberedKeys('1:development-sealing-key'),
  UPLOAD_SIGNING_KEY: z
    .string()
    .min(16, 'must have at least 16 characters')
    .default('development-upload-key'),

  ORDER_REPLY_WAIT_MS: field.count(55_000),
  ORDER_RELEASE_AFTER_MS: field.count(600_000),
  ORDER_REVIEW_AFTER_MS: field.count(86_400_000),
  /** Beyond the longest call, before an order that was being sent counts as interrupted. */
  ORDER_CLAIM_MARGIN_MS: field.count(30_000),
  /** A writer that died is waited for this long; one that lives renews its lease well before. */
  LEASE_MS: field.count(15_000),
  /** Longest that a charge or a refund is at the payment provider, before another process takes it over. */
  PAYMENT_CLAIM_MS: field.count(120_000),
  ORDER_PARALLEL_ITEMS: field.count(10, 1, 200),
  /** How much of top-ups in processing may be spent already; absent: all of it. */
  PENDING_SPEND_LIMIT_CENTS: field.optionalCount,
  DOMAIN_MARGIN_PERCENT: field.count(20, 0, 1_000),
  CERTIFICATE_MARGIN_PERCENT: field.count(20, 0, 1_000),
  AUTO_RENEW_DAYS: field.count(30, 1, 365),
  /** Days before expiry on which the MSP is reminded, negative after it (ICANN ERRP, checked 2026-11-21). */
  REMINDER_DAYS: field.days('30,7,-3'),
  /** A transfer: until the owner has been asked, and how long the losing registrar may object (checked 2026-11-21). */
  TRANSFER_APPROVAL_DAYS: field.count(1, 0, 60),
  TRANSFER_RELEASE_DAYS: field.count(5, 0, 60),
  /** Stations of a .com name's life, in days; policies change (checked 2026-11-21). */
  TRANSFER_LOCK_DAYS: field.count(60, 0, 365),
  REGISTRANT_LOCK_DAYS: field.count(60, 0, 365),
  GRACE_DAYS: field.count(40, 0, 365),
  REDEMPTION_DAYS: field.count(30, 0, 365),
  /** What the registry asks for giving a deleted name back, besides a year's renewal: suffix:cents. Others have none. */
  REDEMPTION_FEES: field.centsBySuffix('com:8000'),
  PENDING_DELETE_DAYS: field.count(5, 0, 365),
});

export type Settings = z.output<typeof settings>;

/** All that the environment may set. */
export const settingNames = Object.keys(settings.shape);

/** Thrown when settings cannot be used; its message names each of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(complaints: readonly string[]) {
    super(`These settings cannot be used:\n${complaints.map((line) => `  ${line}`).join('\n')}`);
  }
}

/** Reads the settings once, at start. Production refuses the sandbox's addresses and keys unless ALLOW_SANDBOX=1. */
export function readConfig(env: Record<string, string | undefined>) {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`),
    );
  }
  const values = parsed.data;
  const complaints: string[] = [];
  if (values.STORAGE === 's3' && values.S3_BUCKET === '')
    complaints.push('S3_BUCKET: is needed with STORAGE=s3');
  if (values.NODE_ENV === 'production') {
    complaints.push(...neverInProduction(values));
    if (!values.ALLOW_SANDBOX) complaints.push(...sandboxLeftovers(values));
  }
  if (complaints.length > 0) throw new ConfigError(complaints);
  return toConfig(values);
}

export type Config = ReturnType<typeof readConfig>;

function toConfig(value: Settings) {
  return {
    production: value.NODE_ENV === 'production',
    database: {
      tenants: value.DATABASE_URL,
      system: value.DATABASE_SYSTEM_URL,
      direct: value.DATABASE_DIRECT_URL,
      read: value.DATABASE_READ_URL,
      readLagMs: value.DATABASE_READ_LAG_MS,
      preparedStatements: value.DATABASE_PREPARED_STATEMENTS,
      connections: value.DATABASE_CONNECTIONS,
      losslessPromotions: value.DATABASE_STANDBY === 'synchronous',
    },
    host: value.HOST,
    port: value.PORT,
    publicUrl: value.PUBLIC_URL,
    trustedProxies: value.TRUSTED_PROXIES,
    corsOrigins: value.CORS_ORIGINS,
    roles: value.ROLES,
    appType: value.APP_TYPE,
    clientOrganisation: value.APP_TYPE === 'client' ? value.CLIENT_ORGANISATION : null,
    clientUrl: value.CLIENT_URL ? field.withoutSlash(value.CLIENT_URL) : null,
    productName: value.PRODUCT_NAME,
    dataDir: value.DATA_DIR,
    contentDir: value.CONTENT_DIR,
    logLevel: value.LOG_LEVEL,
    /** A factor on the limits; 0: none apply. */
    rateLimitScale: value.RATE_LIMITS,
    operatorToken: value.OPERATOR_TOKEN,
    operatorEmail: value.OPERATOR_EMAIL,
    issuer: {
      name: value.ISSUER_NAME || value.PRODUCT_NAME,
      address: value.ISSUER_ADDRESS.split('|'),
      taxId: value.ISSUER_TAX_ID,
    },
    operatorAloneCents: value.OPERATOR_ALONE_CENTS,
    identity: identityConfig(value),
    registrar: {
      url: value.REGISTRAR_URL,
      username: value.REGISTRAR_USERNAME,
      key: value.REGISTRAR_KEY,
      nameservers: value.REGISTRAR_NAMESERVERS.map((name) => name.toLowerCase()),
      balanceAlarmCents: value.REGISTRAR_BALANCE_ALARM_CENTS,
      parallel: value.REGISTRAR_PARALLEL,
      perSecond: value.REGISTRAR_PER_SECOND,
      readTimeoutMs: value.REGISTRAR_READ_TIMEOUT_MS,
      writeTimeoutMs: value.REGISTRAR_WRITE_TIMEOUT_MS,
    },
    payments: {
      secretKey: value.STRIPE_SECRET_KEY,
      publishableKey: value.STRIPE_PUBLISHABLE_KEY,
      webhookSecrets: value.STRIPE_WEBHOOK_SECRETS,
      apiBase: value.STRIPE_API_BASE,
      scriptUrl: value.STRIPE_SCRIPT_URL,
      dashboardUrl: value.STRIPE_DASHBOARD_URL,
      accountRequired: value.PAYMENT_ACCOUNT_REQUIRED,
      claimMs: value.PAYMENT_CLAIM_MS,
    },
    mail: { smtpUrl: value.SMTP_URL, from: value.MAIL_FROM },
    dnsServers: value.DNS_SERVERS,
    dnsZoneServers: value.DNS_ZONE_SERVERS,
    healthChecks: value.HEALTH_CHECKS,
    rdapBootstrapUrl: value.RDAP_BOOTSTRAP_URL,
    probe: { proxy: value.PROBE_PROXY, authoritiesFile: value.PROBE_AUTHORITIES },
    storage: storageConfig(value),
    sealKeys: value.SEAL_KEYS,
    orders: {
      replyWaitMs: value.ORDER_REPLY_WAIT_MS,
      releaseAfterMs: value.ORDER_RELEASE_AFTER_MS,
      reviewAfterMs: value.ORDER_REVIEW_AFTER_MS,
      claimMarginMs: value.ORDER_CLAIM_MARGIN_MS,
      parallelItems: value.ORDER_PARALLEL_ITEMS,
      /** null: all that is pending may be spent. */
      pendingSpendLimitCents: value.PENDING_SPEND_LIMIT_CENTS,
    },
    prices: {
      domainMarginPercent: value.DOMAIN_MARGIN_PERCENT,
      certificateMarginPercent: value.CERTIFICATE_MARGIN_PERCENT,
      redemptionCents: value.REDEMPTION_FEES,
    },
    leaseMs: value.LEASE_MS,
    autoRenewDays: value.AUTO_RENEW_DAYS,
    reminderDays: value.REMINDER_DAYS,
    transferTimes: { approvalDays: value.TRANSFER_APPROVAL_DAYS, releaseDays: value.TRANSFER_RELEASE_DAYS },
    periods: {
      transferLockDays: value.TRANSFER_LOCK_DAYS,
      registrantLockDays: value.REGISTRANT_LOCK_DAYS,
      graceDays: value.GRACE_DAYS,
      redemptionDays: value.REDEMPTION_DAYS,
      pendingDeleteDays: value.PENDING_DELETE_DAYS,
    },
  };
}

function identityConfig(value: Settings) {
  const derived = new URL('dbconnections/change_password', `${value.OIDC_ISSUER.replace(/\/$/, '')}/`).href;
  const resetUrl = value.OIDC_PASSWORD_RESET_URL;
  return {
    issuer: value.OIDC_ISSUER,
    /** Where the server may ask: nothing else is ever fetched. */
    allowedOrigins: [value.OIDC_ISSUER, ...value.OIDC_ORIGINS],
    clientId: value.OIDC_CLIENT_ID,
    audience: value.OIDC_AUDIENCE,
    allowedAlgs: value.OIDC_ALLOWED_ALGS,
    acceptedTyp: value.OIDC_ACCEPTED_TYP,
    claims: {
      email: value.OIDC_CLAIM_EMAIL,
      emailVerified: value.OIDC_CLAIM_EMAIL_VERIFIED,
      name: value.OIDC_CLAIM_NAME,
      authTime: value.OIDC_CLAIM_AUTH_TIME,
    },
    clockToleranceSeconds: value.OIDC_CLOCK_TOLERANCE_SECONDS,
    scope: value.OIDC_SCOPE,
    authorizeParams: value.OIDC_AUTHORIZE_PARAMS,
    passwordResetUrl: resetUrl === 'none' ? null : (resetUrl ?? derived),
    passwordResetConnection: value.OIDC_PASSWORD_RESET_CONNECTION,
  };
}

function storageConfig(value: Settings) {
  return {
    kind: value.STORAGE,
    localDir: value.STORAGE_DIR ?? join(value.DATA_DIR, 'storage'),
    uploadSigningKey: value.UPLOAD_SIGNING_KEY,
    s3: {
      bucket: value.S3_BUCKET,
      region: value.S3_REGION,
      endpoint: value.S3_ENDPOINT,
      accessKeyId: value.S3_ACCESS_KEY_ID,
      secretAccessKey: value.S3_SECRET_ACCESS_KEY,
      forcePathStyle: value.S3_FORCE_PATH_STYLE,
    },
  };
}
