import type { Insertable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  across,
  certificateRow,
  customerRow,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import type { AcmeOrdersTable } from '../../kernel/db/schema.ts';
import { newId } from '../../kernel/ids.ts';
import { changeKey, deactivateAccount, findAccount, insertAccount, setContacts } from './accounts.repo.ts';
import {
  becomePurchase,
  becomeReissue,
  completeOrder,
  endAcmeOrder,
  findAcmeOrder,
  forgetUnused,
  giveUpAuthorization,
  insertAcmeOrder,
  isReplaced,
  keepCompromised,
  lockUnbegun,
  lookAgainAt,
  markRevoked,
  orderOfIssue,
  ordersOfAccount,
  outcomeOf,
  refusedKey,
  registrarOrderOf,
  startOrder,
  takeDueOrders,
  toldLately,
} from './orders.repo.ts';
import { domainsAbove } from './places.repo.ts';
import { standingOf, wasNotRenewed } from './standing.repo.ts';

let database: TestDatabase;
let organisationId: string;
let customerId: string;
let accessId: string;
let accountId: string;
const now = new Date('2026-11-22T12:00:00Z');
const hourMs = 3_600_000;
const later = new Date(now.getTime() + hourMs);
const earlier = new Date(now.getTime() - hourMs);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  accessId = await access();
  accountId = await account();
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);

async function access(of = customerId): Promise<string> {
  const id = newId();
  const madeBy = await userRow(database, organisationId);
  await across(database, (tx) =>
    tx
      .insertInto('acme_accesses')
      .values({
        ...{ id, organisation_id: organisationId, customer_id: of, name: 'web server', key_id: `nwe_${id}` },
        ...{ hmac_sealed: Buffer.alloc(0), hosts: null, product_type: 'rapidssl', made_by: madeBy },
        ...{ orders_per_month: null, cents_per_month: null, by_customer: false, expires_at: null },
        ...{ last_used_at: null, revoked_at: null },
      })
      .execute(),
  );
  return id;
}

async function account(of = accessId): Promise<string> {
  const id = newId();
  const own = { organisation_id: organisationId, access_id: of, created_at: now, contacts: [] };
  await tenant((tx) => insertAccount(tx, { id, ...own, thumbprint: id, jwk: {} }));
  return id;
}

/** Each order is of a later millisecond: their ids are their order. */
let madeMs = Date.now();

async function order(change: Partial<Insertable<AcmeOrdersTable>> = {}): Promise<string> {
  madeMs += 1;
  const id = newId(madeMs);
  await across(database, (tx) =>
    tx
      .insertInto('acme_orders')
      .values({
        ...{ id, organisation_id: organisationId, account_id: accountId, access_id: accessId },
        ...{ customer_id: customerId, names: ['a.example'], state: 'ready', replaces: null },
        ...{ created_at: now, expires_at: later, chain: change.state === 'valid' ? 'chain' : null },
        ...change,
      })
      .execute(),
  );
  return id;
}

const read = (id: string) => tenant((tx) => findAcmeOrder(tx, id));
const request = () => {
  const digest = Buffer.from(newId());
  return { csr: 'a request', csrDigest: digest, keyDigest: digest };
};
const processing = { state: 'processing' as const };

describe('an account', () => {
  test('is found by its id or its key’s thumbprint, and no other is', async () => {
    const other = await account();
    const { systemDb } = database;
    expect(await findAccount(systemDb, { id: accountId })).toMatchObject({ id: accountId });
    expect(await findAccount(systemDb, { thumbprint: other })).toMatchObject({ id: other });
    expect(await findAccount(systemDb, { id: newId() })).toBeUndefined();
  });

  test('is changed and ended by itself', async () => {
    const other = await account();
    await tenant((tx) => setContacts(tx, accountId, ['mailto:a@example.com']));
    await tenant((tx) => deactivateAccount(tx, accountId));
    const find = (id: string) => findAccount(database.systemDb, { id });
    expect(await find(accountId)).toMatchObject({
      status: 'deactivated',
      contacts: ['mailto:a@example.com'],
    });
    expect(await find(other)).toMatchObject({ status: 'valid', contacts: [] });
  });

  test('changes its key from the one that it has, while it is valid', async () => {
    const other = await account();
    const to = () => ({ thumbprint: newId(), jwk: {} });
    expect(await tenant((tx) => changeKey(tx, accountId, newId(), to()))).toBe(false);
    const next = to();
    expect(await tenant((tx) => changeKey(tx, accountId, accountId, next))).toBe(true);
    expect(await tenant((tx) => changeKey(tx, accountId, accountId, to()))).toBe(false);
    expect(await findAccount(database.systemDb, { id: other })).toMatchObject({ thumbprint: other });
    await tenant((tx) => deactivateAccount(tx, accountId));
    expect(await tenant((tx) => changeKey(tx, accountId, next.thumbprint, to()))).toBe(false);
    // The key of one account does not change another one.
    expect(await tenant((tx) => changeKey(tx, newId(), other, to()))).toBe(false);
  });
});

