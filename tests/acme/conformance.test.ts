import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { contact, openAccount } from '../support/account.ts';
import { Acme, type Algorithm, csrFor, derOf, encoded, newKey, publicJwk } from '../support/acme-protocol.ts';
import { type Access, type AcmeStand, startAcmeStand } from '../support/acme-stand.ts';

/** RFC 8555 and RFC 9773, section by section, against the portal as a process. */
let stand: AcmeStand;
let access: Access;
let domain: string;
beforeAll(async () => {
  stand = await startAcmeStand();
  access = await stand.access();
  domain = await stand.domain('conform');
});
afterAll(() => stand[Symbol.asyncDispose]());

const urn = 'urn:ietf:params:acme:error:';
/** A payload with which nothing is wrong: what is refused has another reason. */
const wish = () => ({ identifiers: [{ type: 'dns', value: domain }] });
const anonymous = (alg?: Algorithm) => new Acme(stand.directory, alg);
async function registered(alg?: Algorithm, by = access): Promise<Acme> {
  const acme = anonymous(alg);
  const answer = await acme.register(by);
  expect(answer.status, answer.text).toBe(201);
  return acme;
}

describe('6.2 request authentication', () => {
  test.for<Algorithm>(['ES256', 'ES384', 'EdDSA', 'RS256'])('%s signs requests', async (alg) => {
    const acme = await registered(alg);
    expect((await acme.order(domain)).status).toBe(201);
  });

  test('a signature by another key is refused', async () => {
    const acme = await registered();
    const answer = await acme.post('new-order', wish(), { key: newKey() });
    expect(answer.json).toMatchObject({ type: `${urn}malformed`, status: 400 });
  });

  test('an algorithm that is not taken is refused with those that are', async () => {
    const answer = await (await registered()).post('new-order', wish(), { header: { alg: 'ES512' } });
    expect(answer.json).toMatchObject({
      type: `${urn}badSignatureAlgorithm`,
      algorithms: ['ES256', 'ES384', 'EdDSA', 'RS256'],
    });
  });

  test('an RSA key below 2048 bits is refused', async () => {
    const acme = anonymous('RS256');
    acme.key = newKey('RS256', 1024);
    expect((await acme.register(access)).json).toMatchObject({ type: `${urn}badPublicKey` });
  });

  test.each(['AQ', 'Aw', 'AQAC'])('an RSA key with the public exponent %s is refused', async (e) => {
    const acme = anonymous('RS256');
    const jwk = { ...publicJwk(acme.key), e };
    const answer = await acme.post('new-account', {}, { header: { jwk } });
    expect(answer.json).toMatchObject({ type: `${urn}badPublicKey`, status: 400 });
  });

  test('only new accounts name their key, and everything else names its account', async () => {
    const acme = await registered();
    const { kid } = acme;
    const byKey = await acme.post('new-order', wish(), {
      header: { kid: undefined, jwk: publicJwk(acme.key) },
    });
    expect(byKey.json).toMatchObject({ type: `${urn}malformed` });
    const byAccount = await acme.post('new-account', { onlyReturnExisting: true }, { header: { kid } });
    expect(byAccount.json).toMatchObject({ type: `${urn}malformed` });
    const both = await acme.post('new-order', wish(), { header: { jwk: publicJwk(acme.key) } });
    expect(both.json).toMatchObject({ type: `${urn}malformed` });
  });

  test('another content type is refused', async () => {
    const answer = await (await registered()).post('new-order', wish(), { contentType: 'application/json' });
    expect(answer).toMatchObject({ status: 415, json: { type: `${urn}malformed` } });
  });

  test.for([
    '',
    '{}',
    '[]',
    'null',
    '{"protected":1,"payload":"","signature":""}',
    '\u0000',
    '{"protected":"e30","payload":"","signature":""}',
  ])('the body %j is refused', async (body) => {
    const answer = await anonymous().post('new-account', undefined, { body });
    expect(answer).toMatchObject({
      status: 400,
      type: 'application/problem+json',
      json: { type: `${urn}malformed` },
    });
  });

  test('a body beyond 64 kB is refused as a problem document', async () => {
    const answer = await anonymous().post('new-account', undefined, { body: 'a'.repeat(65_537) });
    expect(answer).toMatchObject({
      status: 413,
      type: 'application/problem+json',
      json: { type: `${urn}malformed` },
    });
  });
});

