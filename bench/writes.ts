import { newId } from '../src/server/kernel/ids.ts';
import { databasePidOf, processorMsOf } from './processor.ts';
import { median, type Result } from './result.ts';
import { urlOf } from './side-by-side.ts';
import { runNode, type Stand, startPortal } from './stand.ts';
import { contact, openAccount, zoneOf } from './zones.ts';

const parallel = 10;
const rounds = 5;
const eachRound = 300;
const poolSize = 10;
const targetRatio = 0.3;
const zoneRecords = 50;
const targetRecordMs = 6;

/**
 * What writes take of the processor, in the portal and in its database together: a figure that other work on the machine does
 * not change. Requests a second follow from it where nothing else waits.
 */
export async function measureWrites(stand: Stand): Promise<Result[]> {
  await using portal = await startPortal({
    ...{ ...stand.settings, ROLES: 'web', DATABASE_CONNECTIONS: String(poolSize) },
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
  await each(portal.pid, create);
  await each(floor.pid, bare);
  const pairs: { portal: number; floor: number; rates: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const least = await each(floor.pid, bare);
    const ours = await each(portal.pid, create);
    const rates = ours.perSecond / least.perSecond;
    pairs.push({ portal: ours.processorMs, floor: least.processorMs, rates });
  }
  const ratio = median(pairs.map((pair) => pair.floor / pair.portal));
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
    figures: { ratio, portalMs, floorMs, rates },
  };

  const zone = await zoneOf(caller, 'written-zone.com', zoneRecords);
  let changes = 0;
  const change = () => {
    changes += 1;
    const record = { type: 'A', subdomain: 'www', action: changes % 2 === 1 ? 'add' : 'remove' };
    return caller.call('PUT', `${zone}/zone`, { records: [{ ...record, ip_address: '192.0.2.9' }] });
  };
  await each(portal.pid, change, 20, 1);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push((await each(portal.pid, change, 40, 1)).processorMs);
  }
  const recordMs = median(times);
  const changed: Result = {
    name: `one record of a zone of ${zoneRecords}, processor time of server and database`,
    measured: `${recordMs.toFixed(1)} ms`,
    target: `≤ ${targetRecordMs} ms`,
    passed: recordMs <= targetRecordMs,
    figures: { recordMs },
  };
  return [created, changed];
}
