import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesBetween } from '#contracts/values/zone-changes.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, customerRow, domainRow, organisationRow } from '../../../../tests/support/rows.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { zoneAt } from './places.repo.ts';
import { insertVersion, type VersionState, versionOf } from './versions.repo.ts';

/** Each condition of the statement, as the login that sees all organisations: here the scope alone decides. */

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const clockAt = (at: Date) => ({ now: () => at }) as Clock;
const whole = (id: string) => ({ organisationId: id, reach: { kind: 'organisation' } }) as Scope;
const of = (...ids: string[]) => ({ organisationId, reach: { kind: 'customers', ids } }) as unknown as Scope;
const at = (address: string, scope = whole(organisationId)) =>
  across(database, (tx) => zoneAt(tx, clockAt(now), scope, address));

async function version(domain: { id: string; address: string }, state: VersionState, ip: string) {
  const records = [{ type: 'A', subdomain: 'www', ip_address: ip }] as const;
  const place = { organisationId, domainId: domain.id, address: domain.address, nameservers: [] };
  const made = { records, hash: versionOf(records), changes: changesBetween([], records), reason: '' };
  const id = newId();
  await across(database, (tx) =>
    insertVersion(tx, clockAt(new Date(now.getTime() - 5_000)), place, {
      ...{ id, state, author: { id: null, name: 'Ada' } },
      ...made,
    }),
  );
  return { id, state, hash: made.hash, ageMs: 5_000 };
}

test('a zone is found within its organization and the reach, and while its domain lives', async () => {
  const customerId = await customerRow(database, organisationId);
  const { id, address } = await domainRow(database, organisationId, { customer_id: customerId });
  expect((await at(address))?.domain).toMatchObject({ id, address, customer_id: customerId });
  expect((await at(address, of(customerId)))?.domain.id).toBe(id);
  expect(await at(address, of(newId()))).toBeNull();
  expect(await at(address, whole(await organisationRow(database)))).toBeNull();
  expect(await at(`other-${address}`)).toBeNull();
  await across(database, (tx) =>
    tx.updateTable('domains').set({ status: 'ended', ended_at: now }).where('id', '=', id).execute(),
  );
  expect(await at(address)).toBeNull();
});

test('its newest version is the last of its own that may be in force, with its age', async () => {
  const domain = await domainRow(database, organisationId);
  const other = await domainRow(database, organisationId);
  expect(await at(domain.address)).toMatchObject({ domain: { id: domain.id }, newest: null });
  await version(domain, 'found', '192.0.2.1');
  const second = await version(domain, 'applied', '192.0.2.2');
  await version(domain, 'refused', '192.0.2.3');
  await version(other, 'applied', '192.0.2.4');
  expect((await at(domain.address))?.newest).toEqual(second);
});
