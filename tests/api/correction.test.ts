import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { moneyText } from '../../src/contracts/values/format.ts';
import { operate, operateAs } from './support/operate.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'cc');
});
afterAll(() => portal[Symbol.asyncDispose]());

test('the operator corrects a balance by one command, once a reference, and only by the organisation’s own name', async () => {
  const { rows } = await portal.owner.query(
    'SELECT o.name, w.posted_cents - w.held_cents AS cents FROM organisations o JOIN wallets w ON w.organisation_id = o.id WHERE o.id = $1',
    [a.id],
  );
  const [name, before] = [String(rows[0].name), Number(rows[0].cents)];
  const said = (cents: number) => `The balance of ${name} is now ${moneyText(cents)}.`;
  const give = ['correct', a.id, name, '12.50', 'item-1', 'Never carried out', '--yes'];
  const asked = await operate(portal.app, ...give.slice(0, -1));
  expect(asked.code).toBe(2);
  expect(asked.text).toContain(
    `+$12.50 for ${name}. Its balance: ${moneyText(before)} -> ${moneyText(before + 1_250)}.\nReason: Never carried out (item-1).`,
  );
  expect(asked.text).not.toContain('another operator');
  expect(asked.text).toContain('Nothing was done. Where no person can be asked, confirm with --yes.');
  expect(await operate(portal.app, ...give)).toMatchObject({
    code: 0,
    text: expect.stringContaining(said(before + 1_250)),
  });
  expect(await operate(portal.app, ...give)).toMatchObject({
    code: 1,
    text: expect.stringContaining('An entry with the reference "item-1" already exists.'),
  });
  const take = ['correct', a.id, name, '--yes', '--', '-2.50', 'pi_1', 'Never arrived'];
  expect((await operate(portal.app, ...take)).text).toContain(said(before + 1_000));
  // As the usage says it.
  const asWritten = ['correct', a.id, name, '-1.50', 'pi_2', 'Never arrived', '--yes'];
  expect((await operate(portal.app, ...asWritten)).text).toContain(said(before + 850));
  const wrong = ['correct', a.id, 'Somebody Else', '1', 'item-2', 'Never carried out', '--yes'];
  expect(await operate(portal.app, ...wrong)).toMatchObject({
    code: 1,
    text: expect.stringContaining(`This id belongs to ${name}.`),
  });
  const misspelt = await operate(portal.app, 'correct', a.id, name, '1,5', 'item-3', 'Never carried out');
  expect(misspelt.text).toContain('AMOUNT must be like');
  // Nobody is asked about what would be refused.
  const unsaid = await operate(portal.app, 'correct', a.id, name, '1', 'item-3', 'No');
  expect(unsaid).toMatchObject({ code: 2, text: expect.stringContaining('Please give a short reason') });
  expect(unsaid.text).not.toContain('Nothing was done');
});

test('a sum that takes two people is entered by the second one’s command, and each act has its person', async () => {
  const { port } = portal.app.server.address() as AddressInfo;
  const { rows } = await portal.owner.query('SELECT name FROM organisations WHERE id = $1', [a.id]);
  const name = String(rows[0].name);
  const large = ['correct', a.id, name, '2500', 'big-1', 'A large refund'];
  const preview = await operate(portal.app, ...large);
  expect(preview.text).toMatch(
    /Its balance: \S+ -> \S+\.\nIt is more than you may enter alone: the balance changes once another operator has confirmed it\.\nReason:/,
  );
  const asked = await operate(portal.app, ...large, '--yes');
  expect(asked.text).toContain('Nothing is entered yet. Another operator must confirm it.');
  const id = /confirm (\S+)$/m.exec(asked.text)?.[1] ?? '';
  expect((await operate(portal.app, 'confirm', id, '--yes')).text).toContain('You requested this correction');
  const added = await operate(portal.app, 'operators', 'add', 'Ben Jones');
  const key = added.text.trim().split('\n').at(-1) ?? '';
  expect(await operateAs(key, port, ['confirm', id])).toMatchObject({
    code: 2,
    text: expect.stringMatching(/waiting +\+\$2,500\.00 .*big-1: A large refund/),
  });
  expect((await operateAs(key, port, ['confirm', id, '--yes'])).text).toMatch(
    /entered.*2,500\.00.*Ada Smith, Ben Jones/,
  );
  const { text } = await operate(portal.app, 'acts', '--json');
  const acts = JSON.parse(text) as {
    operator: string;
    operation: string;
    outcome: string;
    address: string;
  }[];
  const of = (operation: string) => acts.filter((act) => act.operation === operation);
  expect(of('operator.confirmCorrection').map(({ operator, outcome }) => [operator, outcome])).toEqual([
    ['Ben Jones', 'done'],
    ['Ada Smith', 'forbidden'],
  ]);
  expect(of('operator.makeOperator')[0]).toMatchObject({ operator: 'OPERATOR_TOKEN', address: '127.0.0.1' });
  expect(JSON.stringify(acts)).not.toContain(key);
  const list = JSON.parse((await operate(portal.app, 'operators', '--json')).text) as {
    id: string;
    name: string;
  }[];
  const ben = list.find((one) => one.name === 'Ben Jones');
  const end = ['operators', 'end', ben?.id ?? ''];
  const before = await operate(portal.app, ...end);
  expect(before).toMatchObject({ code: 2, text: expect.stringMatching(/Ben Jones .*last used 20/) });
  expect((await operateAs(key, port, ['corrections'])).code).toBe(0);
  expect((await operate(portal.app, ...end, '--yes')).text).toContain('The key of Ben Jones has ended.');
  expect((await operateAs(key, port, ['corrections'])).text).toContain('401');
});

test('an automatic renewal is tried again by its words as the queue prints them, without quotes', async () => {
  const renewal = ['retry', 'renewal', a.id, 'gone.com'];
  expect((await operate(portal.app, ...renewal)).text).toContain('This is no longer in the queue.');
  expect((await operate(portal.app, 'acts')).text).toContain(`${a.id} gone.com`);
});
