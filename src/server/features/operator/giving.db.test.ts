import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  across,
  customerRow,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { openItemStates } from '../../../contracts/values/order-states.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import { holdCustomer } from '../customers/index.ts';
import { createGiving } from './giving.ts';
import { readReconciliation } from './reconcile.repo.ts';

let database: TestDatabase;
let organisationId: string;
let customerId: string;
let address: string;
/** What the registrar says when it is read, and for which names it was. */
let read: () => Promise<unknown>;
let asked: string[];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  address = newName();
  read = async () => held;
  asked = [];
  await takeJobs(database.url);
});

const now = new Date('2026-11-22T12:00:00Z');
const day = (count: number) => new Date(now.getTime() + count * 86_400_000);
const held = {
  ...{ registeredAt: day(-400), expiresAt: day(300), transferredAt: null, locked: true, privacy: false },
  ...{ nameservers: ['ns1.example.net'], autoRenew: true },
};
const operatorOf = (name: string) => ({ id: newId(), name, ip: '192.0.2.7', requestId: 'r' });
const [ada, ben] = [operatorOf('Ada Smith'), operatorOf('Ben Jones')];
const give = (change: object = {}, by = ada) =>
  createGiving({
    ...{ systemDb: database.systemDb, clock: { now: () => now } },
    registrar: {
      domain: (async (name: string) => {
        asked.push(name);
        return read();
      }) as never,
    },
  }).give(by, {
    ...{ domain: address, organizationId: organisationId, organization: 'Test', customerId },
    ...{ reason: 'Lost in the restore', ...change },
  });
const listed = (of = organisationId) =>
  within(database, of, (tx) =>
    tx
      .selectFrom('domains')
      .selectAll()
      .where('address', '=', address)
      .where('status', '<>', 'ended')
      .execute(),
  );
const log = (of = organisationId) => logged(database.db, { organisationId: of }, 'operator.giveDomain');
const close = (of = organisationId) =>
  across(database, (tx) =>
    tx.updateTable('organisations').set({ closed_at: now }).where('id', '=', of).execute(),
  );
const remove = (id = customerId) =>
  within(database, organisationId, (tx) =>
    tx.updateTable('customers').set({ deleted_at: now }).where('id', '=', id).execute(),
  );
const nothingHappened = async () => {
  expect(await listed()).toEqual([]);
  expect(await log()).toEqual([]);
  expect(await takeJobs(database.url)).toEqual([]);
};
const answer = async () => ({ message: `${address} is now listed for ${await customerName()} of Test.` });
const customerName = async () => contactsOf().owner.organization;

describe('a domain that the registrar has for us and nobody lists', () => {
  test('is given as the registrar has it, without auto renew, and the log says who did it, and why', async () => {
    expect(await give()).toEqual(await answer());
    expect(asked).toEqual([address]);
    expect(await listed()).toMatchObject([
      {
        ...{ customer_id: customerId, status: 'active', auto_renew: false, missing_since: null },
        ...{ registered_at: held.registeredAt, expires_at: held.expiresAt, synced_at: now },
        ...{ locked: true, privacy: false, nameservers: held.nameservers },
      },
    ]);
    expect(await log()).toEqual([
      {
        ...{ by: 'operator Ada Smith', kind: 'given domain', object: address },
        ...{ before: null, after: { reason: 'Lost in the restore' } },
      },
    ]);
    expect(await loggedAbout(database.db, { organisationId }, 'operator.giveDomain')).toEqual([customerId]);
    expect(await takeJobs(database.url)).toEqual([
      { task: 'domains.sync', payload: { organisationId, address } },
    ]);
  });

  test('is given with no money moved', async () => {
    const entries = async () =>
      (await sql`SELECT id FROM journal WHERE organisation_id = ${organisationId}`.execute(database.systemDb))
        .rows;
    const before = await entries();
    await give();
    expect(await entries()).toEqual(before);
  });

  test('is expired when the registrar says so', async () => {
    read = async () => ({ ...held, expiresAt: day(-3) });
    await give();
    expect(await listed()).toMatchObject([{ status: 'expired', expires_at: day(-3) }]);
  });

  test('is given although it has ended on the list of another organization', async () => {
    const other = await organisationRow(database);
    await domainRow(database, other, { address, status: 'ended' });
    await give();
    expect(await listed()).toHaveLength(1);
  });

  test('is no difference any more, neither of the recovery nor of the nightly comparison; others stay', async () => {
    const [subjects, recoveryId] = [[address, newName()], newId()];
    const open = { kind: 'name-unknown' as const, organisation_id: null, text: 't', settled_at: null };
    for (const subject of subjects) {
      await across(database, (tx) =>
        tx
          .insertInto('recovery_findings')
          .values({
            ...open,
            id: newId(),
            recovery_id: recoveryId,
            subject,
            needs_person: false,
            found_at: now,
          })
          .execute(),
      );
      await across(database, (tx) =>
        tx
          .insertInto('reconciliation_differences')
          .values({ ...open, id: newId(), subject, first_seen_at: now, last_seen_at: now })
          .execute(),
      );
    }
    const moment = { first_seen_at: now, last_seen_at: now };
    await across(database, (tx) =>
      tx
        .insertInto('reconciliation_differences')
        .values({ ...open, ...moment, id: newId(), kind: 'order-unknown', subject: address })
        .execute(),
    );
    const others = { recovery_id: recoveryId, subject: address, needs_person: true, found_at: now };
    await across(database, (tx) =>
      tx
        .insertInto('recovery_findings')
        .values({ ...open, ...others, id: newId(), kind: 'order-without-price' })
        .execute(),
    );
    await give();
    const left = await across(database, (tx) =>
      tx
        .selectFrom('recovery_findings')
        .select(['kind', 'subject'])
        .where('recovery_id', '=', recoveryId)
        .where('settled_at', 'is', null)
        .orderBy('kind')
        .execute(),
    );
    expect(left).toEqual([
      { kind: 'name-unknown', subject: subjects[1] },
      { kind: 'order-without-price', subject: address },
    ]);
    const { differences } = await readReconciliation(database.systemDb);
    expect(differences.map(({ kind, subject }) => `${kind} ${subject}`).toSorted()).toEqual([
      `name-unknown ${subjects[1]}`,
      `order-unknown ${address}`,
    ]);
  });
});

