import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MoveZone } from '#contracts/operations/moves.ts';
import { type DnsRecord, hostOf } from '#contracts/values/dns-records.ts';
import { flatRecords } from '#contracts/values/zone-changes.ts';
import { inTransaction, sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { across, customerRow, itemRow, orderRow } from '../../../../tests/support/rows.ts';
import { dnsProcess, noRecords, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { SeenRecord } from '../../ports/zone-source.ts';
import { recordTransferEnd, recordTransferStart } from '../domains/index.ts';
import * as repo from './moves.repo.ts';
import { createMoves, type MovesApi } from './moves.service.ts';

/**
 * A line whose domain has come: its records are served here before its nameservers lead here, or they do not lead here. They do not
 * either where its old servers say something else by now.
 */

let database: TestDatabase;
let people: People;
let registrar: ZoneRegistrar;
let scope: Scope;
let moves: MovesApi;
const sweep = () => moves.tasks['moves.sweep']();
let dns: ReturnType<typeof dnsProcess>;
/** What the old servers say, and ours; null: nothing. */
let old: DnsRecord[] | null;
let ours: DnsRecord[] | null;
let registrarNow: string;
let errors: object[];
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
});
afterAll(() => database.close());
beforeEach(() => {
  registrar = new ZoneRegistrar();
  dns = dnsProcess(database, registrar, people);
  [old, ours, registrarNow, errors] = [served, served, 'Old Registrar', []];
  const saidBy = (records: DnsRecord[] | null, domain: string): SeenRecord[] => {
    if (!records) throw new UpstreamUnavailable('nobody answers');
    return records.map((record) => {
      const { type, subdomain: _, ...fields } = record;
      return { name: hostOf(record, domain), type, fields };
    });
  };
  moves = createMoves({
    ...{ db: database.db, newId, transferTimes: { approvalDays: 1, releaseDays: 5 } },
    ...{ seal: {} as never, customers: {} as never, orders: {} as never },
    ...{
      systemDb: database.systemDb,
      clock: people.clock,
      logger: { error: (what: object) => void errors.push(what) } as unknown as Logger,
    },
    ...{ dns, managed: ['ns1.portal.test'] },
    zoneSource: {
      ask: () => Promise.reject(new Error('not asked')),
      askServers: async (servers, name, type) => {
        const said = saidBy(servers.includes('ns1.portal.test') ? ours : old, domainOf(name));
        return { exists: true, records: said.filter((each) => each.name === name && each.type === type) };
      },
      transfer: async (domain) => saidBy(old, domain),
    },
    domains: { transfers: { check: () => Promise.reject(new Error('not asked')) } },
    pricing: { price: () => Promise.reject(new Error('not asked')) } as never,
    rdap: {
      registration: async (name) => ({
        ...{ name, registrar: registrarNow, registeredAt: null, expiresAt: null },
        ...{ nameservers: [], statuses: [] },
      }),
    },
  });
});

const domainOf = (name: string) => name.split('.').slice(-2).join('.');
const at = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const www = at('www', '192.0.2.1');
const [moved, api] = [at('www', '192.0.2.9'), at('api', '192.0.2.3')];
const served: DnsRecord[] = [www];
const readAt = new Date('2026-11-10T12:00:00Z');
let names = 0;

interface Line {
  id: string;
  moveId: string;
  state: string;
  held: string | null;
  switched_at: Date | null;
  checked_at: Date | null;
  next_at: Date | null;
  zone: { records: DnsRecord[] };
  differences: { name: string; now: string[] }[] | null;
}

/** Its records wait for it in the zone editor. */
async function coming(records: readonly DnsRecord[] = served): Promise<string> {
  names += 1;
  const address = `came-${names}.com`;
  const { organisationId } = scope;
  const start = { organisationId, address, customerId: null, autoRenew: false, privacy: false };
  await inTransaction(database.db, scope, (tx) =>
    recordTransferStart(tx, { ...start, credentialsSealed: null, now: new Date() }),
  );
  const staged = records.map((record) => ({ action: 'add' as const, record }));
  await dns.zones.change(scope, address, { records: staged });
  return address;
}

