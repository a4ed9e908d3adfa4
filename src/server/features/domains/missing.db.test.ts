import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { domainRow } from '../../../../tests/support/rows.ts';
import { testLeases } from '../../../../tests/support/zone-registrar.ts';
import { createDomainSettings } from './settings.service.ts';

/** What the registrar does not have in the account any more may be in it again by another organisation's order. */

let database: TestDatabase;
let people: People;
let scope: Scope;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
});
afterAll(() => database.close());

const asked = () => Promise.reject(new Error('the registrar was asked'));
const settings = () =>
  createDomainSettings({
    ...{ db: database.db, clock: people.clock, leases: testLeases(database), customers: people.customers },
    facts: {
      nameservers: [],
      periods: { graceDays: 40, redemptionDays: 30, deleteDays: 5, registrantLockDays: 60 } as never,
    },
    registrar: {
      domain: asked,
      setLock: asked,
      setNameservers: asked,
      dsRecords: asked,
      authCode: asked,
    } as never,
  });

test('a missing domain can be neither read nor changed at the registrar; what is known of it is shown', async () => {
  const { address } = await domainRow(database, scope.organisationId, {
    ...{ missing_since: people.clock.now(), locked: true },
  });
  const refused = {
    ...{ code: 'unprocessable', message: `The registrar no longer has ${address} in this portal’s account.` },
  };
  const { setLock, setNameservers, details } = settings();
  await expect(setLock(scope, address, false)).rejects.toMatchObject(refused);
  const elsewhere = { nameservers: ['ns1.x.net', 'ns2.x.net'] };
  await expect(setNameservers(scope, address, elsewhere as never)).rejects.toMatchObject(refused);
  const fresh = () => undefined;
  await expect(details(scope, address, 'domain_auth_info', fresh)).rejects.toMatchObject(refused);
  expect(await details(scope, address, 'all_info', fresh)).toMatchObject({
    domain: address,
    missing: true,
    live: false,
  });
});
