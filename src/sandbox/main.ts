import { z } from 'zod';
import { DEFAULTS, type SandboxOptions, startSandbox } from './sandbox.ts';

export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';

const port = (usual: number) => z.coerce.number().int().min(0).max(65_535).default(usual);

/** Defaults fit the portal's own, so that both find each other without any setting. */
const settings = z.object({
  SANDBOX_DIR: z.string().default('data/sandbox'),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_PORTS_REGISTRAR: port(4301),
  SANDBOX_PORTS_PAYMENTS: port(4302),
  SANDBOX_PORTS_IDENTITY: port(4303),
  SANDBOX_PORTS_PANEL: port(4304),
  SANDBOX_PORTS_SMTP: port(4305),
  SANDBOX_PORTS_DNS: port(4306),
  SANDBOX_PORTS_INTERNET: port(4308),
  SANDBOX_PORTS_RDAP: port(4309),
  /** By what addresses browsers reach these, e.g. behind a proxy. */
  SANDBOX_IDENTITY_URL: z.url().optional(),
  SANDBOX_PAYMENTS_URL: z.url().optional(),
  /** `1`: ends when its parent does. */
  SANDBOX_TIED: z.enum(['0', '1']).default('0'),
  PORTAL_URL: z.url().default('http://127.0.0.1:4300'),
  REGISTRAR_USERNAME: z.string().default(DEFAULTS.registrar.username),
  REGISTRAR_KEY: z.string().default(DEFAULTS.registrar.key),
  STRIPE_SECRET_KEY: z.string().default(DEFAULTS.payments.secretKey),
  STRIPE_PUBLISHABLE_KEY: z.string().default(DEFAULTS.payments.publishableKey),
  STRIPE_WEBHOOK_SECRET: z.string().default(DEFAULTS.payments.webhookSecret),
  STRIPE_WEBHOOK_URL: z.url().optional(),
  OIDC_CLIENT_ID: z.string().default(DEFAULTS.identity.clientId),
  OIDC_AUDIENCE: z.string().default(DEFAULTS.identity.audience),
});

export function readSettings(env: NodeJS.ProcessEnv): { options: SandboxOptions; tied: boolean } {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const value = settings.parse(given);
  return {
    tied: value.SANDBOX_TIED === '1',
    options: {
      dir: value.SANDBOX_DIR,
      host: value.SANDBOX_HOST,
      portalUrl: value.PORTAL_URL,
      ports: {
        registrar: value.SANDBOX_PORTS_REGISTRAR,
        payments: value.SANDBOX_PORTS_PAYMENTS,
        identity: value.SANDBOX_PORTS_IDENTITY,
        panel: value.SANDBOX_PORTS_PANEL,
        smtp: value.SANDBOX_PORTS_SMTP,
        dns: value.SANDBOX_PORTS_DNS,
        internet: value.SANDBOX_PORTS_INTERNET,
        rdap: value.SANDBOX_PORTS_RDAP,
      },
      registrar: { username: value.REGISTRAR_USERNAME, key: value.REGISTRAR_KEY },
      payments: {
        secretKey: value.STRIPE_SECRET_KEY,
        publishableKey: value.STRIPE_PUBLISHABLE_KEY,
        webhookSecret: value.STRIPE_WEBHOOK_SECRET,
      },
      ...(value.STRIPE_WEBHOOK_URL ? { webhookUrl: value.STRIPE_WEBHOOK_URL } : {}),
      identity: { clientId: value.OIDC_CLIENT_ID, audience: value.OIDC_AUDIENCE },
      publicUrls: {
        ...(value.SANDBOX_IDENTITY_URL ? { identity: value.SANDBOX_IDENTITY_URL } : {}),
        ...(value.SANDBOX_PAYMENTS_URL ? { payments: value.SANDBOX_PAYMENTS_URL } : {}),
      },
    },
  };
}

async function main(): Promise<void> {
  const { options, tied } = readSettings(process.env);
  const sandbox = await startSandbox(options);
  let stopping = false;
  function stop(): void {
    if (stopping) return;
    stopping = true;
    sandbox.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error('the sandbox did not close well', error);
        process.exit(1);
      },
    );
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (tied) {
    process.on('disconnect', stop);
    // A parent that is killed closes the pipe, whether or not it could say goodbye.
    if (!process.channel) process.stdin.on('end', stop).on('error', stop).resume();
  }
  process.stdout.write(`${JSON.stringify({ ready: true, ...sandbox.urls })}\n`);
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    console.error(error instanceof z.ZodError ? z.prettifyError(error) : error);
    process.exit(1);
  });
}