describe('nothing is given', () => {
  test.each([
    ['does not answer', new UpstreamUnavailable('no answer'), 'upstream_unavailable'],
    ['refuses to say', new UpstreamRefused('other', '500', 'No.'), 'registrar_refused'],
  ])('when the registrar %s: that is neither yes nor no', async (_what, failure, code) => {
    read = () => Promise.reject(failure);
    await expect(give()).rejects.toMatchObject({ code });
    await nothingHappened();
  });

  test('when the registrar does not have it for us', async () => {
    read = async () => null;
    await expect(give()).rejects.toMatchObject({ code: 'unprocessable' });
    await nothingHappened();
  });

  test.each(['active', 'expired', 'transferring'] as const)(
    'when another organization lists it as %s, and the registrar is not even asked',
    async (status) => {
      const other = await organisationRow(database);
      await domainRow(database, other, { address, status });
      await expect(give()).rejects.toMatchObject({ code: 'conflict' });
      expect(asked).toEqual([]);
      await nothingHappened();
    },
  );

  test('when another customer of the same organization has it, or nobody of it', async () => {
    const others = await customerRow(database, organisationId);
    await domainRow(database, organisationId, { address, customer_id: others });
    await expect(give()).rejects.toMatchObject({ code: 'conflict' });
    await within(database, organisationId, (tx) =>
      tx.updateTable('domains').set({ customer_id: null }).where('address', '=', address).execute(),
    );
    await expect(give()).rejects.toMatchObject({ code: 'conflict' });
    expect(await log()).toEqual([]);
  });

  test.each(openItemStates)('while an order of it is %s, of any organization', async (state) => {
    const other = await organisationRow(database);
    const order = { organisationId: other, orderId: await orderRow(database, other) };
    await itemRow(database, order, { address, kind: 'transfer', state });
    await expect(give()).rejects.toMatchObject({ code: 'conflict' });
    await nothingHappened();
    await across(database, (tx) =>
      tx.updateTable('order_items').set({ state: 'declined' }).where('address', '=', address).execute(),
    );
    await give();
  });

  test('because of a certificate that is under way, it is no order of the domain', async () => {
    const order = { organisationId, orderId: await orderRow(database, organisationId) };
    await itemRow(database, order, { address, kind: 'certificate', state: 'pending' });
    expect(await give()).toEqual(await answer());
  });

  test.each(['running', 'waiting'] as const)('while a recovery is %s', async (state) => {
    const id = newId();
    await sql`INSERT INTO recoveries (id, reason, since, state, started_at)
      VALUES (${id}, 'asked', now(), ${state}, now())`.execute(database.systemDb);
    try {
      await expect(give()).rejects.toMatchObject({ code: 'conflict' });
      await nothingHappened();
    } finally {
      await sql`UPDATE recoveries SET state = 'ended' WHERE id = ${id}`.execute(database.systemDb);
    }
    expect(await give()).toEqual(await answer());
  });

  test('to a closed organization', async () => {
    await close();
    await expect(give()).rejects.toMatchObject({
      code: 'unprocessable',
      message: 'This organization was closed, and nobody there could look after the domain.',
    });
    expect(asked).toEqual([]);
    await nothingHappened();
  });

  test('to an organization of another name, or to none', async () => {
    await expect(give({ organization: 'Tset' })).rejects.toMatchObject({ code: 'unprocessable' });
    await expect(give({ organizationId: newId() })).rejects.toMatchObject({ code: 'not_found' });
    await nothingHappened();
  });

  test('to a customer who was deleted, or who is of another organization', async () => {
    const other = await organisationRow(database);
    await expect(give({ customerId: await customerRow(database, other) })).rejects.toMatchObject({
      ...{ code: 'unprocessable', message: 'Test has no customer with this id.' },
    });
    await remove();
    await expect(give()).rejects.toMatchObject({ code: 'unprocessable' });
    expect(asked).toEqual([]);
    await nothingHappened();
  });

  test.each([
    ['the organization was closed', close, 'unprocessable'],
    ['the customer was deleted', remove, 'unprocessable'],
    [
      'another organization listed it',
      async () => void (await domainRow(database, await organisationRow(database), { address })),
      'conflict',
    ],
  ])('when %s while the registrar was read', async (_what, meanwhile, code) => {
    read = async () => {
      await meanwhile();
      return held;
    };
    await expect(give()).rejects.toMatchObject({ code });
    await nothingHappened();
  });
});

