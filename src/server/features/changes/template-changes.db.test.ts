import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Change, ChangeItem } from '#contracts/operations/changes.ts';
import type { OwnTemplate, TemplateUse } from '#contracts/operations/dns-templates.ts';
import { type DnsRecord, recordData } from '#contracts/values/dns-records.ts';
import { flatRecords, groupRecords } from '#contracts/values/zone-changes.ts';
import { sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { createLogger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { codeOf, dnsProcess, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { recordOf } from '../../../../tests/support/zones.ts';
import type { DnsApi } from '../dns/index.ts';
import { type ChangesApi, createChanges } from './changes.service.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let registrar: ZoneRegistrar;
let dns: DnsApi;
let changes: ChangesApi;
let template: OwnTemplate;

const names = ['alder.com', 'birch.com', 'cedar.com'];
const web = recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.1' });
const oldMail = recordOf({ type: 'MX', subdomain: '', priority: 10, hostname: 'mx.old.example' });
const mail = (host: string, text = `v=spf1 include:${host} -all`) =>
  groupRecords([
    { type: 'MX', subdomain: '', priority: 10, hostname: `mx.${host}` },
    { type: 'TXT', subdomain: '', text },
  ]);
const variables = [{ key: 'host', label: 'Mail provider' }];

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
afterEach(() => sql`UPDATE domains SET status = 'ended'`.execute(database.systemDb));

beforeEach(async () => {
  ({ scope } = await people.organisation());
  registrar = new ZoneRegistrar();
  dns = dnsProcess(database, registrar, people);
  changes = createChanges({
    ...{ db: database.db, systemDb: database.systemDb, clock: people.clock, newId },
    ...{ parallel: 2, claimMs: 30_000, zones: dns.zones, templates: dns.templates },
    ...{ settings: {} as never, prices: {} as never, domains: {} as never },
    logger: createLogger({ level: 'silent' }),
  });
  for (const name of names) {
    await ownDomain(database, scope, name);
    registrar.zones.set(name, groupRecords([web, oldMail]));
    registrar.delegated.add(name);
  }
  template = await dns.templates.save(scope, { name: 'Mail', records: mail('{host}'), variables });
});

const ref = (change: Pick<Change, 'id'>) => ({ organisationId: scope.organisationId, changeId: change.id });
async function looked(values: Record<string, string>, wanted = names): Promise<Change> {
  const [present] = await dns.templates.list(scope);
  const { id: templateId, version } = present ?? template;
  const request = { kind: 'apply-template' as const, templateId, version, values };
  const targets = { kind: 'names' as const, names: wanted };
  return seen(await changes.create(scope, { title: 'Mail', reason: '', request, targets }));
}
async function seen(change: Pick<Change, 'id'>): Promise<Change> {
  await changes.tasks['changes.look'](ref(change));
  return changes.get(scope, change.id);
}
async function apply(change: Change): Promise<Change> {
  const { items } = await changes.items(scope, change.id, { limit: 200 });
  await changes.choose(scope, change.id, { ids: items.map(({ id }) => id), ticked: true });
  await changes.start(scope, change.id, { act: 'apply', expected: change.counts.ready }, () => undefined);
  await changes.tasks['changes.run'](ref(change));
  return changes.get(scope, change.id);
}
async function itemsOf(change: Pick<Change, 'id'>): Promise<Map<string, ChangeItem>> {
  const { items } = await changes.items(scope, change.id, { limit: 200 });
  return new Map(items.map((item) => [item.domain, item]));
}
const zoneOf = (name: string) =>
  flatRecords(registrar.zones.get(name) ?? groupRecords([]))
    .map(recordData)
    .sort();
const check = () => dns.tasks['dns.check-templates']();
async function usesOf(state?: 'drifted' | 'outdated'): Promise<Map<string, TemplateUse>> {
  const { uses } = await dns.templates.listUses(scope, template.id, { state, limit: 100 });
  return new Map(uses.map((use) => [use.domain, use]));
}
const counts = async () => (await dns.templates.list(scope))[0]?.uses;
const edit = (name: string, action: 'add' | 'remove', record: DnsRecord) =>
  dns.zones.change(scope, name, { records: [{ action, record }] });

test('a template is applied with its values and remembered; what is in its way goes, the rest stays', async () => {
  const empty = await looked({});
  expect([...(await itemsOf(empty)).values()].map(({ state, note }) => [state, note])).toEqual(
    names.map(() => ['barred', 'There is no value for “Mail provider”.']),
  );
  const change = await looked({ host: 'post.example' });
  expect(change).toMatchObject({ sentence: 'Apply version 1 of the template “Mail”', counts: { ready: 3 } });
  expect(await apply(change)).toMatchObject({ state: 'done', counts: { done: 3 } });
  const after = ['10 mx.post.example', '192.0.2.1', 'v=spf1 include:post.example -all'];
  expect(zoneOf('birch.com')).toEqual(after);
  expect((await usesOf()).get('birch.com')).toMatchObject({
    ...{ version: 1, values: { host: 'post.example' }, state: 'unread', drift: [] },
  });
  await check();
  expect((await usesOf()).get('birch.com')).toMatchObject({ state: 'held', drift: [] });
  expect(await counts()).toEqual({ total: 3, drifted: 0, outdated: 0 });
  // Each zone is looked at once a day, at a time of its own.
  const { rows } = await sql<{ hours: number }>`
    SELECT extract(epoch FROM next_at - ${people.clock.now()}::timestamptz)::float8 / 3600 AS hours
    FROM dns_template_uses WHERE template_id = ${template.id}`.execute(database.systemDb);
  expect(rows.map(({ hours }) => hours >= 19.2 && hours <= 28.8)).toEqual([true, true, true]);
  expect(new Set(rows.map(({ hours }) => hours)).size).toBeGreaterThan(1);
});

test('a zone whose look fails keeps no other from being looked at, and is looked at again later; the job fails', async () => {
  const more = ['dogwood.com', 'elder.com', 'fir.com'];
  for (const name of more) {
    await ownDomain(database, scope, name);
    registrar.zones.set(name, groupRecords([web]));
    registrar.delegated.add(name);
  }
  await apply(await looked({ host: 'post.example' }, [...names, ...more]));
  registrar.onRead = async () => {
    registrar.onRead = null;
    throw new RangeError('a record that is none');
  };
  await expect(check()).rejects.toThrow('a record that is none');
  const states = [...(await usesOf()).values()].map(({ state }) => state).toSorted();
  expect(states).toEqual([...Array(5).fill('held'), 'unread']);
  people.clock.forward(10 * 60_000);
  await check();
  expect([...(await usesOf()).values()].map(({ state }) => state)).toEqual(Array(6).fill('held'));
});

test('a zone that has its records already is watched from then on, and not written', async () => {
  registrar.zones.set('alder.com', mail('post.example'));
  const change = await looked({ host: 'post.example' }, ['alder.com']);
  expect((await itemsOf(change)).get('alder.com')).toMatchObject({
    ...{ state: 'ready', note: expect.stringContaining('From now on') },
  });
  await apply(change);
  expect(registrar.writes).toBe(0);
  await check();
  expect((await usesOf()).get('alder.com')).toMatchObject({ state: 'held' });
  expect(await looked({}, ['alder.com'])).toMatchObject({ counts: { same: 1 } });
});

test('drift is missing, changed or extra, found at once after a change here and each day outside, and brought back', async () => {
  await apply(await looked({ host: 'post.example' }));
  await check();
  await edit(
    'alder.com',
    'remove',
    recordOf({ type: 'MX', subdomain: '', priority: 10, hostname: 'mx.post.example' }),
  );
  await edit(
    'birch.com',
    'add',
    recordOf({ type: 'MX', subdomain: '', priority: 20, hostname: 'mx.else.example' }),
  );
  await edit('birch.com', 'add', recordOf({ type: 'A', subdomain: 'shop', ip_address: '192.0.2.7' }));
  registrar.zones.set('cedar.com', mail('post.example', 'v=spf1 ~all'));
  await check();
  const drift = async () =>
    [...(await usesOf('drifted')).values()].map((use) => [
      use.domain,
      ...use.drift.map(({ action, record }) => `${action} ${recordData(record as DnsRecord)}`),
    ]);
  expect(await drift()).toEqual([
    ['alder.com', 'add 10 mx.post.example'],
    ['birch.com', 'remove 20 mx.else.example'],
  ]);
  people.clock.forward(2 * 86_400_000);
  await check();
  expect(await drift()).toContainEqual(['cedar.com', 'update v=spf1 include:post.example -all']);
  expect(await counts()).toEqual({ total: 3, drifted: 3, outdated: 0 });

  await apply(await looked({}));
  await check();
  expect(await counts()).toEqual({ total: 3, drifted: 0, outdated: 0 });
  expect(zoneOf('birch.com')).toEqual([
    ...['10 mx.post.example', '192.0.2.1', '192.0.2.7', 'v=spf1 include:post.example -all'],
  ]);
  registrar.delegated.delete('alder.com');
  await dns.templates.check(scope, template.id);
  await check();
  expect((await usesOf()).get('alder.com')).toMatchObject({ state: 'away' });
});

test('a new version is rolled out as a change that keeps the values, drops what is no more in it, and is undone', async () => {
  await apply(await looked({ host: 'post.example' }));
  const onlyMail = { ...mail('{host}'), TXT: [] };
  const changed = { name: 'Mail', records: onlyMail, variables, version: 1 };
  expect(await dns.templates.change(scope, template.id, changed)).toMatchObject({
    ...{ version: 2, uses: { total: 3, outdated: 3 } },
  });
  await expect(dns.templates.change(scope, template.id, changed)).rejects.toMatchObject({ code: 'conflict' });
  // A field that is left empty is none.
  const roll = await apply(await looked({ host: ' ' }));
  expect(roll).toMatchObject({ state: 'done', sentence: 'Apply version 2 of the template “Mail”' });
  expect(zoneOf('alder.com')).toEqual(['10 mx.post.example', '192.0.2.1']);
  expect((await usesOf()).get('alder.com')).toMatchObject({ version: 2, values: { host: 'post.example' } });
  await apply(await seen(await changes.undo(scope, roll.id)));
  expect(zoneOf('alder.com')).toContain('v=spf1 include:post.example -all');
  expect((await usesOf('outdated')).get('alder.com')).toMatchObject({ version: 1 });
});

test('a template that is applied again takes the values that are given now', async () => {
  await apply(await looked({ host: 'post.example' }, ['alder.com']));
  await apply(await looked({ host: 'new.example' }, ['alder.com']));
  expect(zoneOf('alder.com')).toEqual(['10 mx.new.example', '192.0.2.1', 'v=spf1 include:new.example -all']);
  expect((await usesOf()).get('alder.com')).toMatchObject({ values: { host: 'new.example' } });
});

test('of several values the one that is given now is taken, and the others stay as they were', async () => {
  const two = [...variables, { key: 'policy', label: 'Policy' }];
  const records = mail('{host}', 'v=spf1 include:{host} {policy}');
  await dns.templates.change(scope, template.id, { name: 'Mail', records, variables: two, version: 1 });
  await apply(await looked({ host: 'post.example', policy: '-all' }, ['alder.com']));
  await apply(await looked({ policy: '~all' }, ['alder.com']));
  expect(zoneOf('alder.com')).toContain('v=spf1 include:post.example ~all');
  const values = { host: 'post.example', policy: '~all' };
  expect((await usesOf()).get('alder.com')).toMatchObject({ values });
});

test('the first application undone, the template is not in use there any more', async () => {
  const first = await apply(await looked({ host: 'post.example' }));
  await apply(await seen(await changes.undo(scope, first.id)));
  expect(zoneOf('alder.com')).toEqual(['10 mx.old.example', '192.0.2.1']);
  expect(await counts()).toEqual({ total: 0, drifted: 0, outdated: 0 });
});

test('an application that changed no record is undone: the template is not in use there any more', async () => {
  registrar.zones.set('alder.com', mail('post.example'));
  const change = await apply(await looked({ host: 'post.example' }, ['alder.com']));
  const undo = await seen(await changes.undo(scope, change.id));
  expect((await itemsOf(undo)).get('alder.com')).toMatchObject({
    state: 'ready',
    note: 'Its records stay as they are. The portal forgets that the template was applied here by that change.',
  });
  await apply(undo);
  expect(registrar.writes).toBe(0);
  expect(await counts()).toEqual({ total: 0, drifted: 0, outdated: 0 });
  expect(await changes.get(scope, change.id)).toMatchObject({ state: 'undone' });
});

test('an application whose records others have changed since is undone: they stay, the template is not in use', async () => {
  const change = await apply(await looked({ host: 'post.example' }, ['alder.com']));
  registrar.zones.set('alder.com', mail('third.example'));
  await apply(await seen(await changes.undo(scope, change.id)));
  expect(zoneOf('alder.com')).toContain('10 mx.third.example');
  expect(await counts()).toEqual({ total: 0, drifted: 0, outdated: 0 });
});

test('an undo that was not answered, and whose records are back, forgets the template too', async () => {
  const change = await apply(await looked({ host: 'post.example' }, ['alder.com']));
  const undo = await seen(await changes.undo(scope, change.id));
  registrar.silence = 'before';
  expect(await apply(undo)).toMatchObject({ counts: { queued: 1 } });
  const another = recordOf({ type: 'A', subdomain: 'shop', ip_address: '192.0.2.7' });
  registrar.zones.set('alder.com', groupRecords([web, oldMail, another]));
  people.clock.forward(120_000);
  await changes.tasks['changes.run'](ref(undo));
  expect(await changes.get(scope, undo.id)).toMatchObject({ state: 'done', counts: { done: 1 } });
  expect(await counts()).toEqual({ total: 0, drifted: 0, outdated: 0 });
});

test('what a zone has become is accepted into the template; the others have it to come', async () => {
  await apply(await looked({ host: 'post.example' }));
  registrar.zones.set(
    'birch.com',
    groupRecords([
      ...[web, recordOf({ type: 'MX', subdomain: '', priority: 10, hostname: 'mx.birch.com' })],
      ...[recordOf({ type: 'TXT', subdomain: '', text: 'v=spf1 include:post.example -all' })],
    ]),
  );
  people.clock.forward(2 * 86_400_000);
  await check();
  expect(await codeOf(dns.templates.accept(scope, template.id, { domain: 'alder.com', version: 1 }))).toBe(
    'unprocessable',
  );
  const accepted = await dns.templates.accept(scope, template.id, { domain: 'birch.com', version: 1 });
  expect(accepted).toMatchObject({ version: 2, uses: { total: 3, drifted: 0, outdated: 2 } });
  expect(flatRecords(accepted.records).map(recordData)).toEqual([
    ...['10 mx.{domain}', 'v=spf1 include:{host} -all'],
  ]);
  await check();
  expect((await usesOf()).get('birch.com')).toMatchObject({ version: 2, state: 'held' });
  await apply(await looked({}));
  expect(zoneOf('cedar.com')).toContain('10 mx.cedar.com');
});

test('a zone that differs from an earlier version is not accepted into the present one', async () => {
  await apply(await looked({ host: 'post.example' }));
  await edit(
    'birch.com',
    'add',
    recordOf({ type: 'MX', subdomain: '', priority: 20, hostname: 'mx.birch.com' }),
  );
  await check();
  expect((await usesOf()).get('birch.com')).toMatchObject({ state: 'drifted', version: 1 });
  const changed = { name: 'Mail', records: { ...mail('{host}'), TXT: [] }, variables, version: 1 };
  await dns.templates.change(scope, template.id, changed);
  const accepting = dns.templates.accept(scope, template.id, { domain: 'birch.com', version: 2 });
  await expect(accepting).rejects.toMatchObject({
    message: 'This zone is not different from the present version.',
  });
});

test('a given value does not take the place of what a domain has by itself', async () => {
  const records = groupRecords([{ type: 'TXT', subdomain: '_own', text: '{domain} at {host}' }]);
  await dns.templates.change(scope, template.id, { name: 'Mail', records, variables, version: 1 });
  await apply(await looked({ host: 'post.example', domain: 'somebody-else.com' }));
  expect(zoneOf('alder.com')).toContain('alder.com at post.example');
});

test('what is not sound is refused at its field, and nobody else sees or forgets any of it', async () => {
  const refused = async (given: Parameters<typeof dns.templates.save>[1]) =>
    dns.templates.save(scope, given).then(
      () => 'saved',
      (error: { details?: { path: string; message: string }[] }) => error.details?.[0],
    );
  const name = 'Another';
  expect(await refused({ name, records: mail('{host}'), variables: [] })).toEqual({
    ...{ path: 'records', message: 'There is no variable for {host}' },
  });
  const twice = [...variables, ...variables];
  expect(await refused({ name, records: mail('{host}'), variables: twice })).toMatchObject({
    path: 'variables',
  });
  await apply(await looked({ host: 'post.example' }));
  const { scope: stranger } = await people.organisation();
  expect(await codeOf(dns.templates.listUses(stranger, template.id, { limit: 10 }))).toBe('not_found');
  expect(await codeOf(dns.templates.check(stranger, template.id))).toBe('not_found');
  expect(await codeOf(dns.templates.forget(stranger, template.id, names))).toBe('not_found');
  expect(await counts()).toMatchObject({ total: 3 });
  await dns.templates.forget(scope, template.id, ['alder.com']);
  expect(await counts()).toMatchObject({ total: 2 });
});

test('a zone that the registrar does not show is looked at again later', async () => {
  await apply(await looked({ host: 'post.example' }, ['alder.com']));
  registrar.unreadable = true;
  await check();
  registrar.unreadable = false;
  await check();
  expect((await usesOf()).get('alder.com')).toMatchObject({ state: 'unread' });
  // A registrar that has trouble is not asked each minute.
  people.clock.forward(9 * 60_000);
  await check();
  expect((await usesOf()).get('alder.com')).toMatchObject({ state: 'unread' });
  people.clock.forward(2 * 60_000);
  await check();
  expect((await usesOf()).get('alder.com')).toMatchObject({ state: 'held' });
});

test('a template that is deleted while it is applied leaves changed zones done, and they can be undone', async () => {
  const change = await looked({ host: 'post.example' }, ['alder.com']);
  await dns.templates.remove(scope, template.id);
  expect(await apply(change)).toMatchObject({ state: 'done', counts: { done: 1 } });
  expect(zoneOf('alder.com')).toContain('10 mx.post.example');
  await apply(await seen(await changes.undo(scope, change.id)));
  expect(zoneOf('alder.com')).toEqual([web, oldMail].map(recordData).sort());
});
