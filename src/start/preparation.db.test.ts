import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepare } from './preparation.ts';

const root = join(import.meta.dirname, '../..');
const nowhere = 'postgres://nameward:secret@127.0.0.1:1/nameward';
const onProgress = () => undefined;

test('what goes wrong in the process of a preparation is said as it was there', async () => {
  await expect(
    prepare({ task: 'named database', root, url: nowhere, passwords: {} }, { onProgress }),
  ).rejects.toThrow(
    /^The database of DATABASE_MIGRATION_URL \(127\.0\.0\.1:1\/nameward\) cannot be used: .*ECONNREFUSED/,
  );
});

test('nobody waits for a server that has ended', async () => {
  const server = { url: nowhere, passwords: { tenants: 'one', system: 'two' } };
  await expect(
    prepare({ task: 'own database', root, server }, { onProgress, isNeeded: () => false }),
  ).rejects.toThrow('The preparation "own database" ended with SIGKILL.');
});