describe('twice', () => {
  test('it is given once, with the same answer, and the registrar is asked once', async () => {
    const first = await give();
    expect(await give({}, ben)).toEqual(first);
    expect(asked).toHaveLength(1);
    expect(await listed()).toHaveLength(1);
    expect(await log()).toHaveLength(1);
  });

  test('it settles a difference that a comparison wrote down which had begun before', async () => {
    await give();
    const difference = {
      id: newId(),
      kind: 'name-unknown' as const,
      subject: address,
      organisation_id: null,
    };
    await across(database, (tx) =>
      tx
        .insertInto('reconciliation_differences')
        .values({ ...difference, text: 't', first_seen_at: now, last_seen_at: now, settled_at: null })
        .execute(),
    );
    await give();
    const { differences } = await readReconciliation(database.systemDb);
    expect(differences.map(({ subject }) => subject)).not.toContain(address);
  });

  test('at once by two operators it is given once, with the same answer to both', async () => {
    // Both have seen that nobody lists it before either writes.
    const [bothAsked, arrive] = gate(2);
    read = async () => {
      arrive();
      await bothAsked;
      return held;
    };
    expect(await Promise.all([give(), give({}, ben)])).toEqual([await answer(), await answer()]);
    expect(await listed()).toHaveLength(1);
    expect(await log()).toHaveLength(1);
  });

  test('at once to two organizations it is given to one of them', async () => {
    const other = await organisationRow(database);
    const theirs = { organizationId: other, customerId: await customerRow(database, other) };
    const [bothAsked, arrive] = gate(2);
    read = async () => {
      arrive();
      await bothAsked;
      return held;
    };
    const ends = await Promise.allSettled([give(), give(theirs, ben)]);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []))).toEqual(['conflict']);
    expect([...(await listed()), ...(await listed(other))]).toHaveLength(1);
    expect([...(await log()), ...(await log(other))]).toHaveLength(1);
  });
});

describe('when somebody else lists it at that very moment', () => {
  /** Their row is written and not yet committed when ours is to be. */
  async function meanwhile(of: string, customer_id: string) {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const { promise: hasRow, resolve: written } = Promise.withResolvers<void>();
    const theirs = within(database, of, async (tx) => {
      await tx
        .insertInto('domains')
        .values({ id: newId(), organisation_id: of, address, status: 'active', customer_id })
        .execute();
      written();
      await mayEnd;
    });
    await hasRow;
    const ours = give().then(
      ({ message }) => message,
      (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
    );
    const blocked = async () =>
      (await sql`SELECT pid FROM pg_locks WHERE NOT granted`.execute(database.systemDb)).rows.length;
    await expect.poll(blocked).toBeGreaterThan(0);
    end();
    await theirs;
    return ours;
  }

  test('for the same customer, the answer is the same, and nothing is written twice', async () => {
    expect(await meanwhile(organisationId, customerId)).toBe((await answer()).message);
    expect(await listed()).toHaveLength(1);
    expect(await log()).toEqual([]);
  });

  test('for another organization, it stays theirs', async () => {
    const other = await organisationRow(database);
    const said = await meanwhile(other, await customerRow(database, other));
    expect(said).toBe(`conflict: ${address} is already on a list. Nothing was changed.`);
    await nothingHappened();
    expect(await listed(other)).toHaveLength(1);
  });
});

test('a customer cannot be deleted between the last look and the end of the writing', async () => {
  await across(database, async (tx) => {
    await holdCustomer(tx, { organisationId, id: customerId });
    const deleting = sql`SET LOCAL lock_timeout = '200ms'`;
    const removed = within(database, organisationId, async (other) => {
      await deleting.execute(other);
      await sql`UPDATE customers SET deleted_at = now() WHERE id = ${customerId}`.execute(other);
    });
    await expect(removed).rejects.toThrow('lock timeout');
  });
});

/** A promise that is kept once so many have arrived. */
function gate(count: number): [Promise<void>, () => void] {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  const arrive = () => {
    left -= 1;
    if (left === 0) resolve();
  };
  return [promise, arrive];
}
