import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AcmeJudge, expectKeptWord, judgeOf } from '../support/acme-judge.ts';
import { Acme, csrFor } from '../support/acme-protocol.ts';
import { type AcmeStand, startAcmeStand } from '../support/acme-stand.ts';
import { inTurn } from '../support/turn.ts';

/**
 * kill -9 of one of two processes at each step of a finalize: the client's next question, which the other one answers,
 * ends with its certificate, paid once.
 */
const times = {
  REGISTRAR_WRITE_TIMEOUT_MS: '5000',
  ORDER_RELEASE_AFTER_MS: '8000',
  ORDER_CLAIM_MARGIN_MS: '1000',
};
let stand: AcmeStand;
let judge: AcmeJudge;
beforeAll(async () => {
  stand = await startAcmeStand({ env: times });
  judge = await judgeOf(stand);
});
afterAll(async () => {
  await judge.expectSound();
  await judge[Symbol.asyncDispose]();
  await stand[Symbol.asyncDispose]();
});

async function client(change = {}): Promise<Acme> {
  const acme = new Acme(stand.directory);
  const { status, text } = await acme.register(await stand.access(change));
  if (status !== 201) throw new Error(text);
  return acme;
}

/** Finalizes at a process that dies at the point, and asks it on until it has. Returns the order's address. */
async function dieAt(point: string, acme: Acme, name: string, csr = csrFor([name])): Promise<string> {
  const order = await acme.order(name);
  const location = order.headers.get('location') ?? '';
  const doomed = await stand.stack.startBeside({ ...times, ROLES: 'web', FAILPOINT: `${point}:1` });
  acme.via = doomed.url;
  await acme.post(order.json.finalize, { csr: csr.der }).catch(() => 'no answer');
  // The later points are passed by the client's questions.
  for (let asked = 0; doomed.lives() && asked < 3_000; asked += 1) {
    await acme.post(location).catch(() => 'no answer');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(doomed.lives(), `the server did not pass ${point}`).toBe(false);
  acme.via = null;
  return location;
}

/** The client's next try: the same order where there is one, or a new one. */
async function nextTry(acme: Acme, location: string, name: string, csr = csrFor([name])): Promise<string> {
  const now = await acme.post(location);
  if (now.json.status === 'ready') await acme.post(now.json.finalize, { csr: csr.der });
  const settled = await acme.settled(location, 90_000);
  if (settled.json.status === 'invalid') await acme.issue([name]);
  await expectKeptWord(acme);
  return settled.json.status;
}

describe.concurrent('killed', () => {
  const buying = [
    ...['acme.checked', 'acme.started', 'acme.decided', 'purchase.held', 'acme.bought'],
    ...['item.answered', 'item.settling', 'item.settled'],
    ...['certificate.read', 'acme.issued', 'acme.completed'],
  ];
  test.for(inTurn(buying))('buying, killed at %s: one order, one certificate', async (point) => {
    const name = await stand.domain('killed');
    const [acme, csr] = [await client(), csrFor([name])];
    const location = await dieAt(point, acme, name, csr);
    expect(await nextTry(acme, location, name, csr), stand.stack.log()).toBe('valid');
    await judge.expectPaid(name, ['succeeded']);
  });

  test.for(inTurn(['item.claimed', 'wire.held']))(
    'killed at %s, before the order left: nothing is paid, and the next try has the certificate',
    async (point) => {
      const name = await stand.domain('unsent');
      const acme = await client();
      const location = await dieAt(point, acme, name);
      expect(await nextTry(acme, location, name), stand.stack.log()).toBe('invalid');
      await judge.expectPaid(name, ['declined', 'succeeded']);
    },
  );

  const reissuing = ['acme.decided', 'acme.reissued', 'certificate.read', 'acme.issued', 'acme.completed'];
  test.for(inTurn(reissuing))('reissuing, killed at %s: one reissue, nothing paid', async (point) => {
    const name = await stand.domain('again');
    const acme = await client();
    await acme.issue([name]);
    const location = await dieAt(point, acme, name);
    expect(await nextTry(acme, location, name), stand.stack.log()).toBe('valid');
    await judge.expectPaid(name, ['succeeded'], 1);
  });

  test('reissuing, killed before it left: the order stays open until it counts as never made; the next try has the certificate', async () => {
    const name = await stand.domain('waits');
    const acme = await client();
    await acme.issue([name]);
    const location = await dieAt('reissue.intent', acme, name);
    expect((await acme.settled(location, 3_000)).json.status, stand.stack.log()).toBe('processing');
    // What left no trace counts as never made after ten minutes.
    await stand.stack.database.systemDb
      .updateTable('certificate_reissues')
      .set({ created_at: new Date(Date.now() - 11 * 60_000) })
      .where('state', '=', 'sending')
      .where('certificate_id', 'in', (eb) =>
        eb.selectFrom('certificates').select('id').where('address', '=', name),
      )
      .execute();
    expect(await nextTry(acme, location, name), stand.stack.log()).toBe('invalid');
    await judge.expectPaid(name, ['succeeded'], 1);
  });
});

test('killed once it was refused: the client hears why, and so do the managers, in the log and by one mail', async () => {
  const name = await stand.domain('never');
  const access = await stand.access({ limits: null });
  const acme = new Acme(stand.directory);
  await acme.register(access);
  const location = await dieAt('acme.refused', acme, name);
  const { json } = await acme.post(location);
  expect(json).toMatchObject({
    status: 'invalid',
    error: { detail: expect.stringContaining('may not buy') },
  });
  const { systemDb } = stand.stack.database;
  const told = await systemDb
    .selectFrom('acme_access_log')
    .select(['outcome', 'advice'])
    .where('access_id', '=', access.id)
    .where('outcome', '=', 'failed')
    .execute();
  expect(told).toEqual([{ outcome: 'failed', advice: expect.stringContaining('Let it buy') }]);
  const letters = async () => {
    const all = await stand.stack.control<{ subject: string }[]>('mail', 'messages');
    return all.filter(({ subject }) => subject.includes(`No certificate by ACME for ${name}`));
  };
  await expect.poll(letters, { timeout: 180_000 }).toHaveLength(1);
  await judge.expectPaid(name, []);
});
