import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Portal, startPortal } from './support/portal.ts';

/** Events of the payment provider: what its signature does not cover never gets further than the door. */

const secret = 'whsec_sandbox';
let portal: Portal;
beforeAll(async () => {
  portal = await startPortal();
});
beforeEach(async () => {
  await portal.owner.query('DELETE FROM webhook_events');
});
afterAll(() => portal[Symbol.asyncDispose]());

const event = JSON.stringify({
  id: 'evt_signed',
  object: 'event',
  api_version: '2026-10-28.dahlia',
  created: Math.floor(Date.now() / 1_000),
  type: 'payment_intent.succeeded',
  data: { object: { id: 'pi_signed', object: 'payment_intent', amount: 10_000 } },
});

/** The provider's header (signature scheme v1, checked 2026-11-21). */
function signed(body: Buffer | string, key = secret, ageSeconds = 0, scheme = 'v1'): string {
  const at = Math.floor(Date.now() / 1_000) - ageSeconds;
  const mac = createHmac('sha256', key).update(`${at}.`).update(body).digest('hex');
  return `t=${at},${scheme}=${mac}`;
}

async function send(body: Buffer | string, signature: string | null): Promise<number> {
  const { status } = await portal.call({
    method: 'POST',
    url: '/api/webhooks/payments',
    headers: {
      'content-type': 'application/json',
      ...(signature === null ? {} : { 'stripe-signature': signature }),
    },
    payload: body,
  });
  return status;
}

async function rows(): Promise<number> {
  const { rows } = await portal.owner.query<{ n: number }>('SELECT count(*)::int AS n FROM webhook_events');
  return rows[0]?.n ?? -1;
}

test('an event as it was signed is kept, once however often it comes', async () => {
  const signature = signed(event);
  expect([await send(event, signature), await send(event, signature), await rows()]).toEqual([200, 200, 1]);
});

test('one byte changed, wherever it is: 400, and nothing is kept', async () => {
  const signature = signed(event);
  const statuses = new Set<number>();
  for (let at = 0; at < event.length; at += 1) {
    const changed = Buffer.from(event);
    changed[at] = (changed[at] ?? 0) ^ 1;
    statuses.add(await send(changed, signature));
  }
  for (const other of [
    `${event} `,
    event.slice(0, -1),
    ` ${event}`,
    JSON.stringify(JSON.parse(event), null, 1),
  ]) {
    statuses.add(await send(other, signature));
  }
  expect([[...statuses], await rows()]).toEqual([[400], 0]);
});

test('301 seconds old: 400, and nothing is kept; up to five minutes it is taken', async () => {
  expect([await send(event, signed(event, secret, 301)), await rows()]).toEqual([400, 0]);
  // A moved time does not fit the signature.
  const [, mac] = signed(event).split(',');
  expect([await send(event, `t=${Math.floor(Date.now() / 1_000) - 10},${mac}`), await rows()]).toEqual([
    400, 0,
  ]);
  expect([await send(event, signed(event, secret, 240)), await rows()]).toEqual([200, 1]);
});

test('another account’s secret, none, another scheme, no signature: 400, and nothing is kept', async () => {
  const signatures = [
    signed(event, 'whsec_another_account'),
    signed(event, ''),
    signed(event, secret, 0, 'v0'),
    signed(event, secret, 0, 'v2'),
    `t=${Math.floor(Date.now() / 1_000)},v1=`,
    signed(event).slice(0, -1),
    'garbage',
    '',
    null,
  ];
  for (const signature of signatures)
    expect([signature, await send(event, signature)]).toEqual([signature, 400]);
  // One good signature among others is what a rotation of the secret looks like.
  // Both are of one second: the clock may reach the next one in between.
  const good = signed(event);
  const at = Number(/t=(\d+)/.exec(good)?.[1]);
  const other = createHmac('sha256', 'whsec_another_account').update(`${at}.`).update(event).digest('hex');
  const both = `t=${at},v1=${other},${good.split(',')[1]}`;
  expect([await rows(), await send(event, both), await rows()]).toEqual([0, 200, 1]);
});
