import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { domainRow as shownRow } from '#contracts/operations/domains.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import {
  across,
  certificateRow,
  customerRow,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { createDatabase, inTransaction, sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { type DomainListQuery, listDomains } from './domains.repo.ts';
import {
  endMissing,
  NotListed,
  recordRegistration,
  recordRenewal,
  recordRestoration,
  recordTransferEnd,
  recordTransferFailure,
  recordTransferStart,
} from './portfolio.repo.ts';
import {
  assignCustomer,
  enqueuePart,
  findDomain,
  jobsInPart,
  noteRestorableUntil,
  ownAmong,
  recordDeletion,
  recordMissing,
  recordReading,
  recordSettings,
} from './settings.repo.ts';
import { planReadings, readingsWaiting } from './sync.repo.ts';
import { mostReadingsWaiting } from './sync.rules.ts';
import { inParts } from './sync-job.ts';
import {
  closeTransfer,
  findTransfer,
  openTransfer,
  openTransfers,
  recordAfter,
  recordBefore,
  recordTransferStatus,
} from './transfers.repo.ts';
import {
  claimResend,
  enqueueUnverified,
  openVerifications,
  organisationsToTell,
  recordTold,
  recordVerification,
  releaseResend,
} from './verification.repo.ts';

/** Each condition of the statements about domains, beside a row that differs in it alone. */

let database: TestDatabase;
let organisationId: string;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  scope = { organisationId, reach: { kind: 'organisation' } } as Scope;
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const [before, later] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const domain = (change: Parameters<typeof domainRow>[2] = {}) => domainRow(database, organisationId, change);
const at = (address: string) => ({ organisationId, address });
const row = async (id: string) =>
  tenant((tx) => tx.selectFrom('domains').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const every = ['active', 'expired', 'transferring', 'ended'] as const;

test('a domain is found while it has not ended, in reach', async () => {
  const other = await domain();
  for (const status of every) {
    const { address } = await domain({ status });
    const living = status !== 'ended';
    expect((await tenant((tx) => findDomain(tx, scope, address))) !== undefined).toBe(living);
    const own = await tenant((tx) => ownAmong(tx, scope, [address]));
    expect([...own]).toEqual(living ? [address] : []);
  }
  const missing = await domain({ missing_since: now });
  expect([...(await tenant((tx) => ownAmong(tx, scope, [missing.address])))]).toEqual([]);
  const limited = { ...scope, reach: { kind: 'customers', ids: [newId()] } } as unknown as Scope;
  expect(await tenant((tx) => findDomain(tx, limited, other.address))).toBeUndefined();
});

test('beside a domain stands its newest certificate; one that was declined counts as none', async () => {
  const own = await organisationRow(database);
  const { address } = await domainRow(database, own);
  const listed = { ...scope, organisationId: own };
  const shown = async () =>
    (await within(database, own, (tx) => listDomains(tx, listed, { pageSize: 1 }))).rows[0]?.certificate;
  const ordered = (orderId: string, state: 'completed' | 'pending' | 'declined', hour: number) =>
    certificateRow(database, own, {
      ...{ address, state, registrar_order_id: orderId },
      ordered_at: new Date(now.getTime() + hour * 3_600_000),
    });
  await ordered('43', 'declined', 3);
  expect(await shown()).toBeNull();
  await ordered('42', 'pending', 2);
  await ordered('41', 'completed', 1);
  expect(await shown()).toEqual({ state: 'pending', orderId: '42' });
});

test.each([
  ['in the order of an index', { page: 1, pageSize: 100 }],
  ['searched', { page: 1, pageSize: 100, search: 'row-' }],
])(
  'each row has what the contract names and nothing else, whatever is known of the domain, %s',
  async (_how, query) => {
    const own = await organisationRow(database);
    const name = () => `row-${newId()}.com`;
    const [full, onItsWay] = [name(), name()];
    await domainRow(database, own, { address: name(), locked: null, synced_at: null, registered_at: null });
    await domainRow(database, own, { address: onItsWay, status: 'transferring', expires_at: later });
    await domainRow(database, own, {
      ...{ address: full, status: 'expired', customer_id: await customerRow(database, own), locked: true },
      ...{ missing_since: now, verification: 'waiting', verification_deadline: later, synced_at: now },
    });
    await certificateRow(database, own, {
      address: full,
      state: 'pending',
      registrar_order_id: '42',
      ordered_at: now,
    });
    const listed = { ...scope, organisationId: own };
    const { rows } = await within(database, own, (tx) => listDomains(tx, listed, query));
    const written = rows.map((row) => JSON.parse(JSON.stringify(row)) as unknown);
    expect(z.array(shownRow.strict()).parse(written)).toHaveLength(3);
    expect(written.find((row) => (row as { address: string }).address === onItsWay)).not.toHaveProperty(
      'expireDate',
    );
  },
);

test.each([
  ['by name', { pageSize: 100 }],
  ['by customer', { pageSize: 100, sort: 'customer' }],
  ['searched', { pageSize: 100, search: 'parted' }],
])('the list says which domains have left the account, %s', async (_how, query) => {
  const own = await organisationRow(database);
  const parted = await domainRow(database, own, { address: `parted-${newId()}.com`, missing_since: now });
  const here = await domainRow(database, own, { address: `not-parted-${newId()}.com` });
  const listed = { ...scope, organisationId: own };
  const { rows } = await within(database, own, (tx) => listDomains(tx, listed, query));
  expect(new Map(rows.map(({ address, missing }) => [address, missing]))).toEqual(
    new Map([
      [parted.address, true],
      [here.address, false],
    ]),
  );
});

test.each([
  ['by name', { pageSize: 1 }],
  ['by expiry', { pageSize: 1, sort: 'expireDate' }],
  ['by customer', { pageSize: 1, sort: 'customer' }],
  ['searched', { pageSize: 1, search: 'leaving' }],
])('what has left the account is not listed as expiring, %s', async (_how, query) => {
  const own = await organisationRow(database);
  const soon = { expires_at: now };
  const here = await domainRow(database, own, { address: `leaving-${newId()}.com`, ...soon });
  await domainRow(database, own, { address: `leaving-${newId()}.com`, ...soon, missing_since: now });
  await domainRow(database, own, { address: `leaving-${newId()}.com`, expires_at: later });
  // It left once, was ended, and is here again.
  await domainRow(database, own, { address: here.address, status: 'ended', missing_since: now });
  const { rows, total } = await within(database, own, (tx) =>
    listDomains(tx, { ...scope, organisationId: own }, { ...query, page: 1, expiresBefore: later }),
  );
  expect([rows.map(({ address }) => address), total]).toEqual([[here.address], 1]);
});

test.each([
  ['by name', { pageSize: 1 }],
  ['by customer', { pageSize: 1, sort: 'customer' }],
  ['searched', { pageSize: 1, search: 'unconfirmed' }],
])('what has left the account is not listed among registrants to be verified, %s', async (_how, query) => {
  const own = await organisationRow(database);
  const state = { verification: 'suspended' } as const;
  const here = await domainRow(database, own, { address: `unconfirmed-${newId()}.com`, ...state });
  await domainRow(database, own, {
    ...{ address: `unconfirmed-${newId()}.com`, ...state, missing_since: now },
  });
  for (const registrant of ['unverified', 'suspended'] as const) {
    const { rows, total } = await within(database, own, (tx) =>
      listDomains(tx, { ...scope, organisationId: own }, { ...query, page: 1, registrant }),
    );
    expect([rows.map(({ address }) => address), total]).toEqual([[here.address], 1]);
  }
});

test.each([
  ['by name', { pageSize: 1 }],
  ['by expiry', { pageSize: 1, sort: 'expireDate' }],
  ['by customer', { pageSize: 1, sort: 'customer' }],
  ['searched', { pageSize: 1, search: 'settled' }],
  ['behind the last page', { pageSize: 1, page: 2 }],
])(
  'what has left the account is listed by neither its auto renew nor its lock, and the total is of what is listed, %s',
  async (_how, query) => {
    const own = await organisationRow(database);
    const named = (change: Parameters<typeof domainRow>[2]) =>
      domainRow(database, own, { address: `settled-${newId()}.com`, ...change });
    const [off, on] = [
      await named({ auto_renew: false, locked: false }),
      await named({ auto_renew: true, locked: true }),
    ];
    for (const is of [true, false]) {
      await named({ auto_renew: is, locked: is, missing_since: now });
      // They left as well, and are no longer listed at all.
      await named({ auto_renew: is, locked: is, missing_since: now, status: 'ended' });
      await named({ auto_renew: is, locked: is, missing_since: now, status: 'transferring' });
    }
    const list = (filter: Partial<DomainListQuery>) =>
      within(database, own, (tx) =>
        listDomains(tx, { ...scope, organisationId: own }, { page: 1, ...query, ...filter }),
      );
    for (const [filter, { address }] of [
      [{ autoRenew: 'off' }, off],
      [{ autoRenew: 'on' }, on],
      [{ locked: 'no' }, off],
      [{ locked: 'yes' }, on],
      [{ autoRenew: 'off', locked: 'no' }, off],
    ] as const) {
      const { rows, total } = await list(filter);
      expect([rows.map((listed) => listed.address), total]).toEqual(['page' in query ? [] : [address], 1]);
    }
  },
);

describe('what came of an order', () => {
  const bought = { customerId: null, autoRenew: false, privacy: false, credentialsSealed: null, now };

  test('a registration ends what is left of a former life of the name, and nothing else', async () => {
    const [former, beside] = [await domain(), await domain()];
    const long = await domain({ address: former.address, status: 'ended', end_reason: 'sold' });
    const dates = { registeredAt: now, expiresAt: later };
    await tenant((tx) => recordRegistration(tx, { ...bought, ...dates, ...at(former.address) }));
    expect([(await row(former.id)).status, (await row(beside.id)).status]).toEqual(['ended', 'active']);
    expect((await row(long.id)).end_reason).toBe('sold');
    expect((await tenant((tx) => findDomain(tx, scope, former.address)))?.expires_at).toEqual(later);
  });

  test.each(every)(
    'a transfer completes or fails on a domain that is on its way; this one is %s',
    async (status) => {
      const onItsWay = status === 'transferring';
      const [one, two, beside] = [
        await domain({ status }),
        await domain({ status }),
        await domain({ status: 'transferring' }),
      ];
      const end = { ...at(one.address), expiresAt: later, registeredAt: before, now };
      const ended = tenant((tx) => recordTransferEnd(tx, end));
      if (onItsWay) await ended;
      else await expect(ended).rejects.toThrow(NotListed);
      expect((await row(one.id)).transferred_at).toEqual(onItsWay ? now : null);
      await tenant((tx) => recordTransferFailure(tx, { ...at(two.address), reason: 'refused', now }));
      expect((await row(two.id)).end_reason).toBe(onItsWay ? 'refused' : null);
      expect((await row(beside.id)).status).toBe('transferring');
    },
  );

  test('a transfer that is recorded again changes nothing', async () => {
    const { id, address } = await domain({ status: 'transferring' });
    await tenant((tx) => recordTransferStart(tx, { ...bought, ...at(address) }));
    expect((await row(id)).status).toBe('transferring');
  });

  test.each(['active', 'expired'] as const)(
    'a transfer ends what is left of a former life of the name, and nothing else; it was %s',
    async (status) => {
      const [former, beside] = [await domain({ status, missing_since: now }), await domain({ status })];
      await tenant((tx) => recordTransferStart(tx, { ...bought, ...at(former.address) }));
      expect([(await row(former.id)).status, (await row(beside.id)).status]).toEqual(['ended', status]);
      expect(await tenant((tx) => findDomain(tx, scope, former.address))).toMatchObject({
        ...{ status: 'transferring', missing_since: null },
      });
    },
  );

  test('a transfer of a name that another organisation lists is not recorded, and says so', async () => {
    const other = await organisationRow(database);
    const { id, address } = await domainRow(database, other);
    const started = tenant((tx) => recordTransferStart(tx, { ...bought, ...at(address) }));
    await expect(started).rejects.toThrow(NotListed);
    expect(await tenant((tx) => findDomain(tx, scope, address))).toBeUndefined();
    const theirs = await within(database, other, (tx) =>
      tx.selectFrom('domains').select('status').where('id', '=', id).executeTakeFirst(),
    );
    expect(theirs?.status).toBe('active');
  });

  test('a connection records one transfer after the other', async () => {
    // From the sixth time on PostgreSQL plans a prepared statement for all values at once.
    const one = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
    try {
      for (let time = 0; time < 12; time += 1) {
        const started = { ...bought, ...at(newName()) };
        await inTransaction(one, { organisationId }, (tx) => recordTransferStart(tx, started));
        expect(await tenant((tx) => findDomain(tx, scope, started.address))).toMatchObject({
          status: 'transferring',
        });
      }
    } finally {
      await one.destroy();
    }
  });

  test.each([
    ['active', null, true],
    ['expired', before, true],
    ['active', later, false],
    ['transferring', before, false],
    ['ended', before, false],
  ] as const)(
    'a renewal of a domain that is %s and ends %s is written: %s',
    async (status, expires, written) => {
      const [one, beside] = [await domain({ status, expires_at: expires }), await domain()];
      await tenant((tx) => recordRenewal(tx, { ...at(one.address), expiresAt: later, now }));
      expect((await row(one.id)).renewed_at).toEqual(written ? now : null);
      expect((await row(beside.id)).renewed_at).toBeNull();
    },
  );

  test.each(every)('a restoration of a domain that is %s', async (status) => {
    const held = status === 'active' || status === 'expired';
    const [one, beside] = [
      await domain({ status, restorable_until: later, expires_at: before }),
      await domain({ restorable_until: later }),
    ];
    await tenant((tx) => recordRestoration(tx, { ...at(one.address), expiresAt: null, now }));
    expect(await row(one.id)).toMatchObject({ restorable_until: held ? null : later, expires_at: before });
    expect((await row(beside.id)).restorable_until).toEqual(later);
  });
});

describe('a domain that is missing', () => {
  const end = (id: string) => across(database, (tx) => endMissing(tx, id, now));
  const missing = (change: Parameters<typeof domain>[0] = {}) => domain({ missing_since: before, ...change });

  test.each(every)('is ended while it is on the list; this one is %s', async (status) => {
    const held = status === 'active' || status === 'expired';
    const [one, beside] = [await missing({ status }), await missing()];
    expect(await end(one.id)).toBe(held);
    expect((await row(one.id)).ended_at).toEqual(held ? now : null);
    expect((await row(beside.id)).status).toBe('active');
  });

  test('is not ended once it was found, renewed or restored', async () => {
    const [found, renewed, restored] = [await missing(), await missing(), await missing()];
    const said = { expiresAt: later, locked: true, nameservers: [], privacy: null } as never;
    const where = { ...at(found.address), renewedAt: null };
    expect(await tenant((tx) => recordReading(tx, where, said, now))).toBe(false);
    expect(await tenant((tx) => recordReading(tx, { ...where, isFound: true }, said, now))).toBe(true);
    await tenant((tx) => recordRenewal(tx, { ...at(renewed.address), expiresAt: later, now }));
    await tenant((tx) => recordRestoration(tx, { ...at(restored.address), expiresAt: later, now }));
    for (const { id } of [found, renewed, restored, await domain()]) expect(await end(id)).toBe(false);
  });

  test.each([
    ['registration', 'domain', 'queued', false],
    ['restoration', 'redemption', 'unknown', false],
    ['transfer', 'transfer', 'review', false],
    ['renewal that was declined', 'renewal', 'declined', true],
    ['certificate', 'certificate', 'pending', true],
  ] as const)('is ended beside an order of it: %s', async (_what, kind, state, ended) => {
    const { id, address } = await missing();
    const orderId = await orderRow(database, organisationId);
    await itemRow(database, { organisationId, orderId }, { kind, state, address });
    expect(await end(id)).toBe(ended);
  });

  test('is ended beside orders of other names, and of others', async () => {
    const [one, other] = [await missing(), await organisationRow(database)];
    const orderId = await orderRow(database, organisationId);
    await itemRow(database, { organisationId, orderId });
    const theirs = { organisationId: other, orderId: await orderRow(database, other) };
    await itemRow(database, theirs, { address: one.address });
    expect(await end(one.id)).toBe(true);
  });

  test.each(every)('is one that was ours and is not there; this one is %s', async (status) => {
    const held = status === 'active' || status === 'expired';
    const [one, beside] = [await domain({ status }), await domain()];
    const where = { ...at(one.address), renewedAt: null };
    expect(await tenant((tx) => recordMissing(tx, where, now))).toBe(held);
    expect(await row(one.id)).toMatchObject({ missing_since: held ? now : null, status });
    expect((await row(beside.id)).missing_since).toBeNull();
    const after = new Date(now.getTime() + 1);
    expect(await tenant((tx) => recordMissing(tx, where, after))).toBe(held);
    expect((await row(one.id)).missing_since).toEqual(held ? now : null);
  });

  test('is read again within the hour, and then as often as others', async () => {
    const { id, address } = await domain({ sync_due_at: new Date(now.getTime() + 86_400_000) });
    const where = { ...at(address), renewedAt: null };
    await tenant((tx) => recordMissing(tx, where, now));
    const { sync_due_at: due } = await row(id);
    expect(due).toEqual(new Date(now.getTime() + 3_600_000));
    await across(database, (tx) =>
      tx.updateTable('domains').set({ sync_due_at: later }).where('id', '=', id).execute(),
    );
    await tenant((tx) => recordMissing(tx, where, later));
    expect((await row(id)).sync_due_at).toEqual(later);
  });

  test('is none by a reading that is older than another, or than a renewal', async () => {
    const [read, renewed] = [await domain({ synced_at: now }), await domain({ renewed_at: now })];
    for (const { id, address } of [read, renewed]) {
      await tenant((tx) => recordMissing(tx, { ...at(address), renewedAt: null }, before));
      expect((await row(id)).missing_since).toBeNull();
    }
  });

  test('is deleted instead, when the registrar tells until when it can be had back', async () => {
    const { id, address } = await missing();
    const until = { ...at(address), renewedAt: null, restorableUntil: later };
    await tenant((tx) => recordDeletion(tx, until, now));
    expect(await row(id)).toMatchObject({ missing_since: null, restorable_until: later });
  });
});

describe('what the registrar says of a domain', () => {
  const said = {
    ...{ registeredAt: null, expiresAt: later, locked: true, nameservers: [] },
    ...{ transferredAt: null, privacy: null },
  } as never;
  const record = (address: string, readAt: Date, renewedAt: Date | null = null) =>
    tenant((tx) => recordReading(tx, { ...at(address), renewedAt }, said, readAt));
  const missed = (address: string, readAt: Date, renewedAt: Date | null = null) =>
    tenant((tx) => recordDeletion(tx, { ...at(address), renewedAt, restorableUntil: later }, readAt));

  test.each(every)('is kept of one that is ours, and not of one that is %s otherwise', async (status) => {
    const held = status === 'active' || status === 'expired';
    const [one, beside] = [await domain({ status, locked: false }), await domain({ locked: false })];
    expect(await record(one.address, now)).toBe(held);
    expect([(await row(one.id)).locked, (await row(beside.id)).locked]).toEqual([held, false]);
  });

  test('gives way to what was read as late or later, never to an older reading', async () => {
    const { address } = await domain();
    expect(await record(address, now)).toBe(true);
    expect(await record(address, before)).toBe(false);
    expect(await record(address, now)).toBe(true);
  });

  test('has expired from the moment after its last', async () => {
    const { id, address } = await domain();
    await record(address, later);
    expect((await row(id)).status).toBe('active');
    await record(address, new Date(later.getTime() + 1));
    expect((await row(id)).status).toBe('expired');
  });

  test.each(every)('that it deleted one that is %s', async (status) => {
    const held = status === 'active' || status === 'expired';
    const [one, beside] = [await domain({ status }), await domain()];
    await missed(one.address, now);
    expect(await row(one.id)).toMatchObject(
      held
        ? { restorable_until: later, status: 'expired', synced_at: now }
        : { restorable_until: null, status },
    );
    expect((await row(beside.id)).restorable_until).toBeNull();
  });

  test('that it deleted it gives way to a later reading', async () => {
    const { id, address } = await domain();
    await record(address, now);
    await missed(address, before);
    expect(await row(id)).toMatchObject({ restorable_until: null, status: 'active' });
    await missed(address, now);
    expect(await row(id)).toMatchObject({ restorable_until: later, status: 'expired' });
  });

  test('gives way to a renewal and a restoration that came true since it was asked', async () => {
    const [renewed, restored] = [await domain({ expires_at: before }), await domain({ status: 'expired' })];
    await tenant((tx) => recordRenewal(tx, { ...at(renewed.address), expiresAt: later, now }));
    await tenant((tx) => recordRestoration(tx, { ...at(restored.address), expiresAt: later, now }));
    // Clocks of two processes differ: what counts is what was known, not which time is later.
    const after = new Date(now.getTime() + 1);
    for (const { id, address } of [renewed, restored]) {
      expect(await record(address, after)).toBe(false);
      await missed(address, after);
      expect(await row(id)).toMatchObject({ synced_at: null, restorable_until: null, status: 'active' });
      expect(await record(address, before, now)).toBe(true);
      await missed(address, before, now);
      expect((await row(id)).restorable_until).toEqual(later);
    }
  });

  test.each(every)('news of a deletion keep the day alone, of one that is %s', async (status) => {
    const held = status === 'active' || status === 'expired';
    const [one, beside] = [await domain({ status }), await domain()];
    await tenant((tx) => noteRestorableUntil(tx, { ...at(one.address), restorableUntil: later }));
    expect(await row(one.id)).toMatchObject({ restorable_until: held ? later : null, status });
    expect((await row(beside.id)).restorable_until).toBeNull();
  });

  test('settings go to the living domain alone, and only those that are known', async () => {
    const [one, beside] = [
      await domain({ locked: false, auto_renew: true }),
      await domain({ locked: false }),
    ];
    const former = await domain({ address: one.address, status: 'ended', locked: false });
    await tenant((tx) => recordSettings(tx, at(one.address), { locked: true }));
    expect(await row(one.id)).toMatchObject({ locked: true, auto_renew: true });
    expect([(await row(beside.id)).locked, (await row(former.id)).locked]).toEqual([false, false]);
    const known = { locked: false, autoRenew: false, privacy: true, nameservers: ['ns1.new.net'] };
    await tenant((tx) => recordSettings(tx, at(one.address), known));
    await tenant((tx) => recordSettings(tx, at(one.address), {}));
    expect(await row(one.id)).toMatchObject({
      ...{ locked: false, auto_renew: false, privacy: true, nameservers: ['ns1.new.net'] },
    });
  });

  test('is kept as far as it says something; the switch of auto renew stays the portal’s own', async () => {
    const known = {
      ...{ registered_at: before, expires_at: later, transferred_at: before, privacy: true },
      ...{ auto_renew: true, nameservers: ['ns1.old.net'], restorable_until: later, locked: true },
    };
    const { id, address } = await domain(known);
    const read = (change: object, when: Date) =>
      tenant((tx) =>
        recordReading(
          tx,
          { ...at(address), renewedAt: null },
          {
            ...{ registeredAt: null, expiresAt: null, transferredAt: null, privacy: null, locked: false },
            ...{ autoRenew: false, nameservers: [], ...change },
          } as never,
          when,
        ),
      );
    await read({}, now);
    expect(await row(id)).toMatchObject({
      ...{ registered_at: before, expires_at: later, transferred_at: before, privacy: true },
      ...{ auto_renew: true, nameservers: [], locked: false, restorable_until: null, synced_at: now },
      status: 'active',
    });
    const dates = { registeredAt: now, expiresAt: now, transferredAt: now };
    await read({ ...dates, privacy: false, nameservers: ['ns1.new.net'] }, later);
    expect(await row(id)).toMatchObject({
      ...{ registered_at: now, expires_at: now, transferred_at: now, privacy: false, synced_at: later },
      ...{ nameservers: ['ns1.new.net'], status: 'expired' },
    });
  });
});

describe('a domain goes to another customer', () => {
  const assign = (address: string, customers: { before: string | null; after: string | null }) =>
    tenant((tx) => assignCustomer(tx, at(address), customers));

  test.each(every)('where it is ours; this one is %s', async (status) => {
    const held = status === 'active' || status === 'expired';
    const customerId = await customerRow(database, organisationId);
    const [one, beside] = [await domain({ status }), await domain()];
    expect(await assign(one.address, { before: null, after: customerId })).toBe(held);
    expect((await row(one.id)).customer_id).toBe(held ? customerId : null);
    expect((await row(beside.id)).customer_id).toBeNull();
  });

  test('only from the one that was seen, and to none', async () => {
    const [seen, other] = [
      await customerRow(database, organisationId),
      await customerRow(database, organisationId),
    ];
    const { id, address } = await domain({ customer_id: seen });
    expect(await assign(address, { before: null, after: other })).toBe(false);
    expect(await assign(address, { before: other, after: null })).toBe(false);
    expect((await row(id)).customer_id).toBe(seen);
    expect(await assign(address, { before: seen, after: null })).toBe(true);
    expect((await row(id)).customer_id).toBeNull();
  });
});

describe('readings by age', () => {
  const hourMs = 3_600_000;
  const past = (ms: number) => new Date(now.getTime() - ms);
  const plan = (most: number) => across(database, (tx) => planReadings(tx, most, now));
  const planned = async () =>
    (await takeJobs(database.url)).map(({ payload }) => (payload as { address: string }).address).sort();
  const withNoneDue = async () => {
    await across(database, (tx) => tx.updateTable('domains').set({ sync_due_at: later }).execute());
    await takeJobs(database.url);
  };

  test('are planned for what is ours and due, the longest due first, and not again before 22 hours', async () => {
    await withNoneDue();
    const rows = await Promise.all(every.map((status) => domain({ status, sync_due_at: past(hourMs) })));
    const [active, expired] = rows.map(({ address }) => address) as [string, string];
    const [just, oldest] = [
      await domain({ sync_due_at: now }),
      await domain({ sync_due_at: past(9 * hourMs) }),
    ];
    await domain({ sync_due_at: later });
    await across(database, async (tx) => {
      // The index has the order already.
      await sql`SET LOCAL enable_indexscan = off`.execute(tx);
      await sql`SET LOCAL enable_bitmapscan = off`.execute(tx);
      await planReadings(tx, 1, now);
    });
    expect(await planned()).toEqual([oldest.address]);
    await plan(10);
    expect(await planned()).toEqual([active, expired, just.address].sort());
    await plan(10);
    expect(await planned()).toEqual([]);
    for (const { id } of [just, oldest]) {
      const hours = ((await row(id)).sync_due_at.getTime() - now.getTime()) / hourMs;
      expect(hours).toBeGreaterThanOrEqual(22);
      expect(hours).toBeLessThan(24);
    }
  });

  test('of names that came together do not stay together, and go side by side in four queues', async () => {
    await withNoneDue();
    const rows = await Promise.all(Array.from({ length: 40 }, () => domain({ sync_due_at: now })));
    await plan(100);
    const found = await across(database, (tx) =>
      sql<{ times: number }>`SELECT count(DISTINCT sync_due_at)::int AS times FROM domains
        WHERE id = ANY (${rows.map(({ id }) => id)}::uuid[])`.execute(tx),
    );
    expect(found.rows[0]?.times).toBeGreaterThan(30);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows: queues } = await client.query<{ queue_name: string }>(
      'SELECT DISTINCT queue_name FROM graphile_worker.jobs ORDER BY 1',
    );
    await client.end();
    expect(queues.map(({ queue_name }) => queue_name)).toEqual(
      [0, 1, 2, 3].map((queue) => `domains.sync:${queue}`),
    );
    await takeJobs(database.url);
  });

  test('that wait are counted as long as they could begin, up to their limit', async () => {
    await withNoneDue();
    const waiting = () => across(database, readingsWaiting);
    expect(await waiting()).toBe(0);
    await Promise.all(Array.from({ length: 3 }, () => domain({ sync_due_at: now })));
    await across(database, (tx) => planReadings(tx, 10, past(hourMs)));
    expect(await waiting()).toBe(0);
    await across(database, (tx) => planReadings(tx, 10, now));
    expect(await waiting()).toBe(3);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const change = async (set: string) => {
      await client.query(`UPDATE graphile_worker._private_jobs SET ${set}
        WHERE id = (SELECT id FROM graphile_worker._private_jobs WHERE is_available AND run_at <= now() LIMIT 1)`);
    };
    await change('attempts = max_attempts');
    await change("run_at = now() + interval '1 hour'");
    await client.query(`SELECT enqueue_job('mail.send', '{}', NULL, NULL, 1, NULL)`);
    expect(await waiting()).toBe(1);
    await client.query(`SELECT enqueue_job('domains.sync', '{}', 'many-' || n, NULL, 1, NULL)
      FROM generate_series(0, ${mostReadingsWaiting}) n`);
    await client.end();
    expect(await waiting()).toBe(mostReadingsWaiting);
    await takeJobs(database.url);
  });

  test('leave alone a domain that somebody holds, and come to it in the next minute', async () => {
    await withNoneDue();
    const held = await domain({ sync_due_at: now });
    await tenant(async (tx) => {
      await tx.updateTable('domains').set({ locked: true }).where('id', '=', held.id).execute();
      await plan(10);
    });
    expect(await planned()).toEqual([]);
    await plan(10);
    expect(await planned()).toEqual([held.address]);
  });
});

describe('what runs over all domains', () => {
  const addresses = async () => {
    const jobs = await takeJobs(database.url);
    return jobs.map(({ payload }) => (payload as { address?: string }).address);
  };

  test('asks for each one that is ours, and no other', async () => {
    const each = await Promise.all(every.map((status) => domain({ status })));
    await takeJobs(database.url);
    await across(database, (tx) => enqueuePart(tx, 'domains.sync', ''));
    const asked = await addresses();
    expect(each.map(({ address }) => asked.includes(address))).toEqual([true, true, false, false]);
  });

  test('goes on after a full part, and misses and repeats none', async () => {
    const organisation = await organisationRow(database);
    await across(database, (tx) =>
      sql`INSERT INTO domains (id, organisation_id, address, status, expires_at, registered_at)
        SELECT uuidv7(), ${organisation}, 'part-' || n || '.com', 'active', now(), now()
        FROM generate_series(0, ${jobsInPart}::int) n`.execute(tx),
    );
    await takeJobs(database.url);
    let parts = 0;
    await inParts(database.systemDb, (tx, after) => {
      parts += 1;
      return enqueuePart(tx, 'domains.sync', after, sql`organisation_id = ${organisation}`);
    });
    expect(parts).toBe(2);
    const asked = await addresses();
    expect([asked.length, new Set(asked).size]).toEqual([jobsInPart + 1, jobsInPart + 1]);
  });

  test('has one job for each name, for which nobody waits, also where one waited or runs already', async () => {
    const [first, second] = [await domain(), await domain()];
    const enqueue = () =>
      across(database, (tx) =>
        enqueuePart(tx, 'domains.sync', '', sql`address IN (${first.address}, ${second.address})`),
      );
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const jobs = `SELECT key, payload ->> 'address' AS address, (flags ? 'background') AS background,
      (flags ? 'superseded') AS superseded FROM graphile_worker._private_jobs ORDER BY id`;
    try {
      await takeJobs(database.url);
      await enqueue();
      await client.query(
        'UPDATE graphile_worker._private_jobs SET locked_at = now() WHERE payload ->> $1 = $2',
        ['address', first.address],
      );
      await enqueue();
      const { rows } = await client.query(jobs);
      const waiting = ({ address }: { address: string }) => ({
        ...{ key: `domains.sync:${address}`, address, background: true, superseded: false },
      });
      expect(rows.filter(({ key }) => key !== null)).toEqual(
        expect.arrayContaining([waiting(first), waiting(second)]),
      );
      expect(rows.filter(({ key }) => key === null)).toEqual([
        { ...waiting(first), key: null, superseded: true },
      ]);
      expect(rows).toHaveLength(3);
    } finally {
      await client.end();
      await takeJobs(database.url);
    }
  });

  test('asks after registrants that are not known to be verified, and not again before their time', async () => {
    const rows = [
      { verification_read_at: null },
      { verification_read_at: before, verification: 'waiting' as const },
      { verification_read_at: now, verification: 'waiting' as const },
      { verification_read_at: before, verification: 'verified' as const },
      { verification_read_at: null, status: 'transferring' as const },
    ];
    const each = await Promise.all(rows.map(domain));
    await takeJobs(database.url);
    await across(database, (tx) => enqueueUnverified(tx, 'domains.verify', now, ''));
    const asked = await addresses();
    expect(each.map(({ address }) => asked.includes(address))).toEqual([true, true, false, false, false]);
  });
});

describe('the verification of a registrant', () => {
  /** As the job looks: at organizations first, then at their domains. */
  const due = async (id: string, organisationId = scope.organisationId) => {
    const rows = await across(database, (tx) => openVerifications(tx, organisationId));
    const isOpen = rows.some((open) => open.id === id);
    const organisations = await across(database, organisationsToTell);
    expect(organisations.includes(organisationId)).toBe(rows.length > 0);
    expect(organisations).toEqual([...new Set(organisations)]);
    return isOpen;
  };

  test.each([
    [{ verification: 'waiting' }, true],
    [{ verification: 'waiting', verification_told: 'begun' }, true],
    [{ verification: 'waiting', verification_told: 'soon' }, false],
    [{ verification: 'suspended' }, true],
    [{ verification: 'suspended', verification_told: 'begun' }, true],
    [{ verification: 'suspended', verification_told: 'suspended' }, false],
    [{ verification: 'verified' }, false],
    [{ verification: 'waiting', status: 'transferring' }, false],
  ] as const)('calls for a letter with %o: %s', async (change, expected) => {
    expect(await due((await domain(change)).id)).toBe(expected);
  });

  test('calls for none in an organization that was closed', async () => {
    const closed = await organisationRow(database);
    const { id } = await domainRow(database, closed, { verification: 'waiting' });
    await across(database, (tx) =>
      tx.updateTable('organisations').set({ closed_at: now }).where('id', '=', closed).execute(),
    );
    expect(await due(id, closed)).toBe(false);
  });

  test('is kept of the living domain of that name, and of no other', async () => {
    const own = await organisationRow(database);
    const address = newName();
    const newer = { verification: 'verified', verification_read_at: later } as const;
    // These two stand in front of it: what reads one of them takes the reading below for an old one.
    const beside = await domainRow(database, own, newer);
    const former = await domainRow(database, own, { address, status: 'ended', ...newer });
    const one = await domainRow(database, own, { address });
    const read = { state: 'waiting', deadline: later, daysToSuspend: null, emailBounced: false } as const;
    await within(database, own, (tx) => recordVerification(tx, { organisationId: own, address }, read, now));
    const stored = await within(database, own, (tx) =>
      tx.selectFrom('domains').select(['id', 'verification']).execute(),
    );
    const kept = new Map(stored.map(({ id, verification }) => [id, verification]));
    expect([one, beside, former].map(({ id }) => kept.get(id))).toEqual(['waiting', 'verified', 'verified']);
  });

  test('is noted for those that were told, and for no other', async () => {
    const [one, beside] = [await domain(), await domain()];
    await across(database, (tx) => recordTold(tx, [one.id], 'begun'));
    expect([(await row(one.id)).verification_told, (await row(beside.id)).verification_told]).toEqual([
      'begun',
      null,
    ]);
  });

  test('a letter is sent again once in the pause, of a domain that is ours', async () => {
    const [one, beside] = [await domain(), await domain()];
    const claim = (address: string, when: Date) => tenant((tx) => claimResend(tx, at(address), when, 1_000));
    expect(await claim(one.address, now)).toBe(true);
    expect(await claim(one.address, new Date(now.getTime() + 999))).toBe(false);
    expect(await claim(one.address, new Date(now.getTime() + 1_000))).toBe(true);
    expect((await row(beside.id)).verification_sent_at).toBeNull();
    expect(await claim((await domain({ status: 'transferring' })).address, now)).toBe(false);
  });

  test('a claim of its own moment is given back, and no later one', async () => {
    const [one, beside] = [
      await domain({ verification_sent_at: now }),
      await domain({ verification_sent_at: now }),
    ];
    await tenant((tx) => releaseResend(tx, at(one.address), before));
    expect((await row(one.id)).verification_sent_at).toEqual(now);
    await tenant((tx) => releaseResend(tx, at(one.address), now));
    expect((await row(one.id)).verification_sent_at).toBeNull();
    expect((await row(beside.id)).verification_sent_at).toEqual(now);
  });
});

describe('a transfer', () => {
  async function open(address = newName(), requested = now) {
    const orderId = await orderRow(database, organisationId);
    const itemId = await itemRow(
      database,
      { organisationId, orderId },
      { kind: 'transfer', address, state: 'succeeded' },
    );
    const transfer = { itemId, organisationId, address, customerId: null, now: requested };
    await tenant((tx) => openTransfer(tx, transfer));
    return { itemId, address };
  }
  const find = (address: string) => tenant((tx) => findTransfer(tx, scope, address));
  const close = (itemId: string, reason: string | null, when = now) =>
    tenant((tx) => closeTransfer(tx, { itemId, organisationId, reason, now: when }));

  test('ends once, and alone', async () => {
    const [done, failed, beside] = [await open(), await open(), await open()];
    await close(done.itemId, null);
    await close(done.itemId, 'too late');
    await close(failed.itemId, 'refused');
    await close(failed.itemId, null);
    expect(await find(done.address)).toMatchObject({ completed_at: now, failed_at: null });
    expect(await find(failed.address)).toMatchObject({ completed_at: null, failed_at: now });
    expect(await find(beside.address)).toMatchObject({ completed_at: null, failed_at: null });
  });

  test('is the latest of its name, in reach', async () => {
    const first = await open();
    const second = await open(first.address, later);
    await open();
    expect((await find(first.address))?.id).toBe(second.itemId);
    const missing = await domain({ missing_since: now });
    expect([...(await tenant((tx) => ownAmong(tx, scope, [missing.address])))]).toEqual([]);
    const limited = { ...scope, reach: { kind: 'customers', ids: [newId()] } } as unknown as Scope;
    expect(await tenant((tx) => findTransfer(tx, limited, first.address))).toBeUndefined();
  });

  test('is asked about until it has ended', async () => {
    const [under, done, failed] = [await open(), await open(), await open()];
    await close(done.itemId, null);
    await close(failed.itemId, 'refused');
    const asked = (await across(database, (tx) => openTransfers(tx))).map(({ id }) => id);
    expect([under, done, failed].map(({ itemId }) => asked.includes(itemId))).toEqual([true, false, false]);
  });

  test('keeps the first delegation that was seen before its end, and the first after it, and alone', async () => {
    const [one, done, beside] = [await open(), await open(), await open()];
    await close(done.itemId, null);
    const sawBefore = (itemId: string, name: string) =>
      across(database, (tx) => recordBefore(tx, itemId, [name]));
    const sawAfter = (itemId: string, name: string) =>
      across(database, (tx) => recordAfter(tx, itemId, [name], now));
    await sawBefore(one.itemId, 'ns1.old.net');
    await sawBefore(one.itemId, 'ns1.late.net');
    await sawBefore(done.itemId, 'ns1.new.net');
    expect(await sawAfter(one.itemId, 'ns1.new.net')).toBe(true);
    expect(await sawAfter(one.itemId, 'ns1.late.net')).toBe(false);
    const seen = await Promise.all([one, done, beside].map(({ address }) => find(address)));
    expect(seen.map((each) => [each?.nameservers_before, each?.nameservers_after])).toEqual([
      [['ns1.old.net'], ['ns1.new.net']],
      [null, null],
      [null, null],
    ]);
  });

  test('gets a new date only when the registrar says something else, and alone', async () => {
    const [one, beside] = [await open(), await open()];
    const say = async (status: 'pending_owner' | 'pending_registry', when: Date) => {
      const transfer = await find(one.address);
      if (!transfer) throw new Error('no transfer');
      await tenant((tx) => recordTransferStatus(tx, transfer, status as never, when));
    };
    await say('pending_owner', before);
    await say('pending_owner', now);
    expect(await find(one.address)).toMatchObject({ status_since: before, asked_at: now });
    await say('pending_registry', later);
    expect(await find(one.address)).toMatchObject({ status_since: later });
    expect(await find(beside.address)).toMatchObject({ registrar_status: null });
  });
});
