import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Db, sql } from '../../src/server/kernel/db/database.ts';
import { cartOf, openAccount, purchase } from '../support/account.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** What starts by itself, in the real server: its own schedule, its own tasks, the real job queue. */
let stack: Stack;
let owner: Db;
beforeAll(async () => {
  // Room for all that is logged between two looks at it, on a machine of any speed.
  stack = await startStack({ logChars: 5_000_000 });
  owner = createDatabase({ url: stack.database.url, maxConnections: 1 });
});
afterAll(async () => {
  await owner.destroy();
  await stack[Symbol.asyncDispose]();
});

async function until<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 200) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what} did not come\n${stack.log()}`);
}

async function known(): Promise<Map<string, Date | null>> {
  const { rows } = await sql<{ identifier: string; last_execution: Date | null }>`
    SELECT identifier, last_execution FROM graphile_worker._private_known_crontabs`.execute(owner);
  return new Map(rows.map((row) => [row.identifier, row.last_execution]));
}

test('after an outage every scheduled task starts by itself, once, and a domain that fell due meanwhile is renewed', async () => {
  await stack.startServer();
  const account = await openAccount(stack, 100_00);
  const address = `due-${randomBytes(4).toString('hex')}.com`;
  await purchase(stack, account, await cartOf(stack, account, [address]), `due-${address}`);
  await stack.call(account.token, 'POST', 'domain/auto_renew', { domain: address, enabled: true });
  await until('the schedule', async () => (await known()).size > 0);
  await stack.killServer();

  // Two days pass while the portal is down.
  await stack.control('registrar', 'domains/dates', [{ domain: address, ageDays: 355, expiresInDays: 10 }]);
  await owner
    .updateTable('domains')
    .set({ expires_at: new Date(Date.now() + 10 * 86_400_000) })
    .where('address', '=', address)
    .execute();
  await sql`UPDATE graphile_worker._private_known_crontabs
    SET known_since = now() - interval '2 days', last_execution = now() - interval '2 days'`.execute(owner);
  await sql`CREATE TABLE started AS SELECT '' AS task WHERE false`.execute(owner);
  await sql`CREATE FUNCTION note_start() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      INSERT INTO started SELECT identifier FROM graphile_worker._private_tasks WHERE id = NEW.task_id AND NEW.payload::jsonb ? '_cron';
      RETURN NEW;
    END $$`.execute(owner);
  await sql`CREATE TRIGGER note_start AFTER INSERT ON graphile_worker._private_jobs
    FOR EACH ROW EXECUTE FUNCTION note_start()`.execute(owner);

  const before = Date.now();
  const sawDone = new Set<string>();
  await stack.startServer({ LOG_LEVEL: 'debug' });
  const scheduled = [...(await known()).keys()].sort();
  expect(scheduled).toEqual(expect.arrayContaining(['renewals.run', 'renewals.remind', 'transfers.poll']));
  await until('the end of all', async () => {
    for (const line of stack.log().split('\n')) {
      const done = /"task":"([^"]+)".*"job done"/.exec(line)?.[1];
      if (done) sawDone.add(done);
    }
    return scheduled.every((task) => sawDone.has(task));
  });
  for (const [task, at] of await known()) {
    // The time that was missed lies before the start.
    expect([task, at && at.getTime() > before - 86_400_000]).toEqual([task, true]);
  }
  const { rows } = await sql<{ task: string; n: number }>`
    SELECT task, count(*)::int AS n FROM started GROUP BY task ORDER BY task`.execute(owner);
  expect(rows.map(({ task }) => task)).toEqual(scheduled);
  const rare = rows.filter(({ task }) => !['orders.sweep', 'certificates.sweep'].includes(task));
  // At most the missed time and one that has just come.
  expect(rare.filter(({ n }) => n > 2)).toEqual([]);

  // Nobody asked for it: the schedule's job did.
  const renewed = await until('the renewal', async () => {
    const row = await owner
      .selectFrom('domains')
      .select('expires_at')
      .where('address', '=', address)
      .executeTakeFirst();
    return row?.expires_at && row.expires_at.getTime() > Date.now() + 300 * 86_400_000 && row.expires_at;
  });
  expect(Math.round((renewed.getTime() - Date.now()) / 86_400_000)).toBeLessThan(380);
});
