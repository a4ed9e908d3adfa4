import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const memory = '/dev/shm';
/** A run of all tests takes less; a machine that has less to spare writes to its disk. */
const sparedBytes = 8 * 1024 ** 3;
const named = /^nameward-[a-z0-9]+-(\d+)-/;

/**
 * A folder for a database that nobody wants to keep: in memory where the machine has plenty, since cloning and emptying databases
 * there takes a fifth of the time. The database server may enter it. Who makes it removes it; what a killed run has left in
 * memory goes with the next.
 */
export async function throwAwayFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(await roomiest(), `nameward-${name}-${process.pid}-`));
  // As root the server runs as another user, who must be able to enter.
  await chmod(folder, 0o755);
  return folder;
}

async function roomiest(): Promise<string> {
  const space = await statfs(memory).catch(() => null);
  if (!space) return tmpdir();
  await removeLeft();
  const isPlenty = space.bavail * space.bsize >= sparedBytes && freemem() >= sparedBytes;
  return isPlenty ? memory : tmpdir();
}

async function removeLeft(): Promise<void> {
  for (const name of await readdir(memory)) {
    const pid = Number(named.exec(name)?.[1]);
    if (pid && !isAlive(pid)) await rm(join(memory, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
