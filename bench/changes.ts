import { z } from 'zod';
import { pause } from '../src/server/kernel/clock.ts';
import type { Result } from './result.ts';
import { type Stand, startPortal } from './stand.ts';
import { type Caller, openAccount } from './zones.ts';

const zones = 150;
const cartMost = 100;
const latencyMs = 500;
const parallel = 10;
/** Read fresh, then replaced: each is one call. */
const callsOfAChange = 2;
const mostTimesItsOwn = 1.3;
const pollMs = 100;

const pricesReply = z.object({ data: z.array(z.object({ price: z.number() })) });
const changeReply = z.object({
  data: z.object({ id: z.string(), state: z.string(), counts: z.object({ ready: z.int(), done: z.int() }) }),
});

/** "Set DMARC to quarantine everywhere it is missing" over 150 zones, beside the registrar's own time at what it allows. */
export async function measureChanges(stand: Stand): Promise<Result> {
  const settings = { REGISTRAR_PARALLEL: String(parallel), REGISTRAR_PER_SECOND: '10000' };
  await using portal = await startPortal({ ...stand.settings, ...settings });
  const caller = await openAccount(stand, portal.url, 'changes');
  const names = await fleet(caller);
  await stand.control('registrar', 'latency', { ms: latencyMs });
  const { id } = await ask(caller, 'POST', 'changes', {
    ...{ title: 'DMARC everywhere', targets: { kind: 'names', names } },
    request: { kind: 'set-dmarc', text: 'v=DMARC1; p=quarantine', where: 'missing' },
  });
  const ready = await whenIn(caller, id, 'ready');
  if (ready.counts.ready !== zones) throw new Error(`${ready.counts.ready} of ${zones} zones are ready`);
  const beganAt = performance.now();
  await ask(caller, 'POST', `changes/${id}/apply`, { expected: zones });
  const done = await whenIn(caller, id, 'done');
  const tookMs = performance.now() - beganAt;
  await stand.control('registrar', 'latency', { ms: 0 });
  if (done.counts.done !== zones) throw new Error(`${done.counts.done} of ${zones} zones were changed`);
  const ownMs = (zones * callsOfAChange * latencyMs) / parallel;
  const ratio = tookMs / ownMs;
  return {
    name: `a change of ${zones} zones, portal / registrar's own time at ${parallel} calls of ${latencyMs} ms at once`,
    measured: `${ratio.toFixed(2)} (${(tookMs / 1000).toFixed(1)} / ${(ownMs / 1000).toFixed(1)} s)`,
    target: `≤ ${mostTimesItsOwn}`,
    passed: ratio <= mostTimesItsOwn,
    figures: { ratio, tookMs, ownMs },
  };
}

async function ask({ call }: Caller, method: string, path: string, body?: unknown) {
  return changeReply.parse(await call(method, path, body)).data;
}

async function whenIn(caller: Caller, id: string, state: string) {
  for (;;) {
    const change = await ask(caller, 'GET', `changes/${id}`);
    if (change.state === state) return change;
    if (change.state === 'partly') throw new Error('a part of the change failed');
    await pause(pollMs);
  }
}

/** Registered names whose DNS is managed here, each with a few records. */
async function fleet({ call, customerId }: Caller): Promise<string[]> {
  const names = Array.from({ length: zones }, (_unused, index) => `fleet-${index}-zone.com`);
  for (let at = 0; at < names.length; at += cartMost) {
    const domains = names
      .slice(at, at + cartMost)
      .map((address) => ({ address, customerId, period: 1, whois: false }));
    const asked = domains.map(({ address, period, whois }) => ({ address, period, whois }));
    const { data } = pricesReply.parse(await call('POST', 'cart/prices', asked));
    const cents = data.reduce((sum, { price }) => sum + Math.round(price * 100), 0);
    await call('POST', 'cart/purchase', { domains, price: cents / 100 });
  }
  const waiting = [...names];
  const prepare = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      await call('POST', `${name}/zone/force_dns_nameservers`, {});
      const records = [{ type: 'A', subdomain: '', action: 'add', ip_address: '192.0.2.1' }];
      await call('PUT', `${name}/zone`, { records });
    }
  };
  await Promise.all(Array.from({ length: parallel }, prepare));
  return names;
}