/** It came a moment ago. */
async function arrived(records: readonly DnsRecord[] = served) {
  const address = await coming(records);
  const { organisationId } = scope;
  await inTransaction(database.db, scope, (tx) =>
    recordTransferEnd(tx, { organisationId, address, expiresAt: null, registeredAt: null, now: new Date() }),
  );
  return { address, line: await lineOf(address, { records, staged: true }) };
}

async function lineOf(
  address: string,
  {
    records,
    staged,
    state = 'succeeded',
  }: { records: readonly DnsRecord[]; staged: boolean; state?: 'pending' | 'succeeded' },
) {
  const { organisationId } = scope;
  const [id, moveId] = [newId(), newId()];
  const customerId = await customerRow(database, organisationId);
  const order = { organisationId, orderId: await orderRow(database, organisationId) };
  const itemId = await itemRow(database, order, { kind: 'transfer', address, state });
  const facts = JSON.stringify({ nameservers: ['ns1.old.net'], registrar: 'Old Registrar' });
  const zone = JSON.stringify({ how: 'whole', records, leftOut: [] });
  await across(database, async (tx) => {
    await sql`INSERT INTO moves (id, organisation_id, customer_id, author_id, created_at)
      VALUES (${moveId}, ${organisationId}, ${customerId}, ${scope.userId}, now())`.execute(tx);
    await sql`INSERT INTO move_lines (id, organisation_id, move_id, number, address, state, dns, facts, zone, item_id,
        staged_at, checked_at, next_at)
      VALUES (${id}, ${organisationId}, ${moveId}, 1, ${address}, 'ordered', 'bring', ${facts}::jsonb, ${zone}::jsonb, ${itemId},
        ${staged ? new Date() : null}, ${readAt}, ${people.clock.now()})`.execute(tx);
    const completed = state === 'succeeded' ? people.clock.now() : null;
    await sql`INSERT INTO transfers (id, organisation_id, address, customer_id, requested_at, completed_at)
      VALUES (${itemId}, ${organisationId}, ${address}, ${customerId}, ${readAt}, ${completed})`.execute(tx);
  });
  return async (): Promise<Line> => {
    const { rows } = await across(database, (tx) =>
      sql<Line>`SELECT id, move_id AS "moveId", state, held, switched_at, checked_at, next_at, zone, differences
        FROM move_lines WHERE id = ${id}`.execute(tx),
    );
    const [row] = rows;
    if (!row) throw new Error('no line');
    return row;
  };
}

/** What a person does with a line. `shown`: the answers that they have seen. */
async function serveAsItIs(line: () => Promise<Line>, shown?: MoveZone): Promise<void> {
  const { id, moveId } = await line();
  const { comparedAt } = shown ?? {};
  const body = { lineIds: [id], dns: 'bring' as const, ...(shown ? { comparedAt } : {}) };
  await moves.change(scope, moveId, body);
}
async function look(line: () => Promise<Line>): Promise<MoveZone> {
  const { id, moveId } = await line();
  return moves.zone(scope, moveId, id);
}
async function checkAgain(line: () => Promise<Line>): Promise<void> {
  const { id, moveId } = await line();
  await inTransaction(database.db, scope, (tx) =>
    repo.askAgain(tx, scope, { moveId, ids: [id], now: people.clock.now() }),
  );
}

const recordsAt = (address: string) => flatRecords(registrar.zones.get(address) ?? noRecords);
const tenMinutesLater = () => people.clock.forward(600_001);

test('leads here once its records are served here', async () => {
  const { address, line } = await arrived();
  await sweep();
  expect(recordsAt(address)).toEqual([www]);
  expect(registrar.delegated.has(address)).toBe(true);
  expect((await line()).switched_at).not.toBeNull();
});

test('does not lead here while the registrar refuses its records, however often it is looked at', async () => {
  const { address, line } = await arrived();
  registrar.refusal = 'Invalid DNS record';
  await sweep();
  registrar.refusal = null;
  tenMinutesLater();
  await sweep();
  expect(registrar.delegated.has(address)).toBe(false);
  expect(await line()).toMatchObject({
    switched_at: null,
    held: expect.stringContaining('did not take its records'),
  });
  // A person has put its zone in order.
  await dns.zones.change(scope, address, { records: [{ action: 'add', record: www }] });
  tenMinutesLater();
  await sweep();
  expect(registrar.delegated.has(address)).toBe(true);
  expect(await line()).toMatchObject({ held: null });
});

