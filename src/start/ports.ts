import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../server/kernel/db/embedded.ts';

/** The usual ports. A taken one is replaced by any free one, which is then kept for the next starts. */
const usual = {
  portal: 4300,
  registrar: 4301,
  payments: 4302,
  identity: 4303,
  panel: 4304,
  smtp: 4305,
  dns: 4306,
  postgres: 4307,
  internet: 4308,
  rdap: 4309,
  web: 4310,
} as const;

type PortName = keyof typeof usual;
export type Ports = Record<PortName, number>;

/**
 * Chooses a port for everything. The last start's are preferred: the sandbox's identity provider is known by its
 * address, so people could not sign in to the same account at another one.
 */
export async function choosePorts(dataDir: string): Promise<Ports> {
  const file = join(dataDir, 'ports.json');
  const last = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Ports>) : {};
  const chosen: Ports = { ...usual };
  const taken = new Set<number>();
  for (const name of Object.keys(usual) as PortName[]) {
    let port = await freePort(last[name] ?? usual[name]);
    while (taken.has(port)) port = await freePort(0);
    taken.add(port);
    chosen[name] = port;
  }
  await writeFile(file, `${JSON.stringify(chosen, null, 2)}\n`);
  return chosen;
}
