import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { groupRecords } from '#contracts/values/zone-changes.ts';
import type { RecordDifference } from '#contracts/values/zone-difference.ts';
import { inTransaction, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow } from '../../../../tests/support/rows.ts';
import { codeOf, dnsProcess, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { recordOf } from '../../../../tests/support/zones.ts';
import { insertVersion } from './templates.repo.ts';

/** Each act on a template beside two others: one sorts before it and one after it, so that the first and the last are the wrong ones. */

let database: TestDatabase;
let people: People;
let scope: Scope;
let templates: ReturnType<typeof dnsProcess>['templates'];
let before: OwnTemplate;
let mine: OwnTemplate;
let after: OwnTemplate;
let domains: string[];
let made = 0;

const text = (value: string): DnsRecord => recordOf({ type: 'TXT', subdomain: '', text: value });
const variables = [{ key: 'token', label: 'Token', hint: '', example: '' }];
const noUses = { total: 0, drifted: 0, outdated: 0 };
const here = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(database.db, scope, work);

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ templates } = dnsProcess(database, new ZoneRegistrar(), people));
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  const save = (name: string) =>
    templates.save(scope, { name, variables, records: groupRecords([text(`${name} {token}`)]) });
  // The order in which they were made is not that of their names.
  [mine, before, after] = [await save('Mail'), await save('Alpha'), await save('Web')];
  made += 1;
  domains = [1, 2, 3].map((number) => `d${number}-${made}.com`);
  for (const domain of domains) await ownDomain(database, scope, domain);
});

/** Applied with this token, as a change of many domains does. */
const applied = (template: OwnTemplate, address: string, version = 1, token = 'one') =>
  here((tx) =>
    templates.remember(tx, scope, {
      ...{ templateId: template.id, address, changeId: newId() },
      use: { version, filled: { token }, owned: [text(`${template.name} ${token}`)] },
    }),
  );
/** As a look at the zone leaves it. */
const drifts = (template: OwnTemplate, address: string, drift: RecordDifference[]) =>
  here(async (tx) => {
    const domain = tx.selectFrom('domains').select('id').where('address', '=', address);
    await tx
      .updateTable('dns_template_uses')
      .set({ state: 'drifted', drift: JSON.stringify(drift) })
      .where('template_id', '=', template.id)
      .where('domain_id', '=', domain)
      .execute();
  });
const usesOf = async (template: OwnTemplate) =>
  (await templates.listUses(scope, template.id, { limit: 10 })).uses.map((use) => [
    use.domain,
    use.version,
    use.state,
  ]);
const present = async (id: string) => (await templates.list(scope)).find((template) => template.id === id);
const first = () => domains[0] ?? '';
const second = () => domains[1] ?? '';
const third = () => domains[2] ?? '';

test('a template is saved as it was given, and all are listed by name', async () => {
  const of = (name: string) => ({
    ...{ id: expect.any(String), name, version: 1, uses: noUses, variables },
    records: groupRecords([text(`${name} {token}`)]),
  });
  expect(mine).toEqual(of('Mail'));
  expect([before, after]).toEqual([of('Alpha'), of('Web')]);
  expect(await templates.list(scope)).toEqual([before, mine, after]);
  expect((await logged(database.db, scope, 'dns.saveTemplate'))[0]).toEqual({
    ...{ by: scope.userId, kind: 'dns template', object: 'Mail', before: null },
    after: { id: mine.id, records: mine.records, variables },
  });
});

test('a change is of that template alone, and the reply is that template', async () => {
  const given = { name: 'Post', variables, records: groupRecords([text('new {token}')]) };
  const changed = await templates.change(scope, mine.id, { ...given, version: 1 });
  expect(changed).toEqual({ ...mine, ...given, version: 2 });
  expect(await templates.list(scope)).toEqual([before, changed, after]);
  const { name, records } = mine;
  expect(await logged(database.db, scope, 'dns.changeTemplate')).toEqual([
    {
      ...{ by: scope.userId, kind: 'dns template', object: 'Post' },
      before: { name, records, variables, version: 1 },
      after: { ...given, version: 2 },
    },
  ]);
  // A caller who has read the former version is told so, and so is one who names a template that is not there.
  const late = templates.change(scope, mine.id, { ...given, version: 1 });
  // What is there now comes with it: who has typed something decides over it.
  await expect(late).rejects.toMatchObject({ code: 'conflict', data: changed });
  expect(await codeOf(templates.change(scope, newId(), { ...given, version: 1 }))).toBe('not_found');
  expect(await present(mine.id)).toEqual(changed);
});

