import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HealthKind } from '#contracts/values/health.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { attemptsOf } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { across, customerRow, domainRow, newName, within } from '../../../../tests/support/rows.ts';
import { codeOf } from '../../../../tests/support/zone-registrar.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { healthAttention } from './attention.repo.ts';
import { type Claimed, findDomain, recordVerdicts } from './health.repo.ts';
import { createHealth } from './health.service.ts';
import { eraseHealth } from './privacy.repo.ts';

/** What people are shown of what was found, what they do about it, and the rounds that find it. */

let database: TestDatabase;
let people: People;
let scope: Scope;
let customerId: string;
/** Names that DNS was asked about; what is done when it is. */
let asked: string[];
let onAsked: (name: string) => Promise<void>;
let errors: object[];
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  customerId = await customerRow(database, scope.organisationId);
  [asked, errors, onAsked] = [[], [], async () => undefined];
  await across(database, (tx) => sql`DELETE FROM health_checks`.execute(tx));
});

const dayMs = 86_400_000;
const now = () => people.clock.now();
const at = (ms: number) => new Date(now().getTime() + ms);
const none = async () => [];
function health({ enabled = true } = {}) {
  return createHealth({
    ...{ db: database.db, systemDb: database.systemDb, clock: people.clock, managed: [], enabled },
    logger: { error: (what: object) => void errors.push(what) } as never,
    resolver: {
      ...{ txt: none, cname: none, addresses: none, mx: none, caa: none },
      nameservers: async (name) => {
        asked.push(name);
        await onAsked(name);
        return ['ns1.acme.net', 'ns2.acme.net'];
      },
    },
    probe: {} as never,
    rdap: { registration: () => Promise.reject(new UpstreamUnavailable('no answer')) },
  });
}

const own = (change: Parameters<typeof domainRow>[2] = {}) =>
  domainRow(database, scope.organisationId, { customer_id: customerId, ...change });
const placeOf = (subjectId: string, watched = false): Claimed => ({
  ...{ organisationId: scope.organisationId, subjectId, watched, until: at(0) },
});
/** These were found, or are in order by now. */
const look = (subjectId: string, found: HealthKind[], cleared: HealthKind[] = [], watched = false) =>
  across(database, (tx) =>
    recordVerdicts(tx, placeOf(subjectId, watched), {
      ...{ found: found.map((kind) => ({ kind, detail: `about ${kind}` })), cleared, now: now() },
    }),
  );
const idOf = async (subjectId: string, kind: HealthKind) => {
  const { rows } = await across(database, (tx) =>
    sql<{
      id: string;
    }>`SELECT id FROM health_findings WHERE subject_id = ${subjectId} AND kind = ${kind}`.execute(tx),
  );
  return rows[0]?.id ?? '';
};
const mute = async (subjectId: string, kind: HealthKind, days = 7) =>
  health().mute(scope, await idOf(subjectId, kind), {
    until: at(days * dayMs).toISOString(),
    reason: 'Meant',
  });
const checkOf = async (subjectId: string) => {
  const { rows } = await across(database, (tx) =>
    sql<{ checked_at: Date | null; next_at: Date }>`SELECT checked_at, next_at FROM health_checks
      WHERE subject_id = ${subjectId}`.execute(tx),
  );
  return rows[0];
};
const guestOf = async (authorizedClientId: string) =>
  (await people.join(scope, { type: 'MSP_CUSTOMER', authorizedClientId })).scope;

