import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { groupRecords } from '#contracts/values/zone-changes.ts';
import { inTransaction, sql, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { dnsProcess, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { recordOf } from '../../../../tests/support/zones.ts';
import {
  type DueUse,
  findUse,
  postponeLook,
  recordLook,
  saveUse,
  setUse,
  takeBackUse,
  takeDue,
} from './template-uses.repo.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let template: OwnTemplate;
let domain: string;
let made = 0;
const owned = (text: string) => [recordOf({ type: 'TXT', subdomain: '', text })];
const use = (version: number) => ({
  ...{ version, filled: { host: `of ${version}` }, owned: owned(`version ${version}`) },
});

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  made += 1;
  domain = `alder-${made}.com`;
  await ownDomain(database, scope, domain);
  const { templates } = dnsProcess(database, new ZoneRegistrar(), people);
  template = await templates.save(scope, {
    name: 'Mail',
    records: groupRecords(owned('any')),
    variables: [],
  });
});

const here = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(database.db, scope, work);
const applied = (changeId: string, version: number) =>
  here((tx) =>
    saveUse(
      tx,
      scope,
      { templateId: template.id, address: domain, changeId, use: use(version) },
      people.clock.now(),
    ),
  );
const present = () => here((tx) => findUse(tx, scope, template.id, domain));
const takenBack = (changeId: string) =>
  here((tx) => takeBackUse(tx, scope, { changeId, address: domain }, people.clock.now()));

test('a change that is repeated after a crash is taken back to what was there before it', async () => {
  const [first, second] = [newId(), newId()];
  await applied(first, 1);
  await applied(second, 2);
  await applied(second, 2);
  await takenBack(second);
  expect(await present()).toMatchObject(use(1));
  await takenBack(first);
  expect(await present()).toBeUndefined();
});

test('a look says nothing of a zone to which the template was applied meanwhile', async () => {
  await applied(newId(), 1);
  const [due] = await systemTransaction(database.systemDb, (tx) =>
    takeDue(tx, people.clock, { most: 1_000, claimMs: 30_000 }),
  ).then((rows) => rows.filter(({ templateId }) => templateId === template.id));
  if (!due) throw new Error('the zone was not due');
  const now = people.clock.now();
  const seen = { state: 'drifted' as const, drift: [], now, next: now };
  await applied(newId(), 2);
  await systemTransaction(database.systemDb, (tx) => recordLook(tx, due, seen));
  expect(await present()).toMatchObject({ version: 2, state: 'unread' });
  await systemTransaction(database.systemDb, (tx) => recordLook(tx, { ...due, owned: use(2).owned }, seen));
  expect(await present()).toMatchObject({ version: 2, state: 'drifted' });
});

test('what was accepted for a domain is its own by then: undoing the change that applied it takes nothing back', async () => {
  const [first, second] = [newId(), newId()];
  await applied(first, 1);
  await applied(second, 2);
  const accepted = { templateId: template.id, address: domain, use: use(3) };
  await here((tx) => setUse(tx, scope, accepted));
  for (const changeId of [second, first]) await takenBack(changeId);
  expect(await present()).toEqual({ ...use(3), state: 'held', drift: [] });
});

test('what is applied again, or taken back, is looked at again: nothing is known of it', async () => {
  const [first, second] = [newId(), newId()];
  await applied(first, 1);
  const unread = { state: 'unread', drift: [], due: true };
  const seen = async () => {
    const { rows } = await here((tx) =>
      sql`SELECT state, drift, next_at <= ${people.clock.now()} AS due FROM dns_template_uses
        WHERE template_id = ${template.id}`.execute(tx),
    );
    return rows[0];
  };
  const drifts = () =>
    here((tx) =>
      sql`UPDATE dns_template_uses SET state = 'drifted', drift = '[{}]', next_at = now() + interval '9 years'
        WHERE template_id = ${template.id}`.execute(tx),
    );
  await drifts();
  await applied(second, 2);
  expect(await seen()).toEqual(unread);
  await drifts();
  await takenBack(second);
  expect(await seen()).toEqual(unread);
});

describe('a job takes the zones that are due', () => {
  const system = <T>(work: (tx: Tx) => Promise<T>) => systemTransaction(database.systemDb, work);
  const at = (ms: number) => new Date(people.clock.now().getTime() + ms);
  const take = (most = 100) => system((tx) => takeDue(tx, people.clock, { most, claimMs: 30_000 }));
  const names = async (most?: number) => (await take(most)).map(({ address }) => address);
  /** Due in so many milliseconds. */
  async function dueIn(address: string, ms: number, status = 'active') {
    if (address !== domain) await ownDomain(database, scope, address);
    const given = { templateId: template.id, address, changeId: newId(), use: use(1) };
    await here((tx) => saveUse(tx, scope, given, at(ms)));
    await sql`UPDATE domains SET status = ${status} WHERE address = ${address}`.execute(database.systemDb);
  }
  beforeEach(() => system((tx) => sql`DELETE FROM dns_template_uses`.execute(tx)));

  test('the longest due first, and no other until the claim has run out', async () => {
    const [late, early] = [`late-${domain}`, `early-${domain}`];
    await dueIn(domain, 0);
    await dueIn(late, 1);
    await dueIn(early, -5, 'expired');
    for (const status of ['transferring', 'ended']) await dueIn(`${status}-${domain}`, -9, status);
    expect(await names(1)).toEqual([early]);
    expect(await take()).toMatchObject([
      {
        ...{ organisationId: scope.organisationId, address: domain, templateId: template.id },
        ...{ owned: use(1).owned, until: at(30_000) },
      },
    ]);
    expect(await names()).toEqual([]);
    people.clock.forward(29_999);
    expect(await names()).toEqual([late]);
    people.clock.forward(1);
    expect((await names()).sort()).toEqual([domain, early].sort());
  });

  test('and says when it looked and when it looks again; one that could not be read keeps what is known', async () => {
    await dueIn(domain, 0);
    const [taken] = await take();
    const stored = () =>
      here((tx) =>
        tx.selectFrom('dns_template_uses').select(['state', 'checked_at', 'next_at']).executeTakeFirst(),
      );
    const seen = { state: 'held' as const, drift: [], now: at(1), next: at(2) };
    await system((tx) => recordLook(tx, taken as DueUse, seen));
    expect(await stored()).toEqual({ state: 'held', checked_at: at(1), next_at: at(2) });
    await system((tx) => postponeLook(tx, taken as DueUse, at(9)));
    expect(await stored()).toEqual({ state: 'held', checked_at: at(1), next_at: at(9) });
  });
});
