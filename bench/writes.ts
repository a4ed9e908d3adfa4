import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { newId } from '../src/server/kernel/ids.ts';
import { databasePidOf, processorMsOf } from './processor.ts';
import { median, ofRounds, type Result } from './result.ts';
import { lastOf, untilClear, urlOf } from './side-by-side.ts';
import { runNode, type Stand, startPortal } from './stand.ts';
import { type Caller, contact, openAccount, zoneOf } from './zones.ts';

const parallel = 10;
const rounds = 3;
const eachRound = 300;
/**
 * New customers of a round. Linux counts the processor in hundredths of a second for each process, and a database has a dozen: over few of
 * them that is a tenth of what the floor takes.
 */
const createdEachRound = { portal: 600, floor: 1_500 };
const poolSize = 10;
const targetRatio = 0.3;
const zoneRecords = 50;
/** What a record may take of the processor where its floor takes as much as it did on the machine for which this was set. */
const mostRecordMs = 6;
const floorRecordMs = 1.3;
/** An engine that compiles what it runs often needs some hundred calls to know what that is. */
const warmUps = 600;
/** The sandbox's own. */
const registrarUser = 'sandbox';
const registrarKey = 'sandbox-registrar-key';

/**
 * What writes take of the processor, in the portal and in its database together: a figure that other work on the machine does
 * not change. Requests a second follow from it where nothing else waits.
 */
