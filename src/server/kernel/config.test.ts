import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig, settingNames } from './config.ts';
import { weaknessOf } from './config-production.ts';

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://portal.msp.example',
  OIDC_ISSUER: 'https://tenant.auth.example/',
  REGISTRAR_URL: 'https://registrar.example:55443',
  REGISTRAR_KEY: 'a-real-key',
  STRIPE_SECRET_KEY: 'sk_live_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
  STRIPE_WEBHOOK_SECRETS: 'whsec_a,whsec_b',
  STRIPE_API_BASE: 'https://api.stripe.com',
  SMTP_URL: 'smtps://mail.example:465',
  DNS_SERVERS: '127.0.0.53',
  SEAL_KEYS: '2:Jr0zAGHY9RhwoNh3MnI9N2PlW1+Yf7lTgwUO3mvKuqE=,1:9e1f27ad3c58b0467f12d8e9a3c04b65',
  UPLOAD_SIGNING_KEY: 'c7J4vQm0LwHyt2Rk9sXbPz6dFn1GuEa5',
};

function complaintsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError)
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
    throw error;
  }
  return [];
}

test('without any setting everything points at the sandbox on its usual ports', () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    port: 4300,
    roles: ['web', 'worker'],
    appType: 'msp',
    registrar: { url: 'http://127.0.0.1:4301', username: 'sandbox', key: 'sandbox-registrar-key' },
    payments: {
      apiBase: 'http://127.0.0.1:4302',
      secretKey: 'sk_test_sandbox',
      publishableKey: 'pk_test_sandbox',
      webhookSecrets: ['whsec_sandbox'],
      scriptUrl: 'https://js.stripe.com/dahlia/stripe.js',
    },
    identity: {
      issuer: 'http://127.0.0.1:4303',
      clientId: 'nameward',
      audience: 'https://nameward.example/api',
      passwordResetUrl: 'http://127.0.0.1:4303/dbconnections/change_password',
    },
    mail: { smtpUrl: 'smtp://127.0.0.1:4305' },
    dnsServers: ['127.0.0.1:4306'],
    storage: { kind: 'local', localDir: 'data/storage' },
    orders: {
      replyWaitMs: 55_000,
      releaseAfterMs: 600_000,
      reviewAfterMs: 86_400_000,
      pendingSpendLimitCents: null,
    },
    autoRenewDays: 30,
  });
});

test('production names each address and secret of the sandbox that is left, and starts with none', () => {
  const complaints = complaintsOf({ NODE_ENV: 'production' });
  for (const name of [
    'PUBLIC_URL',
    'OIDC_ISSUER',
    'REGISTRAR_URL',
    'REGISTRAR_KEY',
    'STRIPE_SECRET_KEY',
    'STRIPE_PUBLISHABLE_KEY',
    'STRIPE_WEBHOOK_SECRETS',
    'STRIPE_API_BASE',
    'SMTP_URL',
    'DNS_SERVERS',
    'SEAL_KEYS',
    'UPLOAD_SIGNING_KEY',
  ]) {
    expect(complaints.filter((line) => line.startsWith(`${name}:`))).toHaveLength(1);
  }
  expect(complaintsOf(production)).toEqual([]);
  for (const leftover of [
    { REGISTRAR_URL: 'http://localhost:4301' },
    { STRIPE_API_BASE: 'http://api.stripe.com' },
    { SEAL_KEYS: `${production.SEAL_KEYS},0:development-sealing-key` },
  ]) {
    expect(complaintsOf({ ...production, ...leftover })).toHaveLength(1);
  }
});

test.each([
  [{ FAILPOINT: 'purchase.held:1' }, 'FAILPOINT: is for tests, it ends the process'],
  [{ RATE_LIMITS: 'off' }, 'RATE_LIMITS: must not be off'],
  [{ RATE_LIMITS: '0' }, 'RATE_LIMITS: must not be off'],
  [{ RATE_LIMITS: '101' }, 'RATE_LIMITS: must not be above 100, or there are none'],
])('no production starts with %j, not even one on the sandbox', (setting, complaint) => {
  expect(complaintsOf({ ...production, ...setting })).toEqual([complaint]);
  expect(complaintsOf({ NODE_ENV: 'production', ALLOW_SANDBOX: '1', ...setting })).toEqual([complaint]);
  expect(complaintsOf(setting)).toEqual([]);
});

test.each([
  'PUBLIC_URL',
  'CLIENT_URL',
  'OIDC_ISSUER',
  'OIDC_ORIGINS',
  'OIDC_PASSWORD_RESET_URL',
  'REGISTRAR_URL',
  'STRIPE_API_BASE',
  'STRIPE_SCRIPT_URL',
  'STRIPE_DASHBOARD_URL',
  'S3_ENDPOINT',
  'CORS_ORIGINS',
])('production reaches nothing outside in the clear: %s', (name) => {
  const complaint = `${name}: must be https`;
  expect(complaintsOf({ ...production, [name]: 'http://outside.example' })).toContain(complaint);
  expect(complaintsOf({ ...production, [name]: 'https://outside.example' })).toEqual([]);
});