test('does not lead here where another job tried in vain', async () => {
  const { address, line } = await arrived();
  registrar.refusal = 'Invalid DNS record';
  const where = { organisationId: scope.organisationId, address };
  await dns.tasks['dns.publish-staged'](where).catch(() => undefined);
  registrar.refusal = null;
  await sweep();
  expect(registrar.delegated.has(address)).toBe(false);
  expect((await line()).held).toContain('did not take its records');
});

test('does not lead here while nobody knows whether its records are served', async () => {
  const { address, line } = await arrived();
  registrar.silence = 'before';
  registrar.onWire = async () => {
    registrar.unreadable = true;
  };
  await sweep();
  registrar.unreadable = false;
  tenMinutesLater();
  await sweep();
  expect(registrar.delegated.has(address)).toBe(false);
  expect((await line()).held).toContain('has not confirmed its records');
  // It never arrived: a job finds that out, and it is sent again.
  await dns.tasks['dns.settle-versions']();
  tenMinutesLater();
  await sweep();
  expect(recordsAt(address)).toEqual([www]);
  expect(registrar.delegated.has(address)).toBe(true);
  expect((await line()).switched_at).not.toBeNull();
});

test('says what keeps its records out of a zone that others have changed', async () => {
  names += 1;
  const address = `here-${names}.com`;
  await ownDomain(database, scope, address);
  const alias: DnsRecord = { type: 'CNAME', subdomain: 'www', hostname: 'shop.host.net' };
  registrar.zones.set(address, { ...noRecords, CNAME: [{ subdomain: 'www', hostname: 'shop.host.net' }] });
  const line = await lineOf(address, { records: served, staged: false });
  await sweep();
  expect(recordsAt(address)).toEqual([alias]);
  expect(registrar.delegated.has(address)).toBe(false);
  expect((await line()).held).toContain('An alias (CNAME) must be the only record of its name');
});

test('leads here with its records as its old servers say them: that day is kept', async () => {
  const { line } = await arrived();
  await sweep();
  expect(await line()).toMatchObject({ state: 'settled', checked_at: people.clock.now(), differences: [] });
});

describe('a zone that has changed at its old servers since it was read', () => {
  beforeEach(() => {
    old = [moved];
  });

  test('does not lead here: the names are said, and nothing is served in its place', async () => {
    const { address, line } = await arrived();
    await sweep();
    expect(registrar.delegated.has(address)).toBe(false);
    expect(await line()).toMatchObject({
      held: `Its old DNS has changed since Nov 10, 2026: www.${address} (A). Correct its records here and check again, or serve its records here as they are.`,
      ...{ switched_at: null, checked_at: readAt },
      differences: [{ name: `www.${address}`, now: ['192.0.2.9'] }],
    });
  });

  test('leads here when a person has changed it here too; what is expected then is the change', async () => {
    const { address, line } = await arrived();
    await sweep();
    const change = { action: 'update' as const, record: moved, old: www };
    await dns.zones.change(scope, address, { records: [change] });
    ours = [moved];
    tenMinutesLater();
    await sweep();
    expect(registrar.delegated.has(address)).toBe(true);
    expect(await line()).toMatchObject({
      ...{ state: 'settled', held: null, differences: [], checked_at: people.clock.now() },
      zone: { records: [moved] },
    });
  });

  test('leads here as it is when a person says so, and not when it changes once more', async () => {
    const { address, line } = await arrived();
    await sweep();
    await serveAsItIs(line);
    old = [at('www', '192.0.2.8')];
    await sweep();
    expect(registrar.delegated.has(address)).toBe(false);
    await serveAsItIs(line);
    await sweep();
    expect(registrar.delegated.has(address)).toBe(true);
    // The day is that on which the records were read.
    expect(await line()).toMatchObject({ state: 'settled', held: null, checked_at: readAt });
  });

  test('leads here as it is only for the answers that the person was shown', async () => {
    const { address, line } = await arrived();
    await sweep();
    const shown = await look(line);
    old = [at('www', '192.0.2.8')];
    tenMinutesLater();
    await sweep();
    await expect(serveAsItIs(line, shown)).rejects.toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining('has changed once more') },
    });
    await sweep();
    expect(registrar.delegated.has(address)).toBe(false);
    // What was shown is the same however often it is looked at again.
    const again = await look(line);
    expect(again.differences).toMatchObject([{ now: ['192.0.2.8'] }]);
    tenMinutesLater();
    await sweep();
    await serveAsItIs(line, again);
    await sweep();
    expect(registrar.delegated.has(address)).toBe(true);
  });

  test('holds again for it after it was held for another reason: no person was asked about the change', async () => {
    const { address, line } = await arrived();
    await sweep();
    const { id } = await line();
    await across(database, (tx) =>
      sql`UPDATE move_lines SET held = 'It is signed.' WHERE id = ${id}`.execute(tx),
    );
    await serveAsItIs(line);
    await sweep();
    expect(registrar.delegated.has(address)).toBe(false);
    expect((await line()).held).toContain('Its old DNS has changed');
  });

  test('does not lead here because its old servers fall silent after that', async () => {
    const { address, line } = await arrived();
    await sweep();
    old = null;
    await checkAgain(line);
    await sweep();
    expect(registrar.delegated.has(address)).toBe(false);
    expect((await line()).held).toContain(`www.${address} (A)`);
    await serveAsItIs(line);
    await sweep();
    expect(registrar.delegated.has(address)).toBe(true);
  });
});

