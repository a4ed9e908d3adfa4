import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { groupRecords } from '#contracts/values/zone-changes.ts';
import { inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { dnsProcess, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { recordOf } from '../../../../tests/support/zones.ts';
import { findUse, recordLook, saveUse, takeBackUse, takeDue } from './template-uses.repo.ts';

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
