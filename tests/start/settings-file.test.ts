import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The file `.env` beside package.json, as docs/operations.md says. */
let folder: string;
const original = join(import.meta.dirname, '../..');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nameward-settings-'));
  await mkdir(join(folder, 'tools'));
  for (const path of ['tools/bootstrap.mjs', 'package-lock.json'])
    await cp(join(original, path), join(folder, path));
  await symlink(join(original, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, '.env'), 'SETTING_ONE=of the file\nSETTING_TWO=of the file\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function settingsOf(...flags: string[]): Promise<unknown> {
  const program = 'console.log(JSON.stringify([process.env.SETTING_ONE, process.env.SETTING_TWO]))';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(folder, 'tools/bootstrap.mjs'), ...flags, 'node', '--eval', program],
    { env: { ...process.env, SETTING_TWO: 'of the environment' } },
  );
  return JSON.parse(stdout);
}

test('commands that serve read their settings from it, and the environment counts first', async () => {
  expect(await settingsOf('--serving')).toEqual(['of the file', 'of the environment']);
});

test('what builds and tests does not depend on it', async () => {
  expect(await settingsOf()).toEqual([null, 'of the environment']);
});
