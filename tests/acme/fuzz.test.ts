import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAccount } from '../support/account.ts';
import { Acme, csrFor, encoded } from '../support/acme-protocol.ts';
import { type AcmeStand, startAcmeStand } from '../support/acme-stand.ts';

/** Mutated requests, most of them signed rightly, so that they come as far as possible. */
let stand: AcmeStand;
beforeAll(async () => {
  stand = await startAcmeStand();
});
afterAll(() => stand[Symbol.asyncDispose]());

/** `ACME_FUZZ=1000` for a long run. */
const perEndpoint = Number(process.env.ACME_FUZZ ?? 250);
const atOnce = 10;

/** A small generator, so that a failure can be repeated by its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const oddities: readonly unknown[] = [
  ...[
    '',
    0,
    -1,
    1e308,
    null,
    true,
    [],
    {},
    '\u0000',
    'ä€😀',
    '../..',
    "' OR 1=1 --",
    '%00',
    'a'.repeat(5_000),
  ],
  ...[
    [[[[[]]]]],
    { __proto__: 1 },
    { constructor: { prototype: 1 } },
    'https://elsewhere.example/',
    '*.',
    '🦊.com',
  ],
];

/** Something of the value is something else now. */
function mutated(value: unknown, random: (below: number) => number): unknown {
  if (random(4) === 0 || typeof value !== 'object' || value === null)
    return oddities[random(oddities.length)];
  const entries = Object.entries(value);
  if (entries.length === 0) return { [String(oddities[random(oddities.length)])]: 1 };
  const chosen = random(entries.length);
  const changed = entries.flatMap(([key, inner], index): [string, unknown][] => {
    if (index !== chosen) return [[key, inner]];
    const how = random(4);
    if (how === 0) return [];
    return [[how === 1 ? `${key}x` : key, mutated(inner, random)]];
  });
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}

function broken(text: string, random: (below: number) => number): string {
  const at = random(text.length);
  return `${text.slice(0, at)}${String.fromCharCode(random(256))}${random(2) === 0 ? '' : text.slice(at + 1)}`;
}

test('mutated requests for each endpoint bring no 5xx and no byte of another organization', async () => {
  const other = await openAccount(stand.stack, 100_00);
  const foreign = await stand.domain('foreignbytes', other);
  const unnamed = await stand.domain('neverasked', other);
  const domain = await stand.domain('fuzz');
  const access = await stand.access();
  const acme = new Acme(stand.directory);
  await acme.register(access);
  const order = await acme.order(domain);
  const location = order.headers.get('location') ?? '';
  const payloads: Record<string, unknown> = {
    'new-account': { contact: ['mailto:a@example.com'], externalAccountBinding: acme.binding(access) },
    'new-order': {
      identifiers: [
        { type: 'dns', value: domain },
        { type: 'dns', value: foreign },
      ],
      replaces: 'AA.AA',
    },
    [acme.kid]: { contact: ['mailto:a@example.com'] },
    [`${acme.kid}/orders`]: undefined,
    [location]: undefined,
    [order.json.finalize]: { csr: csrFor([`not.${domain}`]).der },
    [order.json.authorizations[0]]: { status: 'no' },
    [`${order.json.authorizations[0].replace('authz', 'challenge')}`]: {},
    [acme.at(`certificate/${location.slice(-36)}`)]: undefined,
    'revoke-cert': { certificate: 'AAAA', reason: 1 },
    'key-change': { protected: encoded({ alg: 'ES256' }), payload: encoded({}), signature: 'AAAA' },
  };
  const faults: string[] = [];
  // A name that the request itself had is no news; others of the same organization would be.
  const theirs = [unnamed, other.organisationId, other.customerId, other.name];
  const look = (path: string, seed: number, { status, text }: { status: number; text: string }) => {
    const news = path === 'new-order' ? theirs : [foreign, ...theirs];
    if (status < 500 && !news.some((word) => text.includes(word))) return;
    faults.push(`${path} seed ${seed}: ${status} ${text.slice(0, 300)}`);
  };
  // Each keeps the nonce of its last answer.
  const senders = Array.from({ length: atOnce }, () => new Acme(stand.directory));
  const one = async (path: string, payload: unknown, seed: number) => {
    const random = randomOf(seed);
    const sender = senders[seed % atOnce] as Acme;
    Object.assign(sender, { key: acme.key, kid: path === 'new-account' ? '' : acme.kid });
    const nonce = random(20) === 0 ? 'AAAA' : await sender.nonce();
    const header =
      random(3) === 0 ? { ...(mutated({ alg: 'ES256', url: 'x', kid: acme.kid }, random) as object) } : {};
    const wrong = random(5) === 0 ? payload : mutated(payload ?? {}, random);
    const jws = await sender.jws(sender.at(path), wrong, { header: { ...header, nonce } });
    const text = JSON.stringify(random(6) === 0 ? mutated(jws, random) : jws);
    const body = random(8) === 0 ? broken(text, random) : text;
    look(path, seed, await sender.post(path, undefined, { body }));
  };
  const batch = (first: number) => Array.from({ length: atOnce }, (_, index) => first + index);
  let seed = 0;
  for (const [path, payload] of Object.entries(payloads)) {
    for (let sent = 0; sent < perEndpoint; sent += atOnce) {
      await Promise.all(batch(seed).map((each) => one(path, payload, each)));
      seed += atOnce;
    }
  }
  for (const path of ['directory', 'new-nonce', 'renewal-info/AA.AA']) {
    for (let sent = 0; sent < perEndpoint; sent += atOnce) {
      await Promise.all(
        batch(seed).map(async (each) => {
          const random = randomOf(each);
          const more = encodeURIComponent(String(oddities[random(14)]).slice(0, 200));
          look(path, each, await acme.get(`${path}${random(2) ? '/' : ''}${more}`));
        }),
      );
      seed += atOnce;
    }
  }
  expect(faults).toEqual([]);
});
