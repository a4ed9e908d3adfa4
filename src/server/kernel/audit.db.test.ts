import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { type AuditActor, appendAll, audit, auditAll, verifyAuditChain } from './audit.ts';
import { JsonText, keysAhead, sealAll, sealedBefore } from './audit-sealing.ts';
import { withSeal } from './db/bound-seal.ts';
import { createDatabase, type Db, inOneGo, inTransaction, sql } from './db/database.ts';
import { newId } from './ids.ts';
import { createSeal } from './seal.ts';
import { destroyKeys, openValues, sealedSubjectKeys, sealPlainKeys } from './subject-keys.ts';

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
  const entry = {
    at: new Date(),
    action: 'users.change' as const,
    objectKind: 'thing',
    object,
    customerId: null,
    ...change,
  };
  return inTransaction(database.db, actor, (tx) => audit(tx, actor, entry));
}

const verify = (...kept: { rows: number; head: string }[]) =>
  verifyAuditChain(
    database.systemDb,
    actor.organisationId,
    new Map(kept.map(({ rows, head }) => [rows, head])),
  );

/** As only the owner of the database could. */
async function tamper(statement: string): Promise<void> {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  await sql.raw(statement.replaceAll('$organisation', `'${actor.organisationId}'`)).execute(owner);
  await owner.destroy();
}

test('a long log is verified in parts, each from where the one before ended, and the end must still be there', async () => {
  const changes = Array.from({ length: 2_500 }, (_, n) => ({
    ...{
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object: `long ${n}`,
      customerId: null,
    },
  }));
  await inTransaction(database.db, actor, (tx) => auditAll(tx, actor, changes));
  const part = (from?: { rows: number; head: string }, kept = new Map<number, string>()) =>
    verifyAuditChain(database.systemDb, actor.organisationId, kept, { from, isOver: () => true });
  const whole = await verify();
  expect(whole).toMatchObject({ rows: 2_500, broken: null, whole: true });
  const first = await part();
  expect(first).toMatchObject({ rows: 1_000, broken: null, whole: false });
  const second = await part(first);
  expect(second).toMatchObject({ rows: 2_000, broken: null, whole: false });
  expect(await part(second)).toEqual(whole);
  // What was kept is met in whichever part it falls, and a log that is shorter by now is noticed.
  const other = '0'.repeat(64);
  const notKept = (sequence: number) => ({ broken: { sequence, reason: 'not the log that was kept' } });
  expect(await part(first, new Map([[1_500, other]]))).toMatchObject(notKept(1_500));
  expect(await part(second, new Map([[2_501, other]]))).toMatchObject(notKept(2_501));
  const broken = { sequence: 2_000, reason: 'not the entry that was verified before' };
  expect(await part({ ...second, head: other })).toMatchObject({ broken, whole: true });
  expect(await part({ ...second, rows: 2_501 })).toMatchObject({ broken: { ...broken, sequence: 2_501 } });
  await tamper(`UPDATE audit_log SET object = 'x' WHERE organisation_id = $organisation AND sequence = 2001`);
  expect(await part(second)).toMatchObject({ broken: { sequence: 2_001, reason: 'changed' }, whole: true });
});

test('forty entries written at once make one chain without a gap, and it verifies', async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      write(`thing ${n}`, { before: { n, text: 'ä"\n' }, after: [1.5, null] }),
    ),
  );
  expect(await verify()).toMatchObject({ rows: 40, broken: null });
});

/** What comes back of a value from the database. */
const asKept = ({ after }: { after?: unknown }): unknown => JSON.parse(JSON.stringify(after));

test('many entries keep what they say, sealed or not, of any length and in any letters, and are hashed as they are kept', async () => {
  const said = (n: number) => (n % 4 === 3 ? null : { n, text: `${'ß€"\\\n'.repeat(n * 5)}` });
  const entries = Array.from({ length: 60 }, (_, n) => ({
    ...{ at: new Date(), action: 'users.change' as const, objectKind: 'thing', object: `${n}` },
    ...{ customerId: null, before: said(n), after: said(n + 2) },
    ...(n % 3 ? { subject: newId() } : {}),
  }));
  await inTransaction(database.db, actor, (tx) => auditAll(tx, actor, entries));
  const kept = await inTransaction(database.db, actor, async (tx) => {
    const rows = await tx
      .selectFrom('audit_log')
      .select(['before', 'after'])
      .where('organisation_id', '=', actor.organisationId)
      .orderBy('sequence')
      .execute();
    const values = rows.flatMap(({ before, after }) => [before, after]);
    return openValues(tx, actor.organisationId, values);
  });
  expect(kept).toEqual(entries.flatMap(({ before, after }) => [before, after]));
  expect(await verify()).toMatchObject({ rows: 60, broken: null });
});

