import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ordinaryUser } from '../../src/server/kernel/db/embedded-place.ts';
import { urlAs } from '../../src/server/kernel/db/logins.ts';
import { migrate } from '../../src/server/kernel/db/migrate.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { markOf } from '../../src/start/instance-lock.ts';
import { giveName } from '../../tools/backup/archive.ts';
import { run } from '../../tools/backup/programs.ts';
import { anyPort } from '../support/documented.ts';
import { type OwnPostgres, openOwnPostgres } from '../support/own-postgres.ts';

/** `npm run backup` and `npm run restore`; what a restored portal does is in tests/faults/recovery.test.ts. */
let own: OwnPostgres;
beforeAll(async () => {
  own = await openOwnPostgres();
});
afterAll(() => own[Symbol.asyncDispose]());

const root = join(import.meta.dirname, '../..');

async function asOwner<T>(work: (client: pg.Client) => Promise<T>, url = own.database.url): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

const addOrganisation = (name: string, url?: string) =>
  asOwner(
    (client) => client.query('INSERT INTO organisations (id, name) VALUES ($1, $2)', [newId(), name]),
    url,
  );
const organisations = (url?: string) =>
  asOwner(
    async (client) =>
      (await client.query<{ name: string }>('SELECT name FROM organisations ORDER BY name')).rows,
    url,
  ).then((rows) => rows.map(({ name }) => name));

/** What is left of the work in the folder of the database. */
const leftOver = async () =>
  (await readdir(join(own.dataDir, 'postgres'))).filter((name) => /^\.(?:backup|restore)\b/.test(name));
/** Beginnings of a backup of this name. */
const partials = async (file: string) =>
  (await readdir(dirname(file))).filter(
    (name) => name.startsWith(`${basename(file)}.`) && name.endsWith('.partial'),
  );