describe('the findings of a domain', () => {
  test('are the open ones, the weightiest first, and behind them those that were mended', async () => {
    const { id, address } = await own();
    await look(id, ['unlocked', 'spf-missing', 'ns-dead', 'ns-differs']);
    await look(id, [], ['ns-differs']);
    const { findings, watched } = await health().get(scope, address);
    expect(findings.map(({ kind, clearedAt }) => [kind, clearedAt !== null])).toEqual([
      ...[
        ['ns-dead', false],
        ['spf-missing', false],
        ['unlocked', false],
        ['ns-differs', true],
      ],
    ]);
    expect([watched, findings[0]?.detail]).toEqual([null, 'about ns-dead']);
  });

  test('say when it was looked at and when it will be: a new one within minutes, none where nobody looks', async () => {
    const { id, address } = await own();
    const when = async (of = health()) => {
      const { checkedAt, nextAt } = await of.get(scope, address);
      return [checkedAt, nextAt];
    };
    expect(await when()).toEqual([null, at(600_000).toISOString()]);
    await health().askFor(scope, address);
    await look(id, []);
    const planned = (await checkOf(id))?.next_at.toISOString();
    expect(await when()).toEqual([now().toISOString(), planned]);
    expect(await when(health({ enabled: false }))).toEqual([now().toISOString(), null]);
    await across(database, (tx) =>
      tx.updateTable('domains').set({ missing_since: now() }).where('id', '=', id).execute(),
    );
    expect(await when()).toEqual([null, null]);
  });

  test('are new again when they come back, and stay as old as they are while they last', async () => {
    const [{ id, address }, beside] = [await own(), await own()];
    await look(beside.id, ['ns-dead', 'mx-dead']);
    const first = now().toISOString();
    await look(id, ['ns-dead', 'mx-dead']);
    people.clock.forward(1_000);
    await look(id, ['ns-dead'], ['mx-dead', 'spf-two']);
    const seen = async () =>
      (await health().get(scope, address)).findings.map(({ kind, firstSeen, lastSeen, clearedAt }) => [
        ...[kind, firstSeen, lastSeen, clearedAt],
      ]);
    const second = now().toISOString();
    expect(await seen()).toEqual([
      ['ns-dead', first, second, null],
      ['mx-dead', first, first, second],
    ]);
    people.clock.forward(1_000);
    await look(id, ['mx-dead']);
    const third = now().toISOString();
    expect(await seen()).toEqual([
      ['ns-dead', first, second, null],
      ['mx-dead', third, third, null],
    ]);
    expect((await health().get(scope, beside.address)).findings.every(({ clearedAt }) => !clearedAt)).toBe(
      true,
    );
  });

  test('are nobody else’s: another organization and another customer find nothing', async () => {
    const { address } = await own();
    const { scope: stranger } = await people.organisation();
    const guest = await guestOf(await customerRow(database, scope.organisationId));
    for (const who of [stranger, guest]) {
      expect(await codeOf(health().get(who, address))).toBe('not_found');
      expect(await codeOf(health().askFor(who, address))).toBe('not_found');
    }
    expect((await health().get(await guestOf(customerId), address)).findings).toEqual([]);
  });
});

describe('a look that somebody asks for', () => {
  test('comes before everything that is due, and asked for during a look it is not forgotten', async () => {
    const { id, address } = await own();
    await health().askFor(scope, address);
    expect((await checkOf(id))?.next_at).toEqual(at(-dayMs));
    const taken = placeOf(id);
    await across(database, (tx) =>
      sql`UPDATE health_checks SET next_at = ${taken.until} WHERE subject_id = ${id}`.execute(tx),
    );
    await health().askFor(scope, address);
    await look(id, []);
    expect(await checkOf(id)).toEqual({ checked_at: now(), next_at: at(-dayMs) });
  });

  test('is followed by one a day ahead, spread over eight hours', async () => {
    const { id } = await own();
    const until = at(0);
    await across(database, (tx) =>
      sql`INSERT INTO health_checks (domain_id, organisation_id, next_at)
        VALUES (${id}, ${scope.organisationId}, ${until})`.execute(tx),
    );
    await look(id, []);
    const hours = ((await checkOf(id))?.next_at.getTime() ?? 0) - now().getTime();
    expect(hours).toBeGreaterThanOrEqual(20 * 3_600_000);
    expect(hours).toBeLessThanOrEqual(28 * 3_600_000);
  });
});

