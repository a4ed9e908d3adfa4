import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { requestFor } from './support/samples.ts';
import { type Organisation, person, seedOrganisation, stateOf } from './support/world.ts';

/** The users of a customer change domain settings only once the MSP allows it, whatever the setting. */

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'sa');
});
afterAll(() => portal[Symbol.asyncDispose]());

/** What people change of their own domains at any time: their contacts (P1 §2). */
const always = ['domains.contacts'];
const settings = operations.filter(({ access, id }) => access === 'domains.settings' && !always.includes(id));

async function answers(token: string): Promise<string[]> {
  const [own] = a.customers;
  const said: string[] = [];
  for (const operation of settings) {
    const request = requestFor(operation, { id: own.id, domain: own.domain, text: 'x.png' }, token);
    // A host without an address is refused to everybody, for that alone.
    const host = { name: `ns1.${own.domain}`, ipaddress: '9.9.9.9' };
    const payload = operation.id === 'dns.createGlue' ? { payload: JSON.stringify(host) } : {};
    const { status, body } = await portal.call({ ...request, ...payload });
    said.push(`${operation.id}: ${status < 300 ? 'done' : JSON.parse(body).code}`);
  }
  return said;
}

test('each setting of a domain is refused to the users of a customer who may not change settings, and nothing is done', async () => {
  const [own] = a.customers;
  const profile = { organisationId: a.id, role: 'MSP_CUSTOMER', customerId: own.id } as const;
  const { token } = await person(portal, 'own@zqsa.example', profile);
  expect(settings.length).toBeGreaterThan(8);
  const allow = (allowed: boolean) =>
    portal.owner.query('UPDATE customers SET allow_domain_settings = $1 WHERE id = $2', [allowed, own.id]);
  await allow(false);
  const before = await stateOf(portal, a.id);
  expect(await answers(token)).toEqual(settings.map(({ id }) => `${id}: forbidden`));
  expect(await stateOf(portal, a.id)).toEqual(before);
  await allow(true);
  expect((await answers(token)).filter((said) => said.endsWith('forbidden'))).toEqual([]);
});