export async function measureWrites(stand: Stand): Promise<Result[]> {
  await using portal = await startPortal({
    ...{ ...stand.settings, ROLES: 'web', DATABASE_CONNECTIONS: String(poolSize) },
    // What waits for its turn at the registrar takes nothing of the processor, and a measurement's time.
    REGISTRAR_PER_SECOND: '10000',
  });
  const caller = await openAccount(stand, portal.url, 'writes');
  await using floor = runNode(['bench/write-floor.ts'], {
    ...{ DATABASE_URL: stand.databaseUrl, DATABASE_CONNECTIONS: String(poolSize) },
    ORGANISATION: caller.organisationId,
  });
  const floorUrl = await urlOf(floor);
  const postgres = databasePidOf(stand);
  const body = { contacts: { owner: contact, admin: contact, billing: contact } };
  const used = (pid: number) => processorMsOf(pid) + processorMsOf(postgres);

  async function each(pid: number, work: () => Promise<unknown>, count = eachRound, workers = parallel) {
    const before = used(pid);
    const beganAt = performance.now();
    let left = count;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
    return {
      processorMs: (used(pid) - before) / count,
      perSecond: (count * 1_000) / (performance.now() - beganAt),
    };
  }

  const create = () => caller.call('POST', 'customer', body, { 'idempotency-key': newId() });
  const bare = async () => {
    const reply = await fetch(`${floorUrl}/customer`, {
      ...{ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    });
    if (!reply.ok) throw new Error(`the floor: ${reply.status}`);
    await reply.text();
  };
  await each(portal.pid, create, warmUps);
  await each(floor.pid, bare);
  const all: { portal: number; floor: number; rates: number }[] = [];
  const ratios = () => all.map((pair) => pair.floor / pair.portal);
  await untilClear({ targetRatio, ratios }, async () => {
    const least = await each(floor.pid, bare, createdEachRound.floor);
    const ours = await each(portal.pid, create, createdEachRound.portal);
    const rates = ours.perSecond / least.perSecond;
    all.push({ portal: ours.processorMs, floor: least.processorMs, rates });
  });
  const pairs = lastOf(all);
  const spread = ofRounds(lastOf(ratios()));
  const { ratio } = spread;
  const [portalMs, floorMs] = [
    median(pairs.map((pair) => pair.portal)),
    median(pairs.map((pair) => pair.floor)),
  ];
  const rates = median(pairs.map((pair) => pair.rates));
  const created: Result = {
    name: 'create a customer, floor / portal, processor time of server and database',
    measured: `${ratio.toFixed(2)} (${floorMs.toFixed(2)} / ${portalMs.toFixed(2)} ms each; rates ${rates.toFixed(2)})`,
    target: `≥ ${targetRatio}`,
    passed: ratio >= targetRatio,
    figures: { ...spread, portalMs, floorMs, rates },
  };

  return [created, await measureRecord(stand, caller, portal.pid, each)];
}

/** The processor's time of one call, and how many a second. */
type Each = (
  pid: number,
  work: () => Promise<unknown>,
  count?: number,
  workers?: number,
) => Promise<{ processorMs: number; perSecond: number }>;

/** One record in each of ten zones at once, again and again, beside the shortest program that does the same at the same registrar. */
async function measureRecord(stand: Stand, caller: Caller, portalPid: number, each: Each): Promise<Result> {
  await using floor = runNode(['bench/record-floor.ts'], {
    ...{ DATABASE_URL: stand.databaseUrl, DATABASE_CONNECTIONS: String(poolSize) },
    ...{ ORGANISATION: caller.organisationId, REGISTRAR_URL: stand.settings.REGISTRAR_URL ?? '' },
    ...{ REGISTRAR_USERNAME: registrarUser, REGISTRAR_KEY: registrarKey },
  });
  const floorUrl = await urlOf(floor);
  const ofPortal = await zonesOf(caller, 'portal');
  const ofFloor = await zonesOf(caller, 'floor');
  const address = { subdomain: 'www', ip_address: '192.0.2.9' };
  const save = (domain: string, action: 'add' | 'remove') =>
    caller.call('PUT', `${domain}/zone`, { records: [{ type: 'A', action, ...address }] });
  const change = inTurns(ofPortal, save);
  const send = async (domain: string, action: 'add' | 'remove') => {
    const reply = await fetch(`${floorUrl}/record`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ domain, action, record: address }),
    });
    if (!reply.ok) throw new Error(`the floor: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  const bare = inTurns(ofFloor, send);
  await each(portalPid, change, warmUps);
  await each(floor.pid, bare, warmUps);
  for (const [index, domain] of ofPortal.entries()) {
    requireSameZone(await save(domain, 'add'), await send(ofFloor[index] ?? '', 'add'));
  }
  const pairs: { portal: number; floor: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const least = await each(floor.pid, bare);
    const ours = await each(portalPid, change);
    pairs.push({ portal: ours.processorMs, floor: least.processorMs });
  }
  const spread = ofRounds(pairs.map((pair) => pair.floor / pair.portal));
  const { ratio } = spread;
  const [recordMs, floorMs] = [
    median(pairs.map((pair) => pair.portal)),
    median(pairs.map((pair) => pair.floor)),
  ];
  const limitMs = mostRecordMs * Math.max(1, floorMs / floorRecordMs);
  return {
    name: `one record of a zone of ${zoneRecords}, processor time of server and database`,
    measured: `${recordMs.toFixed(1)} ms (floor ${floorMs.toFixed(1)} ms: ${ratio.toFixed(2)})`,
    target: `≤ ${limitMs.toFixed(1)} ms`,
    passed: recordMs <= limitMs,
    figures: { ...spread, recordMs, floorMs, limitMs },
  };
}

/** Each zone is changed by one caller at a time: added to, then taken from. */
function inTurns(
  domains: readonly string[],
  send: (domain: string, action: 'add' | 'remove') => Promise<unknown>,
): () => Promise<void> {
  const free = domains.map((domain) => ({ domain, isAdded: false }));
  return async () => {
    const zone = free.pop();
    if (!zone) throw new Error('every zone is being changed');
    await send(zone.domain, zone.isAdded ? 'remove' : 'add');
    free.unshift({ ...zone, isAdded: !zone.isAdded });
  };
}

async function zonesOf(caller: Caller, name: string): Promise<string[]> {
  const domains = Array.from({ length: parallel }, (_unused, index) => `${name}-zone${index}.com`);
  for (const domain of domains) await zoneOf(caller, domain, zoneRecords);
  return domains;
}

const zoneReply = z.object({
  data: z.object({
    records: z.object({ A: z.array(z.object({ subdomain: z.string(), ip_address: z.string() })) }),
  }),
});

/** A floor that left records out would be cheap. */
function requireSameZone(ofPortal: unknown, ofFloor: unknown): void {
  const [ours, floors] = [ofPortal, ofFloor].map((reply) =>
    zoneReply
      .parse(reply)
      .data.records.A.map((record) => JSON.stringify(record))
      .sort(),
  );
  if (ours?.length !== zoneRecords + 1 || !isDeepStrictEqual(ours, floors)) {
    throw new Error('the portal and the floor do not have the same zone');
  }
}