test('few entries, which the database chains, and many, which are chained here, make one chain', async () => {
  for (const count of [1, 20, 21, 3, 0, 1]) {
    const entries = Array.from({ length: count }, (_, n) => ({
      ...{ at: new Date(), action: 'users.change' as const, objectKind: 'thing', object: `ß "${n}", \\{}` },
      ...{ customerId: n % 2 ? newId() : null, subject: newId(), before: n % 3 ? { n: `"${n}\\"` } : null },
      ...{ after: n % 5 ? { n } : null },
    }));
    await inTransaction(database.db, actor, (tx) => auditAll(tx, actor, entries));
  }
  expect(await verify()).toMatchObject({ rows: 46, broken: null });
});

test('the database and this process hash the same bytes, however long the text is and whatever its letters', async () => {
  // Each is hashed by the database, and again here to be verified.
  for (const length of [1, 4_900, 5_000, 5_100, 5_200, 5_300, 5_500, 16_000, 16_200, 16_400, 40_000, 1]) {
    for (const letter of ['€', 'a']) await write('long', { after: letter.repeat(length) });
  }
  expect(await verify()).toMatchObject({ rows: 24, broken: null });
});

test('many entries are sealed and opened one by one, so that others are served meanwhile', async () => {
  let steps = 0;
  const giveWay = () => {
    steps += 1;
    return undefined;
  };
  const entries = Array.from({ length: 30 }, (_, n) => ({
    ...{ at: new Date(), action: 'users.change' as const, objectKind: 'thing', object: `${n}` },
    ...{ customerId: null, subject: newId(), after: { n } },
  }));
  const opened = await inTransaction(database.db, actor, async (tx) => {
    const sealed = await sealAll(tx, actor, entries, { giveWay });
    return openValues(tx, actor.organisationId, sealed.map(asKept), giveWay);
  });
  expect(opened).toEqual(entries.map(({ after }) => after));
  expect(steps).toBe(60);
});

const openedOf = (sealed: readonly { after?: unknown }[]) =>
  inTransaction(database.db, actor, (tx) => openValues(tx, actor.organisationId, sealed.map(asKept)));

test('keys that were made ahead seal only for those who have none', async () => {
  const [known, fresh] = [newId(), newId()];
  const of = (subject: string, n: number) => ({
    ...{ at: new Date(), action: 'users.change' as const, objectKind: 'thing', object: `${n}` },
    ...{ customerId: null, subject, after: { n } },
  });
  await inTransaction(database.db, actor, (tx) => auditAll(tx, actor, [of(known, 0)]));
  const entries = [of(known, 1), of(fresh, 2)];
  const sealed = await inTransaction(database.db, actor, async (tx) => {
    const made = await keysAhead(tx, actor, entries);
    return sealAll(tx, actor, entries, { made });
  });
  expect(await openedOf(sealed)).toEqual([{ n: 1 }, { n: 2 }]);
});

test('keys that were made ahead are written down, and those of the others are asked for', async () => {
  const entries = Array.from({ length: 12 }, (_, n) => ({
    ...{ at: new Date(), action: 'users.change' as const, objectKind: 'thing', object: `${n}` },
    ...{ customerId: null, subject: newId(), after: { n } },
  }));
  const sealed = await inTransaction(database.db, actor, async (tx) => {
    const made = await keysAhead(tx, actor, entries.slice(0, 6));
    return sealAll(tx, actor, entries, { made });
  });
  expect(await openedOf(sealed)).toEqual(entries.map(({ after }) => after));
});