describe('the board', () => {
  const query = { muted: 'false' as const, limit: 50 };
  const rows = async (change: object = {}, who = scope) =>
    (await health().board(who, { ...query, ...change })).rows.map(({ domain, kind }) => `${domain} ${kind}`);
  async function planted() {
    const [a, b] = [await own({ address: `a-${newId()}.com` }), await own({ address: `b-${newId()}.com` })];
    await look(b.id, ['ns-dead', 'spf-missing', 'unlocked']);
    await look(a.id, ['ns-dead', 'spf-missing']);
    const all = [
      `${a.address} ns-dead`,
      `${b.address} ns-dead`,
      `${a.address} spf-missing`,
      `${b.address} spf-missing`,
      `${b.address} unlocked`,
    ];
    return { a, b, all };
  }

  test('has the weightiest kind first, within it the names in their order, and goes on where it ended', async () => {
    const { all } = await planted();
    expect(await rows()).toEqual(all);
    const paged: string[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const page = await health().board(scope, { ...query, limit: 2, after });
      paged.push(...page.rows.map(({ domain, kind }) => `${domain} ${kind}`));
      [more, after] = [page.more, page.rows.at(-1)?.id];
    }
    expect(paged).toEqual(all);
    expect((await health().board(scope, { ...query, limit: 5 })).more).toBe(false);
  });

  test('is narrowed by kind, area and customer; the counts are of all that the customer has', async () => {
    const { all, b } = await planted();
    const other = await customerRow(database, scope.organisationId);
    const { id, address } = await own({ customer_id: other });
    await look(id, ['mx-dead']);
    expect(await rows({ kind: 'spf-missing' })).toEqual(all.slice(2, 4));
    expect(await rows({ area: 'registry' })).toEqual([`${b.address} unlocked`]);
    expect(await rows({ customerId: other })).toEqual([`${address} mx-dead`]);
    const { counts } = await health().board(scope, { ...query, kind: 'mx-dead' });
    expect(counts).toEqual([
      { kind: 'ns-dead', count: 2 },
      { kind: 'mx-dead', count: 1 },
      { kind: 'spf-missing', count: 2 },
      { kind: 'unlocked', count: 1 },
    ]);
    expect(await rows({}, await guestOf(other))).toEqual([`${address} mx-dead`]);
    expect(await rows({ customerId }, await guestOf(other))).toEqual([]);
  });

  test('leaves out what was mended, and what is muted until that moment has come', async () => {
    const { id, address } = await own();
    await look(id, ['ns-dead', 'mx-dead', 'spf-two']);
    await look(id, [], ['spf-two']);
    await mute(id, 'mx-dead');
    const attention = async () => {
      const question = { now: now(), organisationIds: [scope.organisationId] };
      const stated = await across(database, (tx) => healthAttention.present(tx, question));
      return stated.map(({ object, facts }) => [object, facts.kinds]);
    };
    expect([await rows(), await rows({ muted: 'true' })]).toEqual([
      [`${address} ns-dead`],
      [`${address} mx-dead`],
    ]);
    expect(await attention()).toEqual([[id, 'ns-dead']]);
    people.clock.forward(7 * dayMs - 1);
    expect(await rows({ muted: 'true' })).toHaveLength(1);
    people.clock.forward(1);
    expect([await rows(), await rows({ muted: 'true' })]).toEqual([
      [`${address} ns-dead`, `${address} mx-dead`],
      [],
    ]);
    // By their order, those that weigh alone.
    await look(id, ['spf-missing', 'unlocked']);
    expect(await attention()).toEqual([[id, 'ns-dead mx-dead']]);
    const [finding] = (await health().get(scope, address)).findings.filter(({ kind }) => kind === 'mx-dead');
    expect(finding?.muted).toBeNull();
  });
});

describe('the report of a customer', () => {
  test('counts their domains, those that were looked at and those elsewhere, and leaves out what is muted', async () => {
    const [one, two] = [await own(), await own()];
    await own({ status: 'ended' });
    await own({ customer_id: null });
    await health().askFor(scope, one.address);
    await health().askFor(scope, two.address);
    await look(one.id, ['spf-missing', 'ns-dead']);
    await look(two.id, ['mx-dead']);
    await mute(two.id, 'mx-dead');
    await health().watched.watch(scope, { text: newName(), customerId });
    const report = await health().report(scope, customerId);
    expect(report).toMatchObject({
      ...{ name: 'Example Ltd', domains: 3, lookedAt: 2, watched: 1, more: false },
      madeAt: now().toISOString(),
    });
    expect(report.findings.map(({ domain, kind }) => [domain, kind])).toEqual([
      [one.address, 'ns-dead'],
      [one.address, 'spf-missing'],
    ]);
    const { scope: stranger } = await people.organisation();
    expect(await codeOf(health().report(stranger, customerId))).toBe('not_found');
    const other = await customerRow(database, scope.organisationId);
    expect(await codeOf(health().report(await guestOf(other), customerId))).toBe('not_found');
    await within(database, scope.organisationId, (tx) =>
      tx.updateTable('customers').set({ deleted_at: now() }).where('id', '=', customerId).execute(),
    );
    expect(await codeOf(health().report(scope, customerId))).toBe('not_found');
  });
});

