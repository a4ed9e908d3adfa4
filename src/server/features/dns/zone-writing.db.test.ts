import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { groupRecords } from '#contracts/values/zone-changes.ts';
import { createDatabase, type Db, sql, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow, within } from '../../../../tests/support/rows.ts';
import { codeOf, dnsProcess, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { tooLate } from '../../ports/outcome.ts';
import { requireDomain } from '../domains/index.ts';
import type { DnsApi } from './index.ts';
import { insertVersion, lockVersions, newestVersion, versionOf, type ZonePlace } from './versions.repo.ts';

/** The intent of a write beside what others do at the same moment. */

let database: TestDatabase;
let owner: Db;
let people: People;
let registrar: ZoneRegistrar;
let dns: DnsApi;
let scope: Scope;
let place: ZonePlace;
let domain: string;
let made = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createDatabase({ url: database.url, maxConnections: 2 });
  people = createPeople(database);
});
afterAll(async () => {
  await owner.destroy();
  await database.close();
});
beforeEach(async () => {
  made += 1;
  domain = `intent-${made}.com`;
  ({ scope } = await people.organisation());
  registrar = new ZoneRegistrar();
  dns = dnsProcess(database, registrar, people);
  await ownDomain(database, scope, domain);
  registrar.zones.set(domain, groupRecords([old]));
  await dns.zones.read(scope, domain);
  const row = await within(database, scope.organisationId, (tx) => requireDomain(tx, scope, domain));
  place = { organisationId: scope.organisationId, domainId: row.id, address: domain, nameservers: [] };
});

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const [old, other, mine] = [a('old', '192.0.2.1'), a('other', '192.0.2.2'), a('mine', '192.0.2.3')];
const change = () =>
  codeOf(dns.zones.change(scope, domain, { records: [{ action: 'add', record: mine }], reason: 'mine' }));
const versions = async () =>
  (await dns.zones.versions(scope, domain)).map(({ state, reason }) => `${state} ${reason}`);
const first = 'found As found at the registrar';

/** Until somebody in this database waits for a lock of this kind. */
const waitsFor = (kind: 'advisory' | 'relation' | 'transactionid') =>
  eventually(async () => {
    const { rows } = await sql`SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE NOT granted AND locktype = ${kind} AND datname = current_database()`.execute(owner);
    expect(rows).not.toEqual([]);
  });

/** As the HTTP client does whose time is up while the database has not answered the fence's question yet: nothing was sent. */
function givesUpWhen(isReached: () => Promise<unknown>): { asked: () => Promise<number | string> } {
  let asked: Promise<number | string> = Promise.resolve('never asked');
  const port = registrar.asPort();
  registrar.asPort = () => ({
    ...port,
    async replaceZone(_domain, _records, fence) {
      asked = fence.holdsForMs().catch(String);
      await isReached();
      return { kind: 'busy', code: tooLate, text: 'too late' };
    },
  });
  dns = dnsProcess(database, registrar, people);
  return { asked: () => asked };
}

/** `during` while a transaction keeps the locks that `held` takes. */
async function whileHeld(held: (tx: Tx) => Promise<unknown>, during: () => Promise<unknown>): Promise<void> {
  await systemTransaction(owner, async (tx) => {
    await held(tx);
    await during();
  });
}

test('a reading that is being noted is noted before the intent, and does not cover it', async () => {
  let changing = Promise.resolve('not begun');
  await within(database, scope.organisationId, async (tx) => {
    await lockVersions(tx, place);
    await newestVersion(tx, people.clock, place);
    changing = change();
    await Promise.race([waitsFor('advisory'), changing]);
    await insertVersion(tx, people.clock, place, {
      ...{ id: newId(), records: [other], hash: versionOf([other]), state: 'found', changes: null },
      ...{ author: { id: null, name: 'Outside' }, reason: 'noted' },
    });
  });
  expect(await changing).toBe('ok');
  expect(await versions()).toEqual(['applied mine', 'found noted', first]);
});

test('an intent whose commit was not waited for is refused as soon as it is there, and holds up nobody', async () => {
  const { asked } = givesUpWhen(() => waitsFor('relation'));
  const { promise: hasEnded, resolve: end } = Promise.withResolvers<void>();
  let holding: Promise<void> = Promise.resolve();
  registrar.onRead = async () => {
    registrar.onRead = null;
    const { promise: isHeld, resolve: begun } = Promise.withResolvers<void>();
    // The intent is written, and the question of the lease behind it waits.
    const lock = (tx: Tx) => sql`LOCK TABLE zone_leases IN ACCESS EXCLUSIVE MODE`.execute(tx);
    holding = whileHeld(lock, async () => {
      begun();
      await Promise.race([waitsFor('transactionid'), hasEnded]);
    });
    await isHeld;
  };
  expect(await change().finally(end)).toBe('in_progress');
  await holding;
  expect([await asked(), await versions()]).toEqual([expect.any(Number), ['refused mine', first]]);
  expect(registrar.writes).toBe(0);
});

test('an intent that comes after its write was given up is not kept', async () => {
  const { asked } = givesUpWhen(() => waitsFor('advisory'));
  let ended = '';
  await whileHeld(
    (tx) => lockVersions(tx, place).then(() => sql`SELECT 1`.execute(tx)),
    async () => {
      ended = await change();
    },
  );
  expect([ended, await asked()]).toEqual(['in_progress', expect.stringContaining('duplicate key')]);
  expect(await versions()).toEqual(['refused mine', first]);
  expect(registrar.writes).toBe(0);
});

test('a write without an answer whose lease was lost is told as unknown, although its records are there', async () => {
  registrar.silence = 'after';
  registrar.onWire = async () => {
    const lost = owner.updateTable('zone_leases').set({ expires_at: new Date(0) });
    await systemTransaction(database.systemDb, (tx) => tx.executeQuery(lost.compile()));
  };
  expect(await change()).toBe('outcome_unknown');
  expect(await versions()).toEqual(['unknown mine', first]);
  expect(await logged(database.db, scope, 'dns.changeZone')).toEqual([]);
});

test('a change for a customer who has no key yet is in the log all the same', async () => {
  const customerId = await customerRow(database, scope.organisationId);
  await within(database, scope.organisationId, (tx) =>
    tx.updateTable('domains').set({ customer_id: customerId }).where('id', '=', place.domainId).execute(),
  );
  expect(await change()).toBe('ok');
  expect(await logged(database.db, scope, 'dns.changeZone')).toMatchObject([{ after: { reason: 'mine' } }]);
});