test.each([
  ['silent', null],
  ['without the zone', []],
])(
  'old servers that are %s prove nothing: it leads here, with the day on which it was read',
  async (_, said) => {
    old = said;
    const { address, line } = await arrived();
    await sweep();
    expect(registrar.delegated.has(address)).toBe(true);
    expect(await line()).toMatchObject({ state: 'settled', checked_at: readAt });
  },
);

test('DNS that comes long after its domain is compared for a day as well', async () => {
  const { line } = await arrived();
  people.clock.forward(3 * 86_400_000);
  ours = [];
  await sweep();
  expect(await line()).toMatchObject({ state: 'ordered', next_at: expect.any(Date) });
  ours = served;
  tenMinutesLater();
  await sweep();
  expect(await line()).toMatchObject({ state: 'settled', differences: [] });
});

describe('the zone of a domain that is on its way', () => {
  const waiting = async (address: string) => flatRecords((await dns.zones.read(scope, address)).records);
  const onItsWay = async () => {
    const address = await coming();
    return { address, line: await lineOf(address, { records: served, staged: true, state: 'pending' }) };
  };

  test('is read again, and what waits for it changes with it', async () => {
    const { address, line } = await onItsWay();
    old = [moved, api];
    await sweep();
    expect(await waiting(address)).toEqual([api, moved]);
    expect(await line()).toMatchObject({ zone: { records: [moved, api] }, checked_at: people.clock.now() });
    old = [moved];
    tenMinutesLater();
    await sweep();
    // Not before its time.
    expect(await waiting(address)).toHaveLength(2);
    people.clock.forward(6 * 3_600_000);
    await sweep();
    expect(await waiting(address)).toEqual([moved]);
  });

  test.each([
    ['the domain has left its old registrar meanwhile', () => (registrarNow = 'Portal Registrar')],
    ['its servers are silent', () => (old = null)],
    ['its servers have nothing of it', () => (old = [])],
  ])('stays as it was where %s', async (_, happen) => {
    const { address, line } = await onItsWay();
    old = [moved, api];
    happen();
    await sweep();
    expect(await waiting(address)).toEqual([www]);
    expect(await line()).toMatchObject({ zone: { records: [www] }, checked_at: readAt, state: 'ordered' });
  });

  test('is taken where a part of the change waits here already', async () => {
    const { address, line } = await onItsWay();
    await dns.zones.change(scope, address, { records: [{ action: 'update', record: moved, old: www }] });
    old = [moved, api];
    await sweep();
    expect(await waiting(address)).toEqual([api, moved]);
    expect(await line()).toMatchObject({ zone: { records: [moved, api] }, checked_at: people.clock.now() });
  });

  test('stays as it was where a person has decided otherwise about what changed', async () => {
    const { address, line } = await onItsWay();
    const own = at('www', '192.0.2.5');
    await dns.zones.change(scope, address, { records: [{ action: 'update', record: own, old: www }] });
    old = [moved, api];
    await sweep();
    expect(await waiting(address)).toEqual([own]);
    expect(await line()).toMatchObject({ zone: { records: [www] }, checked_at: readAt });
  });
});

