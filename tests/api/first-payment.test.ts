import { afterAll, beforeAll, expect, test } from 'vitest';
import { needsFirstPayment } from '../../src/contracts/operation.ts';
import { grantable } from '../../src/contracts/operations/tokens.ts';
import type { Role } from '../../src/contracts/permissions.ts';
import { setInitialFee } from '../support/first-payment.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { inOrder, mayCall, permitted } from './support/probe.ts';
import { requestFor, type Subject } from './support/samples.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

/** Every operation × everyone of an organisation that has not paid its initial fee, made from the contract. */

let portal: Portal;
let a: Organisation;
let own: Subject;
let script: string;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'fp');
  own = { id: a.customers[0].id, domain: a.customers[0].domain, text: `cus_${a.customers[0].marker}` };
  const made = await portal.call({
    ...{ method: 'POST', url: '/api/user/tokens', payload: { name: 'Script', permissions: grantable } },
    headers: { authorization: `Bearer ${a.tokens.MSP_OWNER}` },
  });
  script = JSON.parse(made.body).data.token;
  // A top-up that begins looks at those that succeeded: the seeded one has not.
  await portal.owner.query("UPDATE topups SET state = 'failed' WHERE organisation_id = $1", [a.id]);
  await setInitialFee(portal.stack.database.systemDb, a.id, false);
});
afterAll(() => portal[Symbol.asyncDispose]());

/** Operations that this caller's role may call, by whether the answer was that the fee is unpaid. */
async function askAll(token: string, role: Role): Promise<{ refused: string[]; open: string[] }> {
  const answers = { refused: [] as string[], open: [] as string[] };
  for (const operation of inOrder(permitted).filter((each) => mayCall(each, role))) {
    const { status, body } = await portal.call(requestFor(operation, own, token));
    const refused = body.includes('"code":"initial_fee_unpaid"');
    if (refused) expect([operation.id, status]).toEqual([operation.id, 402]);
    answers[refused ? 'refused' : 'open'].push(operation.id);
  }
  return answers;
}

const staff = ['MSP_OWNER', 'MSP_ADMIN', 'MSP_EMPLOYEE'] as const;

test.each([...staff, 'script'] as const)(
  'before the first payment a %s is refused whatever its contract does not open',
  async (who) => {
    const role = who === 'script' ? 'MSP_OWNER' : who;
    const { refused, open } = await askAll(who === 'script' ? script : a.tokens[who], role);
    const closed = permitted.filter((each) => mayCall(each, role) && needsFirstPayment(each));
    // What no token opens is refused as such, before anything else is looked at.
    const missing = closed.map(({ id }) => id).filter((id) => !refused.includes(id));
    if (who === 'script') for (const id of missing) expect(open).toContain(id);
    else expect(missing).toEqual([]);
    expect(refused.filter((id) => !closed.some((each) => each.id === id))).toEqual([]);
    expect(refused.length).toBeGreaterThan(40);
  },
);

test('the refusal says what to do, and a customer’s own user is never asked for the fee', async () => {
  const headers = { authorization: `Bearer ${a.tokens.MSP_ADMIN}` };
  const { status, body } = await portal.call({ method: 'GET', url: '/api/customer', headers });
  expect(status).toBe(402);
  expect(JSON.parse(body)).toMatchObject({
    code: 'initial_fee_unpaid',
    message: 'You need to top up your balance to fully activate your account',
  });
  expect((await askAll(a.tokens.MSP_CUSTOMER, 'MSP_CUSTOMER')).refused).toEqual([]);
});

test('the first payment opens everything, at the next request', async () => {
  const list = { method: 'GET', url: '/api/customer' } as const;
  const headers = { authorization: `Bearer ${a.tokens.MSP_EMPLOYEE}` };
  expect((await portal.call({ ...list, headers })).status).toBe(402);
  await setInitialFee(portal.stack.database.systemDb, a.id);
  expect((await portal.call({ ...list, headers })).status).toBe(200);
});