describe('the orders of an account', () => {
  const page = { before: null, limit: 10, now };

  test('are its own, newest first, without those that nobody finalized in time', async () => {
    const open = await order();
    const settled = await order({ state: 'valid', expires_at: earlier });
    const running = await order({ ...processing, expires_at: earlier });
    await order({ expires_at: now });
    await order({ state: 'invalid', expires_at: earlier });
    await order({ account_id: await account() });
    expect(await tenant((tx) => ordersOfAccount(tx, accountId, page))).toEqual([running, settled, open]);
  });

  test('come in pages', async () => {
    const [first, second] = [await order(), await order()];
    expect(await tenant((tx) => ordersOfAccount(tx, accountId, { ...page, limit: 1 }))).toEqual([second]);
    expect(await tenant((tx) => ordersOfAccount(tx, accountId, { ...page, before: second }))).toEqual([
      first,
    ]);
  });
});

describe('an order', () => {
  test('is written as it was asked for, ready', async () => {
    const id = newId();
    await tenant((tx) =>
      insertAcmeOrder(tx, {
        ...{ id, organisation_id: organisationId, account_id: accountId, access_id: accessId },
        ...{
          customer_id: customerId,
          names: ['a.example'],
          replaces: null,
          created_at: now,
          expires_at: later,
        },
      }),
    );
    expect(await read(id)).toMatchObject({ id, state: 'ready', names: ['a.example'] });
  });

  test('gives an authorization up once, and no other order does', async () => {
    const [one, other] = [await order(), await order()];
    for (const index of [0, 0, 1]) await tenant((tx) => giveUpAuthorization(tx, one, index));
    expect((await read(one))?.given_up).toEqual([0, 1]);
    expect((await read(other))?.given_up).toEqual([]);
  });

  test('takes one signing request, while it is ready, in time and whole', async () => {
    const start = (id: string) => tenant((tx) => startOrder(tx, id, request(), { now, lookAt: later }));
    const [one, other] = [await order(), await order()];
    expect(await start(one)).toMatchObject({
      id: one,
      state: 'processing',
      csr: 'a request',
      next_look_at: later,
    });
    expect(await start(one)).toBeUndefined();
    expect(await read(other)).toMatchObject({ state: 'ready', csr: null });
    expect(await start(await order({ expires_at: now }))).toBeUndefined();
    expect(await start(await order({ given_up: [0] }))).toBeUndefined();
  });

  test('is free to become something while it is processed and has become nothing', async () => {
    const isFree = (id: string) => tenant((tx) => lockUnbegun(tx, id));
    const free = await order(processing);
    expect(await isFree(free)).toBe(true);
    expect(await isFree(newId())).toBe(false);
    for (const state of ['ready', 'valid', 'invalid'] as const)
      expect(await isFree(await order({ state }))).toBe(false);
    expect(await isFree(await order({ ...processing, reissue_id: newId() }))).toBe(false);
    expect(await isFree(await order({ ...processing, order_item_id: newId() }))).toBe(false);
  });

  test('becomes something by itself', async () => {
    const [bought, reissued, other] = [
      await order(processing),
      await order(processing),
      await order(processing),
    ];
    const [itemId, reissueId] = [newId(), newId()];
    const certificateId = await certificateRow(database, organisationId);
    await tenant((tx) => becomePurchase(tx, bought, { itemId, cents: 10_00, now }));
    await tenant((tx) => becomeReissue(tx, reissued, { reissueId, certificateId }));
    expect(await read(bought)).toMatchObject({
      order_item_id: itemId,
      bought_cents: 10_00,
      reissue_id: null,
    });
    expect(await read(reissued)).toMatchObject({ reissue_id: reissueId, order_item_id: null });
    expect(await read(other)).toMatchObject({ reissue_id: null, order_item_id: null });
  });

  test('has its certificate once, while it is processed', async () => {
    const issued = { chain: 'chain', issuedId: newId(), serial: '01', from: earlier, to: later };
    const certificateId = await certificateRow(database, organisationId);
    const complete = (id: string) => tenant((tx) => completeOrder(tx, id, { ...issued, certificateId }));
    const [one, other] = [await order(processing), await order(processing)];
    expect(await complete(one)).toMatchObject({
      id: one,
      state: 'valid',
      chain: 'chain',
      next_look_at: null,
    });
    expect(await complete(one)).toBeUndefined();
    expect(await read(other)).toMatchObject({ state: 'processing', chain: null });
  });

  test('ends with its problem while it is processed; one that became something only with that', async () => {
    const problem = { type: 'urn:x', detail: 'no', status: 403 };
    const end = (id: string, became: boolean) => tenant((tx) => endAcmeOrder(tx, id, { problem, became }));
    const [one, other] = [await order(processing), await order(processing)];
    expect(await end(one, false)).toBe(true);
    expect(await end(one, false)).toBe(false);
    expect(await read(one)).toMatchObject({ state: 'invalid', problem, next_look_at: null });
    expect(await read(other)).toMatchObject({ state: 'processing', problem: null });
    for (const became of [{ reissue_id: newId() }, { order_item_id: newId() }]) {
      const id = await order({ ...processing, ...became });
      expect(await end(id, false)).toBe(false);
      expect(await end(id, true)).toBe(true);
    }
  });
});

