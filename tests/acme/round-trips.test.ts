import { type KeyObject, X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issuedIdOf } from '../../src/server/features/acme/issued.ts';
import { startInstantAcme } from '../support/acme-features.ts';
import { Acme, type Answer, csrFor } from '../support/acme-protocol.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type CountedDatabase, countDatabase } from '../support/round-trips.ts';

/**
 * How often each request of a first issue waits for the database, with an authority that takes no time. The figures may only
 * shrink (docs/decisions/0213). `SHOW_STATEMENTS=1 npx vitest run tests/acme/round-trips.test.ts` prints the statements.
 */
const trips = {
  'new account': 6,
  'new order': 4,
  'finalize: a purchase, with its certificate': 24,
  'finalize: a reissue': 16,
  'read an order that was reissued': 13,
  'read an order that has ended': 3,
  'collect the certificate': 4,
} as const;
type Request = keyof typeof trips;

let database: TestDatabase;
let counted: CountedDatabase;
let app: FastifyInstance;
let base = '';
let issuedId = '';
let aheadMs = 0;
const measured = new Map<Request, { trips: number; statements: string[] }>();

async function measure(what: Request, send: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer | undefined;
  const asked = await counted.count(async () => {
    answer = await send();
  });
  if (!answer || answer.status >= 300) throw new Error(`${what}: ${answer?.text}`);
  const best = measured.get(what);
  if (!best || asked.trips < best.trips) measured.set(what, asked);
  return answer;
}

async function issue(acme: Acme, name: string, what: Request): Promise<void> {
  const order = await measure('new order', () => acme.order(name));
  const location = order.headers.get('location') ?? '';
  const { der } = csrFor([name]);
  await measure(what, () => acme.post(order.json.finalize, { csr: der }));
  if (what === 'finalize: a reissue') {
    // What was read of a certificate a moment ago is not asked for again.
    aheadMs += 5_000;
    await measure('read an order that was reissued', () => acme.post(location));
  }
  const { json } = await measure('read an order that has ended', () => acme.post(location));
  expect(json.status).toBe('valid');
  const { text } = await measure('collect the certificate', () => acme.post(json.certificate));
  const [leaf, authority] = text.split(/(?=-----BEGIN)/).map((pem) => new X509Certificate(pem));
  issuedId = leaf ? ((await issuedIdOf(leaf)) ?? '') : '';
  // The stand-in signs for real: what a client would refuse would measure nothing.
  expect(leaf?.subjectAltName).toBe(`DNS:${name}`);
  expect(
    leaf?.checkIssued(authority as X509Certificate) && leaf.verify(authority?.publicKey as KeyObject),
  ).toBe(true);
}

beforeAll(async () => {
  database = await createTestDatabase();
  counted = await countDatabase(database.urls);
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const server = await startInstantAcme(counted, { clock, hosts: 100 });
  const { access, domain } = server;
  ({ app, base } = server);
  const directory = `${base}/directory`;
  // A statement is prepared when it comes again: the best of several counts.
  for (let time = 0; time < 3; time += 1) {
    const acme = new Acme(directory);
    await measure('new account', () => acme.register(access));
    await issue(acme, `www-${time}.${domain}`, 'finalize: a purchase, with its certificate');
    await issue(acme, `www-${time}.${domain}`, 'finalize: a reissue');
  }
  if (process.env.SHOW_STATEMENTS) {
    for (const [operation, { trips, statements }] of measured) {
      const lines = statements.map((text) => `   ${text.replace(/\s+/g, ' ').trim().slice(0, 170)}`);
      process.stderr.write(`${[`\n${operation}: ${trips}`, ...lines].join('\n')}\n`);
    }
  }
});
afterAll(async () => {
  await app.close();
  await counted[Symbol.asyncDispose]();
  await database.close();
});

test('each request waits for the database exactly as often as is written here', () => {
  const found = Object.fromEntries([...measured].map(([what, asked]) => [what, asked.trips]));
  expect(found).toEqual(trips);
});

describe('what every client asks for, often and without a signature, writes nothing:', () => {
  const asked = async (path: string, method = 'GET') => {
    let status = 0;
    const found = await counted.count(async () => {
      const reply = await fetch(`${base}/${path}`, { method });
      await reply.arrayBuffer();
      status = reply.status;
    });
    return { status, ...found };
  };

  test('the directory and new nonces ask the database nothing', async () => {
    expect(await asked('directory')).toEqual({ status: 200, trips: 0, statements: [], onlyRead: [] });
    expect(await asked('new-nonce', 'HEAD')).toEqual({ status: 200, trips: 0, statements: [], onlyRead: [] });
  });

  test('renewal information is read, of a certificate that was issued here and of another', async () => {
    for (const [id, status] of [
      [issuedId, 200],
      ['AAAA.AAAA', 404],
    ] as const) {
      const found = await asked(`renewal-info/${id}`);
      expect(found, id).toMatchObject({ status, trips: 1, statements: [expect.stringMatching(/^select /)] });
      expect(found.statements.join()).not.toMatch(/ for (no key )?(update|key share|share)/);
    }
  });
});