test.each(['null', '*', 'app.example', 'https://app.example/path', 'https://app.example/'])(
  '%s is no origin whose pages may call the API',
  (origin) => {
    const complaint = 'CORS_ORIGINS: must be origins such as https://app.example, without a path';
    expect(complaintsOf({ CORS_ORIGINS: `https://good.example,${origin}` })).toEqual([complaint]);
  },
);

test.each([
  ['0123456789abcdef', 'must have at least 32 characters in production'],
  ['our-password-for-everything-2026!', 'contains a word that many keys contain'],
  ['development-upload-key-of-everybody', 'contains a word that many keys contain'],
  ['aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb', 'repeats a few characters'],
  ['k3Jd9sLq0wXzk3Jd9sLq0wXzk3Jd9sLq', 'repeats itself'],
  ['abcdefghijklmnopqrstuvwxyz012345', 'counts up or down'],
])('a key of our own that can be guessed is refused in production: %s', (key, weakness) => {
  const tail = `${weakness}; make one with: openssl rand -base64 32`;
  expect(complaintsOf({ ...production, SEAL_KEYS: `1:${key}` })).toEqual([`SEAL_KEYS: key 1 ${tail}`]);
  expect(complaintsOf({ ...production, UPLOAD_SIGNING_KEY: key })).toEqual([`UPLOAD_SIGNING_KEY: ${tail}`]);
  const operator = complaintsOf({ ...production, OPERATOR_TOKEN: key.padEnd(24, key) });
  expect(operator).toEqual([expect.stringMatching(/^OPERATOR_TOKEN: /)]);
});

test('no random key is called weak', () => {
  for (let count = 0; count < 2_000; count += 1) {
    const bytes = createHash('sha256').update(String(count)).digest();
    const [base64, hex] = [bytes.toString('base64'), bytes.toString('hex')];
    expect([weaknessOf(base64), weaknessOf(hex)]).toEqual([null, null]);
  }
});

test('production on the sandbox must be wanted: ALLOW_SANDBOX=1', () => {
  expect(complaintsOf({ NODE_ENV: 'production', ALLOW_SANDBOX: '1' })).toEqual([]);
});

test('an unusable setting is refused by name, without its value', () => {
  const bad = {
    PORT: '70000',
    DATABASE_URL: 'mysql://root:canary-secret@h/db',
    SEAL_KEYS: 'canary-secret',
    OIDC_AUTHORIZE_PARAMS: '{"audience":',
    OIDC_ALLOWED_ALGS: 'RS256,none',
    ROLES: 'web,cook',
    RATE_LIMITS: 'sometimes',
    DNS_SERVERS: 'dns.example',
    STORAGE: 's3',
    APP_TYPE: 'other',
  };
  const message = complaintsOf(bad).join('\n');
  for (const name of Object.keys(bad).filter((key) => key !== 'STORAGE'))
    expect(message).toContain(`${name}:`);
  expect(message).not.toContain('canary-secret');
  expect(complaintsOf({ STORAGE: 's3' })).toEqual(['S3_BUCKET: is needed with STORAGE=s3']);
});

test('an empty setting counts as absent', () => {
  expect(readConfig({ PORT: '', PRODUCT_NAME: '' })).toMatchObject({ port: 4300, productName: 'Nameward' });
});

test('an issuer keeps its slash at the end, which providers compare letter by letter', () => {
  const config = readConfig({
    OIDC_ISSUER: 'https://tenant.auth.example/',
    PUBLIC_URL: 'https://p.example/',
  });
  expect(config.identity.issuer).toBe('https://tenant.auth.example/');
  expect(config.identity.passwordResetUrl).toBe('https://tenant.auth.example/dbconnections/change_password');
  expect(config.publicUrl).toBe('https://p.example');
});

test('limits can be switched off or scaled', () => {
  const scaleOf = (text: string) => readConfig({ RATE_LIMITS: text }).rateLimitScale;
  expect(['on', 'off', '10', '0.5'].map(scaleOf)).toEqual([1, 0, 10, 0.5]);
});

test('docs/operations.md says what each setting is for', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  const documented = new Set([...text.matchAll(/`([A-Z][A-Z0-9_]+\*?)[`=]/g)].map(([, name]) => name));
  const isNamed = (name: string) =>
    documented.has(name) || documented.has(`${name.slice(0, name.indexOf('_'))}_*`);
  expect(settingNames.filter((name) => !isNamed(name))).toEqual([]);
});

test('standbys are named by one address with several hosts, each with the same login', () => {
  const read = (DATABASE_READ_URL: string) => readConfig({ DATABASE_READ_URL }).database.read;
  expect(read('')).toEqual([]);
  expect(read('postgres://app:p,w@one:5432/nameward')).toEqual(['postgres://app:p,w@one:5432/nameward']);
  expect(read('postgres://app:pw@one:5432,two,[::1]:6432/nameward?sslmode=require')).toEqual(
    ['one:5432', 'two', '[::1]:6432'].map((host) => `postgres://app:pw@${host}/nameward?sslmode=require`),
  );
  for (const bad of ['mysql://canary-secret@h/db', 'postgres://', 'postgres://a:canary-secret@one:5432,/db'])
    expect(complaintsOf({ DATABASE_READ_URL: bad }).join()).toMatch(/^DATABASE_READ_URL: must be an address/);
});