describe('looking again', () => {
  test('is put off for the order alone, and counted, while it is processed', async () => {
    const [one, other, over] = [
      await order(processing),
      await order(processing),
      await order({ state: 'valid' }),
    ];
    for (const id of [one, over]) await tenant((tx) => lookAgainAt(tx, id, later));
    expect(await read(one)).toMatchObject({ next_look_at: later, looks: 1 });
    for (const id of [other, over]) expect(await read(id)).toMatchObject({ next_look_at: null, looks: 0 });
  });

  test('takes what is due by now, the longest due first, and pushes it away', async () => {
    const due = await order({ ...processing, next_look_at: now });
    const long = await order({ ...processing, next_look_at: earlier });
    const notYet = await order({ ...processing, next_look_at: new Date(now.getTime() + 1) });
    const taken = await across(database, (tx) => takeDueOrders(tx, now, 10));
    const own = taken.filter((place) => place.organisationId === organisationId);
    expect(own.map(({ orderId }) => orderId)).toEqual([long, due]);
    const soon = new Date(now.getTime() + 60_000);
    for (const id of [due, long]) expect((await read(id))?.next_look_at).toEqual(soon);
    expect((await read(notYet))?.next_look_at).toEqual(new Date(now.getTime() + 1));
    expect(await across(database, (tx) => takeDueOrders(tx, earlier, 10))).toEqual([]);
    const [, longest] = [
      await order({ ...processing, next_look_at: new Date(1) }),
      await order({ ...processing, next_look_at: new Date(0) }),
    ];
    const one = await across(database, (tx) => takeDueOrders(tx, now, 1));
    expect(one).toEqual([{ organisationId, orderId: longest }]);
  });

  test('forgets old orders that came to nothing and cost nothing', async () => {
    const old = { expires_at: new Date(now.getTime() - 1) };
    const gone = [await order(old), await order({ ...old, state: 'invalid' })];
    const kept = [
      await order({ expires_at: now }),
      await order({ ...old, ...processing }),
      await order({ ...old, state: 'valid' }),
      await order({ ...old, state: 'invalid', order_item_id: newId() }),
    ];
    await forgetUnused(database.systemDb, now);
    for (const id of gone) expect(await read(id)).toBeUndefined();
    for (const id of kept) expect(await read(id)).toBeDefined();
  });
});