describe('the muting of a finding', () => {
  test('is kept with its reason, in the log about the customer, and can be taken back', async () => {
    const { id, address } = await own();
    await look(id, ['mx-dead', 'ns-dead']);
    const until = at(7 * dayMs).toISOString();
    const muted = await mute(id, 'mx-dead');
    expect(muted).toMatchObject({ kind: 'mx-dead', muted: { until, reason: 'Meant' } });
    await health().mute(scope, muted.id, null);
    const shown = (await health().get(scope, address)).findings;
    expect(shown.map((finding) => finding.muted)).toEqual([null, null]);
    const quiet = { finding: 'mx-dead', mutedUntil: until, reason: 'Meant' };
    const loud = { finding: 'mx-dead', mutedUntil: null, reason: null };
    const by = { by: scope.userId, kind: 'domain', object: address };
    expect(await logged(database.db, scope, 'health.mute')).toEqual([
      { ...by, before: loud, after: quiet },
      { ...by, before: quiet, after: loud },
    ]);
    expect(await loggedAbout(database.db, scope, 'health.mute')).toEqual([customerId, customerId]);
  });

  test('to a moment that has passed, or of what is not theirs, is refused, and nothing is logged', async () => {
    const { id } = await own();
    await look(id, ['mx-dead']);
    const finding = await idOf(id, 'mx-dead');
    const to = (until: Date, who = scope) =>
      health().mute(who, finding, { until: until.toISOString(), reason: 'Meant' });
    await expect(to(now())).rejects.toMatchObject({
      ...{ code: 'validation_failed', details: [{ path: 'muted.until' }] },
    });
    const { scope: stranger } = await people.organisation();
    const guest = await guestOf(await customerRow(database, scope.organisationId));
    for (const who of [stranger, guest]) expect(await codeOf(to(at(1), who))).toBe('not_found');
    expect(await logged(database.db, scope, 'health.mute')).toEqual([]);
  });
});

describe('a round', () => {
  const sweep = (of = health()) => of.tasks['health.sweep']();
  const due = (...ids: string[]) =>
    across(database, (tx) =>
      sql`INSERT INTO health_checks (domain_id, organisation_id, next_at)
        SELECT id, organisation_id, ${at(0)} FROM domains WHERE id = ANY (${ids}::uuid[])`.execute(tx),
    );

  /** Plans the looks of other tests' domains first: a round would spread those over the next minutes, some of them over the next seconds. */
  const onlyDue = async (first: string[], then?: string) => {
    await sweep();
    await across(database, (tx) =>
      sql`UPDATE health_checks SET next_at = CASE WHEN subject_id = ANY (${first}::uuid[]) THEN ${at(-1)}::timestamptz
        WHEN subject_id = ${then ?? null} THEN ${at(0)} ELSE ${at(dayMs)} END`.execute(tx),
    );
    asked = [];
  };

  test('looks at each domain that is due, and one that fails keeps no other from its look', async () => {
    const [broken, fine] = [await own(), await own()];
    await due(broken.id, fine.id);
    onAsked = async (name) => {
      if (name === broken.address) throw new TypeError('a bug');
    };
    await sweep();
    expect(asked.toSorted()).toEqual([broken.address, fine.address].toSorted());
    expect(errors).toMatchObject([{ err: { message: 'a bug' }, subjectId: broken.id }]);
    expect((await health().get(scope, fine.address)).checkedAt).toBe(now().toISOString());
    // What failed is taken again after two minutes.
    expect(await checkOf(broken.id)).toEqual({ checked_at: null, next_at: at(120_000) });
  });

  test('goes on until nothing is due, however many there are; turned off it asks nobody', async () => {
    // As many as one part takes, and one more.
    const all = await Promise.all(Array.from({ length: 65 }, () => own()));
    await onlyDue(all.map(({ id }) => id));
    await sweep(health({ enabled: false }));
    expect(asked).toEqual([]);
    await sweep();
    expect(asked.toSorted()).toEqual(all.map(({ address }) => address).toSorted());
  });

  test('hands what is left to the next job after some seconds: a server that is told to end waits for this one', async () => {
    const many = await Promise.all(Array.from({ length: 64 }, () => own()));
    const last = await own();
    await onlyDue(
      many.map(({ id }) => id),
      last.id,
    );
    const isLater = { yet: false };
    onAsked = async () => {
      if (!isLater.yet) people.clock.forward(5_000);
      isLater.yet = true;
    };
    await sweep();
    expect(asked.toSorted()).toEqual(many.map(({ address }) => address).toSorted());
    expect(await attemptsOf(database.url, 'health.sweep')).toEqual([25]);
    await sweep();
    expect(asked.at(-1)).toBe(last.address);
  });

  test('leaves nothing of a name that is removed while it is looked at', async () => {
    const name = newName();
    await health().watched.watch(scope, { text: name, customerId: null });
    onAsked = async () => void (await health().watched.unwatch(scope, { domains: [name] }));
    await sweep();
    const { rows } = await across(database, (tx) =>
      sql`SELECT FROM health_findings WHERE organisation_id = ${scope.organisationId}`.execute(tx),
    );
    expect([rows, errors]).toEqual([[], []]);
  });
});

