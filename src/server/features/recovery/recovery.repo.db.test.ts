import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { domainRow, newName, organisationRow } from '../../../../tests/support/rows.ts';
import { sql, systemTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { beginAsked, findingsOf, insertFinding, settleFinding, undecided } from './recovery.repo.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date();
const withinSystem = <T>(work: Parameters<typeof systemTransaction<T>>[1]) =>
  systemTransaction(database.systemDb, work);

test('two people who decide the last two findings at the same moment end the recovery: one of them sees that nothing is left', async () => {
  const recoveryId = newId();
  const ids = [newId(), newId()] as const;
  await withinSystem(async (tx) => {
    await beginAsked(tx, { id: recoveryId, since: now });
    for (const id of ids) {
      const finding = { kind: 'order-without-price', subject: id, organisationId: null, text: 'An order.' };
      await insertFinding(tx, { ...finding, id, recoveryId, needsPerson: true, now });
    }
  });
  const decide = (id: string, meanwhile: () => Promise<unknown>) =>
    withinSystem(async (tx) => {
      await settleFinding(tx, id, now);
      const left = await undecided(tx, recoveryId);
      await meanwhile();
      return left;
    });
  const isWaiting = async () => {
    const { rows } = await sql`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(database.systemDb);
    expect(rows).toHaveLength(1);
  };
  let second: Promise<number> = Promise.resolve(-1);
  const first = await decide(ids[0], () => {
    second = decide(ids[1], async () => undefined);
    return Promise.race([second, vi.waitFor(isWaiting, { timeout: 5_000 })]);
  });
  expect([first, await second]).toEqual([1, 0]);
});

test('a name that has come on a list in another way is settled, and no other finding of it', async () => {
  const recoveryId = newId();
  const organisationId = await organisationRow(database);
  const [listed, ended, nobodys] = [newName(), newName(), newName()];
  await domainRow(database, organisationId, { address: listed, created_at: now });
  await domainRow(database, organisationId, { address: ended, status: 'ended' });
  const found = (subject: string, kind = 'name-unknown') => {
    const finding = { kind, subject, organisationId: null, text: 'A name.', needsPerson: false };
    return withinSystem((tx) => insertFinding(tx, { ...finding, id: newId(), recoveryId, now }));
  };
  for (const subject of [listed, ended, nobodys]) await found(subject);
  await found(listed, 'name-moved');
  const rows = await withinSystem((tx) => findingsOf(tx, recoveryId));
  expect(rows.map((row) => [row.kind, row.subject, row.settled_at])).toEqual([
    ['name-unknown', listed, now],
    ['name-unknown', ended, null],
    ['name-unknown', nobodys, null],
    ['name-moved', listed, null],
  ]);
});
