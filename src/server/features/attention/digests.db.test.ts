import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '#kernel/ids.ts';
import type { Letter, Sender } from '#kernel/letters.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { clockThatFails } from '../../../../tests/support/failing-clock.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { across, customerRow, organisationRow, userRow } from '../../../../tests/support/rows.ts';
import { createDigests } from './digests.ts';

/** Whose mail of a day says what, in whose name, and where it leads. */

let database: TestDatabase;
let organisationId: string;
let customerId: string;
let staff: string;
let user: string;
const now = new Date('2026-11-23T12:00:00Z');

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  settled = [];
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
  [staff, user] = [
    await reader({ role: 'MSP_EMPLOYEE' }),
    await reader({ role: 'MSP_CUSTOMER', customer_id: customerId }),
  ];
});

async function reader(change: NonNullable<Parameters<typeof userRow>[2]>): Promise<string> {
  const id = await userRow(database, organisationId, change);
  await across(database, (tx) =>
    tx
      .insertInto('attention_digests')
      .values({ user_id: id, organisation_id: organisationId } as never)
      .execute(),
  );
  return id;
}

const waiting = (address: string, snoozed_until: Date | null = null) =>
  across(database, (tx) =>
    tx
      .insertInto('attention_items')
      .values({
        ...{ id: newId(), organisation_id: organisationId, cause: 'registrant', object: address, rank: 1 },
        ...{ customer_id: customerId, address, deadline: null, opened_at: now, snoozed_until },
        facts: JSON.stringify({ suspended: false, bounced: false }),
      } as never)
      .execute(),
  );

interface Mail {
  to: string;
  messageId: string;
  sender: Sender;
  letter: Letter;
}
/** What has been brought up to date, when. */
let settled: Date[];
const digestsAt = (at: Date, clientUrl: string | null = null) =>
  createDigests({
    ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => at } },
    ...{ publicUrl: 'https://portal.test', clientUrl, settle: async () => void settled.push(at) },
  });
/** The mails of a day, by the person who has them. */
async function mailsOf(clientUrl: string | null, at = now): Promise<Map<string, Mail>> {
  await digestsAt(at, clientUrl).mailAll();
  const mails = (await takeJobs(database.url)).map(({ payload }) => payload as unknown as Mail);
  return new Map(mails.map((mail) => [mail.to.split('@')[0] ?? '', mail]));
}

test('a customer’s own user has it in the organization’s name, and it leads to the customers’ portal', async () => {
  await waiting('a.com');
  const mails = await mailsOf('https://client.test');
  expect([mails.get(user)?.sender, mails.get(user)?.letter.button?.address]).toEqual([
    { organisationId, inItsName: true },
    'https://client.test/attention',
  ]);
  expect([mails.get(staff)?.sender, mails.get(staff)?.letter.button?.address]).toEqual([
    { organisationId, inItsName: false },
    'https://portal.test/attention',
  ]);
});

test('without a portal for customers it leads to the one there is, in the organization’s name all the same', async () => {
  await waiting('a.com');
  expect((await mailsOf(null)).get(user)).toMatchObject({
    sender: { inItsName: true },
    letter: { button: { address: 'https://portal.test/attention' } },
  });
});

test('what staff put off is not in their mail, and in that of the customer’s own user it is', async () => {
  await waiting('asleep.com', new Date(now.getTime() + 1));
  expect([...(await mailsOf(null)).keys()]).toEqual([user]);
  await waiting('awake.com');
  await across(database, (tx) => tx.updateTable('attention_digests').set({ sent_on: null }).execute());
  const mails = await mailsOf(null);
  expect([mails.get(staff)?.letter.subject, mails.get(user)?.letter.subject]).toEqual([
    'One thing needs attention',
    '2 things need attention',
  ]);
});

test('it goes once a day, after the list was brought up to date, and each day’s under its own name', async () => {
  await waiting('a.com');
  const days = [now, new Date('2026-11-23T23:59:59.999Z'), new Date('2026-11-24T00:00:00Z')];
  const mails = [];
  for (const day of days) mails.push((await mailsOf(null, day)).get(staff)?.messageId);
  expect(mails).toEqual([`attention.${staff}.2026-11-23`, undefined, `attention.${staff}.2026-11-24`]);
  expect(settled).toEqual(days);
});

test('one that cannot be written keeps none from the others, and is made up for', async () => {
  await waiting('a.com');
  // Of what it does for each person, the first time.
  const failing = clockThatFails(2, () => now);
  const mailed = async () => (await takeJobs(database.url)).map(({ payload }) => String(payload.messageId));
  await mailed();
  const digests = createDigests({
    ...{ db: database.db, systemDb: database.systemDb, clock: failing, clientUrl: null },
    ...{ publicUrl: 'https://portal.test', settle: async () => undefined },
  });
  await expect(digests.mailAll()).rejects.toThrow('a date that is none');
  const first = await mailed();
  await digests.mailAll();
  const day = (id: string) => `attention.${id}.2026-11-23`;
  expect(first.length).toBeGreaterThan(0);
  const all = [...first, ...(await mailed())];
  expect(all).toEqual(expect.arrayContaining([day(staff), day(user)]));
  expect(new Set(all).size).toBe(all.length);
});

test('where nothing waits none goes', async () => {
  expect((await mailsOf(null)).size).toBe(0);
});

test('it has the thirty most pressing, in their order, and says how many more there are', async () => {
  for (let n = 0; n < 31; n += 1) await waiting(`late-${n}.com`);
  await across(database, (tx) =>
    tx
      .updateTable('attention_items')
      .set({ rank: 0 })
      .where('organisation_id', '=', organisationId)
      .where('address', '=', 'late-30.com')
      .execute(),
  );
  const { subject, parts } = (await mailsOf(null)).get(staff)?.letter ?? { subject: '', parts: [] };
  const table = parts.find((part) => typeof part === 'object' && 'rows' in part);
  const rows = table && 'rows' in table ? table.rows : [];
  expect([subject, rows.length, parts.at(-1)]).toEqual(['31 things need attention', 30, 'and 1 more']);
  expect(rows[0]?.[0]).toMatch(/^late-30.com /);
});

test('turning it on or off is in the log, each time that something changes', async () => {
  const userId = await userRow(database, organisationId);
  const scope = { organisationId, userId, email: '', ip: null } as unknown as Scope;
  const digests = digestsAt(now);
  expect(await digests.get(scope)).toEqual({ daily: false });
  for (const daily of [true, true, false, false]) {
    expect(await digests.set(scope, daily)).toEqual({ daily });
    expect(await digests.get(scope)).toEqual({ daily });
  }
  const entry = { by: userId, kind: 'user', object: userId };
  expect(await logged(database.db, scope, 'attention.setDigest')).toEqual([
    { ...entry, before: { daily: false }, after: { daily: true } },
    { ...entry, before: { daily: true }, after: { daily: false } },
  ]);
});
