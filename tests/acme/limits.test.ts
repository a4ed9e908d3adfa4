import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../src/contracts/errors.ts';
import { readConfig } from '../../src/server/kernel/config.ts';
import { freePort } from '../../src/server/kernel/db/embedded.ts';
import { composeAcme, listenAcme, openFleet } from '../support/acme-features.ts';
import { Acme, type Answer, csrFor } from '../support/acme-protocol.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** Which limit a request meets, and under whose name it counts. The edge's own test shows how a refusal is worded. */

let database: TestDatabase;
let app: FastifyInstance;
let acme: Acme;
let accessId: string;
let asked: [what: string, key: string][];
let refused: string | null;

beforeAll(async () => {
  database = await createTestDatabase();
  const url = `http://127.0.0.1:${await freePort(0)}`;
  const config = readConfig({
    DATABASE_URL: database.urls.tenants,
    PORT: new URL(url).port,
    PUBLIC_URL: url,
  });
  const features = composeAcme({
    ...{ database, config, clock: { now: () => new Date() } },
    // No request gets as far as an outside system.
    adapters: { registrar: {}, resolver: {} } as unknown as Parameters<typeof composeAcme>[0]['adapters'],
    async limit(what, key) {
      asked.push([what, key]);
      if (what === refused) throw new AppError('rate_limited', { retryAfterSeconds: 7 });
    },
  });
  app = await listenAcme(features.acme, config);
  const { access } = await openFleet(database, features, 1);
  accessId = access.id;
  acme = new Acme(`${url}/acme/directory`);
  [asked, refused] = [[], null];
  expect((await acme.register(access)).status).toBe(201);
  expect(asked).toEqual([['acmeAccount', '127.0.0.1']]);
});
beforeEach(() => {
  [asked, refused] = [[], null];
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const accountId = () => acme.kid.split('/').at(-1);
const name = { identifiers: [{ type: 'dns', value: 'example.com' }] };

const limited: Record<string, { path: string; payload: () => object; key: () => string | undefined }> = {
  acmeAccount: { path: 'new-account', payload: () => ({}), key: () => '127.0.0.1' },
  acmeOrder: { path: 'new-order', payload: () => name, key: () => accessId },
  acmeFinalize: {
    ...{ path: 'order/1/finalize', payload: () => ({ csr: csrFor(['example.com']).der }) },
    key: () => accessId,
  },
  acmeRevoke: { path: 'revoke-cert', payload: () => ({ certificate: 'AAAA' }), key: () => '127.0.0.1' },
  acmeKeyChange: { path: 'key-change', payload: () => ({}), key: accountId },
};

test.for(Object.entries(limited))('%s limits its own operation, and nothing else', async ([what, of]) => {
  refused = what;
  const statuses: Record<string, Answer['status']> = {};
  for (const [other, { path, payload }] of Object.entries(limited)) {
    statuses[other] = (await acme.post(path, payload())).status;
  }
  for (const [other, status] of Object.entries(statuses)) {
    if (other === what) expect(status, other).toBe(429);
    else expect(status, other).not.toBe(429);
  }
  expect(asked).toContainEqual([what, of.key()]);
  expect(asked.map(([each]) => each)).toEqual(Object.keys(limited));
});

test('what only reads asks none: clients look at their order every few seconds', async () => {
  await acme.get('renewal-info/AAAA.AAAA');
  await acme.get('new-nonce');
  await acme.post(acme.kid);
  for (const path of ['order/1', 'authz/1/0', 'challenge/1/0', 'certificate/1']) await acme.post(path);
  expect(asked).toEqual([]);
});
