import type { Settings } from './config.ts';

const developmentSecrets = {
  REGISTRAR_KEY: 'sandbox-registrar-key',
  STRIPE_SECRET_KEY: 'sk_test_sandbox',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
  UPLOAD_SIGNING_KEY: 'development-upload-key',
} as const satisfies Partial<Record<keyof Settings, string>>;

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
  for (const { number, secret } of values.SEAL_KEYS) {
    if (secret.startsWith('development-'))
      complaints.push(`SEAL_KEYS: key ${number} is the development secret`);
  }
  for (const name of outsideAddresses) {
    const address = new URL(values[name]);
    if (isLoopback(address.hostname))
      complaints.push(`${name}: an address of the sandbox (${address.origin})`);
    else if (address.protocol !== 'https:') complaints.push(`${name}: must be https`);
  }
  if (new URL(values.PUBLIC_URL).protocol !== 'https:') complaints.push('PUBLIC_URL: must be https');
  // A resolver or mail relay on the same machine is usual; the sandbox's ports are not.
  if (values.DNS_SERVERS.includes('127.0.0.1:4306'))
    complaints.push('DNS_SERVERS: an address of the sandbox');
  if (new URL(values.SMTP_URL).host === '127.0.0.1:4305')
    complaints.push('SMTP_URL: an address of the sandbox');
  return complaints;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host);
}
