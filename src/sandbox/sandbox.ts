import { resolve } from 'node:path';
import { startDns } from './dns/index.ts';
import { type IdentityClient, type IdentityPart, startIdentity } from './identity/index.ts';
import { type InternetPart, startInternet } from './internet/index.ts';
import { type MailPart, startMail } from './mail/index.ts';
import { startPanel } from './panel.ts';
import type { SandboxPart } from './part.ts';
import { type PaymentsPart, startPayments } from './payments/index.ts';
import { startRdap } from './rdap/index.ts';
import { startRegistrar } from './registrar/index.ts';
import { openStore, type SandboxStore } from './store.ts';

export interface SandboxPorts {
  registrar: number;
  payments: number;
  identity: number;
  panel: number;
  smtp: number;
  dns: number;
  internet: number;
  rdap: number;
}

export interface SandboxOptions {
  /** Where its memory is. */
  dir: string;
  /** Where the portal is reached: for redirect addresses and webhooks. */
  portalUrl: string;
  host?: string;
  /** Those that are left out are any free ones. */
  ports?: Partial<SandboxPorts>;
  registrar?: { username: string; key: string };
  payments?: { secretKey: string; publishableKey: string; webhookSecret: string };
  /** Where payment events go, if not to the portal's usual address. */
  webhookUrl?: string;
  identity?: { clientId: string; audience: string };
  /** By what addresses browsers reach the two that they reach, where those differ from the ones listened on. */
  publicUrls?: { identity?: string; payments?: string };
}

export interface SandboxUrls {
  registrar: string;
  payments: string;
  /** The issuer. */
  identity: string;
  panel: string;
  smtp: string;
  /** `dns://127.0.0.1:4306` */
  dns: string;
  /** A proxy to the web, mail and name servers of others. */
  internet: string;
  /** A file with the authority of their certificates. */
  authority: string;
  rdap: string;
}

export interface Sandbox {
  parts: {
    registrar: SandboxPart;
    payments: PaymentsPart;
    identity: IdentityPart;
    mail: MailPart;
    dns: SandboxPart;
    internet: InternetPart;
    rdap: SandboxPart;
  };
  urls: SandboxUrls;
  panelUrl: string;
  /** Scripts a part, as `POST /control/<part>/<route>` of the panel does. */
  control(part: string, route: string, body?: unknown): Promise<unknown>;
  store: SandboxStore;
  close(): Promise<void>;
}

export const DEFAULTS = {
  registrar: { username: 'sandbox', key: 'sandbox-registrar-key' },
  payments: {
    secretKey: 'sk_test_sandbox',
    publishableKey: 'pk_test_sandbox',
    webhookSecret: 'whsec_sandbox',
  },
  identity: { clientId: 'nameward', audience: 'https://nameward.example/api' },
};

const REDIRECT_PATHS = ['/auth/callback', '/auth/silent-callback.html'];
const WEBHOOK_PATH = '/api/webhooks/payments';

/** The portal under both of its names, where it runs on this machine. */
export function portalClient(clientId: string, portalUrl: string): IdentityClient {
  const { origin, hostname } = new URL(portalUrl);
  const other = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' }[hostname];
  const origins = other === undefined ? [origin] : [origin, origin.replace(hostname, other)];
  return {
    client_id: clientId,
    redirect_uris: origins.flatMap((base) => REDIRECT_PATHS.map((path) => `${base}${path}`)),
    post_logout_redirect_uris: origins.map((base) => `${base}/`),
    origins,
  };
}

/** Starts the whole outside world in this process. Whatever has started is closed again when a part cannot. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const store = openStore(options.dir);
  const running: { close(): Promise<void> }[] = [];
  async function close(): Promise<void> {
    for (const part of running.reverse().splice(0)) await part.close();
    store.close();
  }
  function keep<T extends { close(): Promise<void> }>(part: T): T {
    running.push(part);
    return part;
  }
  try {
    const parts = await startParts(options, store, keep);
    const all: SandboxPart[] = Object.values(parts);
    const { mail } = parts;
    const panel = keep(await startPanel({ store, parts: all, mail, ...listenOn(options, 'panel') }));
    const urls = {
      registrar: parts.registrar.url,
      payments: options.publicUrls?.payments ?? parts.payments.url,
      identity: parts.identity.issuer,
      panel: panel.url,
      smtp: mail.url,
      dns: parts.dns.url,
      internet: parts.internet.url,
      authority: parts.internet.authorityFile,
      rdap: parts.rdap.url,
    };
    return { parts, urls, panelUrl: panel.url, control: panel.control, store, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function listenOn({ host = '127.0.0.1', ports = {} }: SandboxOptions, name: keyof SandboxPorts) {
  return { host, port: ports[name] ?? 0 };
}

type Keep = <T extends { close(): Promise<void> }>(part: T) => T;

async function startParts(
  options: SandboxOptions,
  store: SandboxStore,
  keep: Keep,
): Promise<Sandbox['parts']> {
  const { clientId, audience } = options.identity ?? DEFAULTS.identity;
  const { publicUrls = {} } = options;
  const mail = keep(await startMail({ store, ...listenOn(options, 'smtp') }));
  const identity = keep(
    await startIdentity({
      store,
      mail,
      audience,
      clients: [portalClient(clientId, options.portalUrl)],
      ...(publicUrls.identity ? { publicUrl: publicUrls.identity } : {}),
      ...listenOn(options, 'identity'),
    }),
  );
  let dnsServer: string | null = null;
  const registrar = keep(
    await startRegistrar({
      store,
      mail,
      dnsServer: () => dnsServer,
      ...(options.registrar ?? DEFAULTS.registrar),
      ...listenOn(options, 'registrar'),
    }),
  );
  const payments = keep(
    await startPayments({
      store,
      ...(options.payments ?? DEFAULTS.payments),
      webhookUrl: options.webhookUrl ?? new URL(WEBHOOK_PATH, options.portalUrl).href,
      ...(publicUrls.payments ? { publicUrl: publicUrls.payments } : {}),
      ...listenOn(options, 'payments'),
    }),
  );
  const dns = keep(await startDns({ store, ...listenOn(options, 'dns') }));
  dnsServer = dns.url.replace('dns://', '');
  const authorityFile = resolve(options.dir, 'authority.pem');
  const internet = keep(await startInternet({ store, authorityFile, ...listenOn(options, 'internet') }));
  const rdap = keep(await startRdap({ store, ...listenOn(options, 'rdap') }));
  return { registrar, payments, identity, mail, dns, internet, rdap };
}
