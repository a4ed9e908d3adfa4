import { join } from 'node:path';
import { compileCacheOf } from '../server/process-settings.ts';
import { type Life, type SupervisedChild, superviseChild } from './child-process.ts';
import type { Ports } from './ports.ts';

/** The addresses that the sandbox prints on its one ready line. */
export type SandboxAddresses = Record<string, string>;

export interface SandboxOptions {
  root: string;
  dataDir: string;
  ports: Ports;
  publicUrl: string;
  onProgress: (text: string) => void;
  onSpawn: (pid: number) => void;
}

export interface RunningSandbox extends SupervisedChild {
  addresses: SandboxAddresses;
}

/** Starts the stand-ins for the registrar, the payment provider, the identity provider, the mail and DNS servers. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const { ports } = options;
  let addresses: SandboxAddresses = {};
  const child = await superviseChild({
    name: 'sandbox',
    cwd: options.root,
    args: [join(options.root, 'src', 'sandbox', 'main.ts')],
    env: {
      // As the portal's: its sources are stripped and compiled once, and not at each start.
      NODE_COMPILE_CACHE: compileCacheOf(options.dataDir),
      ...process.env,
      SANDBOX_DIR: join(options.dataDir, 'sandbox'),
      SANDBOX_PORTS_REGISTRAR: String(ports.registrar),
      SANDBOX_PORTS_PAYMENTS: String(ports.payments),
      SANDBOX_PORTS_IDENTITY: String(ports.identity),
      SANDBOX_PORTS_PANEL: String(ports.panel),
      SANDBOX_PORTS_SMTP: String(ports.smtp),
      SANDBOX_PORTS_DNS: String(ports.dns),
      SANDBOX_PORTS_INTERNET: String(ports.internet),
      SANDBOX_PORTS_RDAP: String(ports.rdap),
      PORTAL_URL: options.publicUrl,
    },
    logFile: join(options.dataDir, 'logs', 'sandbox.log'),
    whenReady: async (life) => {
      addresses = await readyLine(life);
    },
    graceMs: 10_000,
    onProgress: options.onProgress,
    onSpawn: options.onSpawn,
  });
  return { ...child, addresses };
}

async function readyLine(life: Life): Promise<SandboxAddresses> {
  while (!life.ended.aborted) {
    for (const line of life.said().split('\n')) {
      const addresses = parseReadyLine(line);
      if (addresses) return addresses;
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  throw new Error('the sandbox ended before it was ready');
}

/** `{"ready":true,"registrar":"http://…",…}` among other log lines; null for those. */
export function parseReadyLine(line: string): SandboxAddresses | null {
  if (!line.startsWith('{')) return null;
  try {
    const { ready, ...rest } = JSON.parse(line) as Record<string, unknown>;
    if (ready !== true) return null;
    const texts = Object.entries(rest).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return Object.fromEntries(texts);
  } catch {
    return null;
  }
}