describe('what has become of an order', () => {
  async function issue(certificateId: string, registrarOrderId: string, serial: string, validTo = later) {
    await across(database, (tx) =>
      tx
        .insertInto('certificate_issues')
        .values({
          ...{ organisation_id: organisationId, certificate_id: certificateId, serial, recorded_at: now },
          ...{ valid_from: earlier, valid_to: validTo, certificate_pem: `pem ${serial}` },
          registrar_order_id: registrarOrderId,
        })
        .execute(),
    );
  }
  async function reissue(
    certificateId: string,
    registrarOrderId: string | null,
    state: 'completed' | 'declined' = 'completed',
  ) {
    const id = newId();
    await across(database, (tx) =>
      tx
        .insertInto('certificate_reissues')
        .values({
          ...{ id, organisation_id: organisationId, certificate_id: certificateId, csr: 'csr' },
          ...{ automatic: true, state, registrar_order_id: registrarOrderId, remark: null },
          ...{ created_at: now, ended_at: now },
        })
        .execute(),
    );
    return id;
  }
  const bought = async (registrarOrderId: string) => {
    const orderId = await orderRow(database, organisationId);
    const itemId = await itemRow(
      database,
      { organisationId, orderId },
      { kind: 'certificate', state: 'succeeded' },
    );
    const id = await certificateRow(database, organisationId, {
      ...{
        order_item_id: itemId,
        registrar_order_id: registrarOrderId,
        chain_pem: `chain ${registrarOrderId}`,
      },
    });
    return { itemId, id };
  };
  const outcome = (of: { reissue_id?: string; order_item_id?: string }) =>
    tenant((tx) => outcomeOf(tx, { reissue_id: null, order_item_id: null, ...of }));

  test('of a purchase is its item, its certificate, and the newest that came from its order', async () => {
    const [mine, other] = [await bought('1'), await bought('2')];
    await issue(mine.id, '1', 'old', now);
    await issue(mine.id, '1', 'new');
    // What a later order of the same term brought is not this order's.
    await issue(mine.id, '9', 'later', new Date(later.getTime() + hourMs));
    await issue(other.id, '2', 'theirs');
    const found = await outcome({ order_item_id: mine.itemId });
    expect(found).toMatchObject({
      ...{ item: { id: mine.itemId, state: 'succeeded' }, certificate: { id: mine.id }, reissue: null },
      issue: { certificate_id: mine.id, serial: 'new', chain_pem: 'chain 1' },
    });
    const nothing = await outcome({ order_item_id: newId() });
    expect(nothing).toEqual({ item: null, certificate: null, reissue: null, issue: undefined });
  });

  test('of a reissue is that, and what came from its order', async () => {
    const { id } = await bought('1');
    const [mine, other] = [await reissue(id, '7'), await reissue(id, '8', 'declined')];
    await issue(id, '1', 'first');
    await issue(id, '7', 'mine');
    await issue(id, '8', 'theirs', new Date(later.getTime() + hourMs));
    expect(await outcome({ reissue_id: mine })).toMatchObject({
      ...{ reissue: { state: 'completed', certificate_id: id }, item: null },
      issue: { serial: 'mine' },
    });
    expect(await outcome({ reissue_id: other })).toMatchObject({
      ...{ reissue: { state: 'declined' }, issue: { serial: 'theirs' } },
    });
    expect(await outcome({ reissue_id: await reissue(id, null) })).toMatchObject({ issue: undefined });
    // Another certificate may have an order of the same number at another registrar.
    const beside = await bought('3');
    await issue(beside.id, '7', 'beside', new Date(later.getTime() + 2 * hourMs));
    expect(await outcome({ reissue_id: mine })).toMatchObject({ issue: { serial: 'mine' } });
  });

  test('is found at the registrar by certificate and serial; a replaced first order of a term is called that', async () => {
    const { id } = await bought('1');
    await tenant((tx) =>
      tx.updateTable('certificates').set({ serial: 'new' }).where('id', '=', id).execute(),
    );
    await issue(id, '1', 'old');
    await issue(id, '7', 'new');
    const beside = await bought('3');
    await issue(beside.id, '3', 'old');
    const at = (serial: string, certificateId: string | null = id) =>
      tenant((tx) => registrarOrderOf(tx, { certificate_id: certificateId, serial }));
    expect(await at('old')).toEqual({ certificateId: id, registrarOrderId: '1', isReplacedBase: true });
    expect(await at('new')).toEqual({ certificateId: id, registrarOrderId: '7', isReplacedBase: false });
    expect(await at('none')).toBeNull();
    expect(await at('old', newId())).toBeNull();
  });
});

