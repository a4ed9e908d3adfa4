import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { median, type Result } from './result.ts';
import { pause, type Stand, startPortal } from './stand.ts';

const samples = 10;
const everyMs = 1_000;
const requests = 50;
/** By roles; and what the result is called. */
const targetsMb = { web: 100, 'web,worker': 150 };

const afterLoadMs = 60_000;
const targetAfterLoadMb = 160;

/** Resident memory of a portal's process that answers, and of one that does the jobs as well, after each has served a little and come to rest. */
export function measureMemory(stand: Stand): Promise<Result[]> {
  const each = Object.entries(targetsMb).map(([roles, targetMb]) => measureRoles(stand, roles, targetMb));
  return Promise.all(each);
}

async function measureRoles(stand: Stand, roles: string, targetMb: number): Promise<Result> {
  const settings = { ...stand.settings, ROLES: roles };
  // The very first start after an installation compiles; the figure is of any other.
  await (await startPortal(settings))[Symbol.asyncDispose]();
  await using portal = await startPortal(settings);
  for (let request = 0; request < requests; request += 1) {
    // Each kind of thing that a first visit asks for.
    for (const path of ['/', '/api/config', '/api/docs/openapi.json']) {
      const reply = await fetch(`${portal.url}${path}`);
      await reply.arrayBuffer();
    }
  }
  const seenMb: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    await pause(everyMs);
    seenMb.push(residentMb(portal.pid));
  }
  const restMb = median(seenMb);
  return {
    name: `memory of a server at rest, roles ${roles}`,
    measured: `${restMb.toFixed(0)} MB`,
    target: `≤ ${targetMb} MB`,
    passed: restMb <= targetMb,
    figures: { restMb, mostMb: Math.max(...seenMb) },
  };
}

/** The same of a process that has answered lists without a pause, a minute later. `meanwhile`: work that is not this process's. */
export async function measureMemoryAfterLoad(pid: number, meanwhile: () => Promise<void>): Promise<Result> {
  const underLoadMb = residentMb(pid);
  await Promise.all([pause(afterLoadMs), meanwhile()]);
  const afterMb = residentMb(pid);
  return {
    name: 'memory of the server a minute after the lists',
    measured: `${afterMb.toFixed(0)} MB (${underLoadMb.toFixed(0)} under load)`,
    target: `≤ ${targetAfterLoadMb} MB`,
    passed: afterMb <= targetAfterLoadMb,
    figures: { afterMb, underLoadMb },
  };
}

/** Of one process. */
export interface Memory {
  /** All that it has in memory. */
  residentMb: number;
  /** The same with its part only of what several processes have together, as Node's program; where the system does not tell, all of it. */
  ownMb: number;
}

export function memoryOf(pid: number): Memory {
  const all = residentMb(pid);
  const rollup = `/proc/${pid}/smaps_rollup`;
  const own = existsSync(rollup) ? mbIn(readFileSync(rollup, 'utf8'), 'Pss') : null;
  return { residentMb: all, ownMb: own ?? all };
}

function residentMb(pid: number): number {
  const status = `/proc/${pid}/status`;
  const mb = existsSync(status)
    ? mbIn(readFileSync(status, 'utf8'), 'VmRSS')
    : mbIn(
        `rss: ${spawnSync('ps', ['-o', 'rss=', '-p', String(pid)])
          .stdout.toString()
          .trim()} kB`,
        'rss',
      );
  if (!mb) throw new Error(`the memory of process ${pid} cannot be read`);
  return mb;
}

function mbIn(text: string, name: string): number | null {
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return kib ? (Number(kib) * 1_024) / 1_000_000 : null;
}