const delegate = (address: string, nameservers: string[]) =>
  across(database, (tx) =>
    tx.updateTable('domains').set({ nameservers }).where('address', '=', address).execute(),
  );

test('a domain that leads here already is not led here again, and its old servers are not asked', async () => {
  const { address, line } = await arrived();
  await delegate(address, ['ns1.portal.test']);
  old = [moved];
  await sweep();
  expect(registrar.delegated.has(address)).toBe(false);
  expect(recordsAt(address)).toEqual([www]);
  expect(await line()).toMatchObject({ state: 'settled', held: null, differences: [], checked_at: readAt });
});

test('a domain that keeps its nameservers is compared as soon as the portal knows them, at those', async () => {
  const { address, line } = await arrived();
  const { id } = await line();
  await across(database, (tx) => sql`UPDATE move_lines SET dns = 'keep' WHERE id = ${id}`.execute(tx));
  ours = [];
  await sweep();
  expect(await line()).toMatchObject({
    ...{ state: 'ordered', differences: null },
    next_at: new Date(people.clock.now().getTime() + 15_000),
  });
  await delegate(address, ['ns1.old.net']);
  people.clock.forward(15_000);
  await sweep();
  expect(registrar.delegated.has(address)).toBe(false);
  expect(await line()).toMatchObject({ state: 'settled', differences: [], switched_at: null });
});

describe('in the name of somebody who may not order any more', () => {
  const author = (change: object) =>
    across(database, (tx) => tx.updateTable('users').set(change).where('id', '=', scope.userId).execute());

  test.each([
    ['were removed', { removed_at: new Date() }, { removed_at: null }],
    ['had their sign-in switched off', { disabled_at: new Date() }, { disabled_at: null }],
  ])('nothing is done where they %s: its DNS waits', async (_how, change, back) => {
    const { address, line } = await arrived();
    await author(change);
    try {
      await sweep();
    } finally {
      await author(back);
    }
    expect(registrar.delegated.has(address)).toBe(false);
    expect(recordsAt(address)).toEqual([]);
    expect(await line()).toMatchObject({
      ...{ switched_at: null, next_at: new Date(people.clock.now().getTime() + 600_000) },
      held: 'The person in whose name it was to be done has no access any more. Check it again to go on in your name.',
    });
    tenMinutesLater();
    await sweep();
    expect(registrar.delegated.has(address)).toBe(true);
  });
});

test('a line that fails is logged and looked at again a minute later, and keeps no other from its look', async () => {
  const [broken, fine] = [await arrived(), await arrived()];
  const { id } = await broken.line();
  // A fault of ours: no zone has such a record.
  await across(database, (tx) =>
    sql`UPDATE move_lines SET zone = '{"how": "whole", "records": [null], "leftOut": []}' WHERE id = ${id}`.execute(
      tx,
    ),
  );
  await sweep();
  expect(errors).toMatchObject([{ lineId: id }]);
  expect(await broken.line()).toMatchObject({
    ...{ state: 'ordered', switched_at: null, next_at: new Date(people.clock.now().getTime() + 60_000) },
  });
  expect(registrar.delegated.has(fine.address)).toBe(true);
});

test('a line whose domain has left, or whose order came to nothing, is looked at no more', async () => {
  const [left, failed] = [await arrived(), await arrived()];
  const { organisationId } = scope;
  await inTransaction(database.db, scope, (tx) =>
    tx
      .updateTable('domains')
      .set({ status: 'ended' })
      .where('organisation_id', '=', organisationId)
      .where('address', '=', left.address)
      .execute(),
  );
  const { id } = await failed.line();
  await across(database, (tx) =>
    sql`UPDATE order_items SET state = 'declined' WHERE id = (SELECT item_id FROM move_lines WHERE id = ${id})`.execute(
      tx,
    ),
  );
  await sweep();
  for (const { address, line } of [left, failed]) {
    expect(await line()).toMatchObject({ state: 'settled', next_at: null, switched_at: null });
    expect(registrar.delegated.has(address)).toBe(false);
  }
});