describe('an issued certificate', () => {
  const valid = async (change: Partial<Insertable<AcmeOrdersTable>> = {}) => {
    const issuedId = newId();
    const certificateId = await certificateRow(database, organisationId, { serial: '01' });
    const id = await order({
      ...{ state: 'valid', issued_id: issuedId, certificate_id: certificateId, serial: '01' },
      ...change,
    });
    return { id, issuedId, certificateId };
  };

  test('leads to its order, which has it, and says whether it was revoked', async () => {
    const [one, other, ended] = [await valid(), await valid(), await valid({ state: 'invalid' })];
    const { systemDb } = database;
    expect(await orderOfIssue(systemDb, one.issuedId)).toMatchObject({ id: one.id, revoked: false });
    expect(await orderOfIssue(systemDb, ended.issuedId)).toBeUndefined();
    await tenant((tx) => markRevoked(tx, one.issuedId, earlier));
    await tenant((tx) => markRevoked(tx, one.issuedId, now));
    expect((await read(one.id))?.revoked_at).toEqual(earlier);
    expect((await read(other.id))?.revoked_at).toBeNull();
    expect(await orderOfIssue(systemDb, one.issuedId)).toMatchObject({ revoked: true });
  });

  test('that was revoked by others stays known as revoked when another has taken its place', async () => {
    const [mine, beside, living] = [await valid(), await valid(), await valid()];
    const issued = (certificate_id: string, serial: string, revoked_at: Date | null) =>
      across(database, (tx) =>
        tx
          .insertInto('certificate_issues')
          .values({
            ...{ organisation_id: organisationId, certificate_id, serial, revoked_at, recorded_at: now },
            ...{ valid_from: earlier, valid_to: later, certificate_pem: 'pem', registrar_order_id: '1' },
          })
          .execute(),
      );
    await issued(mine.certificateId, '01', earlier);
    await issued(beside.certificateId, '02', earlier);
    await issued(living.certificateId, '01', null);
    const isRevoked = async ({ issuedId }: { issuedId: string }) =>
      (await orderOfIssue(database.systemDb, issuedId))?.revoked;
    expect([await isRevoked(mine), await isRevoked(beside), await isRevoked(living)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('is replaced by an order of the access that goes on or has succeeded', async () => {
    const issuedId = newId();
    const isIt = (by = accessId, which = issuedId) => tenant((tx) => isReplaced(tx, by, which));
    await order({ replaces: issuedId });
    await order({ replaces: issuedId, state: 'invalid' });
    expect(await isIt()).toBe(false);
    await order({ replaces: issuedId, ...processing });
    expect([await isIt(), await isIt(await access()), await isIt(accessId, newId())]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('has a key that no other customer may have, nor anybody once it is compromised', async () => {
    const [mine, compromised] = [Buffer.from(newId()), Buffer.from(newId())];
    await order({ key_digest: mine });
    const refused = (digest: Buffer, by = customerId) => refusedKey(database.systemDb, digest, by);
    expect(await refused(mine)).toBeNull();
    expect(await refused(mine, newId())).toBe('other');
    expect(await refused(Buffer.from(newId()), newId())).toBeNull();
    for (let twice = 0; twice < 2; twice += 1) await tenant((tx) => keepCompromised(tx, compromised));
    expect(await refused(compromised)).toBe('compromised');
  });
});

test('those who manage hear of an access once since a moment', async () => {
  const tell = (id: string, of = accessId, since = earlier) =>
    tenant((tx) => toldLately(tx, { id, access_id: of }, { since, now }));
  const [one, other] = [await order(), await order()];
  expect(await tell(one)).toBe(false);
  expect(await tell(other)).toBe(true);
  expect([(await read(one))?.told_at, (await read(other))?.told_at]).toEqual([now, null]);
  // At the moment itself it is long enough ago.
  expect(await tell(other, accessId, now)).toBe(false);
  const beside = await access();
  expect(await tell(await order({ access_id: beside }), beside)).toBe(false);
});

describe('what an order finds', () => {
  const standing = (address: string, besides?: string) =>
    tenant((tx) =>
      standingOf(
        tx,
        { organisation_id: organisationId, customer_id: customerId },
        { address, productType: 'rapidssl', ...(besides ? { besides } : {}) },
      ),
    );
  const fitting = (address: string) => ({ customer_id: customerId, address, product_type: 'rapidssl' });

  test('are the customer’s certificates of the address and the product that came to something', async () => {
    const address = newName();
    const certificate = (change: object) =>
      certificateRow(database, organisationId, { ...fitting(address), ...change });
    const found = [await certificate({ state: 'completed' }), await certificate({ state: 'in-progress' })];
    await certificate({ customer_id: await customerRow(database, organisationId) });
    await certificate({ address: newName() });
    await certificate({ product_type: 'rapidssl_wildcard' });
    for (const state of ['declined', 'cancelled', 'revoked']) await certificate({ state });
    const { certificates, buying } = await standing(address);
    expect(certificates.map(({ id }) => id).sort()).toEqual(found.sort());
    expect(buying).toBeNull();
  });

  test('is whether a reissue of each of them is open', async () => {
    const address = newName();
    const ids = new Map<string, string>();
    for (const state of ['sending', 'unknown', 'running', 'completed', 'declined'] as const) {
      const id = await certificateRow(database, organisationId, fitting(address));
      ids.set(id, state);
      await across(database, (tx) =>
        tx
          .insertInto('certificate_reissues')
          .values({
            ...{ id: newId(), organisation_id: organisationId, certificate_id: id, csr: 'csr', state },
            ...{ automatic: true, registrar_order_id: null, remark: null, created_at: now, ended_at: null },
          })
          .execute(),
      );
    }
    const { certificates } = await standing(address);
    const open = certificates.filter(({ reissuing }) => reissuing).map(({ id }) => ids.get(id));
    expect(open.sort()).toEqual(['running', 'sending', 'unknown']);
  });

  test('is who buys a certificate of the address now', async () => {
    const address = newName();
    const orderId = await orderRow(database, organisationId);
    const item = (change: object) =>
      itemRow(
        database,
        { organisationId, orderId },
        { kind: 'certificate', address, state: 'pending', ...change },
      );
    await item({ kind: 'domain' });
    await item({ address: newName() });
    await item({ state: 'declined' });
    expect((await standing(address)).buying).toBeNull();
    const own = await item({});
    expect((await standing(address)).buying).toBe('person');
    expect((await standing(address, own)).buying).toBeNull();
    await across(database, (tx) =>
      tx.updateTable('orders').set({ source: 'acme' }).where('id', '=', orderId).execute(),
    );
    expect((await standing(address)).buying).toBe('machine');
  });

  test('is whether the registrar has refused to renew a term', async () => {
    const orderId = await orderRow(database, organisationId);
    const tried = (renewsOrderId: string, change: object = {}) =>
      itemRow(
        database,
        { organisationId, orderId },
        {
          ...{ kind: 'certificate', state: 'declined' },
          ...{ details: JSON.stringify({ certificate: { renewsOrderId } }), ...change },
        },
      );
    const refused = (registrarOrderId: string) =>
      tenant((tx) => wasNotRenewed(tx, { organisationId }, registrarOrderId));
    await tried('1');
    await tried('2', { state: 'succeeded' });
    await tried('3', { kind: 'domain' });
    expect([await refused('1'), await refused('2'), await refused('3'), await refused('4')]).toEqual([
      ...[true, false, false, false],
    ]);
  });

  test('are the customer’s living domains at or above its names, the nearest first', async () => {
    const own = await domainRow(database, organisationId, { customer_id: customerId });
    const nearer = await domainRow(database, organisationId, {
      ...{ customer_id: customerId, address: `sub.${own.address}` },
    });
    const others = await domainRow(database, organisationId, {
      customer_id: await customerRow(database, organisationId),
    });
    const leaving = await domainRow(database, organisationId, { customer_id: customerId, status: 'expired' });
    const names = [`a.${own.address}`, `*.${nearer.address}`, others.address, leaving.address];
    const found = await tenant((tx) => domainsAbove(tx, { organisationId, customerId }, names));
    expect([...found].map(([name, { domain }]) => [name, domain])).toEqual([
      [names[0], own.address],
      [names[1], nearer.address],
    ]);
  });
});
