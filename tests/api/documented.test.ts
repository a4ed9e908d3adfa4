import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adapted, documented, programOf } from '../support/documented.ts';

/** What docs/operations.md prints for others to run, and is not run by other tests: its programs take it. */
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nameward-documented-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function saidOf(program: string, args: readonly string[], file: string, text: string) {
  await writeFile(join(dir, file), `${text}\n`);
  const { status, stdout, stderr } = spawnSync(program, [...args, join(dir, file)], { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}`.replace(/^Configuration file is valid\n/, '') };
}

const haproxy = programOf('haproxy');
test.skipIf(haproxy === null)('haproxy takes its configuration without a warning', async () => {
  const said = await saidOf(haproxy ?? '', ['-c', '-f'], 'haproxy.cfg', documented('haproxy.cfg'));
  expect(said).toEqual({ status: 0, said: '' });
});

const systemd = programOf('systemd-analyze');
test.skipIf(systemd === null)('systemd takes the unit without a warning', async () => {
  // A program that is on this machine.
  const unit = adapted(documented('nameward@.service'), {
    '/opt/nameward/node_modules/.bin/node': process.execPath,
  });
  const said = await saidOf(systemd ?? '', ['verify'], 'nameward@web1.service', unit);
  expect(said).toEqual({ status: 0, said: '' });
});
