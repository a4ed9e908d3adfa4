import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from '../../src/server/kernel/db/database.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { type Account, openAccount } from '../support/account.ts';
import { type JudgedItem, orderFaults } from '../support/invariants.ts';
import {
  addRecord,
  ask,
  buy,
  findings,
  normalised,
  quiet,
  recoveries,
  register,
  topUp,
  truthOf,
  until,
} from '../support/recovering.ts';
import type { Cluster } from './cluster.ts';

export interface Loss {
  /** How long before its end nothing reached the standby any more. */
  lostMs: number;
  /** From the end of the primary to the end of the recovery. */
  recoveredMs: number;
  findings: { kind: string; text: string; person: boolean }[];
  faults: string[];
}

/**
 * The primary ends, and its asynchronous standby lacks what was committed last: names bought and renewed, a payment, records of
 * zones. Registrar and payment provider know of it; recovery has to find all of it, and nothing may be bought or paid twice.
 */
export async function loseCommits({ world, pair }: Cluster): Promise<Loss> {
  const account = await openAccount(world, 500_00);
  const tag = randomBytes(3).toString('hex');
  const name = (word: string) => `${word}-${tag}.com`;
  // The first payment is the one that opens the account.
  await topUp(world, account, 100);
  await atRest(world, account);
  await register(world, account, [name('before'), name('renewed')]);
  await addRecord(world, account, name('before'), 'before the loss');
  const { registry_expiredate: expireDate } = await ask<{ registry_expiredate: string }>(
    ...([world, account, 'GET', `domain/details/${name('renewed')}`] as const),
  );
  await atRest(world, account);
  await until(world, 'a standby with all of it', async () => pair.isSafe() && (await pair.isCaughtUp()));
  const known = await recoveries(world);

  pair.stopReplication();
  const from = performance.now();
  await topUp(world, account, 70);
  await register(world, account, [name('after'), name('also')]);
  await buy(world, account, [{ address: name('renewed'), kind: 'renewal' }], {
    domainRenewals: [{ address: name('renewed'), period: 1, expireDate }],
  });
  await addRecord(world, account, name('before'), 'after the loss began');
  await addRecord(world, account, name('after'), 'of a lost name');
  await atRest(world, account);
  const before = await truthOf(world, account);
  const lostMs = Math.round(performance.now() - from);

  const end = performance.now();
  pair.primary().kill();
  await until(world, 'the recovery', async () => {
    const states = await recoveries(world);
    return states.length > known.length && states.every((state) => state === 'ended');
  });
  const recoveredMs = Math.round(performance.now() - end);
  await atRest(world, account);
  const after = await truthOf(world, account);
  const found = await findings(world);
  return {
    ...{
      lostMs,
      recoveredMs,
      findings: found.filter(({ text }) => text.includes(tag) || text.includes('70')),
    },
    faults: [
      ...found.filter(({ person }) => person).map(({ text }) => `a person was asked: ${text}`),
      ...(isDeepStrictEqual(comparable(after), comparable(before))
        ? []
        : [`${JSON.stringify(comparable(after))} after, ${JSON.stringify(comparable(before))} before`]),
      ...(await checkLedger(world.database.systemDb)).map(
        ({ invariant, found: what }) => `${invariant}: ${what}`,
      ),
      ...(await itemFaults(world, after.completed)),
    ],
  };
}

const comparable = (truth: Awaited<ReturnType<typeof truthOf>>) => ({
  ...truth,
  journal: truth.journal.map(normalised).sort(),
});

async function itemFaults({ database }: Cluster['world'], completed: readonly string[]): Promise<string[]> {
  const { rows } = await sql<JudgedItem>`SELECT id, kind, address, state FROM order_items`.execute(
    database.systemDb,
  );
  const done = Map.groupBy(completed, (id) => id);
  const ours = new Set(rows.map(({ id }) => id));
  return [
    ...orderFaults(rows, ({ id }) => done.get(id)?.length ?? 0, { atRest: true }),
    ...[...done.keys()]
      .filter((id) => !ours.has(id))
      .map((id) => `7 the registrar carried out ${id}, of no item of ours`),
  ];
}

/** Everything has ended, and names were read once from the registrar. */
async function atRest(world: Cluster['world'], account: Account): Promise<void> {
  await quiet(world);
  await until(world, 'names that were read', async () => {
    const { rows } = await sql`SELECT FROM domains WHERE organisation_id = ${account.organisationId}
      AND synced_at IS NULL AND status <> 'ended'`.execute(world.database.systemDb);
    return rows.length === 0;
  });
  await until(world, 'top-ups that were applied', async () => {
    const { pendingBalance } = await ask<{ pendingBalance: number }>(
      world,
      account,
      'GET',
      'account/balancev2',
    );
    const { rows } = await sql`SELECT FROM topups WHERE organisation_id = ${account.organisationId}
      AND state NOT IN ('succeeded', 'failed', 'cancelled', 'reversed')`.execute(world.database.systemDb);
    return pendingBalance === 0 && rows.length === 0;
  });
}
