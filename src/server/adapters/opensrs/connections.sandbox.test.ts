import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHttpClient } from '#kernel/http-client.ts';
import { startRegistrar } from '../../../sandbox/registrar/index.ts';
import { openStore } from '../../../sandbox/store.ts';
import { createOpenSrs } from './index.ts';

test('three hundred commands in a row never meet the limit of a hundred on a connection', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'registrar-connections-'));
  const store = openStore(dir);
  const part = await startRegistrar({ store, host: '127.0.0.1', port: 0, username: 'reseller', key: 'k' });
  const http = createHttpClient({
    allowedOrigins: [part.url],
    timeoutMs: 120_000,
    connectTimeoutMs: 120_000,
    maxResponseBytes: 1_000_000,
    maxConnections: 1,
  });
  const registrar = createOpenSrs({
    url: part.url,
    username: 'reseller',
    key: 'k',
    http,
    limits: { parallel: 1, perSecond: 10_000 },
    timeouts: { readMs: 120_000, writeMs: 120_000 },
    // One attempt: a 350 would end the test.
    repeats: { attempts: 1, firstPauseMs: 1 },
  });
  for (let index = 0; index < 300; index++) {
    expect((await registrar.lookup(`never-${index}-had.com`)).status).toBe('available');
  }
  await http.close();
  await part.close();
  store.close();
  rmSync(dir, { recursive: true, force: true });
});
