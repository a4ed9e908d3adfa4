import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stand } from './stand.ts';

/** Of a clock tick, in milliseconds: Linux counts a hundred a second (proc_pid_stat(5), `getconf CLK_TCK`). */
const tickMs = 10;

interface Process {
  parent: number;
  /** With that of children that have ended. */
  processorMs: number;
}

/** `utime`, `stime`, `cutime` and `cstime` are fields 14 to 17; the name before them may hold anything. */
function processOf(pid: number): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), processorMs: ticks * tickMs };
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

/** What this process and its children have taken of the processor so far: other work on the machine does not count. */
export function processorMsOf(pid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), ...processOf(Number(name)) }));
  const children = all.filter(({ parent }) => parent === pid);
  return (
    (processOf(pid)?.processorMs ?? 0) + children.reduce((sum, { processorMs = 0 }) => sum + processorMs, 0)
  );
}

/** What this process has taken so far, with its children that have ended, and without those that run. */
export function withEndedChildrenMs(pid: number): number {
  return processOf(pid)?.processorMs ?? 0;
}

/** What all processes of the machine have taken so far, on all its cores: proc_stat(5), without idling and without waiting for the disk. */
function machineMs(): number {
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '';
  const [user, nice, system, , , irq, softirq, steal] = line.trim().split(/\s+/).slice(1).map(Number);
  return (
    [user, nice, system, irq, softirq, steal].reduce<number>((sum, ticks = 0) => sum + ticks, 0) * tickMs
  );
}

/** A machine is busy with something else where that takes more than so much of a core. */
export const busyCores = 0.3;

/** Says how many cores other programs have taken since: all but these with their children, and this process. */
export function othersSince(pids: readonly number[]): () => number {
  const others = () =>
    machineMs() - withEndedChildrenMs(process.pid) - pids.reduce((sum, pid) => sum + processorMsOf(pid), 0);
  const [atMs, before] = [performance.now(), others()];
  return () => (others() - before) / (performance.now() - atMs);
}

/** The database server of a stand. */
export function databasePidOf({ settings }: Stand): number {
  const path = join(settings.DATA_DIR ?? '', 'postgres', 'cluster', 'postmaster.pid');
  return Number(readFileSync(path, 'utf8').split('\n')[0]);
}
