import { afterAll, beforeAll, expect, test } from 'vitest';
import { startInstantAcme } from '../support/acme-features.ts';
import { Acme, csrFor, derOf, newKey, publicJwk } from '../support/acme-protocol.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** Each act of a client, and what the people of its access read about it afterwards. */

let database: TestDatabase;
let server: Awaited<ReturnType<typeof startInstantAcme>>;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startInstantAcme(database, { hosts: 1 });
});
afterAll(async () => {
  await server.app.close();
  await database.close();
});

let known = 0;
/** The entries since the last look, the oldest first. */
async function news() {
  const all = await server.features.accessService.log(server.scope, server.access.id);
  const fresh = all.slice(0, all.length - known).reverse();
  known = all.length;
  return fresh.map(({ event, outcome, identifiers, detail }) => [event, outcome, identifiers.join(), detail]);
}

test('the log of an access has every act of its clients, and each refusal with its reason', async () => {
  const { access, domain, base, features, scope } = server;
  const acme = new Acme(`${base}/directory`);
  const name = `www.${domain}`;

  expect((await new Acme(`${base}/directory`).register({ ...access, key: 'd3Jvbmc' })).status).toBe(403);
  expect(await news()).toEqual([['refusal', 'refused', '', expect.stringContaining('wrong key')]]);

  expect((await acme.register(access)).status).toBe(201);
  expect(await news()).toEqual([['account', 'done', '', expect.any(String)]]);
  expect((await features.accessService.get(scope, access.id)).lastUsedAt).toBeNull();

  expect((await acme.order('elsewhere.example')).status).toBe(403);
  expect(await news()).toEqual([['order', 'refused', 'elsewhere.example', expect.stringMatching(/\w/)]]);

  const order = await acme.order(name);
  expect(await news()).toEqual([['order', 'done', name, '']]);
  expect((await features.accessService.get(scope, access.id)).lastUsedAt).not.toBeNull();

  expect((await acme.post(order.json.finalize, { csr: csrFor([domain]).der })).status).toBe(400);
  expect(await news()).toEqual([['finalize', 'refused', name, expect.stringMatching(/\w/)]]);

  const finalized = await acme.post(order.json.finalize, { csr: csrFor([name]).der });
  expect(finalized.json.status, finalized.text).toBe('valid');
  expect(await news()).toEqual([['finalize', 'waiting', name, expect.stringContaining('was ordered')]]);

  const { text } = await acme.post(finalized.json.certificate);
  expect(await news()).toEqual([['download', 'done', name, '']]);

  const second = await acme.order(domain);
  const refused = await acme.post(second.json.finalize, { csr: csrFor([domain]).der });
  expect(refused.json.type).toContain('userActionRequired');
  expect(await news()).toEqual([
    ['order', 'done', domain, ''],
    ['finalize', 'waiting', domain, expect.any(String)],
    ['finalize', 'failed', domain, refused.json.detail],
  ]);

  expect((await acme.post('revoke-cert', { certificate: derOf(text) })).status).toBe(200);
  expect(await news()).toEqual([['revoke', 'done', name, expect.stringContaining('was revoked')]]);

  const next = newKey();
  const url = acme.at('key-change');
  const inner = { account: acme.kid, oldKey: publicJwk(acme.key) };
  const header = { jwk: publicJwk(next), kid: undefined, nonce: undefined };
  const changed = await acme.post('key-change', await acme.jws(url, inner, { header, key: next }));
  expect(changed.status, changed.text).toBe(200);
  acme.key = next;
  expect(await news()).toEqual([['key-change', 'done', '', expect.any(String)]]);

  expect((await acme.post(acme.kid, { status: 'deactivated' })).status).toBe(200);
  expect(await news()).toEqual([['account-end', 'done', '', expect.any(String)]]);
});