describe('6.3 POST-as-GET', () => {
  test('resources are not read by GET', async () => {
    const acme = await registered();
    const order = (await acme.order(domain)).headers.get('location') ?? '';
    for (const path of [order, acme.kid, 'new-order', 'new-account', 'revoke-cert', 'key-change']) {
      expect(await acme.get(path), path).toMatchObject({ status: 405, json: { type: `${urn}malformed` } });
    }
  });

  test('reading takes an empty payload alone', async () => {
    const acme = await registered();
    const order = (await acme.order(domain)).headers.get('location') ?? '';
    expect((await acme.post(order)).status).toBe(200);
    expect((await acme.post(order, {})).json).toMatchObject({ type: `${urn}malformed` });
  });
});

describe('6.4 request address', () => {
  test('a request for another address is refused', async () => {
    const acme = await registered();
    for (const signedUrl of [
      acme.at('new-account'),
      `${acme.at('new-order')}/`,
      acme.at('new-order').replace('127.0.0.1', 'localhost'),
    ]) {
      const answer = await acme.post('new-order', wish(), { signedUrl });
      expect(answer.json, signedUrl).toMatchObject({ type: `${urn}unauthorized`, status: 403 });
    }
  });
});

describe('6.5 replay protection', () => {
  test('a nonce works once', async () => {
    const acme = await registered();
    const nonce = await acme.nonce();
    expect((await acme.post(acme.kid, undefined, { header: { nonce } })).status).toBe(200);
    const again = await acme.post(acme.kid, undefined, { header: { nonce } });
    expect(again).toMatchObject({ status: 400, json: { type: `${urn}badNonce` } });
    expect(again.headers.get('replay-nonce')).toMatch(/^[\w-]+$/);
  });

  test('twice at once, it works once', async () => {
    const acme = await registered();
    const nonce = await acme.nonce();
    const request = JSON.stringify(await acme.jws(acme.kid, undefined, { header: { nonce } }));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => acme.post(acme.kid, undefined, { body: request })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
  });

  test('one that is not ours, missing, or written in another way, is refused', async () => {
    const acme = await registered();
    const good = await acme.nonce();
    for (const nonce of ['AAAA', undefined, `${good}=`, `${good}A`, good.slice(0, -2)]) {
      const { json } = await acme.post(acme.kid, undefined, { header: { nonce } });
      expect(json.type, String(nonce)).toBe(`${urn}badNonce`);
    }
  });

  test('every answer brings the next nonce, refusals too', async () => {
    const acme = await registered();
    const answers = [
      await acme.post(acme.kid),
      await acme.post('new-order', {}),
      await acme.get('new-nonce', 'HEAD'),
    ];
    for (const answer of answers) expect(answer.headers.get('replay-nonce')).toBeTruthy();
  });
});

describe('7.1 and 7.2 directory and nonces', () => {
  test('the directory names every resource, and that a binding is needed', async () => {
    const { status, json } = await anonymous().get('directory');
    expect(status).toBe(200);
    expect(Object.keys(json).sort()).toEqual([
      'keyChange',
      'meta',
      'newAccount',
      'newNonce',
      'newOrder',
      'renewalInfo',
      'revokeCert',
    ]);
    expect(json.meta).toMatchObject({ externalAccountRequired: true });
  });

  test('HEAD answers 200, GET 204, and neither is kept', async () => {
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 204],
    ] as const) {
      const answer = await anonymous().get('new-nonce', method);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('cache-control')).toContain('no-store');
      expect(answer.headers.get('link')).toBe(`<${stand.directory}>;rel="index"`);
    }
  });

  test('what is nowhere is a problem document', async () => {
    expect(await anonymous().get('nothing')).toMatchObject({ status: 404, type: 'application/problem+json' });
  });
});

