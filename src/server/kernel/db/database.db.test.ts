import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { customerRow, organisationRow } from '../../../../tests/support/rows.ts';
import { newId } from '../ids.ts';
import {
  ask,
  createDatabase,
  type Db,
  inOneGo,
  inReading,
  inTransaction,
  later,
  type RawBuilder,
  sql,
  systemTransaction,
  type Tx,
} from './database.ts';
import { forgetNames, preparedName } from './prepared.ts';
import { assertNoTransaction } from './transaction-context.ts';

let database: TestDatabase;
const mine = { organisationId: newId() };
const theirs = { organisationId: newId() };

beforeAll(async () => {
  database = await createTestDatabase();
  for (const { organisationId } of [mine, theirs]) {
    await systemTransaction(database.systemDb, (tx) =>
      tx.insertInto('organisations').values({ id: organisationId, name: 'Somebody' }).execute(),
    );
  }
});
afterAll(() => database.close());

/** Tables without row-level security: they hold no tenant's rows, or (the last two) the application may not read them. */
const ofNobody = [
  ...['acme_compromised_keys', 'acme_nonces'],
  ...['certificate_products', 'cost_quotes', 'price_entries', 'rate_windows'],
  ...['schema_migrations', 'webhook_events'],
];

test('row-level security is enabled and forced on every table of a tenant', async () => {
  const { rows } = await sql<{ name: string; safe: boolean }>`
    SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS safe FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`.execute(database.systemDb);
  const open = rows.filter(({ safe }) => !safe).map(({ name }) => name);
  expect(
    open.filter((name) => !ofNobody.includes(name)),
    'enable and force row-level security, and write its policies and grants, as 0135_saved_views.sql does',
  ).toEqual([]);
  const { rows: columns } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'organisation_id'`.execute(database.systemDb);
  expect(columns.filter(({ name }) => open.includes(name))).toEqual([]);
});

test('without an organisation a tenant session sees no rows', async () => {
  expect(await database.db.selectFrom('organisations').selectAll().execute()).toEqual([]);
});

test('a reading sees its own organisation, also beside others on one connection, and changes nothing', async () => {
  const narrow = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
  const idsOf = (scope: { organisationId: string }) =>
    inReading(narrow, scope, (tx) => tx.selectFrom('organisations').select('id').execute());
  const seen = await Promise.all([idsOf(mine), idsOf(theirs), idsOf(mine)]);
  expect(seen.map(([row]) => row?.id)).toEqual([
    mine.organisationId,
    theirs.organisationId,
    mine.organisationId,
  ]);
  expect(seen.every((rows) => rows.length === 1)).toBe(true);
  // What was set for the reading went with it.
  expect(await narrow.selectFrom('organisations').select('id').execute()).toEqual([]);
  const changing = inReading(narrow, mine, (tx) =>
    tx.updateTable('organisations').set({ name: 'Changed' }).execute(),
  );
  await expect(changing).rejects.toMatchObject({ code: '25006' });
  const wrong = inReading(narrow, mine, (tx) => sql`SELECT nothing FROM organisations`.execute(tx));
  await expect(wrong).rejects.toMatchObject({ code: '42703' });
  await expect(
    inReading(narrow, mine, (tx) => sql`SELECT nothing FROM organisations`.execute(tx)),
  ).rejects.toThrow('nothing');
  const failing = (divisor: number) =>
    inReading(narrow, mine, (tx) => sql<{ n: number }>`SELECT 6 / ${divisor}::int AS n`.execute(tx));
  await expect(failing(0)).rejects.toMatchObject({ code: '22012' });
  expect((await failing(2)).rows).toEqual([{ n: 3 }]);
  expect(await idsOf(theirs)).toEqual([{ id: theirs.organisationId }]);
  await narrow.destroy();
});

const contact = {
  ...{ firstName: 'Ann', lastName: 'Smith', email: 'ann@example.com' },
  ...{ city: 'Boston', state: 'MA', country: 'US' },
};

test('the functions that search look at nothing but the present organisation', async () => {
  const owner = JSON.stringify({ ...contact, organization: 'Hidden Ltd' });
  const customerId = await customerRow(database, theirs.organisationId, { owner });
  const address = `${newId()}-hidden.com`;
  await sql`INSERT INTO domains (id, organisation_id, customer_id, address, status, expires_at)
    VALUES (${newId()}, ${theirs.organisationId}, ${customerId}, ${address}, 'active', now())`.execute(
    database.systemDb,
  );
  // The first two serve versions before migration 0175, the third those before 0247.
  const searches = [
    sql`SELECT customers_like(${theirs.organisationId}, '%hidden%') AS id`,
    sql`SELECT c.customer_id AS id FROM domains_like(${theirs.organisationId}, '%hidden%') i JOIN domains c ON c.id = i`,
    sql`SELECT ${customerId} AS id FROM domain_names_found(${theirs.organisationId}, '%hidden%', '{}')`,
    sql`SELECT id FROM customers_found(${theirs.organisationId}, '%hidden%', '{}')`,
    sql`SELECT customer_id AS id FROM domains_found(${theirs.organisationId}, '%hidden%', '{}')`,
    sql`SELECT ${customerId} AS id FROM domain_names_page(${theirs.organisationId}, '%hidden%', false, 0, 50)`,
    sql`SELECT id FROM customers_of_most_domains(${theirs.organisationId}, 50)`,
    sql`SELECT ${customerId} AS id WHERE domains_expiring(${theirs.organisationId}, 'infinity') > 0`,
  ] as RawBuilder<{ id: string }>[];
  const expectAllOwn = async () => {
    for (const search of searches) {
      const found = async (as: { organisationId: string }) =>
        (await inReading(database.db, as, (tx) => search.execute(tx))).rows;
      expect(await found(theirs)).toEqual([{ id: customerId }]);
      expect(await found(mine)).toEqual([]);
      expect((await search.execute(database.db)).rows).toEqual([]);
    }
  };
  await expectAllOwn();
  // Where there are many, an index finds them (migration 0207).
  await countsAsMany(theirs.organisationId);
  await expectAllOwn();
});

const countsAsMany = (organisationId: string) =>
  sql`INSERT INTO kept_counts (organisation_id, customers) VALUES (${organisationId}, 1001)`.execute(
    database.systemDb,
  );

test('a search finds the same customers among few and among many', async () => {
  const organisationId = await organisationRow(database);
  const add = (organization: string, deletedAt: Date | null = null) =>
    customerRow(database, organisationId, {
      owner: JSON.stringify({ ...contact, organization }),
      deleted_at: deletedAt,
    });
  const wanted = await add('Harbour Bakery');
  await Promise.all([add('Harbour Dentist'), add('Village Bakery'), add('Harbour Bakery', new Date())]);
  const found = async () => {
    const search = sql<{
      id: string;
    }>`SELECT id FROM customers_found(${organisationId}, '%harbour%', ARRAY['%bakery%'])`;
    return (await inReading(database.db, { organisationId }, (tx) => search.execute(tx))).rows;
  };
  expect(await found()).toEqual([{ id: wanted }]);
  await countsAsMany(organisationId);
  expect(await found()).toEqual([{ id: wanted }]);
});

test('a reading outlives a change of its table by a newer version', async () => {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  const narrow = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
  const read = () => inReading(narrow, mine, (tx) => tx.selectFrom('organisations').selectAll().execute());
  expect(await read()).toHaveLength(1);
  await sql`ALTER TABLE organisations ADD COLUMN added_later text`.execute(owner);
  expect(await read()).toMatchObject([{ id: mine.organisationId, added_later: null }]);
  await sql`ALTER TABLE organisations DROP COLUMN added_later`.execute(owner);
  await Promise.all([owner.destroy(), narrow.destroy()]);
});

test('a transaction sees its own organisation and cannot read, change or add to another', async () => {
  const seen = await inTransaction(database.db, mine, (tx) =>
    tx.selectFrom('organisations').select('id').execute(),
  );
  expect(seen).toEqual([{ id: mine.organisationId }]);
  const changed = await inTransaction(database.db, mine, (tx) =>
    tx
      .updateTable('organisations')
      .set({ name: 'Taken over' })
      .where('id', '=', theirs.organisationId)
      .executeTakeFirst(),
  );
  expect(changed.numUpdatedRows).toBe(0n);
  const adding = inTransaction(database.db, mine, (tx) =>
    tx.insertInto('organisations').values({ id: newId(), name: 'Planted' }).execute(),
  );
  await expect(adding).rejects.toMatchObject({ code: '42501' });
});

test('a connection that goes back to the pool forgets the organisation', async () => {
  const single = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
  await inTransaction(single, mine, (tx) => tx.selectFrom('organisations').selectAll().execute());
  expect(await single.selectFrom('organisations').selectAll().execute()).toEqual([]);
  await single.destroy();
});

test.each(['journal', 'postings', 'audit_log'])('%s is append-only for the application', async (table) => {
  for (const role of [database.db, database.systemDb]) {
    for (const statement of [
      `UPDATE ${table} SET organisation_id = NULL`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
    ]) {
      await expect(sql.raw(statement).execute(role)).rejects.toMatchObject({ code: '42501' });
    }
  }
});

test('the application owns nothing and makes nothing', async () => {
  for (const role of [database.db, database.systemDb]) {
    const { rows } = await sql<{ owned: number; rolsuper: boolean; rolbypassrls: boolean }>`
      SELECT (SELECT count(*) FROM pg_class WHERE pg_get_userbyid(relowner) = current_user) AS owned,
        rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user`.execute(role);
    expect(rows).toEqual([{ owned: 0, rolsuper: false, rolbypassrls: false }]);
    await expect(sql`CREATE TABLE extra (id int)`.execute(role)).rejects.toMatchObject({ code: '42501' });
    await expect(sql`SELECT * FROM schema_migrations`.execute(role)).rejects.toMatchObject({ code: '42501' });
  }
  await expect(sql`SELECT * FROM webhook_events`.execute(database.db)).rejects.toMatchObject({
    code: '42501',
  });
});

test('a call to the outside inside a transaction is refused, however deep; outside one it is not', async () => {
  const call = async () => assertNoTransaction('the registrar');
  await call();
  for (const run of [
    () => inTransaction(database.db, mine, async () => Promise.all([call()])),
    () => systemTransaction(database.systemDb, () => new Promise((done) => setImmediate(done)).then(call)),
  ]) {
    await expect(run()).rejects.toThrow('outside call inside a transaction: the registrar');
  }
  await call();
});

test('a failure in the work takes back what it wrote', async () => {
  const id = newId();
  const failing = systemTransaction(database.systemDb, async (tx) => {
    await tx.insertInto('organisations').values({ id, name: 'Not kept' }).execute();
    throw new Error('after the write');
  });
  await expect(failing).rejects.toThrow('after the write');
  const kept = await database.systemDb.selectFrom('organisations').where('id', '=', id).selectAll().execute();
  expect(kept).toEqual([]);
});

test('big integers are numbers; one that a number cannot hold is an error, never a rounded value', async () => {
  const { rows } = await sql<{ cents: number }>`SELECT 9007199254740991::bigint AS cents`.execute(
    database.db,
  );
  expect(rows).toEqual([{ cents: Number.MAX_SAFE_INTEGER }]);
  await expect(sql`SELECT 9007199254740992::bigint`.execute(database.db)).rejects.toThrow('too large');
});

const everyKind = sql`SELECT n, 'née “Ü” 漢'::text AS words, 'ab'::varchar AS short, 'x'::char(3) AS fixed, ''::text AS empty,
  NULL::text AS nothing, true AS yes, false AS no, '-32768'::int2 AS small, n::int4 AS usual, '-9007199254740991'::int8 AS big,
  1.50::numeric AS exact, 0.1::float8 AS rough, '{"a": ["Ü", null]}'::jsonb AS json, '{}'::json AS plain_json,
  '{1,2}'::int[] AS list, '{a,"b c"}'::text[] AS words_list, ARRAY['2026-11-23 14:50:31+00'::timestamptz] AS moments,
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS id, '2026-11-23'::date AS day, '\\x00ff'::bytea AS bytes,
  '2026-11-23 14:50:31.725466+00'::timestamptz AS moment, '2026-11-23 14:50:31+00'::timestamptz AS whole,
  'infinity'::timestamptz AS never, '0044-03-15 12:00+00 BC'::timestamptz AS ides, '0050-01-01 00:00+00'::timestamptz AS early,
  '12026-01-01 00:00+00'::timestamptz AS late, '1880-01-01 00:00:00+00'::timestamptz AS odd, interval '1 day' AS apart
  FROM generate_series(1, 3) AS n`;

test.each(['UTC', 'Asia/Kolkata', 'America/New_York', 'Europe/Amsterdam'])(
  'rows of a reading hold what the driver makes of them, in the time zone %s, each time that they are read',
  async (zone) => {
    const owner = createDatabase({ url: database.url, maxConnections: 1 });
    const here = sql.id(new URL(database.url).pathname.slice(1));
    await sql`ALTER ROLE nameward_app IN DATABASE ${here} SET timezone = ${sql.lit(zone)}`.execute(owner);
    const one = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
    // Without parameters outside of a reading a statement is the driver's alone.
    const expected = await everyKind.execute(one);
    for (let time = 0; time < 4; time += 1) {
      expect((await inReading(one, mine, (tx) => everyKind.execute(tx))).rows).toEqual(expected.rows);
    }
    const none = await inReading(one, mine, (tx) =>
      sql`SELECT id FROM organisations WHERE false`.execute(tx),
    );
    expect(none.rows).toEqual([]);
    await sql`ALTER ROLE nameward_app IN DATABASE ${here} RESET timezone`.execute(owner);
    await Promise.all([one.destroy(), owner.destroy()]);
  },
);

test('a row that cannot be read fails its own statement, and the next ones on its connection are read', () =>
  onOne(async (one) => {
    const big = (cents: string) =>
      inReading(one, mine, (tx) =>
        sql<{ cents: number }>`SELECT ${cents}::bigint AS cents FROM generate_series(1, 2)`.execute(tx),
      );
    for (let time = 0; time < 3; time += 1) {
      await expect(big('9007199254740992')).rejects.toThrow('too large');
      expect((await big('-9007199254740991')).rows).toEqual([
        { cents: -9007199254740991 },
        { cents: -9007199254740991 },
      ]);
    }
  }));

test('a page of many rows and long texts is read whole, however it comes in', () =>
  onOne(async (one) => {
    for (const length of [1, 200, 70_000]) {
      const { rows } = await inReading(one, mine, (tx) =>
        sql<{ n: number; text: string }>`SELECT n, repeat('ä', ${length}::int) AS text
          FROM generate_series(1, 60) AS n`.execute(tx),
      );
      expect(rows).toHaveLength(60);
      expect(rows.every(({ n, text }, index) => n === index + 1 && text === 'ä'.repeat(length))).toBe(true);
    }
  }));

test('a statement beyond its time is cancelled, by the limits that are kept with the login', async () => {
  for (const pool of [database.db, database.systemDb]) {
    const { rows } = await sql`SELECT current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS idle`.execute(pool);
    expect(rows).toEqual([{ statement: '30s', idle: '20s' }]);
  }
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  const here = sql.id(new URL(database.url).pathname.slice(1));
  await sql`ALTER ROLE nameward_app IN DATABASE ${here} SET statement_timeout = 50`.execute(owner);
  const hasty = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
  await expect(sql`SELECT pg_sleep(20)`.execute(hasty)).rejects.toMatchObject({ code: '57014' });
  await sql`ALTER ROLE nameward_app IN DATABASE ${here} RESET statement_timeout`.execute(owner);
  await Promise.all([hasty.destroy(), owner.destroy()]);
});

test('a connection that breaks in a transaction fails the transaction, not the process; the next one works', async () => {
  const broken = systemTransaction(database.systemDb, async (tx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
    await terminate(rows[0]?.pid ?? 0);
    // The connection is told while nobody asks it anything.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await sql`SELECT 1`.execute(tx);
  });
  await expect(broken).rejects.toThrow();
  expect((await sql`SELECT 1 AS one`.execute(database.systemDb)).rows).toEqual([{ one: 1 }]);
});

async function terminate(pid: number): Promise<void> {
  const owner = createDatabase({ url: database.url, maxConnections: 1 });
  await sql`SELECT pg_terminate_backend(${pid}, 5000)`.execute(owner);
  await owner.destroy();
}

test('what is asked often is prepared, however many other statements were asked once before it', () => {
  forgetNames();
  for (let other = 0; other < 5_000; other += 1) expect(preparedName(`SELECT ${other}`)).toBeUndefined();
  expect(preparedName('SELECT often')).toBeUndefined();
  const name = preparedName('SELECT often');
  expect(name).toMatch(/^nameward_\d+$/);
  expect(preparedName('SELECT often')).toBe(name);
  // A name that a connection may have prepared is not given to another text.
  forgetNames();
  preparedName('SELECT other');
  expect(preparedName('SELECT other')).not.toBe(name);
});

test('a statement that is sent again and again is prepared once, and answers by its values', async () => {
  forgetNames();
  const one = createDatabase({ url: database.urls.system, maxConnections: 1 });
  try {
    const query = one
      .selectFrom('organisations')
      .select('name')
      .where('id', '=', mine.organisationId)
      .compile();
    const ask = (id: string) => one.executeQuery({ ...query, parameters: [id] });
    expect((await ask(mine.organisationId)).rows).toHaveLength(1);
    expect((await ask(newId())).rows).toEqual([]);
    await systemTransaction(one, async (tx) => {
      const found = await tx.executeQuery({ ...query, parameters: [theirs.organisationId] });
      expect(found.rows).toHaveLength(1);
    });
    const { rows } =
      await sql`SELECT name FROM pg_prepared_statements WHERE statement = ${query.sql}`.execute(one);
    expect(rows).toHaveLength(1);
  } finally {
    await one.destroy();
  }
});

/** One connection, so that whatever a transaction leaves on it would meet the next one. */
async function onOne(run: (one: Db) => Promise<void>): Promise<void> {
  const one = createDatabase({ url: database.urls.tenants, maxConnections: 1 });
  try {
    await run(one);
    expect(await one.selectFrom('organisations').select('id').execute()).toEqual([]);
  } finally {
    await one.destroy();
  }
}

const rename = (tx: Tx, name: string) =>
  tx.updateTable('organisations').set({ name }).where('id', '=', mine.organisationId);
const nameOf = async () => {
  const row = await database.systemDb
    .selectFrom('organisations')
    .select('name')
    .where('id', '=', mine.organisationId)
    .executeTakeFirst();
  return row?.name;
};

test('what travels with the commit is done, in order, and sees the organisation', () =>
  onOne(async (one) => {
    await inTransaction(one, mine, async (tx) => {
      await later(tx, rename(tx, 'First'));
      await later(tx, rename(tx, 'Second'));
    });
    expect(await nameOf()).toBe('Second');
    await inTransaction(one, mine, async (tx) => {
      await later(tx, rename(tx, 'Third'));
      expect(await tx.selectFrom('organisations').select('name').execute()).toEqual([{ name: 'Third' }]);
    });
    expect(await nameOf()).toBe('Third');
  }));

test('what failed on the way takes everything back, whatever it travelled with', () =>
  onOne(async (one) => {
    const before = await nameOf();
    const broken = sql`SELECT 1 / 0`;
    const works: Record<string, (tx: Tx) => Promise<unknown>> = {
      'alone with the commit': (tx) => later(tx, broken),
      'before a statement that is awaited': async (tx) => {
        await later(tx, broken);
        await rename(tx, 'Not kept').execute();
      },
      'beside statements at the same time': (tx) =>
        Promise.all([rename(tx, 'Not kept').execute(), broken.execute(tx), rename(tx, 'Not kept').execute()]),
      'behind one that was written': async (tx) => {
        await rename(tx, 'Not kept').execute();
        await later(tx, rename(tx, 'Not kept either'));
        await later(tx, broken);
      },
    };
    for (const [name, work] of Object.entries(works)) {
      await expect(inTransaction(one, mine, work), name).rejects.toMatchObject({ code: '22012' });
    }
    expect(await nameOf()).toBe(before);
  }));

test('a failure that the work hides is no commit', () =>
  onOne(async (one) => {
    const before = await nameOf();
    const hiding = inTransaction(one, mine, async (tx) => {
      await rename(tx, 'Not kept').execute();
      await sql`SELECT 1 / 0`.execute(tx).catch(() => undefined);
    });
    await expect(hiding).rejects.toThrow('the transaction was taken back');
    expect(await nameOf()).toBe(before);
  }));

test('values that cannot be sent keep the commit behind them from going out', () =>
  onOne(async (one) => {
    const before = await nameOf();
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const unsendable = sql`SELECT ${sql.val(endless)}::json`;
    for (let time = 0; time < 3; time += 1) {
      const failing = inTransaction(one, mine, async (tx) => {
        await later(tx, rename(tx, 'Not kept'));
        await later(tx, unsendable);
      });
      await expect(failing).rejects.toThrow('circular');
    }
    expect(await nameOf()).toBe(before);
    await inTransaction(one, mine, async (tx) => {
      await sql`SELECT ${'{}'}::json`.execute(tx);
    });
  }));

test('the deferred checks of the ledger refuse a commit that travels with the postings', async () => {
  const { organisationId } = mine;
  const id = newId();
  const lopsided = systemTransaction(database.systemDb, async (tx) => {
    await later(
      tx,
      tx.insertInto('journal').values({
        id,
        organisation_id: organisationId,
        kind: 'adjustment',
        ref: id,
        actor: 'test',
        text: '',
      }),
    );
    await later(
      tx,
      tx
        .insertInto('postings')
        .values({ journal_id: id, organisation_id: organisationId, account: 'wallet', cents: 1 }),
    );
  });
  await expect(lopsided).rejects.toThrow();
  const kept = await database.systemDb.selectFrom('journal').where('id', '=', id).selectAll().execute();
  expect(kept).toEqual([]);
});

test('what goes in one go sees and changes its own organisation, and is done when it returns', () =>
  onOne(async (one) => {
    const renamed = await inOneGo(one, mine, (tx) => rename(tx, 'By itself').executeTakeFirst());
    expect([renamed.numUpdatedRows, await nameOf()]).toEqual([1n, 'By itself']);
    const foreign = await inOneGo(one, theirs, (tx) => rename(tx, 'Taken over').executeTakeFirst());
    expect([foreign.numUpdatedRows, await nameOf()]).toEqual([0n, 'By itself']);
    await inOneGo(one, mine, (tx) => later(tx, rename(tx, 'Nobody waits')));
    expect(await nameOf()).toBe('Nobody waits');
  }));

test('in one go all is done or nothing, and what is asked for afterwards is refused', () =>
  onOne(async (one) => {
    const before = await nameOf();
    const failing = inOneGo(one, mine, async (tx) => {
      await later(tx, rename(tx, 'Not kept'));
      await sql`SELECT 1 / 0`.execute(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const unheard = inOneGo(one, mine, async (tx) => {
      await later(tx, rename(tx, 'Not kept'));
      await later(tx, sql`SELECT 1 / 0`);
    });
    await expect(unheard).rejects.toMatchObject({ code: '22012' });
    const second = inOneGo(one, mine, async (tx) => {
      await sql`SELECT 1`.execute(tx);
      await rename(tx, 'A second one').execute();
    });
    await expect(second).rejects.toThrow('in one go only');
    const thrown = inOneGo(one, mine, async (tx) => {
      await later(tx, rename(tx, 'Not sent'));
      throw new Error('on purpose');
    });
    await expect(thrown).rejects.toThrow('on purpose');
    expect(await nameOf()).toBe(before);
  }));

test('in one go also who is not waited for hears the answer, or why there is none', () =>
  onOne(async (one) => {
    const heard: Promise<unknown>[] = [];
    const said = (answer: Promise<unknown>) => void heard.push(answer.catch((error: Error) => error.message));
    await inOneGo(one, mine, async (tx) => said(ask(tx, sql`SELECT 1 AS one`)));
    const failing = inOneGo(one, mine, async (tx) => said(ask(tx, sql`SELECT 1 / 0`)));
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const thrown = inOneGo(one, mine, async (tx) => {
      said(ask(tx, sql`SELECT 1 AS one`));
      throw new Error('on purpose');
    });
    await expect(thrown).rejects.toThrow('on purpose');
    expect(await Promise.all(heard)).toMatchObject([
      { rows: [{ one: 1 }] },
      'division by zero',
      'the transaction was rolled back',
    ]);
  }));

test('in one go is done when the answer is there, also where the work waits for something else meanwhile', () =>
  onOne(async (one) => {
    const heard: string[] = [];
    const said = (answer: Promise<unknown>) =>
      void answer.then(
        () => heard.push('answer'),
        (error: Error) => heard.push(error.message),
      );
    const meanwhile = () => new Promise((resolve) => setImmediate(resolve));
    const going = (statement: RawBuilder<unknown>, work: () => Promise<unknown>) =>
      inOneGo(one, mine, async (tx) => {
        said(ask(tx, statement));
        await meanwhile();
        return work();
      });
    await going(sql`SELECT pg_sleep(0.1)`, async () => undefined);
    expect(heard.splice(0)).toEqual(['answer']);
    const failing = going(sql`SELECT 1 / 0 FROM pg_sleep(0.1)`, async () => undefined);
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(heard.splice(0)).toEqual(['division by zero']);
    // Its connection is nobody's until then.
    const thrown = going(sql`SELECT pg_sleep(0.1)`, () => Promise.reject(new Error('on purpose')));
    await expect(thrown).rejects.toThrow('on purpose');
    expect(heard.splice(0)).toEqual(['answer']);
  }));

test('only what says so does not wait for the disk, and the next one on its connection does', () =>
  onOne(async (one) => {
    const waits = async (tx: Tx) =>
      (await sql<{ on: string }>`SELECT current_setting('synchronous_commit') AS on`.execute(tx)).rows[0]?.on;
    // A cluster of tests never waits.
    await sql`SET synchronous_commit = on`.execute(one);
    expect(await inOneGo(one, mine, waits)).toBe('on');
    expect(await inOneGo(one, mine, waits, { durable: false })).toBe('off');
    expect(await inOneGo(one, mine, waits)).toBe('on');
  }));

test('what is asked at once goes in the order of the calls, before what is built later', () =>
  onOne(async (one) => {
    const seen = await inTransaction(one, mine, async (tx) => {
      const read = () => ask(tx, tx.selectFrom('organisations').select('name'));
      const ends = await Promise.all([
        ask(tx, rename(tx, 'First')),
        read(),
        ask(tx, rename(tx, 'Second')),
        read(),
      ]);
      return [ends[1].rows, ends[3].rows];
    });
    expect(seen).toEqual([[{ name: 'First' }], [{ name: 'Second' }]]);
  }));

test('readings at the same time share a round trip, see one organisation each, and fail together', () =>
  onOne(async (one) => {
    const both = (scope: { organisationId: string }) =>
      inReading(one, scope, (tx) =>
        Promise.all([
          tx.selectFrom('organisations').select('id').execute(),
          tx.selectFrom('organisations').select('name').execute(),
        ]),
      );
    const [[mineIds], [theirIds]] = await Promise.all([both(mine), both(theirs)]);
    expect([mineIds, theirIds]).toEqual([[{ id: mine.organisationId }], [{ id: theirs.organisationId }]]);
    const failing = inReading(one, mine, (tx) =>
      Promise.all([sql`SELECT 1`.execute(tx), sql`SELECT 1 / 0`.execute(tx)]),
    );
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const changing = inReading(one, mine, (tx) =>
      Promise.all([sql`SELECT 1`.execute(tx), rename(tx, 'Changed').execute()]),
    );
    await expect(changing).rejects.toMatchObject({ code: '25006' });
  }));

test('readings whose values cannot be sent all hear of it, and cost no connection', () =>
  onOne(async (one) => {
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const pid = async () =>
      (await inReading(one, mine, (tx) => sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx)))
        .rows[0]?.pid;
    const before = await pid();
    for (const wrong of [sql`SELECT ${sql.val(endless)}::json`, sql`SELECT 1 / 0`]) {
      const ends = await inReading(one, mine, (tx) =>
        Promise.allSettled([sql`SELECT 1`, wrong, sql`SELECT 2`].map((statement) => statement.execute(tx))),
      );
      expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(await pid()).toBe(before);
    }
  }));

test('readings for which no connection can be had all hear why', async () => {
  const url = new URL(database.urls.tenants);
  // Nothing listens there.
  url.port = '1';
  const nowhere = createDatabase({ url: url.href, maxConnections: 1 });
  const ends = await inReading(nowhere, mine, (tx) =>
    Promise.allSettled([sql`SELECT 1`.execute(tx), sql`SELECT 2`.execute(tx)]),
  );
  const refused = { status: 'rejected', reason: { code: 'ECONNREFUSED' } };
  expect(ends).toMatchObject([refused, refused]);
  await nowhere.destroy();
});

test('a reading keeps its connection until it is answered: another one does not wait behind it', async () => {
  const two = createDatabase({ url: database.urls.tenants, maxConnections: 2 });
  const read = (statement: RawBuilder<unknown>) => inReading(two, mine, (tx) => statement.execute(tx));
  const lock = sql`SELECT pg_advisory_xact_lock(4711)`;
  // There is one connection that nobody uses.
  await read(sql`SELECT 1`);
  const slow = await systemTransaction(database.systemDb, async (tx) => {
    await lock.execute(tx);
    const waiting = read(lock);
    await sql`SELECT 1`.execute(tx);
    await read(sql`SELECT 2`);
    return [waiting];
  });
  await Promise.all(slow);
  await two.destroy();
});

test('a transaction that has ended takes no statement, and one without a statement asks nothing', () =>
  onOne(async (one) => {
    let kept: Tx | undefined;
    await inTransaction(one, mine, async (tx) => {
      kept = tx;
    });
    if (!kept) throw new Error('no transaction');
    const late = kept;
    await expect(rename(late, 'Too late').execute()).rejects.toThrow('the transaction has ended');
    await expect(later(late, rename(late, 'Too late'))).rejects.toThrow('the transaction has ended');
    await expect(inTransaction(one, theirs, () => rename(late, 'Too late').execute())).rejects.toThrow(
      'the transaction has ended',
    );
  }));

test('a statement that loses its connection fails all that travelled with it', async () => {
  const broken = systemTransaction(database.systemDb, async (tx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
    const waiting = Promise.allSettled([
      sql`SELECT 1`.execute(tx),
      sql`SELECT pg_sleep(20)`.execute(tx),
      sql`SELECT 2`.execute(tx),
    ]);
    await terminate(rows[0]?.pid ?? 0);
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await sql`SELECT 1`.execute(tx);
  });
  await expect(broken).rejects.toThrow();
  expect((await sql`SELECT 1 AS one`.execute(database.systemDb)).rows).toEqual([{ one: 1 }]);
});

/** Three in one transaction, each asked for while the one before has left and is not answered. */
async function oneBehindTheOther(tx: Tx, first: RawBuilder<unknown>) {
  const heard: Promise<PromiseSettledResult<{ rows: unknown[] }>[]>[] = [];
  for (const statement of [first, sql`SELECT 2 AS n`, sql`SELECT 3 AS n`]) {
    heard.push(Promise.allSettled([statement.execute(tx)]));
    await nextTurn();
    await nextTurn();
  }
  return (await Promise.all(heard)).flat();
}

test('what is asked while something else is under way is answered in turn, and the driver keeps none of it', () =>
  onOne(async (one) => {
    const warned: string[] = [];
    const warn = ({ message }: Error) => warned.push(message);
    process.on('warning', warn);
    const all = await inTransaction(one, mine, (tx) =>
      oneBehindTheOther(tx, sql`SELECT 1 AS n FROM pg_sleep(0.05)`),
    );
    await nextTurn();
    process.off('warning', warn);
    expect(all.map((each) => each.status === 'fulfilled' && each.value.rows)).toEqual([
      [{ n: 1 }],
      [{ n: 2 }],
      [{ n: 3 }],
    ]);
    expect(warned).toEqual([]);
  }));

test('what waits behind a statement that fails, or that loses its connection, hears of it', () =>
  onOne(async (one) => {
    const failing = inTransaction(one, mine, (tx) => oneBehindTheOther(tx, sql`SELECT 1 / 0`));
    await expect(failing).rejects.toThrow('the transaction was taken back');
    const heard = Promise.withResolvers<string[]>();
    const broken = systemTransaction(database.systemDb, async (tx) => {
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
      const all = oneBehindTheOther(tx, sql`SELECT pg_sleep(20)`);
      await terminate(rows[0]?.pid ?? 0);
      heard.resolve((await all).map(({ status }) => status));
    });
    await expect(broken).rejects.toThrow();
    expect(await heard.promise).toEqual(['rejected', 'rejected', 'rejected']);
  }));
