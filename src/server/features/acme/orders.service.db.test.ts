import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { across, customerRow, organisationRow, userRow, within } from '../../../../tests/support/rows.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Letter } from '../../kernel/letters.ts';
import { createSeal } from '../../kernel/seal.ts';
import { createAcmeAccesses } from './access.ts';
import { insertAccount } from './accounts.repo.ts';
import { refusalLetter } from './acme.letters.ts';
import type { OpenedByAccount } from './exchange.ts';
import { forgetNonces } from './nonces.repo.ts';
import { createNonces } from './nonces.ts';
import type { OrdersDeps } from './order-ground.ts';
import { insertAcmeOrder, startOrder } from './orders.repo.ts';
import { createAcmeOrders } from './orders.service.ts';
import { AcmeProblem } from './problems.rules.ts';
import { createRefusals } from './refusals.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');

/** An order that has its signing request, and the request of its account. */
async function processing(): Promise<{ orderId: string; opened: OpenedByAccount }> {
  const organisationId = await organisationRow(database);
  const customerId = await customerRow(database, organisationId);
  const madeBy = await userRow(database, organisationId);
  const [accessId, accountId, orderId] = [newId(), newId(), newId()];
  await across(database, (tx) =>
    tx
      .insertInto('acme_accesses')
      .values({
        ...{ id: accessId, organisation_id: organisationId, customer_id: customerId, name: 'web server' },
        ...{ key_id: `nwe_${accessId}`, hmac_sealed: Buffer.alloc(0), hosts: null, made_by: madeBy },
        ...{ product_type: 'rapidssl', orders_per_month: null, cents_per_month: null, by_customer: false },
        ...{ expires_at: null, last_used_at: null, revoked_at: null },
      })
      .execute(),
  );
  await within(database, organisationId, async (tx) => {
    const own = { organisation_id: organisationId, access_id: accessId, created_at: now };
    await insertAccount(tx, { id: accountId, ...own, thumbprint: accountId, contacts: [], jwk: {} });
    const names = ['a.example'];
    const of = { account_id: accountId, customer_id: customerId, names, replaces: null };
    await insertAcmeOrder(tx, { id: orderId, ...own, ...of, expires_at: new Date(now.getTime() + 1_000) });
    const digest = Buffer.from(orderId);
    await startOrder(
      tx,
      orderId,
      { csr: 'a request', csrDigest: digest, keyDigest: digest },
      { now, lookAt: now },
    );
  });
  const opened = {
    payload: '',
    account: { id: accountId },
    access: { accessId, organisationId, customerId },
  };
  return { orderId, opened: opened as unknown as OpenedByAccount };
}

test('a client that asks again while its order is being taken on begins nothing beside it', async () => {
  const { orderId, opened } = await processing();
  const begun: PromiseWithResolvers<null>[] = [];
  const proceed = () => {
    const one = Promise.withResolvers<null>();
    begun.push(one);
    return one.promise;
  };
  const deps = { ...database, clock: { now: () => now }, at: (path: string) => path, finalize: { proceed } };
  const orders = createAcmeOrders(deps as unknown as OrdersDeps);
  const asked = [orders.show(opened, orderId), orders.show(opened, orderId), orders.show(opened, orderId)];
  await expect.poll(() => begun.length).toBe(1);
  // The third has come as far as the first when all of them are told that it takes longer.
  for (const { json } of await Promise.all(asked)) expect(json).toMatchObject({ status: 'processing' });
  expect(begun).toHaveLength(1);
  begun[0]?.resolve(null);
  // What has ended is begun again by the next question.
  const next = orders.show(opened, orderId);
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.resolve(null);
  await next;
});

