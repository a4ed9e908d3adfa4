import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createDatabase, systemTransaction } from '../src/server/kernel/db/database.ts';
import { adjust } from '../src/server/ledger/ledger.ts';
import { setInitialFee } from '../tests/support/first-payment.ts';
import { Generator } from './load.ts';
import { median, type Result } from './result.ts';
import { readyLine, runNode, type Stand, startPortal, temporaryFolder } from './stand.ts';

const largeZone = 5_000;
const usualZone = 50;
const connections = 4;
const rounds = 3;
const secondsPerRound = 0.5;
const mostTimesTheFloor = 2;

const latencyMs = 150;
/** Read fresh, then replaced: each is one call. */
const callsOfAChange = 2;
const repeats = 15;
/** Before they are measured: by then the engine has compiled what a change runs. */
const warmUps = 60;
const allowedExtraMs = 50;

const profileReply = z.object({ data: z.object({ organizationId: z.string() }) });
const customerReply = z.object({ data: z.object({ customerId: z.string() }) });
const pricesReply = z.object({ data: z.array(z.object({ price: z.number() })) });
const zoneReply = z.object({ data: z.object({ records: z.object({ A: z.array(z.unknown()) }) }) });

/** A zone of 5,000 records beside the bare JSON of the same bytes, and one change beside the registrar's own time. */
export async function measureZones(stand: Stand): Promise<Result[]> {
  // What waits for its turn at the registrar is not measured here, and the run shall not wait for it.
  await using portal = await startPortal({ ...stand.settings, REGISTRAR_PER_SECOND: '10000' });
  const caller = await openAccount(stand, portal.url, 'zones');
  const large = await zoneOf(caller, 'large-zone.com', largeZone);
  const usual = await zoneOf(caller, 'usual-zone.com', usualZone);
  return [await measureRead(caller, large), await measureChange(stand, caller, usual)];
}

export const contact = {
  organization: 'Example Ltd',
  ...{ firstName: 'Ann', lastName: 'Smith', email: 'ann@example.com', phone: '+1.2125550100' },
  ...{ address1: '1 Main Street', city: 'New York', state: 'NY', postalCode: '10001', country: 'US' },
};

export interface Caller {
  organisationId: string;
  url: string;
  token: string;
  customerId: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<unknown>;
}

async function measureRead({ url, token }: Caller, address: string): Promise<Result> {
  const portalCall = { url: `${url}/api/${address}/zone`, headers: { authorization: `Bearer ${token}` } };
  const body = await (await fetch(portalCall.url, { headers: portalCall.headers })).text();
  if (zoneReply.parse(JSON.parse(body)).data.records.A.length !== largeZone) {
    throw new Error('the portal does not show the whole zone');
  }
  const file = join(await temporaryFolder(), 'zone.json');
  await writeFile(file, body);
  await using floor = runNode(['bench/zone-floor.ts'], { BODY_FILE: file });
  const floorCall = { url: `${(await readyLine(floor)).url}/zone`, headers: {} };
  const bare = await (await fetch(floorCall.url)).text();
  if (bare !== body) throw new Error('the portal and the floor do not send the same bytes');
  using generator = new Generator();
  const measure = (call: typeof portalCall | typeof floorCall) =>
    generator.throughput(call.url, { connections, seconds: secondsPerRound, headers: call.headers });
  await measure(floorCall);
  await measure(portalCall);
  const ratios: number[] = [];
  let last = { portalMs: 0, floorMs: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const floorLoad = await measure(floorCall);
    const portalLoad = await measure(portalCall);
    ratios.push(floorLoad.perSecond / portalLoad.perSecond);
    last = { portalMs: 1_000 / portalLoad.perSecond, floorMs: 1_000 / floorLoad.perSecond };
  }
  const ratio = median(ratios);
  return {
    name: `read of a zone of ${largeZone} records, portal / bare JSON of the same bytes`,
    measured: `${ratio.toFixed(2)} (${last.portalMs.toFixed(1)} / ${last.floorMs.toFixed(1)} ms each)`,
    target: `≤ ${mostTimesTheFloor}`,
    passed: ratio <= mostTimesTheFloor,
    figures: { ratio, ...last },
  };
}

async function measureChange(stand: Stand, { call }: Caller, address: string): Promise<Result> {
  for (let count = 0; count < warmUps; count += 1)
    await call('PUT', `${address}/zone`, { records: [record(`before${count}`)] });
  await stand.control('registrar', 'latency', { ms: latencyMs });
  const ownMs = callsOfAChange * latencyMs;
  const extraMs: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const beganAt = performance.now();
    await call('PUT', `${address}/zone`, { records: [record(`change${repeat}`)] });
    extraMs.push(performance.now() - beganAt - ownMs);
  }
  await stand.control('registrar', 'latency', { ms: 0 });
  const middleMs = median(extraMs);
  return {
    name: `one DNS change at a registrar of ${ownMs} ms, beyond its own time`,
    measured: `${middleMs.toFixed(0)} ms`,
    target: `≤ ${allowedExtraMs} ms`,
    passed: middleMs <= allowedExtraMs,
    figures: { middleMs, worstMs: Math.max(...extraMs) },
  };
}

const record = (subdomain: string) => ({ type: 'A', subdomain, action: 'add', ip_address: '192.0.2.1' });

/** A registered name with a zone of so many records. */
export async function zoneOf({ call, customerId }: Caller, address: string, count: number): Promise<string> {
  const { data } = pricesReply.parse(await call('POST', 'cart/prices', [{ address, period: 1 }]));
  const price = data[0]?.price ?? 0;
  await call('POST', 'cart/purchase', { domains: [{ address, customerId, period: 1 }], price });
  const records = Array.from({ length: count }, (_unused, index) => record(`host-${index}`));
  await call('PUT', `${address}/zone`, { records });
  return address;
}

/** An MSP with money and a customer. */
export async function openAccount(stand: Stand, url: string, name = 'zones'): Promise<Caller> {
  const email = `${name}@msp.example`;
  await stand.control('identity', 'users/add', { email, verified: true, name });
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const { token } = await stand.control<{ token: string }>('identity', 'tokens/mint', { email, exp });
  const call: Caller['call'] = async (method, path, body, headers = {}) => {
    const reply = await fetch(`${url}/api/${path}`, {
      method,
      // Unpacked, as the floors send it.
      headers: {
        ...{ authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
        ...{ 'content-type': 'application/json', ...headers },
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  const profile = await call('POST', 'user', { username: `${name}bench`, organization: `${name} MSP` });
  const { organizationId: organisationId } = profileReply.parse(profile).data;
  const db = createDatabase({ url: stand.urls.system, maxConnections: 1 });
  const opening = {
    organisationId,
    cents: 1_000_000,
    ref: organisationId,
    actor: 'bench',
    text: 'opening balance',
  };
  await systemTransaction(db, (tx) => adjust(tx, opening));
  await setInitialFee(db, organisationId);
  await db.destroy();
  const customer = await call('POST', 'customer', {
    contacts: { owner: contact, admin: contact, billing: contact },
  });
  return { url, token, call, organisationId, customerId: customerReply.parse(customer).data.customerId };
}
