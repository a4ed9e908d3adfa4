import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatCents } from '../../src/contracts/values/money.ts';
import { operate } from './support/operate.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'cc');
}, 60_000);
afterAll(() => portal[Symbol.asyncDispose]());

test('the operator corrects a balance by one command, once a reference, and only by the organisation’s own name', async () => {
  const { rows } = await portal.owner.query(
    'SELECT o.name, w.posted_cents - w.held_cents AS cents FROM organisations o JOIN wallets w ON w.organisation_id = o.id WHERE o.id = $1',
    [a.id],
  );
  const [name, before] = [String(rows[0].name), Number(rows[0].cents)];
  const said = (cents: number) => `The balance of ${name} is now $${formatCents(cents)}.`;
  const give = ['correct', a.id, name, '12.50', 'item-1', 'Never carried out'];
  expect(await operate(portal.app, ...give)).toMatchObject({
    code: 0,
    text: expect.stringContaining(said(before + 1_250)),
  });
  expect(await operate(portal.app, ...give)).toMatchObject({
    code: 1,
    text: expect.stringContaining('There is an entry "item-1" already.'),
  });
  const take = ['correct', a.id, name, '--', '-2.50', 'pi_1', 'Never arrived'];
  expect((await operate(portal.app, ...take)).text).toContain(said(before + 1_000));
  const wrong = ['correct', a.id, 'Somebody Else', '1', 'item-2', 'Never carried out'];
  expect(await operate(portal.app, ...wrong)).toMatchObject({
    code: 1,
    text: expect.stringContaining(`This id is of ${name}.`),
  });
  expect((await operate(portal.app, 'correct', a.id, name, '1,5')).text).toContain('AMOUNT must be like');
});