describe('the orders of an account', () => {
  const at = (path: string) => `https://portal.test/acme/${path}`;
  const listing = () =>
    createAcmeOrders({ ...database, clock: { now: () => now }, at } as unknown as OrdersDeps);

  test('are listed a hundred at a time, with the address of the next ones while there may be any', async () => {
    const { orderId, opened } = await processing();
    const { account, access } = opened;
    const ids = [orderId];
    const more = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const id = newId();
        ids.push(id);
        await within(database, access.organisationId, (tx) =>
          insertAcmeOrder(tx, {
            ...{ id, organisation_id: access.organisationId, account_id: account.id, names: ['a.example'] },
            ...{
              access_id: access.accessId,
              customer_id: access.customerId,
              replaces: null,
              created_at: now,
            },
            expires_at: new Date(now.getTime() + 1_000),
          }),
        );
      }
    };
    const orders = listing();
    await more(98);
    ids.sort().reverse();
    expect(await orders.list(opened, null)).toEqual({
      ...{ status: 200, json: { orders: ids.map((id) => at(`order/${id}`)) } },
    });
    await more(2);
    ids.sort().reverse();
    const next = `<${at(`account/${account.id}/orders?before=${ids[99]}`)}>;rel="next"`;
    expect(await orders.list(opened, null)).toEqual({
      ...{ status: 200, headers: { link: next } },
      json: { orders: ids.slice(0, 100).map((id) => at(`order/${id}`)) },
    });
    expect((await orders.list(opened, ids[99] ?? '')).json).toEqual({ orders: [at(`order/${ids[100]}`)] });
    // What is no order is read as from the newest on.
    expect((await orders.list(opened, "x' OR 1=1")).headers).toEqual({ link: next });
    await expect(orders.list({ ...opened, payload: 'e30' }, null)).rejects.toMatchObject({
      type: 'malformed',
    });
  });
});

test('a certificate is collected once it is there, by its own account alone, and each time the log says so', async () => {
  const [{ orderId, opened }, other] = [await processing(), await processing()];
  const entries: unknown[] = [];
  const accesses = { log: async (...entry: unknown[]) => void entries.push(entry) };
  const deps = { ...database, clock: { now: () => now }, at: (path: string) => path, accesses };
  const { certificate } = createAcmeOrders(deps as unknown as OrdersDeps);
  await expect(certificate(opened, orderId)).rejects.toMatchObject({ type: 'orderNotReady', status: 403 });
  await across(database, (tx) =>
    tx.updateTable('acme_orders').set({ state: 'valid', chain: 'CHAIN' }).where('id', '=', orderId).execute(),
  );
  await expect(certificate(other.opened, orderId)).rejects.toMatchObject({ type: 'malformed', status: 404 });
  expect(entries).toEqual([]);
  expect(await certificate(opened, orderId)).toEqual({
    ...{ status: 200, text: { type: 'application/pem-certificate-chain', content: 'CHAIN' } },
  });
  const entry = { event: 'download', identifiers: ['a.example'], outcome: 'done', detail: '' };
  expect(entries).toEqual([[opened.access.accessId, entry]]);
});

