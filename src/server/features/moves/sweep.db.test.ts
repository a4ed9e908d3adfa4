import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { flatRecords } from '#contracts/values/zone-changes.ts';
import { inTransaction, sql } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { across, customerRow, itemRow, orderRow } from '../../../../tests/support/rows.ts';
import { dnsProcess, noRecords, ownDomain, ZoneRegistrar } from '../../../../tests/support/zone-registrar.ts';
import { recordTransferEnd, recordTransferStart } from '../domains/index.ts';
import { createSweep } from './sweep.ts';

/** A line whose domain has come: its records are served here before its nameservers lead here, or they do not lead here. */

let database: TestDatabase;
let people: People;
let registrar: ZoneRegistrar;
let scope: Scope;
let sweep: () => Promise<void>;
let dns: ReturnType<typeof dnsProcess>;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
});
afterAll(() => database.close());
beforeEach(() => {
  registrar = new ZoneRegistrar();
  dns = dnsProcess(database, registrar, people);
  const seen = async (name: string, type: string) => ({
    exists: true,
    records: served
      .filter((record) => record.type === type)
      .map(({ type, subdomain: _, ...fields }) => ({ name, type, fields })),
  });
  sweep = createSweep({
    ...{
      systemDb: database.systemDb,
      clock: people.clock,
      logger: { error: () => undefined } as unknown as Logger,
    },
    ...{ dns, managed: ['ns1.portal.test'] },
    zoneSource: {
      ask: seen,
      askServers: (_servers, name, type) => seen(name, type),
      transfer: async () => null,
    },
    domains: { transfers: { check: () => Promise.reject(new Error('not asked')) } },
    pricing: { price: () => Promise.reject(new Error('not asked')) } as never,
    rdap: { registration: async () => null },
  });
});

const www: DnsRecord = { type: 'A', subdomain: 'www', ip_address: '192.0.2.1' };
const served: DnsRecord[] = [www];
let names = 0;

interface Line {
  state: string;
  held: string | null;
  switched_at: Date | null;
}

/** Its records wait for it in the zone editor, and it came a moment ago. */
async function arrived(records: readonly DnsRecord[] = served) {
  names += 1;
  const address = `came-${names}.com`;
  const { organisationId } = scope;
  const start = { organisationId, address, customerId: null, autoRenew: false, privacy: false };
  await inTransaction(database.db, scope, (tx) =>
    recordTransferStart(tx, { ...start, credentialsSealed: null, now: new Date() }),
  );
  const staged = records.map((record) => ({ action: 'add' as const, record }));
  await dns.zones.change(scope, address, { records: staged });
  await inTransaction(database.db, scope, (tx) =>
    recordTransferEnd(tx, { organisationId, address, expiresAt: null, registeredAt: null, now: new Date() }),
  );
  return { address, line: await lineOf(address, { records, staged: true }) };
}

async function lineOf(
  address: string,
  { records, staged }: { records: readonly DnsRecord[]; staged: boolean },
) {
  const { organisationId } = scope;
  const [id, moveId] = [newId(), newId()];
  const customerId = await customerRow(database, organisationId);
  const order = { organisationId, orderId: await orderRow(database, organisationId) };
  const itemId = await itemRow(database, order, { kind: 'transfer', address, state: 'succeeded' });
  const zone = JSON.stringify({ how: 'whole', records, leftOut: [] });
  await across(database, async (tx) => {
    await sql`INSERT INTO moves (id, organisation_id, customer_id, author_id, created_at)
      VALUES (${moveId}, ${organisationId}, ${customerId}, ${scope.userId}, now())`.execute(tx);
    await sql`INSERT INTO move_lines (id, organisation_id, move_id, number, address, state, dns, zone, item_id, staged_at, next_at)
      VALUES (${id}, ${organisationId}, ${moveId}, 1, ${address}, 'ordered', 'bring', ${zone}::jsonb, ${itemId},
        ${staged ? new Date() : null}, ${people.clock.now()})`.execute(tx);
  });
  return async (): Promise<Line | undefined> => {
    const { rows } = await across(database, (tx) =>
      sql<Line>`SELECT state, held, switched_at FROM move_lines WHERE id = ${id}`.execute(tx),
    );
    return rows[0];
  };
}

const recordsAt = (address: string) => flatRecords(registrar.zones.get(address) ?? noRecords);
const tenMinutesLater = () => people.clock.forward(600_001);

test('leads here once its records are served here', async () => {
  const { address, line } = await arrived();
  await sweep();
  expect(recordsAt(address)).toEqual([www]);
  expect(registrar.delegated.has(address)).toBe(true);
  expect((await line())?.switched_at).not.toBeNull();
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
  expect((await line())?.held).toContain('did not take its records');
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
  expect((await line())?.held).toContain('has not confirmed its records');
  // It never arrived: a job finds that out, and it is sent again.
  await dns.tasks['dns.settle-versions']();
  tenMinutesLater();
  await sweep();
  expect(recordsAt(address)).toEqual([www]);
  expect(registrar.delegated.has(address)).toBe(true);
  expect((await line())?.switched_at).not.toBeNull();
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
  expect((await line())?.held).toContain('An alias (CNAME) must be the only record of its name');
});