test('a template is deleted with its uses, and the others stay with theirs', async () => {
  for (const template of [before, mine, after]) await applied(template, first());
  await templates.remove(scope, mine.id);
  const used = { ...noUses, total: 1 };
  expect(await templates.list(scope)).toEqual([
    { ...before, uses: used },
    { ...after, uses: used },
  ]);
  expect(await logged(database.db, scope, 'dns.deleteTemplate')).toEqual([
    {
      ...{ by: scope.userId, kind: 'dns template', object: 'Mail', after: null },
      before: { id: mine.id, records: mine.records },
    },
  ]);
  expect(await codeOf(templates.listUses(scope, mine.id, { limit: 10 }))).toBe('not_found');
});

test('its own uses are counted and listed, by domain and part by part', async () => {
  await applied(before, third());
  for (const domain of [third(), first(), second()]) await applied(mine, domain);
  await drifts(mine, second(), []);
  await templates.change(scope, mine.id, {
    ...{ name: 'Mail', variables, records: mine.records, version: 1 },
  });
  await applied(mine, third(), 2);
  expect((await present(mine.id))?.uses).toEqual({ total: 3, drifted: 1, outdated: 2 });
  expect((await present(before.id))?.uses).toEqual({ total: 1, drifted: 0, outdated: 0 });
  const list = (page: Omit<Parameters<typeof templates.listUses>[2], 'limit'>, limit = 10) =>
    templates.listUses(scope, mine.id, { ...page, limit });
  const all = await list({});
  expect(all.more).toBe(false);
  expect(all.uses).toEqual(
    (
      [
        [first(), 1, 'unread'],
        [second(), 1, 'drifted'],
        [third(), 2, 'unread'],
      ] as const
    ).map(([domain, version, state]) => ({
      ...{ domain, version, state, customerId: null, customer: '', values: { token: 'one' }, drift: [] },
      ...{ appliedAt: people.clock.now().toISOString(), checkedAt: null },
    })),
  );
  expect(await list({}, 2)).toEqual({ uses: all.uses.slice(0, 2), more: true });
  expect(await list({}, 3)).toEqual({ uses: all.uses, more: false });
  expect(await list({ after: first() })).toEqual({ uses: all.uses.slice(1), more: false });
  expect(await list({ state: 'drifted' })).toEqual({ uses: [all.uses[1]], more: false });
  expect(await list({ state: 'outdated' })).toEqual({ uses: all.uses.slice(0, 2), more: false });
  expect(await usesOf(before)).toEqual([[third(), 1, 'unread']]);
  expect(await usesOf(after)).toEqual([]);
});

test('what a change of many domains asks for is of that template, in the version that it names', async () => {
  const wish = (template: OwnTemplate, values = {}, version = 1) =>
    here((tx) => templates.forDomain(tx, scope, { templateId: template.id, version, values }, first()));
  expect(await wish(mine, { token: 'x' })).toEqual({
    ...{ name: 'Mail', wanted: [text('Mail x')], use: null, filled: { token: 'x' } },
  });
  const records = groupRecords([text('Mail 2 {token}')]);
  await templates.change(scope, mine.id, { name: 'Mail', variables, records, version: 1 });
  expect((await wish(mine, { token: 'x' }, 2)).wanted).toEqual([text('Mail 2 x')]);
  expect((await wish(mine, { token: 'x' }, 1)).wanted).toEqual([text('Mail x')]);
  await applied(before, first(), 1, 'of Alpha');
  await applied(mine, first(), 1, 'of Mail');
  const use = { version: 1, filled: { token: 'of Mail' }, owned: [text('Mail of Mail')] };
  // A blank value is none: what it was applied with counts.
  for (const values of [{}, { token: ' ' }]) {
    expect(await wish(mine, values)).toMatchObject({
      ...{ wanted: [text('Mail of Mail')], filled: { token: 'of Mail' }, use },
    });
  }
  await expect(wish(after)).rejects.toMatchObject({ message: 'There is no value for “Token”.' });
  await expect(wish(mine, {}, 3)).rejects.toMatchObject({
    message: 'This template does not exist any more.',
  });
});

