import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import type { AuditEntry } from './audit.ts';
import { sealAll } from './audit-sealing.ts';
import { withSeal } from './db/bound-seal.ts';
import type { Db, Tx } from './db/database.ts';
import type { Seal } from './seal.ts';

/** Nothing is asked of it. */
const db = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new PostgresIntrospector(of),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
}) as unknown as Db;
const tx = withSeal(db, {} as Seal) as unknown as Tx;
const actor = { organisationId: '01980000-0000-7000-8000-000000000001' };

/** Of nobody, so that no key is asked for; says when it is put into words. */
function entry(sealing: () => void): AuditEntry {
  const after = {
    toJSON() {
      sealing();
      return { done: true };
    },
  };
  return {
    ...{ at: new Date(0), action: 'customers.create', objectKind: 'thing', object: 'x', customerId: null },
    after,
  };
}

test('work for the database has left this process before the first entry is sealed', async () => {
  const order: string[] = [];
  const meanwhile = async () => {
    // As a transaction sends what it is asked: in the next tick.
    await null;
    process.nextTick(() => order.push('sent'));
  };
  const sealed = await sealAll(tx, actor, [entry(() => order.push('sealed'))], { meanwhile });
  expect([order, sealed.map(({ after }) => after)]).toEqual([['sent', 'sealed'], [{ done: true }]]);
});

test('a failure of that work is told', async () => {
  const meanwhile = async () => {
    throw new Error('refused');
  };
  const failing = sealAll(tx, actor, [entry(() => undefined)], { meanwhile });
  await expect(failing).rejects.toThrow('refused');
});