describe('the PostgreSQL that comes along', () => {
  test('comes back from its backup as it was, and what it held meanwhile is put aside', async () => {
    await addOrganisation('Before');
    const said = await own.tool('backup', [own.file]);
    expect(said).toMatch(/loaded once and compared/);
    expect(await leftOver()).toEqual([]);
    await addOrganisation('After');
    await expect(own.tool('restore', [own.file, '--replace'])).rejects.toThrow(/still runs.*Stop the portal/);
    await own.stop();
    await expect(own.tool('restore', [own.file])).rejects.toThrow('The database is not empty.');
    const restored = await own.tool('restore', [own.file, '--replace']);
    const aside = /is kept in (\S+):/.exec(restored)?.[1] ?? '';
    expect(existsSync(join(aside, 'PG_VERSION'))).toBe(true);
    expect(await leftOver()).toEqual([]);
    await own.start();
    expect(await organisations()).toEqual(['Before']);
  });

  test('what is typed wrongly is told before anything is copied, and makes no file', async () => {
    for (const words of [[], ['--help'], [own.file, 'more'], [own.file, '--replce']]) {
      await expect(own.tool('backup', words), words.join(' ')).rejects.toThrow(
        'Usage: npm run backup -- FILE',
      );
      await expect(own.tool('restore', words), words.join(' ')).rejects.toThrow('Usage: npm run restore --');
    }
    expect(existsSync(join(root, '--help'))).toBe(false);
    const nowhere = join(own.dataDir, 'nowhere', 'x.backup');
    await expect(own.tool('backup', [nowhere])).rejects.toMatchObject({
      message: expect.stringContaining(
        `There is no folder ${join(own.dataDir, 'nowhere')}. Please make it first.`,
      ),
      stdout: '',
    });
    await expect(own.tool('restore', [nowhere])).rejects.toThrow(`There is no file ${nowhere}.`);
  });

  test('a file that is there already stays as it is, until the new one is proven and --replace says that it may take its place', async () => {
    const file = `${own.file}.there`;
    await writeFile(file, 'a backup of before', { mode: 0o644 });
    await expect(own.tool('backup', [file])).rejects.toMatchObject({
      message: expect.stringContaining(`There is a file ${file} already. With --replace, it makes room.`),
      stdout: '',
    });
    expect(await readFile(file, 'utf8')).toBe('a backup of before');
    // One that is made meanwhile.
    const meanwhile = `${own.file}.meanwhile`;
    const running = own.begin('backup', [meanwhile]);
    let complaint = '';
    running.stderr?.on('data', (chunk) => {
      complaint += String(chunk);
    });
    running.stdout?.on('data', (chunk) => {
      if (String(chunk).includes('loading it once')) writeFileSync(meanwhile, 'of somebody else');
    });
    await once(running, 'close');
    expect(complaint).toContain('There is a file');
    expect(await readFile(meanwhile, 'utf8')).toBe('of somebody else');
    await ended('backup', [file, '--replace'], 'loading it once', 'SIGTERM');
    expect(await readFile(file, 'utf8')).toBe('a backup of before');
    await own.tool('backup', ['--replace', file]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file)).length).toBeGreaterThan(1_000);
    expect(await partials(file)).toEqual([]);
    await expect(own.tool('backup', [dirname(file), '--replace'])).rejects.toThrow('is no file');
  });

  test('of two backups that are made under one name at once, one gets it whole, and the other is refused', async () => {
    const file = `${own.file}.twice`;
    const outcomes = await Promise.allSettled([own.tool('backup', [file]), own.tool('backup', [file])]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [lost] = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(lost).toContain(`There is a file ${file} already.`);
    expect(await partials(file)).toEqual([]);
    expect(await leftOver()).toEqual([]);
    await own.stop();
    await own.tool('restore', [file, '--replace']);
    await own.start();
    expect(await organisations()).toEqual(['Before']);
  });

  test('touches nothing for a backup that was changed, is cut off, or has other keys', async () => {
    const bytes = await readFile(own.file);
    const changed = Buffer.from(bytes);
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(`${own.file}.changed`, changed);
    await writeFile(`${own.file}.cut`, bytes.subarray(0, bytes.length - 100));
    await own.stop();
    const restore = (file: string, env = {}) => own.tool('restore', [file, '--replace'], env);
    await expect(restore(`${own.file}.changed`)).rejects.toThrow('was changed or cut off');
    await expect(restore(`${own.file}.cut`)).rejects.toThrow('was changed or cut off');
    await expect(restore(own.file, { BACKUP_KEY: 'o'.repeat(44) })).rejects.toThrow('another BACKUP_KEY');
    await expect(restore(own.file, { SEAL_KEYS: '2:other' })).rejects.toThrow('does not have: 1');
    await expect(restore(own.file, { SEAL_KEYS: '1:a new disk made it' })).rejects.toThrow('other keys');
    expect(await leftOver()).toEqual([]);
    await own.start();
    expect(await organisations()).toEqual(['Before']);
  });

  test('is backed up at rest, too; its file of sealing keys has to come back before it', async () => {
    const keys = join(own.dataDir, 'secrets.json');
    const kept = JSON.stringify({ SEAL_KEYS: '1:of this disk' });
    await writeFile(keys, kept);
    await own.stop();
    const file = `${own.file}.resting`;
    // Uploads may be kept in a folder of their own.
    const uploads = `${own.file}.uploads`;
    await mkdir(uploads);
    await writeFile(join(uploads, 'logo.png'), 'a logo');
    const settings = { SEAL_KEYS: '', STORAGE_DIR: uploads };
    const said = await own.tool('backup', [file], settings);
    expect(said).toContain(', 1 uploads; loaded once');
    expect(said).toContain(`the sealing keys in ${keys}: keep both elsewhere.`);
    expect(existsSync(join(own.dataDir, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
    await own.loseDisk();
    await rm(uploads, { recursive: true });
    await expect(own.tool('restore', [file], settings)).rejects.toThrow(
      `does not have: 1. Put the ${keys} of the backup's time back first.`,
    );
    await writeFile(keys, kept);
    await own.tool('restore', [file], settings);
    expect(await readFile(join(uploads, 'logo.png'), 'utf8')).toBe('a logo');
    await own.start();
    expect(await organisations()).toEqual(['Before']);
  });

  test.each(['copying the database', 'sealing it', 'loading it once'])(
    'a backup that is interrupted while "%s" leaves no data in the clear and no server',
    async (said) => {
      const file = `${own.file}.interrupted`;
      await ended('backup', [file], said, 'SIGTERM');
      expect(await leftOver()).toEqual([]);
      expect([existsSync(file), await partials(file)]).toEqual([false, []]);
      expect(await organisations()).toEqual(['Before']);
    },
  );

  test('what a killed backup has left goes with the next one of its name, and what another machine or a running one writes does not', async () => {
    await ended('backup', [own.file, '--replace'], 'loading it once', 'SIGKILL');
    expect(await leftOver()).not.toEqual([]);
    const [left = ''] = await partials(own.file);
    const [, where = '', began = ''] = /\.([0-9a-f]{8})-\d+-(\d+)\.partial$/.exec(left) ?? [];
    expect(where).not.toBe('');
    const elsewhere = `${own.file}.00000000-${process.pid}-1.partial`;
    // Its process began when this one did.
    const running = `${own.file}.${where}-${process.pid}-${markOf(process.pid).began ?? began}.partial`;
    const ofAnother = `${own.file}.other.${where}-1-1.partial`;
    const kept = [elsewhere, running, ofAnother];
    for (const path of kept) await writeFile(path, 'half a file');
    await own.tool('backup', [own.file, '--replace']);
    expect(await leftOver()).toEqual([]);
    expect((await partials(own.file)).sort()).toEqual(kept.map((path) => basename(path)).sort());
    for (const path of kept) await rm(path);
  });

  test('a restore that is killed leaves the database as it was, or in place and marked as restored', async () => {
    const place = () =>
      asOwner(
        async (client) =>
          (await client.query<{ database: string }>('SELECT database FROM database_place')).rows,
      );
    const before = await organisations();
    await asOwner((client) =>
      client.query(
        "INSERT INTO database_place (database, timeline, seen_at) VALUES ('this one', '1', now())",
      ),
    );
    await own.tool('backup', [own.file, '--replace']);
    await addOrganisation('Since then');
    await own.stop();
    await ended('restore', [own.file, '--replace'], 'loading the database', 'SIGTERM');
    expect(await leftOver()).toEqual([]);
    await own.start();
    expect(await organisations()).toEqual([...before, 'Since then']);
    await own.stop();
    await ended('restore', [own.file, '--replace'], 'the former database is kept', 'SIGKILL');
    await own.start();
    expect(await organisations()).toEqual(before);
    expect(await place()).toEqual([{ database: 'a backup' }]);
  });
});

/** Sends the signal as soon as the command says a text, and waits until the command has ended. */
async function ended(
  name: 'backup' | 'restore',
  args: string[],
  text: string,
  signal: NodeJS.Signals,
): Promise<void> {
  const running = own.begin(name, args);
  let said = '';
  running.stdout?.on('data', (chunk) => {
    said += String(chunk);
    if (said.includes(text)) running.kill(signal);
  });
  await new Promise<void>((resolve) => running.once('close', () => resolve()));
  expect(said).toContain(text);
}

/** Debian's server, whose programs dump it. */
const programs = ['15', '16', '17', '18']
  .map((version) => `/usr/lib/postgresql/${version}/bin`)
  .find((folder) => existsSync(join(folder, 'postgres')));

describe.skipIf(!programs)('a database that the settings name', () => {
  test('comes back from its backup as it was, is replaced only on request, and gets no backup whose ledger does not add up', async () => {
    await using server = await startDebians(programs ?? '');
    const names = {
      DATABASE_MIGRATION_URL: server.url.replace('//owner@', '//owner:s%40cret@'),
      DATABASE_URL: urlAs(server.url, 'tenants', 'tenants'),
      DATABASE_SYSTEM_URL: urlAs(server.url, 'system', 'system'),
      PATH: `${await noting(programs ?? '', `${own.file}.noted`)}:${programs}:${process.env.PATH}`,
    };
    await migrate(server.url, join(root, 'migrations'), { tenants: 'tenants', system: 'system' });
    await addOrganisation('Before', server.url);
    const file = `${own.file}.dump`;
    await own.tool('backup', [file], names);
    await addOrganisation('After', server.url);
    await expect(own.tool('restore', [file], names)).rejects.toThrow('The database is not empty.');
    await own.tool('restore', [file, '--replace'], names);
    expect(await organisations(server.url)).toEqual(['Before']);
    // Everybody on the machine can read the arguments of a program.
    const noted = (await readFile(`${own.file}.noted`, 'utf8')).trim().split('\n');
    expect(noted.filter((line) => line.includes('--dbname='))).not.toEqual([]);
    for (const line of noted.filter((one) => one.includes('--dbname='))) {
      expect(line).toMatch(/^s@cret .*--dbname=postgres:\/\/owner@/);
    }
    // Each kind goes back to where it came from.
    await expect(own.tool('restore', [file, '--replace'])).rejects.toThrow('set DATABASE_MIGRATION_URL');
    await expect(own.tool('restore', [own.file, '--replace'], names)).rejects.toThrow(
      'restore it without DATABASE_MIGRATION_URL',
    );
    await asOwner(async (client) => {
      const [id, entry] = [newId(), newId()];
      await client.query('INSERT INTO organisations (id, name) VALUES ($1, $2)', [id, 'Unbalanced']);
      await client.query("SET session_replication_role = 'replica'");
      await client.query(
        `INSERT INTO journal (id, organisation_id, kind, ref, actor) VALUES ($1, $2, 'topup', 'lost', 'nobody')`,
        [entry, id],
      );
      await client.query(
        `INSERT INTO postings (organisation_id, journal_id, account, cents) VALUES ($1, $2, 'wallet', 5)`,
        [id, entry],
      );
    }, server.url);
    const faulty = `${own.file}.faulty`;
    await expect(own.tool('backup', [faulty], names)).rejects.toThrow('the ledger does not add up');
    expect([existsSync(faulty), await partials(faulty)]).toEqual([false, []]);
  });
});

/** A folder of programs that write down their password and their arguments, and then run the real ones. */
async function noting(folder: string, file: string): Promise<string> {
  const dir = `${file}.bin`;
  await mkdir(dir);
  for (const program of ['pg_dump', 'pg_restore']) {
    const script = `#!/bin/sh\necho "$PGPASSWORD $@" >> '${file}'\nexec '${folder}/${program}' "$@"\n`;
    await writeFile(join(dir, program), script, { mode: 0o755 });
  }
  return dir;
}

describe('the name of a backup', () => {
  async function proven() {
    const folder = await mkdtemp(join(tmpdir(), 'nameward-name-'));
    const [partial, other, target] = ['a.partial', 'b.partial', 'x.backup'].map((name) => join(folder, name));
    await writeFile(partial ?? '', 'mine');
    await writeFile(other ?? '', 'of another');
    return { folder, partial: partial ?? '', other: other ?? '', target: target ?? '' };
  }
  const linkless = async () => {
    throw Object.assign(new Error('no links here'), { code: 'EPERM' });
  };

  test.each([
    ['with links', link],
    ['without links', linkless],
  ])('is had by one of two, on a disk %s', async (_what, tie) => {
    const { folder, partial, other, target } = await proven();
    const outcomes = await Promise.allSettled(
      [partial, other].map((from) => giveName(from, target, false, tie)),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const isMine = outcomes[0]?.status === 'fulfilled';
    expect(await readFile(target, 'utf8')).toBe(isMine ? 'mine' : 'of another');
    await expect(giveName(isMine ? other : partial, target, false, tie)).rejects.toThrow(
      `There is a file ${target} already.`,
    );
    await rm(folder, { recursive: true });
  });

  test('is not had while another one holds it that came after the look', async () => {
    const { folder, partial, target } = await proven();
    const late = async (from: string, to: string) => {
      await writeFile(to, 'of somebody else');
      return link(from, to);
    };
    await expect(giveName(partial, target, false, late)).rejects.toThrow('There is a file');
    const lateWithoutLinks = async (_from: string, to: string) => {
      await writeFile(to, 'of somebody else');
      return linkless();
    };
    await rm(target);
    await expect(giveName(partial, target, false, lateWithoutLinks)).rejects.toThrow('There is a file');
    expect(await readFile(target, 'utf8')).toBe('of somebody else');
    await giveName(partial, target, true);
    expect(await readFile(target, 'utf8')).toBe('mine');
    await rm(folder, { recursive: true });
  });

  test('that a full disk refuses is not had, and the disk is named', async () => {
    const { folder, partial, target } = await proven();
    const full = async () => {
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    await expect(giveName(partial, target, false, full)).rejects.toThrow('no space left');
    expect(existsSync(target)).toBe(false);
    await rm(folder, { recursive: true });
  });
});

test('what a program wrote is read in full, also by somebody who begins after it has ended', async () => {
  let read = '';
  await run('printf', ['%s', 'an archive'], async (child, output) => {
    await once(child, 'exit');
    await new Promise((done) => setImmediate(done));
    for await (const chunk of output) read += chunk;
  });
  expect(read).toBe('an archive');
});

async function startDebians(folder: string): Promise<{ url: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'nameward-debian-'));
  await chmod(dir, 0o777);
  const user = ordinaryUser() ?? {};
  const cluster = join(dir, 'cluster');
  const asUser = (program: string, args: string[]): ChildProcess =>
    spawn(join(folder, program), args, { ...user, cwd: '/', stdio: 'ignore' });
  const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await ended(
    asUser('initdb', ['-D', cluster, '-U', 'owner', '--auth=trust', '--no-sync', '--encoding=UTF8']),
  );
  const port = await anyPort();
  const options = ['-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'];
  const server = asUser('postgres', ['-D', cluster, ...options, '-c', 'unix_socket_directories=']);
  const url = `postgres://owner@127.0.0.1:${port}/nameward`;
  const close = async () => {
    const gone = ended(server);
    server.kill('SIGINT');
    await gone;
    await rm(dir, { recursive: true, force: true });
  };
  for (;;) {
    try {
      await asOwner(
        (client) => client.query('CREATE DATABASE nameward'),
        url.replace(/nameward$/, 'postgres'),
      );
      return { url, [Symbol.asyncDispose]: close };
    } catch (error) {
      if (server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
