import { createReadStream, createWriteStream, existsSync, lstatSync, readFileSync } from 'node:fs';
import { cp, link, mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { namedDatabase } from '../../src/start/database.ts';
import { keyFault, markOf, sealKeysOf } from '../../src/start/seal-keys.ts';
import { openStream, sealStream, shortestSecret } from '../../src/start/vault.ts';
import { dumpOf } from './dump.ts';
import { type Manifest, manifest, type Taken } from './manifest.ts';
import { ownCluster } from './own-cluster.ts';
import { run } from './programs.ts';
import { inFolder, inPartial, interrupted } from './unfinished.ts';

/** How a database comes into a backup, as `database` in a folder of its own, and out of it again. */
export interface DatabaseSource {
  /** The folder that holds the folder of the work. */
  stageIn: string;
  take(stage: string): Promise<Taken>;
  /** Loads what was taken beside the database, and compares. */
  prove(stage: string, said: Manifest): Promise<void>;
  /** Loads what was taken in place of the database, and brings it up to this version. */
  putBack(stage: string, said: Manifest, options: PutBack): Promise<void>;
}

export interface PutBack {
  replace: boolean;
  migrations: string;
  say: (text: string) => void;
}

interface Common {
  file: string;
  env: NodeJS.ProcessEnv;
  dataDir: string;
  say: (text: string) => void;
}

/** Where the portal keeps what people upload (src/server/kernel/config.ts). */
const uploadsIn = ({ env, dataDir }: Common) => resolve(env.STORAGE_DIR || join(dataDir, 'storage'));

interface Settings {
  source: DatabaseSource;
  key: string;
  sealKeys: Map<string, string>;
  /** The file that holds the sealing keys, where the portal keeps them itself. */
  keyFile: string | null;
}

async function settingsOf({ env, dataDir, file }: Common): Promise<Settings> {
  const { DATABASE_MIGRATION_URL: url, BACKUP_KEY: key = '' } = env;
  const isNamed = Boolean(url) || namedDatabase(env) !== null;
  if (isNamed && !url) {
    throw new Error('Please set DATABASE_MIGRATION_URL, the address of the database by its owner.');
  }
  if (key.length < shortestSecret) {
    throw new Error(
      `Please set BACKUP_KEY to at least ${shortestSecret} characters (openssl rand -base64 32).`,
    );
  }
  // Beside a database of its own the portal keeps its keys itself (src/start/settings.ts).
  const keyFile = isNamed || env.SEAL_KEYS ? null : join(dataDir, 'secrets.json');
  return {
    source: url ? dumpOf(url, env, file) : await ownCluster(dataDir),
    key,
    sealKeys: sealKeysOf(keyFile ? sealKeysIn(keyFile) : (env.SEAL_KEYS ?? '')),
    keyFile,
  };
}

function sealKeysIn(file: string): string {
  if (!existsSync(file)) return '';
  return (JSON.parse(readFileSync(file, 'utf8')) as { SEAL_KEYS?: string }).SEAL_KEYS ?? '';
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0);

/** Database, uploads and manifest of one moment, sealed, and proven by loading them. Only then does the file get its name. */
export async function createBackup(options: Common & { replace: boolean }) {
  const { file, replace, say } = options;
  const { source, key, sealKeys, keyFile } = await settingsOf(options);
  const target = resolve(file);
  // Before an hour of copying.
  if (!existsSync(dirname(target)))
    throw new Error(`There is no folder ${dirname(target)}. Please make it first.`);
  requireRoom(target, replace);
  return inPartial(target, (partial) =>
    inFolder(source.stageIn, 'backup', async (stage) => {
      say('copying the database');
      const taken = await source.take(stage);
      const said: Manifest = {
        ...taken,
        sealKeys: [...sealKeys.keys()],
        sealKeyMarks: Object.fromEntries([...sealKeys].map(([number, secret]) => [number, markOf(secret)])),
      };
      await writeFile(join(stage, 'manifest.json'), JSON.stringify(said));
      await copyUploads(uploadsIn(options), join(stage, 'storage'));
      say('sealing it');
      await pack(stage, partial, key);
      say('loading it once, to see that it can be loaded');
      await inFolder(source.stageIn, 'backup', async (proof) => {
        await unpack(partial, key, proof);
        await source.prove(proof, said);
      });
      await giveName(partial, target, replace);
      return {
        tables: Object.keys(said.counts).length,
        rows: sum(said.counts),
        uploads: await filesIn(join(stage, 'storage')),
        sealKeys: said.sealKeys,
        keyFile,
      };
    }),
  );
}

/** A backup must not cost another one by its name. */
function requireRoom(target: string, replace: boolean): void {
  const there = lstatSync(target, { throwIfNoEntry: false });
  if (!there) return;
  if (!there.isFile()) throw new Error(`${target} is no file. Please give the name of one.`);
  if (!replace) throw isTaken(target);
}

const isTaken = (target: string) =>
  new Error(`There is a file ${target} already. With --replace, it makes room.`);

/** Of several that end at once, one gets the name, and the others are refused: a look beforehand would let them all pass. */
export async function giveName(
  partial: string,
  target: string,
  replace: boolean,
  tie: (from: string, to: string) => Promise<void> = link,
): Promise<void> {
  requireRoom(target, replace);
  if (replace) return rename(partial, target);
  const name = async () => {
    try {
      await tie(partial, target);
    } catch (error) {
      if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
      // A disk without links, as a network folder may be: an empty file holds the name meanwhile.
      await (await open(target, 'wx')).close();
      await rename(partial, target);
    }
  };
  await name().catch((error: unknown) => {
    throw hasCode(error, 'EEXIST') ? isTaken(target) : error;
  });
}

const hasCode = (error: unknown, ...codes: string[]) =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

async function copyUploads(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  if (!existsSync(from)) return;
  await cp(from, to, {
    recursive: true,
    filter() {
      interrupted.throwIfAborted();
      return true;
    },
  });
}

async function pack(stage: string, file: string, key: string): Promise<void> {
  await run(
    'tar',
    ['-C', stage, '-czf', '-', 'manifest.json', 'database', 'storage'],
    async (_tar, output) => {
      const out = createWriteStream(file, { flags: 'wx', mode: 0o600 });
      const written = new Promise<void>((done, failed) => out.once('close', done).once('error', failed));
      await Promise.all([sealStream(output, out, key), written]);
    },
  );
  const kept = await open(file);
  await kept.sync();
  await kept.close();
}

async function filesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

async function unpack(file: string, key: string, stage: string): Promise<Manifest> {
  await run('tar', ['-C', stage, '-xzf', '-'], async ({ stdin }) => {
    if (!stdin) throw new Error('tar reads nothing');
    stdin.on('error', () => undefined);
    try {
      await openStream(createReadStream(file), stdin, key);
    } catch (error) {
      stdin.destroy();
      throw error;
    }
  });
  return manifest.parse(JSON.parse(await readFile(join(stage, 'manifest.json'), 'utf8')));
}

/** Loads a backup, brings it up to this version, and puts the uploads in their place. */
export async function restoreBackup(options: Common & Omit<PutBack, 'say'>) {
  const { file, say, replace, migrations } = options;
  const { source, key, sealKeys, keyFile } = await settingsOf(options);
  if (!existsSync(file)) throw new Error(`There is no file ${resolve(file)}.`);
  return inFolder(source.stageIn, 'restore', async (stage) => {
    say('opening the backup');
    const said = await unpack(file, key, stage);
    const fault = keyFault(said, sealKeys);
    if (fault !== null) {
      throw new Error(keyFile ? `${fault}. Put the ${keyFile} of the backup's time back first.` : fault);
    }
    const known = new Set(await readdir(migrations));
    const newer = said.migrations.filter((name) => !known.has(name));
    if (newer.length > 0) throw new Error(`The backup is of a later version of the portal (${newer[0]}).`);
    say('loading the database');
    await source.putBack(stage, said, { replace, migrations, say });
    await cp(join(stage, 'storage'), uploadsIn(options), { recursive: true });
    const uploads = await filesIn(join(stage, 'storage'));
    return { at: said.at, tables: Object.keys(said.counts).length, rows: sum(said.counts), uploads };
  });
}
