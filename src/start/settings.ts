import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxAddresses } from './sandbox.ts';

type Settings = Record<string, string>;

/** The outside systems that the sandbox stands in for, by the setting that names the real one. */
const outside = ['REGISTRAR_URL', 'STRIPE_API_BASE', 'OIDC_ISSUER', 'SMTP_URL'] as const;

/** Whether anything outside is left unnamed. A production names it all; the portal says what is missing. */
export function wantsSandbox(env: NodeJS.ProcessEnv): boolean {
  if (env.NODE_ENV === 'production' && !env.ALLOW_SANDBOX) return false;
  return outside.some((name) => !env[name]);
}

/** The sandbox's addresses as settings of the portal. What the environment names goes before them. */
export function sandboxSettings(addresses: SandboxAddresses): Settings {
  const { registrar, payments, identity, smtp, dns, internet, authority, rdap } = addresses;
  return {
    ...(registrar ? { REGISTRAR_URL: registrar } : {}),
    ...(payments ? { STRIPE_API_BASE: payments, STRIPE_SCRIPT_URL: `${payments}/v3/stripe.js` } : {}),
    ...(identity ? { OIDC_ISSUER: identity } : {}),
    ...(smtp ? { SMTP_URL: smtp } : {}),
    ...(internet ? { PROBE_PROXY: internet } : {}),
    ...(rdap ? { RDAP_BOOTSTRAP_URL: `${rdap}/dns.json` } : {}),
    ...(authority ? { PROBE_AUTHORITIES: authority } : {}),
    ...(dns ? dnsSettings(dns.replace(/^\w+:\/\//, '')) : {}),
  };
}

/** All of the sandbox's names are served by its one server. */
function dnsSettings(server: string): Settings {
  return { DNS_SERVERS: server, DNS_ZONE_SERVERS: server };
}

/**
 * Secrets of this installation, made once. Only for a database of our own, beside which they are kept: with another
 * database they must outlive this folder, so the operator names them.
 */
export function ownSecrets(dataDir: string): Settings {
  const file = join(dataDir, 'secrets.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Settings) : {};
  const all = {
    ...{ SEAL_KEYS: `1:${secret()}`, UPLOAD_SIGNING_KEY: secret() },
    // With it the person who starts the portal makes a key of their own for the operator's side.
    OPERATOR_TOKEN: secret(),
    ...kept,
  };
  if (Object.keys(all).length === Object.keys(kept).length) return kept;
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  return all;
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}
