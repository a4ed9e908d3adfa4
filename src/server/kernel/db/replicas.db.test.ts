import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openReplicated, type Replicated } from '../../../../tests/support/standby.ts';
import { createDatabase, type Db, inReading, inTransaction, sql, type Tx } from './database.ts';
import { createReplicas, type Outcome, type Replicas } from './replicas.ts';

/** Two servers, on which replay is stopped and gone on with. Organizations are made of nothing but their rows. */
let servers: Replicated;
let replicas: Replicas;
let db: Db;
const one = { organisationId: '01900000-0000-7000-8000-000000000001' };
const other = { organisationId: '01900000-0000-7000-8000-000000000002' };
const said: string[] = [];
const logger = {
  info: (_: unknown, text: string) => said.push(text),
  warn: (_: unknown, text: string) => said.push(text),
  error: (_: unknown, text: string) => said.push(text),
} as never;

function open(urls: readonly string[], changes: { mostLagMs?: number } = {}) {
  const { tenants } = servers.primary.database.urls;
  return createReplicas({
    ...{ urls, primaryUrl: tenants, maxConnections: 5, preparedStatements: true, mostLagMs: 10_000, logger },
    ...changes,
  });
}

beforeAll(async () => {
  servers = await openReplicated();
  await servers.onPrimary(`
    INSERT INTO database_place (database, timeline, seen_at)
      SELECT 'this', left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), now();
    INSERT INTO organisations (id, name, created_at) SELECT id::uuid, 'Org', now()
      FROM unnest(ARRAY['${one.organisationId}', '${other.organisationId}']) AS id;`);
  await servers.caughtUp();
  replicas = open([servers.readUrl]);
  await replicas.start();
  db = createDatabase({ url: servers.primary.database.urls.tenants, maxConnections: 5, replicas });
});
afterAll(async () => {
  await db?.destroy();
  await replicas?.stop();
  await servers?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await servers.resumeReplay();
  await serves(null);
});