test('an entry stands or falls with the transaction that it describes', async () => {
  const failing = inTransaction(database.db, actor, async (tx) => {
    await audit(tx, actor, {
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object: 'x',
      customerId: null,
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

test('a log that was cut and has grown again is noticed by every head that was kept, the shortest that differs first', async () => {
  for (const n of [1, 2, 3]) await write(`thing ${n}`);
  const third = await verify();
  await write('thing 4');
  const fourth = await verify();
  await tamper('DELETE FROM audit_log WHERE organisation_id = $organisation AND sequence > 2');
  for (const n of [3, 4, 5, 6]) await write(`other ${n}`);
  const grown = await verify();
  expect(grown).toMatchObject({ rows: 6, broken: null });
  // The newest head was taken of the log as it is now.
  expect((await verify(grown)).broken).toBeNull();
  const broken = { sequence: 3, reason: 'not the log that was kept' };
  expect(await verify(third, fourth, grown)).toMatchObject({ rows: 3, broken });
  expect((await verify(fourth, grown)).broken).toEqual({ ...broken, sequence: 4 });
});

test('neither role of the application can change or delete an entry', async () => {
  await write('thing');
  for (const db of [database.db, database.systemDb]) {
    for (const statement of [`UPDATE audit_log SET actor = 'eve'`, 'DELETE FROM audit_log']) {
      await expect(sql.raw(statement).execute(db)).rejects.toMatchObject({ code: '42501' });
    }
  }
});

/** What the log keeps of these values, each in an entry of its own. */
async function keptOf(values: readonly unknown[]): Promise<unknown[]> {
  await inTransaction(database.db, actor, (tx) =>
    auditAll(
      tx,
      actor,
      values.map((after) => ({
        at: new Date(),
        action: 'users.change',
        objectKind: 'thing',
        object: 'x',
        customerId: null,
        after,
      })),
    ),
  );
  const rows = await inTransaction(database.db, actor, (tx) =>
    tx.selectFrom('audit_log').select('after').orderBy('sequence').execute(),
  );
  return rows.map(({ after }) => after);
}

const secretKeys = [
  ...['password', 'PASSPHRASE', 'secret', 'token', 'authorization', 'cookie', 'credential', 'authCode'],
  ...['domain_auth_info', 'EPPCode', 'privateKey', 'private_key', 'signedUrl', 'csr', 'link', 'setupLink'],
];

test('secrets never reach the log, however deep they hide, be it said as a value or as JSON', async () => {
  const said = secretKeys.map((key) => ({ deep: [{ [key]: 'canary', city: 'Oslo' }] }));
  // As the database writes JSON.
  const written = said.map((value) => new JsonText(JSON.stringify(value).replaceAll('":', '": ')));
  const kept = secretKeys.map((key) => ({ deep: [{ [key]: '[removed]', city: 'Oslo' }] }));
  expect(await keptOf([...said, ...written])).toEqual([...kept, ...kept]);
});

test('what only looks like a secret stays in the log', async () => {
  const values = [
    { city: 'Token', organization: 'Secret Link' },
    { links: 3, text: '"link": "csr"' },
    { secret: null, count: 0 },
  ];
  expect(await keptOf([...values, new JsonText('{"city": "Uplink"}')])).toEqual([
    ...values,
    { city: 'Uplink' },
  ]);
});

test('what an entry says of a person opens with that person’s key, and with the key it goes, while the chain holds', async () => {
  const customerId = newId();
  const say = (after: unknown, more: { customerId?: string; subject?: string } = {}) => {
    const entry = {
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object: 'x',
      customerId: null,
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

describe('the keys of persons are sealed with the portal’s own key', () => {
  const about = (subject: string, after: unknown, db: Db = database.db) => {
    const entry = {
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object: 'x',
      ...{ customerId: null, subject, after },
    };
    return inTransaction(db, actor, (tx) => audit(tx, actor, entry));
  };
  const shown = (db: Db = database.db) =>
    inTransaction(db, actor, async (tx) => {
      const rows = await tx.selectFrom('audit_log').select('after').orderBy('sequence').execute();
      return openValues(
        tx,
        actor.organisationId,
        rows.map(({ after }) => after),
      );
    });
  const stored = async () => {
    const keys = await database.systemDb
      .selectFrom('subject_keys')
      .where('organisation_id', '=', actor.organisationId)
      .select('key')
      .execute();
    return keys.map(({ key }) => key);
  };
  /** As versions before did, and as a thief of the database alone would like it. */
  const makePlain = () =>
    tamper(
      `UPDATE subject_keys SET key = sha256(subject_id::text::bytea) WHERE organisation_id = $organisation`,
    );
  const under = (number: number, ...more: number[]) => {
    const secrets = [number, ...more].map((one) => ({ number: one, secret: `key ${one} of this test` }));
    return createSeal(secrets);
  };

  test('the database alone opens nothing, and another row’s key does not open either', async () => {
    const [first, second] = [newId(), newId()];
    await about(first, { name: 'Ada Byron' });
    await about(second, { name: 'Grace Hopper' });
    expect((await stored()).map(({ length }) => length > 32)).toEqual([true, true]);
    expect(await shown()).toEqual([{ name: 'Ada Byron' }, { name: 'Grace Hopper' }]);
    await tamper(
      `UPDATE subject_keys SET key = (SELECT key FROM subject_keys WHERE subject_id = '${second}')
        WHERE subject_id = '${first}'`,
    );
    expect(await shown()).toEqual([{ unreadable: true }, { name: 'Grace Hopper' }]);
  });

  test('a key that an earlier version stored unsealed opens as before, and is sealed by the job, once', async () => {
    const [ada, grace] = [newId(), newId()];
    await about(ada, { name: 'of no matter' });
    await about(grace, { name: 'of no matter either' });
    await makePlain();
    await about(ada, { name: 'Ada Byron' });
    await about(grace, { name: 'Grace Hopper' });
    const opened = [{ erased: true }, { erased: true }, { name: 'Ada Byron' }, { name: 'Grace Hopper' }];
    expect((await stored()).map(({ length }) => length)).toEqual([32, 32]);
    expect(await shown()).toEqual(opened);

    expect(await sealPlainKeys(database.systemDb)).toBe(2);
    expect((await stored()).map(({ length }) => length > 32)).toEqual([true, true]);
    expect(await shown()).toEqual(opened);
    expect(await sealPlainKeys(database.systemDb)).toBe(0);
  });

  test('unsealed ones are no value of any key, so that changing the portal’s key does not stumble over them', async () => {
    await about(newId(), { name: 'Ada Byron' });
    await makePlain();
    const place = sealedSubjectKeys(database.systemDb);
    const found = await place.under({ than: 0, after: null, limit: 10_000 });
    expect(found.filter(({ organisationId }) => organisationId === actor.organisationId)).toEqual([]);
  });

  test('without the portal’s key they are unreadable, which is not erased; nobody gets a second key', async () => {
    const subject = newId();
    await about(subject, { name: 'Ada Byron' }, withSeal(database.db, under(7)));
    const without = withSeal(database.db, under(8));
    expect(await shown(without)).toEqual([{ unreadable: true }]);
    await expect(about(subject, { name: 'Ada Lovelace' }, without)).rejects.toThrow(
      'sealing key 7 is not configured',
    );
    expect(await shown(withSeal(database.db, under(8, 7)))).toEqual([{ name: 'Ada Byron' }]);
    expect(await stored()).toHaveLength(1);
  });

  test('a database without a seal writes nothing of a person', async () => {
    await using bare = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
    await expect(about(newId(), { name: 'Ada Byron' }, bare)).rejects.toThrow('not opened with a seal');
  });
});

test('an entry that was sealed before is one of the log; without a key there is none, and a destroyed key leaves it unreadable', async () => {
  const customerId = newId();
  const entry = {
    ...{ at: new Date(), action: 'dns.changeZone' as const, objectKind: 'zone', object: 'a.com', customerId },
    after: { added: ['secret words'] },
  };
  const sealed = () => inOneGo(database.db, actor, (tx) => sealedBefore(tx, actor, entry));
  expect(await sealed()).toBeNull();
  await inTransaction(database.db, actor, (tx) => audit(tx, actor, entry));
  const known = await sealed();
  if (!known) throw new Error('the key is there');
  expect(JSON.stringify(known)).not.toContain('secret words');
  await inOneGo(database.db, actor, (tx) => appendAll(tx, actor, [known]));
  const shown = () =>
    inTransaction(database.db, actor, async (tx) => {
      const rows = await tx.selectFrom('audit_log').select('after').orderBy('sequence').execute();
      return openValues(
        tx,
        actor.organisationId,
        rows.map(({ after }) => after),
      );
    });
  expect(await shown()).toEqual([entry.after, entry.after]);
  await inTransaction(database.db, actor, (tx) => destroyKeys(tx, actor.organisationId, [customerId]));
  await inOneGo(database.db, actor, (tx) => appendAll(tx, actor, [known]));
  expect(await shown()).toEqual([{ erased: true }, { erased: true }, { erased: true }]);
  expect(await verify()).toMatchObject({ rows: 3, broken: null });
});

test('an entry about nobody is kept as it is, sealed before or not', async () => {
  const entry = {
    ...{
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object: 'one',
      customerId: null,
    },
    after: { name: 'seen' },
  };
  const known = await inTransaction(database.db, actor, (tx) => sealedBefore(tx, actor, entry));
  expect(known).toMatchObject({ before: null, after: { name: 'seen' } });
});