test('what was mended is forgotten after thirty days, to the moment', async () => {
  const { id, address } = await own();
  await look(id, ['mx-dead', 'ns-dead']);
  await look(id, [], ['mx-dead']);
  const kinds = async () => (await health().get(scope, address)).findings.map(({ kind }) => kind);
  people.clock.forward(30 * dayMs);
  await health().tasks['health.forget']();
  expect(await kinds()).toEqual(['ns-dead', 'mx-dead']);
  people.clock.forward(1);
  await health().tasks['health.forget']();
  expect(await kinds()).toEqual(['ns-dead']);
});

describe('watched names', () => {
  const names = async (query: object = {}, who = scope) =>
    (await health().watched.list(who, { pageSize: 50, ...query })).rows.map(({ domain }) => domain);
  const watch = (text: string, of: string | null = customerId, who = scope) =>
    health().watched.watch(who, { text, customerId: of });
  const entries = (action: Parameters<typeof logged>[2]) => logged(database.db, scope, action);

  test('are found, as others see them, without a fix; a domain of that name that is here goes first', async () => {
    const name = newName();
    await watch(name);
    const { rows } = await across(database, (tx) =>
      sql<{ id: string }>`SELECT id FROM watched_names WHERE address = ${name}`.execute(tx),
    );
    await look(rows[0]?.id ?? '', ['dmarc-missing'], [], true);
    const { watched, findings } = await health().get(scope, name);
    expect(watched).toEqual({ registrar: null, expiresAt: null, customerId, customer: 'Example Ltd' });
    expect(findings).toMatchObject([{ kind: 'dmarc-missing', fix: null }]);
    const here = await own();
    await look(here.id, ['dmarc-missing']);
    expect((await health().get(scope, here.address)).findings[0]?.fix).not.toBeNull();
    const found = (address: string) => across(database, (tx) => findDomain(tx, scope, address));
    await own({ address: name, status: 'transferring' });
    expect((await found(name))?.watched).toBe(true);
  });

  test('are watched once, each in the log about its customer; what is held or watched already is left out', async () => {
    const [one, two] = [newName(), newName()];
    const { address: held } = await own();
    const missing = await own({ missing_since: now() });
    expect(await watch(`${one} ${held}`)).toEqual({
      ...{ added: 1, left: [{ name: held, reason: 'It is held here already' }] },
    });
    // What has left the account is held elsewhere.
    expect(await watch(`${one} ${two} ${missing.address}`, null)).toEqual({
      ...{ added: 2, left: [{ name: one, reason: 'It is watched already' }] },
    });
    expect((await entries('health.watch')).map(({ object, after }) => [object, after])).toEqual([
      [one, { customerId }],
      ...[two, missing.address].sort().map((name) => [name, { customerId: null }]),
    ]);
    const about = await loggedAbout(database.db, scope, 'health.watch');
    expect([about[0], about.length]).toEqual([customerId, 3]);
    expect(await names({ customerId })).toEqual([one]);
  });

  test('are of a customer that is there, of one’s own organization', async () => {
    const { scope: stranger } = await people.organisation();
    for (const of of [newId(), await customerRow(database, stranger.organisationId)]) {
      await expect(watch(newName(), of)).rejects.toMatchObject({
        ...{ code: 'not_found', message: 'Please choose a customer' },
      });
    }
    await within(database, scope.organisationId, (tx) =>
      tx.updateTable('customers').set({ deleted_at: now() }).where('id', '=', customerId).execute(),
    );
    expect(await codeOf(watch(newName()))).toBe('not_found');
    expect(await names()).toEqual([]);
  });

  test('go to another customer where they are not theirs already, and to none', async () => {
    const other = await customerRow(database, scope.organisationId);
    const [one, two] = [newName(), newName()];
    await watch(one);
    await watch(two, other);
    const assign = (domains: string[], of: string | null) =>
      health().watched.assign(scope, { domains, customerId: of });
    expect(await assign([one, two, newName()], other)).toEqual({ changed: 1 });
    expect(await entries('health.assignWatched')).toMatchObject([
      { object: one, before: { customerId }, after: { customerId: other } },
    ]);
    expect(await loggedAbout(database.db, scope, 'health.assignWatched')).toEqual([other]);
    expect(await assign([two], null)).toEqual({ changed: 1 });
    expect([await names({ customerId: other }), (await names()).sort()]).toEqual([[one], [one, two].sort()]);
    expect(await codeOf(assign([one], newId()))).toBe('not_found');
    expect(await codeOf(assign([newName()], other))).toBe('not_found');
  });

  test('that are removed are gone with what was found, those alone, and in the log about whose they were', async () => {
    const [one, two] = [newName(), newName()];
    await watch(`${one} ${two}`);
    expect(await health().watched.unwatch(scope, { domains: [one, newName()] })).toEqual({ removed: 1 });
    expect(await names()).toEqual([two]);
    expect(await entries('health.unwatch')).toMatchObject([{ object: one, before: { customerId } }]);
    expect(await loggedAbout(database.db, scope, 'health.unwatch')).toEqual([customerId]);
    const { scope: stranger } = await people.organisation();
    expect(await codeOf(health().watched.unwatch(stranger, { domains: [two] }))).toBe('not_found');
    expect(await names()).toEqual([two]);
  });

  test('are listed by name or by end, those without an end last either way; open problems that are not muted count', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => `${letter}-${newId()}.com`) as [string, string, string];
    await watch(`${a} ${b} ${c}`);
    const idOfName = async (name: string) =>
      (
        await across(database, (tx) =>
          sql<{ id: string }>`SELECT id FROM watched_names WHERE address = ${name}`.execute(tx),
        )
      ).rows[0]?.id ?? '';
    const ends = (name: string, expires: Date) =>
      across(database, (tx) =>
        sql`UPDATE watched_names SET expires_at = ${expires}, registrar = 'Other' WHERE address = ${name}`.execute(
          tx,
        ),
      );
    await ends(a, at(9 * dayMs));
    await ends(c, at(5 * dayMs));
    expect(await names()).toEqual([a, b, c]);
    expect(await names({ sort: '-domain' })).toEqual([c, b, a]);
    expect(await names({ sort: 'expireDate' })).toEqual([c, a, b]);
    expect(await names({ sort: '-expireDate' })).toEqual([a, c, b]);
    expect(await names({ sort: 'domain', page: 2, pageSize: 2 })).toEqual([c]);
    expect(await names({ search: a.toUpperCase() })).toEqual([a]);
    expect(await names({}, await guestOf(await customerRow(database, scope.organisationId)))).toEqual([]);
    await look(await idOfName(a), ['mx-dead', 'ns-dead', 'spf-two'], [], true);
    await look(await idOfName(a), [], ['spf-two'], true);
    await mute(await idOfName(a), 'mx-dead');
    const { rows, total } = await health().watched.list(scope, { page: 1, pageSize: 1 });
    expect(total).toBe(3);
    expect(rows).toEqual([
      {
        ...{ domain: a, customerId, customer: 'Example Ltd', registrar: 'Other', problems: 1 },
        ...{ expiresAt: at(9 * dayMs).toISOString(), checkedAt: now().toISOString() },
      },
    ]);
  });

  test('of an erased customer, and what was found of their domains, are gone; others’ stay', async () => {
    const other = await customerRow(database, scope.organisationId);
    const [mine, theirs, one, two] = [newName(), newName(), await own(), await own({ customer_id: other })];
    await watch(mine);
    await watch(theirs, other);
    for (const { id } of [one, two]) await look(id, ['mx-dead']);
    await within(database, scope.organisationId, (tx) => eraseHealth(tx, scope, customerId));
    expect(await names()).toEqual([theirs]);
    expect((await health().get(scope, one.address)).findings).toEqual([]);
    expect((await health().get(scope, two.address)).findings).toHaveLength(1);
  });
});
