import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process, told apart from a later one that has got the same number. */
export interface ProcessMark {
  pid: number;
  /** Clock ticks after boot at which it began; null where the system does not say. */
  began: string | null;
}

/** What runs on a data folder: stands in `instance.json` there, for tools and for the next start. */
export interface Instance extends ProcessMark {
  /** The portal's address, once it answers. */
  url: string | null;
  /** What the portal was given beyond the environment; tools on the same data read it. Holds secrets. */
  settings: Record<string, string>;
  children: ProcessMark[];
}

export interface InstanceLock {
  /** What an earlier start, killed before it could clean up, has left; null after an orderly stop. */
  left: Instance | null;
  describe(details: Partial<Omit<Instance, 'pid' | 'began'>>): void;
  release(): void;
}

export class AlreadyRunning extends Error {}

/** Makes this process the only one on the data folder. Throws `AlreadyRunning`, naming the holder, when it is not. */
export function takeInstanceLock(dataDir: string): InstanceLock {
  const file = join(dataDir, 'instance.json');
  const own = `${file}.${process.pid}`;
  const write = (path: string, instance: Instance) =>
    writeFileSync(path, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600 });
  let present: Instance = {
    ...markOf(process.pid),
    url: null,
    settings: {},
    children: [],
  };
  let left: Instance | null = null;
  write(own, present);
  try {
    // A hard link appears with its content: there is never a lock that names nobody.
    while (!tryLink(own, file)) {
      const holder = readInstance(dataDir);
      if (holder && isRunning(holder)) throw new AlreadyRunning(refusal(holder, dataDir));
      left = holder ?? left;
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  return {
    left,
    describe(details) {
      present = { ...present, ...details };
      write(own, present);
      renameSync(own, file);
    },
    release() {
      if (readInstance(dataDir)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** What runs, or ran, on the data folder; null when nothing does. */
export function readInstance(dataDir: string): Instance | null {
  const file = join(dataDir, 'instance.json');
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Instance;
  } catch {
    return null;
  }
}

export function markOf(pid: number): ProcessMark {
  return { pid, began: beginning(pid) };
}

export function isRunning(mark: ProcessMark): boolean {
  try {
    process.kill(mark.pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const began = beginning(mark.pid);
  return began === null || mark.began === null || began === mark.began;
}

/** Field 22 of /proc/<pid>/stat; the name before it may hold blanks and brackets. A zombie counts as gone. */
function beginning(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'gone' : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function refusal(holder: Instance, dataDir: string): string {
  const where = holder.url ? ` at ${holder.url}` : '';
  return `Nameward already runs on ${dataDir}: process ${holder.pid}${where}. Stop it (Ctrl-C there, or "kill ${holder.pid}"), or name another folder in DATA_DIR.`;
}