test('a drift is accepted into that template alone; the zone it is of has it by then', async () => {
  for (const template of [before, mine, after]) {
    await applied(template, first());
    await applied(template, second());
  }
  const extra = text('besides');
  const drift: RecordDifference[] = [{ action: 'remove', record: extra, old: null }];
  for (const template of [before, mine]) await drifts(template, first(), drift);
  const accept = (template: OwnTemplate, domain: string, version = 1) =>
    templates.accept(scope, template.id, { domain, version });
  expect(await codeOf(accept(mine, second()))).toBe('unprocessable');
  expect(await codeOf(accept(mine, third()))).toBe('not_found');
  expect(await codeOf(accept(mine, first(), 2))).toBe('conflict');
  const accepted = await accept(mine, first());
  const records = groupRecords([text('Mail {token}'), extra]);
  expect(accepted).toEqual({
    ...{ ...mine, records, version: 2 },
    uses: { total: 2, drifted: 0, outdated: 1 },
  });
  expect(await usesOf(mine)).toEqual([
    [first(), 2, 'held'],
    [second(), 1, 'unread'],
  ]);
  const use = { version: 2, filled: { token: 'one' }, owned: [text('Mail one'), extra] };
  const wished = { templateId: mine.id, version: 2, values: {} };
  expect(await here((tx) => templates.forDomain(tx, scope, wished, first()))).toMatchObject({ use });
  expect(await logged(database.db, scope, 'dns.acceptDrift')).toEqual([
    {
      ...{ by: scope.userId, kind: 'dns template', object: 'Mail', before: { version: 1 } },
      after: { version: 2, domain: first(), records },
    },
  ]);
  expect(await usesOf(before)).toEqual([
    [first(), 1, 'drifted'],
    [second(), 1, 'unread'],
  ]);
  expect([(await present(before.id))?.version, (await present(after.id))?.version]).toEqual([1, 1]);
});

test('what is asked of a domain has the values that are given, then those of the last time there; never an empty one', async () => {
  await applied(mine, first());
  const asked = (domain: string, values: Record<string, string>) =>
    here((tx) => templates.forDomain(tx, scope, { templateId: mine.id, version: 1, values }, domain));
  const filled = async (domain: string, values: Record<string, string>) =>
    (await asked(domain, values)).filled.token;
  expect(await filled(first(), { token: 'two' })).toBe('two');
  for (const none of [{}, { token: '' }, { token: ' ' }]) expect(await filled(first(), none)).toBe('one');
  expect((await asked(first(), { token: 'two' })).wanted).toEqual([text('Mail two')]);
  await expect(asked(second(), {})).rejects.toThrow('There is no value for “Token”.');
});

test('what is forgotten is forgotten of that template alone, at the domains that were named', async () => {
  for (const template of [before, mine]) for (const domain of domains) await applied(template, domain);
  const named = [first(), third()];
  expect(await templates.forget(scope, mine.id, named)).toEqual({ ...mine, uses: { ...noUses, total: 1 } });
  expect(await usesOf(mine)).toEqual([[second(), 1, 'unread']]);
  expect(await usesOf(before)).toHaveLength(3);
  expect(await logged(database.db, scope, 'dns.forgetTemplate')).toEqual([
    {
      ...{ by: scope.userId, kind: 'dns template', object: 'Mail', after: null },
      before: { domains: named },
    },
  ]);
  expect(await codeOf(templates.forget(scope, newId(), named))).toBe('not_found');
});

test('a check has the zones of that template looked at now, by a job', async () => {
  for (const template of [before, mine]) await applied(template, first());
  const later = new Date(people.clock.now().getTime() + 3_600_000);
  await here((tx) => tx.updateTable('dns_template_uses').set({ next_at: later }).execute());
  await takeJobs(database.url);
  await templates.check(scope, mine.id);
  const due = await here((tx) =>
    tx.selectFrom('dns_template_uses').select(['template_id', 'next_at']).execute(),
  );
  expect(Object.fromEntries(due.map((row) => [row.template_id, row.next_at]))).toEqual({
    ...{ [mine.id]: people.clock.now(), [before.id]: later },
  });
  expect(await takeJobs(database.url)).toEqual([{ task: 'dns.check-templates', payload: {} }]);
  expect(await codeOf(templates.check(scope, newId()))).toBe('not_found');
});

