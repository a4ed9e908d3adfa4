import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AcmeJudge, expectKeptWord, judgeOf } from '../support/acme-judge.ts';
import { Acme, type Answer, csrFor, derOf } from '../support/acme-protocol.ts';
import { type Access, type AcmeStand, startAcmeStand } from '../support/acme-stand.ts';
import type { Beside } from '../support/stack.ts';
import { inTurn } from '../support/turn.ts';

/**
 * What a client meets while the registrar is silent, late or refuses, and while two processes answer it: it has its
 * certificate at the latest with its next try, and it is paid once.
 */
const times = {
  REGISTRAR_WRITE_TIMEOUT_MS: '1000',
  // Longer than a late order takes: what comes true afterwards is the engine's own test.
  ORDER_RELEASE_AFTER_MS: '8000',
  ORDER_CLAIM_MARGIN_MS: '500',
};
let stand: AcmeStand;
let judge: AcmeJudge;
let other: Beside;
beforeAll(async () => {
  stand = await startAcmeStand({ env: times });
  await stand.stack.control('registrar', 'knobs', { lateMs: 3_000 });
  judge = await judgeOf(stand);
  other = await stand.stack.startBeside({ ...times, ROLES: 'web' });
});
afterAll(async () => {
  await judge.expectSound();
  await judge[Symbol.asyncDispose]();
  await stand[Symbol.asyncDispose]();
});

async function client(access?: Access): Promise<Acme> {
  const acme = new Acme(stand.directory);
  const { status, text } = await acme.register(access ?? (await stand.access()));
  if (status !== 201) throw new Error(text);
  return acme;
}

/** The same account, as it meets the other process. */
function atOther(acme: Acme): Acme {
  const twin = new Acme(stand.directory, acme.alg);
  return Object.assign(twin, { key: acme.key, kid: acme.kid, via: other.url });
}

const fault = (domain: string, effect: string, change: object = {}) =>
  stand.stack.control('registrar', 'faults', [
    { object: 'TRUST_SERVICE', action: 'SW_REGISTER', domain, effect, ...change },
  ]);

/** One order from its finalize to its end. */
async function tried(acme: Acme, name: string): Promise<Answer> {
  const order = await acme.order(name);
  const finalized = await acme.post(order.json.finalize, { csr: csrFor([name]).der });
  if (finalized.status >= 500) throw new Error(`${finalized.text}\n${stand.stack.log()}`);
  const settled = await acme.settled(order.headers.get('location') ?? '', 120_000);
  await expectKeptWord(acme);
  return settled;
}

describe.concurrent('the registrar', () => {
  const badAnswers = [
    ...['timeout-after', 'drop-after', '705-after', 'garbage', 'empty', 'truncated', 'cut', 'no-length'],
    'late',
  ];
  test.for(inTurn(badAnswers))(
    'has the order and answers badly (%s): the client waits, and has it by the same order',
    async (effect) => {
      const name = await stand.domain('silent');
      const acme = await client();
      await fault(name, effect);
      const { json } = await tried(acme, name);
      expect(json.status, JSON.stringify(json) + stand.stack.log()).toBe('valid');
      await judge.expectPaid(name, ['succeeded']);
    },
  );

  test.for(inTurn(['timeout-before', 'drop-before', 'refuse', 'nofunds']))(
    'does not have the order (%s): the client hears that nothing was charged, and has it with its next try',
    async (effect) => {
      const name = await stand.domain('refused');
      const acme = await client();
      await fault(name, effect);
      const { json } = await tried(acme, name);
      expect(json, stand.stack.log()).toMatchObject({
        ...{ status: 'invalid', error: { detail: expect.stringContaining('Nothing was charged.') } },
      });
      await acme.issue([name]);
      await judge.expectPaid(name, ['declined', 'succeeded']);
    },
  );

  test.for(inTurn(['timeout-after', 'garbage', 'refuse']))(
    'answers a reissue badly (%s): one reissue, nothing paid',
    async (effect) => {
      const name = await stand.domain('reissue');
      const acme = await client();
      await acme.issue([name]);
      await fault(name, effect);
      const { json } = await tried(acme, name);
      if (effect === 'refuse') {
        expect(json.status).toBe('invalid');
        await acme.issue([name]);
      } else expect(json.status, JSON.stringify(json) + stand.stack.log()).toBe('valid');
      await judge.expectPaid(name, ['succeeded'], 1);
    },
  );

  test('says nothing of the certificate for a while: the client is told to wait, and then has it', async () => {
    const name = await stand.domain('unread');
    const acme = await client();
    // Its orders are named by number: the silence is everybody's, and short.
    await fault('*', 'drop-before', { action: 'GET_CERT', times: 2 });
    const { json } = await tried(acme, name);
    expect(json.status, stand.stack.log()).toBe('valid');
    await judge.expectPaid(name, ['succeeded']);
  });
});

describe('two processes', () => {
  test('a nonce of one is taken by the other, once by both', async () => {
    const acme = await client();
    const twin = atOther(acme);
    const nonce = (await twin.get('new-nonce', 'HEAD')).headers.get('replay-nonce');
    const body = JSON.stringify(await acme.jws(acme.kid, undefined, { header: { nonce } }));
    const answers = await Promise.all(
      [acme, twin, acme, twin].map((one) => one.post(acme.kid, undefined, { body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  test('two finalizes at once at both are one order, and either has its certificate', async () => {
    const name = await stand.domain('both');
    const acme = await client();
    const twin = atOther(acme);
    const order = await acme.order(name);
    const location = order.headers.get('location') ?? '';
    const { der } = csrFor([name]);
    const answers = await Promise.all(
      [acme, twin, acme, twin].map((one) => one.post(order.json.finalize, { csr: der })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [here, there] = await Promise.all([acme.settled(location), twin.settled(location)]);
    expect([here.json.status, there.json.status], stand.stack.log()).toEqual(['valid', 'valid']);
    const [one, two] = [await acme.post(here.json.certificate), await twin.post(here.json.certificate)];
    expect(one.text).toBe(two.text);
    await judge.expectPaid(name, ['succeeded']);
  });

  test('two servers that ask for the same name at once at both are one purchase: the second has a reissue', async () => {
    const name = await stand.domain('race');
    const [one, two] = [await client(), await client()];
    two.via = other.url;
    const ended = await Promise.all([tried(one, name), tried(two, name)]);
    expect(
      ended.map(({ json }) => json.status),
      stand.stack.log(),
    ).toEqual(['valid', 'valid']);
    await judge.expectPaid(name, ['succeeded'], 1);
  });

  test('revoking at once at both answers one with 200, and the other that it was done', async () => {
    const name = await stand.domain('revoked');
    const acme = await client();
    const { chain } = await acme.issue([name]);
    const twin = atOther(acme);
    const certificate = derOf(chain);
    const answers = await Promise.all(
      [acme, twin, acme].map((one) => one.post('revoke-cert', { certificate })),
    );
    const types = answers.map(({ status, json }) => json?.type ?? status).sort();
    const already = 'urn:ietf:params:acme:error:alreadyRevoked';
    expect(types, stand.stack.log()).toEqual([200, already, already]);
  });
});