async function until(right: () => boolean): Promise<void> {
  while (!right()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The next look of the process has seen it. */
const serves = (fault: string | null) =>
  until(() => replicas.figures().servers.every((server) => server.fault === fault));

const names = (tx: Tx) => tx.selectFrom('organisations').select('name').execute();

interface Answer {
  names: string[];
  position: string | null;
  outcomes: Outcome[];
}

/** A list, as a process of the portal does it. */
async function list(
  scope: { organisationId: string },
  shown: string | null,
  mayRead = true,
): Promise<Answer> {
  const before = new Map(replicas.figures().served);
  const answer = await replicas.during({ mayRead, shown }, async (positionNow) => {
    const rows = await inReading(db, scope, names);
    return { names: rows.map(({ name }) => name), position: await positionNow() };
  });
  const outcomes = [...replicas.figures().served].flatMap(([outcome, count]) =>
    count > (before.get(outcome) ?? 0) ? [outcome] : [],
  );
  return { ...answer, outcomes };
}

/** The same until a replica has answered: a machine with much other work may need longer for the replay than a list waits. */
async function listThere(scope: { organisationId: string }, shown: string | null): Promise<Answer> {
  for (;;) {
    const answer = await list(scope, shown);
    if (!answer.outcomes.includes('behind')) return answer;
  }
}

/** A change that the audit log does not speak of, by nobody whom the portal knows. */
const rename = ({ organisationId }: typeof one, name: string) =>
  servers.onPrimary(`UPDATE organisations SET name = '${name}' WHERE id = '${organisationId}'`);

/** A change as people make it, with its entry. */
const act = (scope: typeof one, name: string) =>
  servers.onPrimary(`BEGIN;
    UPDATE organisations SET name = '${name}' WHERE id = '${scope.organisationId}';
    INSERT INTO audit_log (organisation_id, sequence, at, actor, action, object_kind, object, previous_hash, hash)
      SELECT '${scope.organisationId}', coalesce(max(sequence), 0) + 1, now(), 'test', 'users.update', 'organisation', 'x', '', ''
      FROM audit_log WHERE organisation_id = '${scope.organisationId}';
    COMMIT`);

test('a replica answers a list, and only what may be read there', async () => {
  expect((await listThere(one, null)).outcomes).toEqual(['replica']);
  expect((await list(one, null, false)).outcomes).toEqual([]);
  const plain = await inReading(db, one, names);
  expect(plain).toHaveLength(1);
});

test('it sees the rows of the one organization, and changes nothing', async () => {
  await rename(one, 'Own');
  await rename(other, 'Foreign');
  await servers.caughtUp();
  for (let turn = 0; turn < 4; turn += 1) {
    expect(await listThere(one, null)).toMatchObject({ names: ['Own'], outcomes: ['replica'] });
    expect(await listThere(other, null)).toMatchObject({ names: ['Foreign'], outcomes: ['replica'] });
  }
  const writing = replicas.during({ mayRead: true, shown: null }, () =>
    inReading(db, one, (tx) => sql`UPDATE organisations SET name = 'x'`.execute(tx)),
  );
  await expect(writing).rejects.toThrow('read-only transaction');
});

test('with the replay stopped nobody misses what they were shown or did; what others read comes from the replica', async () => {
  const { position } = await listThere(one, null);
  const others = (await listThere(other, null)).position;
  await servers.pauseReplay();
  await rename(one, 'Changed');
  // A caller that does not say what they were shown gets everything.
  const now = await list(one, null);
  expect(now).toMatchObject({ names: ['Changed'], outcomes: ['behind'] });
  // What has been shown does not vanish.
  expect(await list(one, now.position)).toMatchObject({ names: ['Changed'], outcomes: ['behind'] });
  // Who has seen no more than before gets no more.
  expect((await list(one, position)).outcomes).toEqual(['replica']);
  expect((await list(other, others)).outcomes).toEqual(['replica']);
  await servers.resumeReplay();
  expect(await listThere(one, now.position)).toMatchObject({ names: ['Changed'], outcomes: ['replica'] });
});

test('a change of the organization is seen by all of its people, whatever they say that they were shown', async () => {
  const { position } = await listThere(one, null);
  const others = (await listThere(other, null)).position;
  await servers.pauseReplay();
  await act(one, 'Acted');
  expect(await list(one, position)).toMatchObject({ names: ['Acted'], outcomes: ['behind'] });
  expect(await list(one, position)).toMatchObject({ names: ['Acted'], outcomes: ['behind'] });
  expect((await list(other, others)).outcomes).toEqual(['replica']);
});

test('what a request has written itself it reads again', async () => {
  const { position } = await listThere(one, null);
  await servers.pauseReplay();
  const found = await replicas.during({ mayRead: true, shown: position }, async () => {
    await inTransaction(db, one, (tx) => tx.updateTable('organisations').set({ name: 'Mine' }).execute());
    return inReading(db, one, names);
  });
  expect(found).toEqual([{ name: 'Mine' }]);
});

test('a reply of the primary is later than all that was committed before it', async () => {
  await servers.pauseReplay();
  const { position } = await list(one, null, false);
  const [written] = await replicas.during({ mayRead: false, shown: null }, async (positionNow) => {
    await inTransaction(db, one, (tx) => tx.updateTable('organisations').set({ name: 'Later' }).execute());
    return [await positionNow()];
  });
  expect(String(written) > String(position)).toBe(true);
  expect(await list(one, written ?? null)).toMatchObject({ names: ['Later'], outcomes: ['behind'] });
});

test('a reply that both had a part in is as late as the primary', async () => {
  const { position } = await listThere(one, null);
  await servers.pauseReplay();
  await rename(one, 'Half');
  const told = await replicas.during({ mayRead: true, shown: position }, async (positionNow) => {
    const [there] = await inReading(db, one, names);
    const [here] = await inTransaction(db, one, names);
    expect([there?.name === here?.name, here?.name]).toEqual([false, 'Half']);
    return positionNow();
  });
  expect(await list(one, told)).toMatchObject({ names: ['Half'], outcomes: ['behind'] });
});

test('a replica that lags by more than the limit is not read, and comes back by itself', async () => {
  const strict = open([servers.readUrl], { mostLagMs: 100 });
  await strict.start();
  try {
    await servers.pauseReplay();
    await rename(one, 'Lagging');
    await until(() => strict.figures().servers[0]?.fault === 'lag');
    await servers.resumeReplay();
    await until(() => strict.figures().servers[0]?.fault === null);
  } finally {
    await strict.stop();
  }
});

test('a replica that has not what the processes noted of the present timeline is not read', async () => {
  const [noted] = await servers.onPrimary<{ timeline: string }>('SELECT timeline FROM database_place');
  await servers.onPrimary(`UPDATE database_place SET timeline = '000000FF'`);
  try {
    await servers.caughtUp();
    // Before the next look: the answer itself says it.
    expect((await list(one, null)).outcomes).not.toEqual(['replica']);
    await serves('timeline');
    expect((await list(one, null)).outcomes).toEqual(['timeline']);
  } finally {
    await servers.onPrimary(`UPDATE database_place SET timeline = '${noted?.timeline}'`);
    await servers.caughtUp();
  }
});

test('one that says nothing is given up at the next look; everybody is answered, and it comes back by itself', async () => {
  servers.relay.become('silent');
  try {
    const answers = await Promise.all(Array.from({ length: 8 }, () => list(one, null)));
    expect(answers.map((answer) => answer.names.length)).toEqual(Array.from({ length: 8 }, () => 1));
    await serves('away');
    expect((await list(one, null)).outcomes).toEqual(['away']);
  } finally {
    servers.relay.cut();
    servers.relay.become('open');
  }
  await serves(null);
  expect((await listThere(one, null)).outcomes).toEqual(['replica']);
});

test('one that dies in the middle costs nobody an answer', async () => {
  await servers.killStandby();
  expect((await list(one, null)).names).toHaveLength(1);
  await serves('away');
  expect(said).toContain('a replica does not serve; the primary is asked');
  await servers.startStandby();
  await serves(null);
  expect((await listThere(one, null)).outcomes).toEqual(['replica']);
});

test('of several the one that can answers', async () => {
  const away = new URL(servers.directUrl);
  away.port = '1';
  const two = open([away.href, servers.directUrl]);
  await two.start();
  const both = createDatabase({
    url: servers.primary.database.urls.tenants,
    maxConnections: 2,
    replicas: two,
  });
  try {
    const read = () => two.during({ mayRead: true, shown: null }, () => inReading(both, one, names));
    while ((two.figures().served.get('replica') ?? 0) < 4) expect(await read()).toHaveLength(1);
    expect([...two.figures().served.keys()].filter((outcome) => outcome === 'failed')).toEqual([]);
  } finally {
    await both.destroy();
    await two.stop();
  }
});

test('a login that may do more than a tenant is refused at the start', async () => {
  const owner = new URL(servers.primary.database.url);
  owner.port = new URL(servers.directUrl).port;
  const unsafe = open([owner.href]);
  await expect(unsafe.start()).rejects.toThrow('DATABASE_READ_URL logs in as');
  await unsafe.stop();
});

test('another cluster is no replica of this one', async () => {
  await using stranger = await openReplicated();
  const wrong = open([stranger.directUrl]);
  await wrong.start();
  expect(wrong.figures().servers[0]?.fault).toBe('elsewhere');
  await wrong.stop();
});

test('one that was promoted is not read: it has a life of its own', async () => {
  await servers.promote();
  await rename(one, 'After');
  expect(await list(one, null)).toMatchObject({ names: ['After'] });
  await serves('promoted');
  expect(await list(one, null)).toMatchObject({ names: ['After'], outcomes: ['promoted'] });
});
