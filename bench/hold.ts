import { accessSync, constants } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The two ways in which Linux keeps a group of processes to a part of a core: cgroups(7), version 1 and version 2. */
const ways = [
  {
    folder: '/sys/fs/cgroup/cpu',
    limits: (share: number) => ({
      'cpu.cfs_period_us': `${periodUs}`,
      'cpu.cfs_quota_us': `${Math.round(periodUs * share)}`,
    }),
  },
  {
    folder: '/sys/fs/cgroup',
    limits: (share: number) => ({ 'cpu.max': `${Math.round(periodUs * share)} ${periodUs}` }),
  },
];
const periodUs = 20_000;

export interface Hold extends AsyncDisposable {
  /** False where this person may not limit processes: then nothing was limited. */
  isHeld: boolean;
}

/** Keeps each of these processes to `share` of a core until it is disposed of. Needs root. */
export async function holdEach(pids: readonly number[], share: number): Promise<Hold> {
  await using stack = new AsyncDisposableStack();
  const way = ways.find(({ folder }) => mayWrite(folder));
  let isHeld = way !== undefined;
  for (const pid of way ? pids : []) {
    const folder = join(way?.folder ?? '', `nameward-bench-${pid}`);
    try {
      await mkdir(folder);
      // A group goes when its processes have ended or are in another one.
      stack.defer(() => rmdir(folder));
      for (const [file, text] of Object.entries(way?.limits(share) ?? {})) {
        await writeFile(join(folder, file), text);
      }
      await writeFile(join(folder, 'cgroup.procs'), `${pid}`);
      stack.defer(() => writeFile(join(way?.folder ?? '', 'cgroup.procs'), `${pid}`).catch(() => undefined));
    } catch {
      isHeld = false;
    }
  }
  const held = stack.move();
  return { isHeld, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(join(folder, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