test('of versions the last hundred stay, and older ones that a domain has; those of other templates stay', async () => {
  await applied(mine, first(), 2);
  const now = people.clock.now();
  const { records } = mine;
  const versions = (template: OwnTemplate) =>
    here(async (tx) => {
      const rows = await tx
        .selectFrom('dns_template_versions')
        .select('version')
        .where('template_id', '=', template.id)
        .orderBy('version')
        .execute();
      return rows.map(({ version }) => version);
    });
  await here(async (tx) => {
    for (const version of [2, 3, 4, 103]) {
      await insertVersion(tx, scope, mine.id, { records, variables, version, now });
    }
  });
  // 103 less a hundred: the third and those before it go.
  expect(await versions(mine)).toEqual([2, 4, 103]);
  expect(await versions(before)).toEqual([1]);
});

test('a name is one template’s, in any case, and a change that takes another’s is refused', async () => {
  const { records } = mine;
  const given = { name: 'ALPHA', variables, records, version: 1 };
  await expect(templates.change(scope, mine.id, given)).rejects.toMatchObject({
    ...{ code: 'already_exists', message: 'A template with this name already exists.' },
  });
  expect(await present(mine.id)).toEqual(mine);
  expect(await logged(database.db, scope, 'dns.changeTemplate')).toEqual([]);
  expect(await templates.change(scope, mine.id, { ...given, name: 'MAIL' })).toMatchObject({ name: 'MAIL' });
});

test('what is not sound is refused at its field when a template is made or changed', async () => {
  const twice = groupRecords([text('same'), text('same')]);
  const unknown = groupRecords([text('{token} {other}')]);
  const large = groupRecords([{ type: 'TXT', subdomain: '', text: 'x'.repeat(64_000) }]);
  const faults: [object, string, RegExp][] = [
    [{ records: twice }, 'records', /^A record is listed twice$/],
    [{ records: unknown }, 'records', /^There is no variable for \{other\}$/],
    [{ records: large }, 'records', /KB/],
    [{ variables: [...variables, ...variables] }, 'variables', /^A variable is listed twice$/],
  ];
  for (const [fault, path, message] of faults) {
    const given = { name: 'Unsound', variables, records: mine.records, ...fault };
    const refused = {
      code: 'validation_failed',
      details: [{ path, message: expect.stringMatching(message) }],
    };
    await expect(templates.save(scope, given)).rejects.toMatchObject(refused);
    await expect(templates.change(scope, mine.id, { ...given, version: 1 })).rejects.toMatchObject(refused);
  }
  expect(await templates.list(scope)).toEqual([before, mine, after]);
});

test('a use names whose the domain is, what differs and when it was looked at; an ended domain is none', async () => {
  const customerId = await customerRow(database, scope.organisationId, {
    owner: JSON.stringify({ organization: 'Red Plum Ltd' }),
  });
  const drift: RecordDifference[] = [{ action: 'remove', record: text('besides'), old: null }];
  for (const domain of domains) await applied(mine, domain);
  await drifts(mine, first(), drift);
  const checkedAt = new Date(people.clock.now().getTime() + 60_000);
  await here(async (tx) => {
    await tx.updateTable('dns_template_uses').set({ checked_at: checkedAt }).execute();
    await tx.updateTable('domains').set({ customer_id: customerId }).where('address', '=', first()).execute();
    await tx.updateTable('domains').set({ status: 'ended' }).where('address', '=', second()).execute();
  });
  const { uses } = await templates.listUses(scope, mine.id, { limit: 10 });
  const known = { drift, customerId, customer: 'Red Plum Ltd', checkedAt: checkedAt.toISOString() };
  expect(uses).toMatchObject([
    { domain: first(), state: 'drifted', ...known },
    { domain: third(), customerId: null, customer: '', drift: [] },
  ]);
  expect((await present(mine.id))?.uses).toEqual({ total: 2, drifted: 1, outdated: 0 });
});
