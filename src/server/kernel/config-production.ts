import type { Settings } from './config.ts';

const developmentSecrets = {
  REGISTRAR_KEY: 'sandbox-registrar-key',
  STRIPE_SECRET_KEY: 'sk_test_sandbox',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
} as const satisfies Partial<Record<keyof Settings, string>>;

/** A factor on the limits above this is none. */
const mostRateLimitScale = 100;

/** What no production wants, not even one on the sandbox: one line a setting. */
export function neverInProduction(values: Settings): string[] {
  const complaints: string[] = [];
  if (values.FAILPOINT !== null) complaints.push('FAILPOINT: is for tests, it ends the process');
  if (values.RATE_LIMITS === 0) complaints.push('RATE_LIMITS: must not be off');
  if (values.RATE_LIMITS > mostRateLimitScale) {
    complaints.push(`RATE_LIMITS: must not be above ${mostRateLimitScale}, or there are none`);
  }
  return complaints;
}

/** Keys that we choose ourselves, and that open everything when they are guessed. */
function weakKeys(values: Settings): string[] {
  const keys: [string, string | null][] = [
    ...values.SEAL_KEYS.map(({ number, secret }): [string, string] => [`SEAL_KEYS: key ${number}`, secret]),
    ['UPLOAD_SIGNING_KEY:', values.UPLOAD_SIGNING_KEY],
    ['OPERATOR_TOKEN:', values.OPERATOR_TOKEN],
  ];
  return keys.flatMap(([name, key]) => {
    const weakness = key === null ? null : weaknessOf(key);
    return weakness === null ? [] : [`${name} ${weakness}; make one with: openssl rand -base64 32`];
  });
}

const shortestKey = 32;
const fewestSigns = 10;
const leastBits = 80;
const words = /password|passw0rd|secret|change.?me|example|default|development|sandbox|qwerty|letmein/i;

/** Why a key is too easy to guess, or null. */
export function weaknessOf(key: string): string | null {
  if (key.length < shortestKey) return `must have at least ${shortestKey} characters in production`;
  if (words.test(key)) return 'contains a word that many keys contain';
  if (new Set(key).size < fewestSigns) return 'repeats a few characters';
  if (repeatsItself(key)) return 'repeats itself';
  if (stepsUp(key) * 2 > key.length) return 'counts up or down';
  return bitsOf(key) < leastBits ? 'is too regular' : null;
}

/** A piece of 16 signs at most, twice or more from the start, with less than 16 other signs after it. */
function repeatsItself(key: string): boolean {
  for (let size = 1; size <= 16; size += 1) {
    let same = size;
    while (same < key.length && key[same] === key[same - size]) same += 1;
    const pieces = Math.floor(same / size);
    if (pieces >= 2 && key.length - pieces * size < 16) return true;
  }
  return false;
}

/** How many signs follow the one before them in the alphabet, forwards or backwards, or are the same. */
function stepsUp(key: string): number {
  let steps = 0;
  for (let at = 1; at < key.length; at += 1) {
    if (Math.abs(key.charCodeAt(at) - key.charCodeAt(at - 1)) <= 1) steps += 1;
  }
  return steps;
}

/** Shannon's measure, over the signs of the key itself. */
function bitsOf(key: string): number {
  const counts = Object.values(Object.groupBy([...key], (sign) => sign)).map((same) => same?.length ?? 0);
  return -counts.reduce((sum, count) => sum + count * Math.log2(count / key.length), 0);
}

/** Settings with an address that is reached over the network in the clear: whatever setting it is, now or later. */
function plainAddresses(values: Settings): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const texts = Array.isArray(value) ? value : [value];
    const plain = texts.some(
      (text) =>
        typeof text === 'string' &&
        /^http:/i.test(text) &&
        URL.canParse(text) &&
        !isLoopback(new URL(text).hostname),
    );
    return plain ? [`${name}: must be https`] : [];
  });
}

/** Outside systems that nobody has on the portal's own machine, save for the sandbox. */
const outsideAddresses = ['OIDC_ISSUER', 'REGISTRAR_URL', 'STRIPE_API_BASE', 'STRIPE_SCRIPT_URL'] as const;

/** What a production would share with every development machine: one line a setting. */
export function sandboxLeftovers(values: Settings): string[] {
  const complaints: string[] = [];
  for (const [name, secret] of Object.entries(developmentSecrets)) {
    if (values[name as keyof typeof developmentSecrets] === secret) {
      complaints.push(`${name}: still the development secret`);
    }
  }
  if (values.STRIPE_WEBHOOK_SECRETS.includes('whsec_sandbox')) {
    complaints.push('STRIPE_WEBHOOK_SECRETS: still the development secret');
  }
  for (const name of outsideAddresses) {
    const address = new URL(values[name]);
    if (isLoopback(address.hostname))
      complaints.push(`${name}: an address of the sandbox (${address.origin})`);
  }
  if (isLoopback(new URL(values.PUBLIC_URL).hostname)) complaints.push('PUBLIC_URL: must be https');
  complaints.push(...plainAddresses(values), ...weakKeys(values));
  // A resolver or mail relay on the same machine is usual; the sandbox's ports are not.
  if (values.DNS_SERVERS.includes('127.0.0.1:4306'))
    complaints.push('DNS_SERVERS: an address of the sandbox');
  if (values.DNS_ZONE_SERVERS.includes('127.0.0.1:4306'))
    complaints.push('DNS_ZONE_SERVERS: an address of the sandbox');
  if (new URL(values.SMTP_URL).host === '127.0.0.1:4305')
    complaints.push('SMTP_URL: an address of the sandbox');
  return complaints;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host);
}
