import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { type AuditActor, audit, changedParts, verifyAuditChain } from './audit.ts';
import { createDatabase, inTransaction, sql } from './db/database.ts';
import { newId } from './ids.ts';
import { destroyKeys, openValues } from './subject-keys.ts';

let database: TestDatabase;
let actor: AuditActor;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  actor = { organisationId: newId(), userId: newId(), email: 'ada@example.com', ip: '192.0.2.1' };
  await inTransaction(database.db, actor, (tx) =>
    tx
      .insertInto('organisations')
      .values({ id: actor.organisationId, name: 'Test', logo_key: null, closed_at: null })
      .execute(),
  );
});

function write(object: string, change: { before?: unknown; after?: unknown } = {}) {
  const entry = { at: new Date(), action: 'users.change' as const, objectKind: 'thing', object, ...change };
  return inTransaction(database.db, actor, (tx) => audit(tx, actor, entry));
}

const verify = (expected?: { rows: number; head: string }) =>
  verifyAuditChain(database.systemDb, actor.organisationId, expected);

/** As only the owner of the database could. */
async function tamper(statement: string): Promise<void> {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  await sql.raw(statement.replaceAll('$organisation', `'${actor.organisationId}'`)).execute(owner);
  await owner.destroy();
}

test('forty entries written at once make one chain without a gap, and it verifies', async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      write(`thing ${n}`, { before: { n, text: 'ä"\n' }, after: [1.5, null] }),
    ),
  );
  expect(await verify()).toMatchObject({ rows: 40, broken: null });
});

test('an entry stands or falls with the transaction that it describes', async () => {
  const failing = inTransaction(database.db, actor, async (tx) => {
    await audit(tx, actor, {
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object: 'x',
    });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await verify()).toMatchObject({ rows: 0, broken: null });
});

test.each([
  [
    'a changed value',
    `UPDATE audit_log SET after = '{"a":2}' WHERE organisation_id = $organisation AND sequence = 2`,
    2,
  ],
  [
    'a changed actor',
    `UPDATE audit_log SET actor = 'eve' WHERE organisation_id = $organisation AND sequence = 3`,
    3,
  ],
  ['a removed row', 'DELETE FROM audit_log WHERE organisation_id = $organisation AND sequence = 2', 2],
  [
    'two rows that changed places',
    `UPDATE audit_log SET sequence = CASE sequence WHEN 2 THEN 30 ELSE 20 END WHERE organisation_id = $organisation AND sequence IN (2, 3);
     UPDATE audit_log SET sequence = sequence / 10 WHERE organisation_id = $organisation AND sequence > 9`,
    2,
  ],
])('the verifier names %s', async (_what, statement, sequence) => {
  for (const n of [1, 2, 3, 4]) await write(`thing ${n}`, { after: { a: n + 10 } });
  await tamper(statement);
  expect((await verify()).broken?.sequence).toBe(sequence);
});

test('a log cut short is noticed by the head that was kept elsewhere', async () => {
  for (const n of [1, 2, 3]) await write(`thing ${n}`);
  const { rows, head } = await verify();
  await write('thing 4');
  expect((await verify({ rows, head })).broken).toBeNull();
  await tamper('DELETE FROM audit_log WHERE organisation_id = $organisation AND sequence > 2');
  expect((await verify()).broken).toBeNull();
  expect((await verify({ rows, head })).broken?.sequence).toBe(3);
});

test('neither role of the application can change or delete an entry', async () => {
  await write('thing');
  for (const db of [database.db, database.systemDb]) {
    for (const statement of [`UPDATE audit_log SET actor = 'eve'`, 'DELETE FROM audit_log']) {
      await expect(sql.raw(statement).execute(db)).rejects.toMatchObject({ code: '42501' });
    }
  }
});

test('secrets never reach the log, however deep they hide', async () => {
  const canary = 'canary-7f3a';
  const secrets = [
    'password',
    'authCode',
    'domain_auth_info',
    'EPPCode',
    'token',
    'signedUrl',
    'csr',
    'privateKey',
  ];
  const values = Object.fromEntries(secrets.map((key) => [key, canary]));
  await write('thing', {
    before: { deep: [{ ...values }] },
    after: { ...values, link: canary, city: 'Oslo' },
  });
  const row = await inTransaction(database.db, actor, (tx) =>
    tx.selectFrom('audit_log').selectAll().executeTakeFirstOrThrow(),
  );
  expect(JSON.stringify(row)).not.toContain(canary);
  expect(row.after).toMatchObject({ city: 'Oslo', link: '[removed]' });
});

test('what an entry says of a person opens with that person’s key, and with the key it goes, while the chain holds', async () => {
  const customerId = newId();
  const say = (after: unknown, more: { customerId?: string; subject?: string } = {}) => {
    const entry = {
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object: 'x',
      after,
      ...more,
    };
    return inTransaction(database.db, actor, (tx) => audit(tx, actor, entry));
  };
  await say({ name: 'Ada Byron' }, { customerId });
  await say({ name: 'Somebody Else' }, { subject: newId() });
  await say({ cents: 5 });
  const rows = () =>
    inTransaction(database.db, actor, async (tx) => {
      const stored = await tx.selectFrom('audit_log').selectAll().orderBy('sequence').execute();
      const values = stored.map(({ after }) => after);
      return { text: JSON.stringify(stored), opened: await openValues(tx, actor.organisationId, values) };
    });
  const before = await rows();
  expect(before.text).not.toMatch(/Byron|Somebody|ada@example/);
  expect(before.opened).toEqual([{ name: 'Ada Byron' }, { name: 'Somebody Else' }, { cents: 5 }]);
  await inTransaction(database.db, actor, (tx) => destroyKeys(tx, actor.organisationId, [customerId]));
  expect((await rows()).opened).toEqual([{ erased: true }, { name: 'Somebody Else' }, { cents: 5 }]);
  // A later entry about the same customer has another key; it opens nothing of before.
  await say({ note: 'later' }, { customerId });
  expect((await rows()).opened).toMatchObject([{ erased: true }, {}, {}, { note: 'later' }]);
  expect(await verify()).toMatchObject({ rows: 4, broken: null });
});

test('of two states only the parts that differ are kept', () => {
  expect(changedParts({ a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 2, d: 4 }, e: 5 })).toEqual({
    before: { b: { d: 3 }, e: null },
    after: { b: { d: 4 }, e: 5 },
  });
  expect(changedParts({ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } })).toBeNull();
});