describe('a refusal that only a person can mend', () => {
  test('is in the log of its access each time, and a letter to those who manage once a day and access', async () => {
    const [mine, beside] = [await processing(), await processing()];
    const tell = async ({ orderId, opened }: typeof mine, when: Date, advice?: string) => {
      const clock = { now: () => when };
      const accesses = createAcmeAccesses({
        systemDb: database.systemDb,
        clock,
        seal: createSeal([{ number: 1, secret: 'unused' }]),
      });
      const { accessId, organisationId } = opened.access;
      const order = {
        id: orderId,
        organisation_id: organisationId,
        access_id: accessId,
        names: ['a.example'],
      };
      const refusals = createRefusals({ clock, accesses, publicUrl: 'https://portal.test' });
      await within(database, organisationId, (tx) =>
        refusals.tell(tx, order, new AcmeProblem('userActionRequired', 'Ask your provider.', { advice })),
      );
    };
    const letters = async () =>
      (await takeJobs(database.url))
        .filter(({ task }) => task === 'billing.notify')
        .map(({ payload }) => [payload.organisationId, (payload.letter as Letter).parts[1]]);
    const log = ({ opened }: typeof mine) =>
      within(database, opened.access.organisationId, (tx) =>
        tx
          .selectFrom('acme_access_log')
          .select(['event', 'outcome', 'identifiers', 'detail', 'advice', 'times'])
          .where('access_id', '=', opened.access.accessId)
          .execute(),
      );
    await takeJobs(database.url);
    const day = 86_400_000;
    await tell(mine, now, 'Let it buy.');
    await tell(mine, new Date(now.getTime() + day - 1), 'Let it buy.');
    await tell(beside, now);
    expect(await letters()).toEqual([
      [mine.opened.access.organisationId, 'Let it buy.'],
      [beside.opened.access.organisationId, 'Ask your provider.'],
    ]);
    await tell(mine, new Date(now.getTime() + day), 'Let it buy.');
    expect(await letters()).toEqual([[mine.opened.access.organisationId, 'Let it buy.']]);
    const entry = {
      event: 'finalize',
      outcome: 'failed',
      identifiers: ['a.example'],
      detail: 'Ask your provider.',
    };
    expect(await log(mine)).toEqual([{ ...entry, advice: 'Let it buy.', times: 3 }]);
    expect(await log(beside)).toEqual([{ ...entry, advice: '', times: 1 }]);
  });

  test('is told with the names, the reason, and the way to the access', () => {
    const names = ['a.example', 'www.a.example'];
    const letter = refusalLetter({ names, reason: 'Let it buy.', accessId: 'access' }, 'https://portal.test');
    expect(letter).toMatchObject({
      subject: 'No certificate by ACME for a.example',
      button: { address: 'https://portal.test/certificates/acme/access' },
    });
    expect(letter.parts.slice(0, 2)).toEqual([
      ...[expect.stringContaining('for a.example, www.a.example and did not get one'), 'Let it buy.'],
    ]);
  });
});

describe('a nonce', () => {
  const seal = createSeal([{ number: 1, secret: 'a-key-for-these-tests-alone' }]);
  const noncesAt = (ms: number) =>
    createNonces({ ...{ db: database.db, seal }, clock: { now: () => new Date(now.getTime() + ms) } });
  const hour = 3_600_000;
  const isTaken = (nonce: string | null, ms = 0) =>
    noncesAt(ms)
      .use(nonce)
      .then(
        () => true,
        (error: AcmeProblem) => {
          expect(error.type).toBe('badNonce');
          return false;
        },
      );

  test('is taken for an hour after it was made, by whichever clock, and once', async () => {
    for (const [ms, taken] of [
      [hour - 1, true],
      [hour, false],
      [1 - hour, true],
      [-hour, false],
    ] as const) {
      expect(await isTaken(noncesAt(0).make(), ms), String(ms)).toBe(taken);
    }
    const nonce = noncesAt(0).make();
    expect([await isTaken(nonce), await isTaken(nonce)]).toEqual([true, false]);
  });

  test('of another key, in another spelling, or none at all is not taken', async () => {
    const other = createSeal([{ number: 1, secret: 'another-key-of-another-portal' }]);
    const foreign = createNonces({ db: database.db, seal: other, clock: { now: () => now } }).make();
    for (const nonce of [foreign, `${noncesAt(0).make()}=`, 'AAAA', '', null]) {
      expect(await isTaken(nonce), String(nonce)).toBe(false);
    }
  });

  test('is remembered for longer than it would be taken, and then forgotten', async () => {
    const used = (minutes: number) =>
      across(database, async (tx) => {
        const digest = Buffer.from(newId());
        await sql`INSERT INTO acme_nonces (digest, used_at)
          VALUES (${digest}, clock_timestamp() - make_interval(mins => ${minutes}))`.execute(tx);
        return digest;
      });
    const [kept, gone] = [await used(175), await used(185)];
    await forgetNonces(database.systemDb);
    const left = await across(database, (tx) => tx.selectFrom('acme_nonces').select('digest').execute());
    const has = (digest: Buffer) => left.some((row) => row.digest.equals(digest));
    expect([has(kept), has(gone)]).toEqual([true, false]);
  });
});
