import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#kernel/ids.ts';
import { createSeal } from '#kernel/seal.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow } from '../../../../tests/support/rows.ts';
import { createAccessService } from './access.service.ts';

/** What the people of an organization do to an access is in its log. */

let database: TestDatabase;
let people: People;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());

const service = () =>
  createAccessService({
    ...{ db: database.db, clock: people.clock, newId, publicUrl: 'https://portal.test' },
    seal: createSeal([{ number: 1, secret: 'a-key-for-these-tests-alone' }]),
    pricing: { list: async () => [{ productType: 'rapidssl', businessValidated: false }] as never },
    spentThisMonth: async () => new Map(),
  });

test('making, changing and revoking an access are each in the log, about its customer; what changes nothing is not', async () => {
  const { scope } = await people.organisation();
  const customerId = await customerRow(database, scope.organisationId);
  const { id, keyId } = await service().make(scope, {
    ...{ name: 'Web server', customerId, hosts: null, productType: 'rapidssl', mayBuy: null },
  });
  const rename = (name: string) => service().change(scope, id, { name }, () => undefined);
  await rename('Mail server');
  await rename('Mail server');
  await service().revoke(scope, id);
  await expect(service().revoke(scope, id)).rejects.toMatchObject({ code: 'not_found' });
  const entry = { by: scope.userId, kind: 'acme access', object: id };
  const about = async (action: 'acme.make' | 'acme.change' | 'acme.revoke') => {
    expect(await loggedAbout(database.db, scope, action)).toEqual([customerId]);
    return logged(database.db, scope, action);
  };
  expect(await about('acme.make')).toMatchObject([{ ...entry, before: null, after: { keyId } }]);
  expect(await about('acme.change')).toEqual([
    { ...entry, before: { name: 'Web server' }, after: { name: 'Mail server' } },
  ]);
  expect(await about('acme.revoke')).toMatchObject([
    { ...entry, before: { name: 'Mail server' }, after: null },
  ]);
});