describe('7.3 accounts', () => {
  test('the same key is the same account', async () => {
    const acme = await registered();
    const { kid } = acme;
    acme.kid = '';
    const again = await acme.post('new-account', { onlyReturnExisting: true });
    expect(again).toMatchObject({
      status: 200,
      json: { status: 'valid', contact: ['mailto:admin@example.com'] },
    });
    expect(again.headers.get('location')).toBe(kid);
    const repeated = await acme.register(access);
    expect([repeated.status, repeated.headers.get('location')]).toEqual([200, kid]);
  });

  test('7.3.1 an unknown key has none', async () => {
    const answer = await anonymous().post('new-account', { onlyReturnExisting: true });
    expect(answer).toMatchObject({ status: 400, json: { type: `${urn}accountDoesNotExist` } });
  });

  test('two registrations at once make one account', async () => {
    const acme = anonymous();
    const payload = { externalAccountBinding: acme.binding(access) };
    const answers = await Promise.all([1, 2, 3].map(() => acme.post('new-account', payload)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
  });

  test('7.3.2 contacts can be changed, to mail addresses', async () => {
    const acme = await registered();
    const changed = await acme.post(acme.kid, { contact: ['mailto:new@example.com'] });
    expect(changed.json).toMatchObject({ contact: ['mailto:new@example.com'] });
    expect((await acme.post(acme.kid)).json).toMatchObject({ contact: ['mailto:new@example.com'] });
    expect((await acme.post(acme.kid, { contact: ['tel:1'] })).json.type).toBe(`${urn}unsupportedContact`);
    expect((await acme.post(acme.kid, { contact: ['mailto:x'] })).json.type).toBe(`${urn}invalidContact`);
    expect((await acme.post(acme.kid, { status: 'revoked' })).json.type).toBe(`${urn}malformed`);
  });

  test('another account cannot be read or changed', async () => {
    const [mine, other] = [await registered(), await registered()];
    for (const payload of [undefined, { status: 'deactivated' }]) {
      expect((await mine.post(other.kid, payload)).json.type).toBe(`${urn}unauthorized`);
    }
    expect((await mine.post(`${other.kid}/orders`)).json.type).toBe(`${urn}unauthorized`);
    expect((await other.post(other.kid)).json.status).toBe('valid');
  });

  test('an account that nobody has is unknown', async () => {
    const acme = await registered();
    for (const kid of [
      `${acme.base}account/nobody`,
      `${acme.base}account/00000000-0000-7000-8000-000000000000`,
      'https://elsewhere.example/1',
    ]) {
      const { json } = await acme.post('new-order', wish(), { header: { kid } });
      expect(json.type, kid).toBe(`${urn}accountDoesNotExist`);
    }
  });
});

describe('7.3.4 external account binding', () => {
  const wrong: Record<string, [type: string, change: (acme: Acme) => unknown]> = {
    none: ['externalAccountRequired', () => undefined],
    'another key id': ['unauthorized', (acme) => acme.binding({ ...access, keyId: 'nwe_unknown' })],
    'another key': ['unauthorized', (acme) => acme.binding({ ...access, key: encoded('x'.repeat(32)) })],
    'another account key': ['malformed', (acme) => acme.binding(access, { jwk: publicJwk(newKey()) })],
    'another address': [
      'malformed',
      (acme) => acme.binding(access, { header: { url: acme.at('new-order') } }),
    ],
    'a nonce': ['malformed', (acme) => acme.binding(access, { header: { nonce: 'AAAA' } })],
    'no MAC': ['badSignatureAlgorithm', (acme) => acme.binding(access, { header: { alg: 'ES256' } })],
    'no object': ['malformed', () => 'binding'],
  };
  test.for(Object.keys(wrong))('with %s nobody registers', async (what) => {
    const acme = anonymous();
    const [type, change] = wrong[what] ?? ['', () => null];
    const answer = await acme.post('new-account', { externalAccountBinding: change(acme) });
    expect(answer.json.type, answer.text).toBe(`${urn}${type}`);
  });

  test('a wrong id and a wrong key are answered with the same bytes', async () => {
    const acme = anonymous();
    const answers = [];
    for (const of of [
      { ...access, keyId: 'nwe_unknown' },
      { ...access, key: encoded('y'.repeat(32)) },
    ]) {
      answers.push((await acme.post('new-account', { externalAccountBinding: acme.binding(of) })).text);
    }
    expect(answers[0]).toBe(answers[1]);
  });

  test.for(['HS384', 'HS512'])('%s binds, too', async (alg) => {
    const acme = anonymous();
    const answer = await acme.post('new-account', { externalAccountBinding: acme.binding(access, { alg }) });
    expect(answer.status).toBe(201);
  });

  test('when the access ends, its accounts end with the next request', async () => {
    const ending = await stand.access();
    const acme = await registered('ES256', ending);
    await stand.stack.database.systemDb
      .updateTable('acme_accesses')
      .set({ revoked_at: new Date() })
      .where('id', '=', ending.id)
      .execute();
    expect(await acme.order(domain)).toMatchObject({ status: 401, json: { type: `${urn}unauthorized` } });
    acme.kid = '';
    expect(await acme.register(ending)).toMatchObject({ status: 401 });
  });
});

describe('7.3.5 account key roll-over', () => {
  async function change(acme: Acme, next: Acme, { header = {}, payload = {} } = {}) {
    next.kid = '';
    const url = acme.at('key-change');
    const inner = await next.jws(
      url,
      { account: acme.kid, oldKey: publicJwk(acme.key), ...payload },
      { header: { nonce: undefined, ...header } },
    );
    return acme.post('key-change', inner);
  }

  test('the new key has the account, and the old one has it no more', async () => {
    const acme = await registered();
    const next = anonymous('EdDSA');
    expect((await change(acme, next)).status).toBe(200);
    next.kid = acme.kid;
    expect((await next.post(acme.kid)).status).toBe(200);
    expect((await acme.post(acme.kid)).status).toBe(400);
  });

  test.for([
    ['another account', { payload: { account: 'https://elsewhere.example' } }],
    ['another old key', { payload: { oldKey: { kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ' } } }],
    ['another address', { header: { url: 'https://elsewhere.example' } }],
    ['a nonce inside', { header: { nonce: 'AAAA' } }],
  ] as const)('%s is refused', async ([_what, wrong]) => {
    const acme = await registered();
    expect((await change(acme, anonymous(), wrong)).json.type).toBe(`${urn}malformed`);
    expect((await acme.post(acme.kid)).status).toBe(200);
  });

  test('two changes at once are one: the other one finds the account changed', async () => {
    const acme = await registered();
    const nexts = [anonymous(), anonymous('EdDSA')];
    const senders = nexts.map(() => Object.assign(anonymous(), { key: acme.key, kid: acme.kid }));
    const answers = await Promise.all(nexts.map((next, at) => change(senders[at] as Acme, next)));
    const won = answers.findIndex(({ status }) => status === 200);
    const lost = answers[1 - won];
    // Behind the other one altogether, its signature is by a key that the account has no more.
    expect([400, 409]).toContain(lost?.status);
    for (const [at, next] of nexts.entries()) {
      next.kid = acme.kid;
      expect((await next.post(acme.kid)).status).toBe(at === won ? 200 : 400);
    }
  });

  test('the key of another account is a conflict', async () => {
    const [acme, other] = [await registered(), await registered()];
    const location = other.kid;
    const answer = await change(acme, other);
    expect(answer.status).toBe(409);
    expect(answer.headers.get('location')).toBe(location);
  });
});

describe('7.3.6 deactivation of an account', () => {
  test('ends it for good', async () => {
    const acme = await registered();
    expect((await acme.post(acme.kid, { status: 'deactivated' })).json.status).toBe('deactivated');
    expect(await acme.post(acme.kid)).toMatchObject({ status: 401, json: { type: `${urn}unauthorized` } });
    acme.kid = '';
    expect(await acme.register(access)).toMatchObject({ status: 401 });
  });
});

describe('7.4 orders', () => {
  test('a new order is ready, and its authorizations are valid', async () => {
    const acme = await registered();
    const order = await acme.order(`www.${domain}`, domain.toUpperCase());
    expect(order).toMatchObject({
      status: 201,
      json: {
        status: 'ready',
        identifiers: [
          { type: 'dns', value: domain },
          { type: 'dns', value: `www.${domain}` },
        ],
      },
    });
    for (const address of order.json.authorizations) {
      const { json } = await acme.post(address);
      expect(json).toMatchObject({ status: 'valid', challenges: [{ type: 'dns-01', status: 'valid' }] });
      const answered = await acme.post(json.challenges[0].url, {});
      expect(answered.json).toEqual(json.challenges[0]);
      expect(answered.headers.get('link')).toContain(`<${address}>;rel="up"`);
    }
    const orders = await acme.post(`${acme.kid}/orders`);
    expect(orders.json.orders).toEqual([order.headers.get('location')]);
  });

  test('the orders of an account are its own alone', async () => {
    const [mine, other] = [await registered(), await registered()];
    await other.order(domain);
    expect((await mine.post(`${mine.kid}/orders`)).json.orders).toEqual([]);
  });

  test('names of others, and names of nobody, are refused with the same words, each by itself', async () => {
    const acme = await registered();
    const stranger = await openAccount(stand.stack, 100_00);
    const [theirs, ofAnother] = [await stand.domain('theirs', stranger), await stand.domain('sibling')];
    const { customerId } = await anotherCustomer();
    const { systemDb } = stand.stack.database;
    await systemDb
      .updateTable('domains')
      .set({ customer_id: customerId })
      .where('address', '=', ofAnother)
      .execute();
    const names = [theirs, ofAnother, `nobody-${domain}`].sort();
    const answer = await acme.order(domain, ...names);
    expect(answer).toMatchObject({ status: 403, json: { type: `${urn}rejectedIdentifier` } });
    const { subproblems } = answer.json;
    expect(subproblems.map((one: { identifier: object }) => one.identifier)).toEqual(
      names.map((value) => ({ type: 'dns', value })),
    );
    const details = subproblems.map((each: { detail: string; identifier: { value: string } }) =>
      each.detail.replaceAll(each.identifier.value, 'NAME'),
    );
    expect(new Set(details).size).toBe(1);
  });

  test('what no product covers is refused before any money moves', async () => {
    const acme = await registered();
    expect((await acme.order(`*.${domain}`)).json.subproblems[0].detail).toContain(
      'does not cover wildcard names',
    );
    expect((await acme.order(domain, `a.${domain}`)).json.subproblems).toMatchObject([
      { type: `${urn}rejectedIdentifier`, identifier: { value: `a.${domain}` } },
    ]);
  });

  test('an order of another account is unknown', async () => {
    const [mine, other] = [await registered(), await registered()];
    const location = (await other.order(domain)).headers.get('location') ?? '';
    const invented = location.replace(/[0-9a-f]{4}$/, '0000');
    for (const path of [location, `${location}/finalize`]) {
      const answers = [];
      for (const address of [path, path.replace(location, invented)]) {
        answers.push((await mine.post(address, path.endsWith('finalize') ? {} : undefined)).text);
      }
      expect(answers[0]).toContain('no such order');
      expect(answers[0]).toBe(answers[1]);
    }
  });

  const wrong: Record<string, () => unknown> = {
    'no request': () => undefined,
    'no base64url': () => 'not/base64',
    'no request at all': () => encoded('csr'),
    'a name too many': () => csrFor([domain, `a.${domain}`]).der,
    'another name': () => csrFor([`b.${domain}`]).der,
    'an address': () => csrFor([domain], { others: ['IP:192.0.2.1'] }).der,
    'a weak key': () => csrFor([domain], { key: newKey('RS256', 1024) }).der,
    'a key that no authority signs': () =>
      csrFor([domain], { key: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey }).der,
  };
  test.for(Object.keys(wrong))(
    'a signing request with %s is refused, and the order stays ready',
    async (what) => {
      const acme = await registered();
      const order = await acme.order(domain);
      const answer = await acme.post(order.json.finalize, { csr: wrong[what]?.() });
      expect(answer.json, answer.text).toMatchObject({ type: `${urn}badCSR`, status: 400 });
      expect((await acme.post(order.headers.get('location') ?? '')).json.status).toBe('ready');
    },
  );

  test('a key of a kind that no authority signs is named as the reason', async () => {
    const acme = await registered();
    const order = await acme.order(domain);
    const answer = await acme.post(order.json.finalize, { csr: wrong['a key that no authority signs']?.() });
    expect(answer.json.detail).toContain('do not accept the type of key in this CSR');
  });

  test('the account key is no key for a certificate', async () => {
    const acme = await registered();
    const order = await acme.order(domain);
    const { der } = csrFor([domain], { key: acme.key });
    expect((await acme.post(order.json.finalize, { csr: der })).json.type).toBe(`${urn}badCSR`);
  });

  test('the same request again is the same order, another one comes too late', async () => {
    const acme = await registered();
    const name = await stand.domain('twice');
    const order = await acme.order(name);
    const { der } = csrFor([name]);
    const answers = await Promise.all([1, 2, 3].map(() => acme.post(order.json.finalize, { csr: der })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const late = await acme.post(order.json.finalize, { csr: csrFor([name]).der });
    expect(late.json.type).toBe(`${urn}orderNotReady`);
    const settled = await acme.settled(order.headers.get('location') ?? '');
    expect(settled.json.status, settled.text).toBe('valid');
    expect(await certificateItems(name)).toHaveLength(1);
  });
});

/** Of the same organization. */
async function anotherCustomer(): Promise<{ customerId: string }> {
  const body = { contacts: { owner: contact, admin: contact, billing: contact } };
  const made = await stand.stack.call<{ data: { customerId: string } }>(
    ...([stand.account.token, 'POST', 'customer', body] as const),
  );
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  return made.body.data;
}

async function issuedIdOf(name: string): Promise<string> {
  const orders = await stand.stack.database.systemDb
    .selectFrom('acme_orders')
    .select(['names', 'issued_id'])
    .where('state', '=', 'valid')
    .execute();
  return orders.find(({ names }) => names.includes(name))?.issued_id ?? '';
}

const certificateItems = (name: string) =>
  stand.stack.database.systemDb
    .selectFrom('order_items')
    .select(['state', 'price_cents'])
    .where('kind', '=', 'certificate')
    .where('address', '=', name)
    .execute();

describe('7.4 polling', () => {
  test('an order that is processed says when to ask again, and what is settled does not', async () => {
    const acme = await registered();
    const name = await stand.domain('polling');
    const order = await acme.order(name);
    expect(order.headers.get('retry-after')).toBeNull();
    // The authority takes its time until the order was looked at.
    const { control } = stand.stack;
    await control('registrar', 'knobs', { certificateIssueMs: 3_600_000 });
    const finalized = await acme.post(order.json.finalize, { csr: csrFor([name]).der });
    expect(finalized.json.status).toBe('processing');
    expect(Number(finalized.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await acme.post(order.headers.get('location') ?? '')).headers.get('location')).toBe(
      order.headers.get('location'),
    );
    const early = await acme.post(finalized.json.finalize.replace(/order\/(.*)\/finalize/, 'certificate/$1'));
    expect(early.json.type).toBe(`${urn}orderNotReady`);
    await control('registrar', 'knobs', { certificateIssueMs: 100 });
    await vi.waitFor(
      async () => {
        const { orders } = await control<{ orders: { id: string; domain: string; state: string }[] }>(
          ...(['registrar', 'certificates'] as const),
        );
        const held = orders.find((one) => one.domain === name);
        if (held?.state === 'completed') return;
        if (held) await control('registrar', 'certificates/hold', { orderId: held.id, on: false });
        throw new Error(`the certificate is ${held?.state ?? 'not ordered'}`);
      },
      { timeout: 180_000, interval: 200 },
    );
    const settled = await acme.settled(order.headers.get('location') ?? '');
    expect(settled.json.status, settled.text).toBe('valid');
    expect(settled.headers.get('retry-after')).toBeNull();
  });
});

describe('7.5 authorizations', () => {
  test('a name that left the access is proven no more, and the order is refused', async () => {
    const narrowed = await stand.access();
    const acme = await registered('ES256', narrowed);
    const order = await acme.order(domain);
    const [first] = order.json.authorizations;
    expect((await acme.post(first)).json.status).toBe('valid');
    await stand.stack.database.systemDb
      .updateTable('acme_accesses')
      .set({ hosts: ['elsewhere.example'] })
      .where('id', '=', narrowed.id)
      .execute();
    expect((await acme.post(first)).json.status).toBe('revoked');
    const refused = await acme.post(order.json.finalize, { csr: csrFor([domain]).der });
    expect(refused.json.type, refused.text).toBe(`${urn}rejectedIdentifier`);
    expect(await certificateItems(domain)).toEqual([]);
  });
});

describe('7.5.2 deactivation of an authorization', () => {
  test('ends the order', async () => {
    const acme = await registered();
    const order = await acme.order(domain);
    const [first] = order.json.authorizations;
    expect((await acme.post(first, { status: 'valid' })).json.type).toBe(`${urn}malformed`);
    expect((await acme.post(first, { status: 'deactivated' })).json.status).toBe('deactivated');
    expect((await acme.post(order.headers.get('location') ?? '')).json.status).toBe('invalid');
    const finalized = await acme.post(order.json.finalize, { csr: csrFor([domain]).der });
    expect(finalized.json.type).toBe(`${urn}orderNotReady`);
  });
});

describe('7.4.2, 7.6 and RFC 9773: certificates', () => {
  test('are delivered as a chain, have a window, are replaced once, and revoked once', async () => {
    const acme = await registered();
    const name = await stand.domain('life');
    const csr = csrFor([name]);
    const { chain, order } = await acme.issue([name], csr);
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    const leaf = new X509Certificate(chain);
    expect(leaf.checkHost(name)).toBe(name);
    const download = await acme.post(order.json.certificate);
    expect(download.type).toBe('application/pem-certificate-chain');

    const id = await issuedIdOf(name);
    const info = await acme.get(`renewal-info/${id}`);
    expect(info.status).toBe(200);
    expect(Number(info.headers.get('retry-after'))).toBeGreaterThan(0);
    const { start, end } = info.json.suggestedWindow;
    expect(Date.parse(end)).toBeGreaterThan(Date.parse(start));
    expect(Date.parse(end)).toBeLessThan(Date.parse(leaf.validTo));
    expect((await acme.get('renewal-info/AAAA.AAAA')).status).toBe(404);
    expect((await acme.get('renewal-info/nonsense')).status).toBe(404);

    const dns = { identifiers: [{ type: 'dns', value: name }] };
    const next = await acme.post('new-order', { ...dns, replaces: id });
    expect(next).toMatchObject({ status: 201, json: { replaces: id } });
    await acme.post(next.json.finalize, { csr: csrFor([name]).der });
    const renewed = await acme.settled(next.headers.get('location') ?? '');
    expect(renewed.json.status, renewed.text).toBe('valid');
    expect((await acme.post('new-order', { ...dns, replaces: id })).json).toMatchObject({
      ...{ type: `${urn}alreadyReplaced`, status: 409 },
    });
    expect((await acme.post('new-order', { ...dns, replaces: 'AAAA.AAAA' })).json.type).toBe(
      `${urn}malformed`,
    );
    expect(await certificateItems(name)).toHaveLength(1);

    const second = (await acme.post(renewed.json.certificate)).text;
    const stranger = await registered('ES256', await stand.access({ hosts: ['elsewhere.example'] }));
    const certificate = derOf(second);
    expect((await stranger.post('revoke-cert', { certificate })).json.type).toBe(`${urn}unauthorized`);
    expect((await acme.post('revoke-cert', { certificate, reason: 6 })).json.type).toBe(
      `${urn}badRevocationReason`,
    );
    expect((await acme.post('revoke-cert', { certificate: 'AAAA' })).json.type).toBe(`${urn}malformed`);
    expect((await acme.post('revoke-cert', { certificate, reason: 4 })).status).toBe(200);
    expect((await acme.post('revoke-cert', { certificate })).json.type).toBe(`${urn}alreadyRevoked`);
  });

  test('the certificate’s own key revokes it; a compromised key is not taken again', async () => {
    const acme = await registered();
    const name = await stand.domain('ownkey');
    const csr = csrFor([name]);
    const { chain } = await acme.issue([name], csr);
    const byKey = anonymous();
    const wrong = await byKey.post('revoke-cert', { certificate: derOf(chain) });
    expect(wrong.json.type).toBe(`${urn}unauthorized`);
    byKey.key = csr.key;
    const revoked = await byKey.post('revoke-cert', { certificate: derOf(chain), reason: 1 });
    expect(revoked.status, revoked.text).toBe(200);
    const id = await issuedIdOf(name);
    const { json } = await acme.get(`renewal-info/${id}`);
    expect(Date.parse(json.suggestedWindow.end)).toBeLessThanOrEqual(Date.now());
    const order = await acme.order(name);
    const again = await acme.post(order.json.finalize, { csr: csr.der });
    expect(again.json).toMatchObject({ type: `${urn}badCSR` });
    expect(again.json.detail).toContain('compromised');
  });
});
