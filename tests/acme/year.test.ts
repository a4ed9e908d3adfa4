import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { createRandom } from '../faults/simulated-registrar.ts';
import { Acme, type Answer, type Csr, csrFor } from '../support/acme-protocol.ts';
import { type AcmeYear, dayMs, startAcmeYear } from './simulated-time.ts';

/**
 * Machines that renew by themselves while certificates are valid for 47 days, from the first order to well after the first
 * term. `ACME_HOSTS=200 npx vitest run tests/acme/year.test.ts` is the whole fleet.
 */
const hostCount = Number(process.env.ACME_HOSTS ?? 4);
const seed = Number(process.env.ACME_SEED ?? 1);
/** Certificates are valid for 47 days from here on (BR §6.3.2). */
const startsAt = Date.UTC(2029, 2, 20, 3);
/** A year, and until the last host is in its second term. */
const days = 400;
/** The fleet is set up within the life of a certificate, so that terms end at every point of it. */
const setUpDays = 40;
const leastDaysLeft = 10;
/** The whole fleet takes hours on a machine that does something else besides. */
const limitMs = 3_600_000 + hostCount * 60_000;

let year: AcmeYear;
beforeAll(async () => {
  year = await startAcmeYear({ startsAt, hosts: hostCount + 2 });
});
afterAll(() => year[Symbol.asyncDispose]());

interface Host {
  name: string;
  acme: Acme;
  csr: Csr;
  setUpOn: number;
  validTo: Date | null;
  issuedId: string;
  issued: number;
}

async function newHost(index: number): Promise<Host> {
  const name = year.names[index] ?? '';
  const acme = new Acme(year.directory);
  const setUpOn = Math.floor((index * setUpDays) / hostCount);
  return { name, acme, csr: csrFor([name]), setUpOn, validTo: null, issuedId: '', issued: 0 };
}

/** RFC 9773 4.2, by a client that wakes up once a day. */
async function isDue(host: Host, random: () => number): Promise<boolean> {
  const { json } = await year.acme.renewalInfo(host.issuedId);
  const { suggestedWindow } = json as { suggestedWindow: { start: string; end: string } };
  const [start, end] = [Date.parse(suggestedWindow.start), Date.parse(suggestedWindow.end)];
  return start + random() * (end - start) < year.now() + dayMs;
}

/** New orders of all of these, finalized; each is asked about until it has its certificate. */
async function renewAll(due: readonly Host[]): Promise<void> {
  const locations = await Promise.all(due.map(ordered));
  let open = due.map((host, index) => ({ host, location: locations[index] ?? '' }));
  for (let asked = 0; open.length > 0; asked += 1) {
    if (asked > 20) throw new Error(`no certificate for ${open.map(({ host }) => host.name).join(', ')}`);
    await year.authorityWorks();
    const done = await Promise.all(open.map(({ host, location }) => collected(host, location)));
    open = open.filter((_, index) => !done[index]);
  }
}

async function ordered({ acme, name, csr, issuedId }: Host): Promise<string> {
  // The nonce of the last day is too old.
  await acme.get('new-nonce', 'HEAD');
  if (acme.kid === '') await acme.register(year.access);
  const identifiers = [{ type: 'dns', value: name }];
  const wish = { identifiers, ...(issuedId ? { replaces: issuedId } : {}) };
  const order = await patiently(() => acme.post('new-order', wish));
  if (order.status !== 201) throw new Error(`${name}: ${order.text}`);
  const finalized = await patiently(() => acme.post(order.json.finalize, { csr: csr.der }));
  // Asked again after a 503, it may be under way already.
  const isUnderWay = finalized.status === 200 || finalized.text.includes('orderNotReady');
  if (!isUnderWay) throw new Error(`${name}: ${finalized.text}`);
  return order.headers.get('location') ?? '';
}

/** As clients do: a server that is overloaded is asked the same again. It must never buy twice because of it. */
async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  for (let again = 1; again <= 5 && answer.status === 503; again += 1) {
    await new Promise((later) => setTimeout(later, again * 1_000));
    answer = await ask();
  }
  return answer;
}

async function collected(host: Host, location: string): Promise<boolean> {
  const order = await patiently(() => host.acme.post(location));
  if (order.json.status === 'processing') return false;
  if (order.json.status !== 'valid') throw new Error(`${host.name}: ${order.text}`);
  const chain = (await patiently(() => host.acme.post(order.json.certificate))).text;
  const leaf = new X509Certificate(chain);
  expect(leaf.checkHost(host.name)).toBe(host.name);
  host.validTo = new Date(leaf.validTo);
  host.issuedId = await year.issuedIdOf(leaf);
  host.issued += 1;
  return true;
}

const daysLeft = (host: Host) => ((host.validTo?.getTime() ?? 0) - year.now()) / dayMs;

test('under 47-day validity each machine always has a certificate with more than 10 days left, for one order a term', {
  timeout: limitMs,
}, async () => {
  const random = createRandom(seed);
  const hosts = await Promise.all(Array.from({ length: hostCount }, (_, index) => newHost(index)));
  const before = await year.postedCents();
  const short: string[] = [];
  for (let day = 0; day <= days; day += 1) {
    await year.until(startsAt + day * dayMs);
    const due: Host[] = [];
    for (const host of hosts) {
      if (host.validTo !== null) {
        const left = daysLeft(host);
        if (left <= leastDaysLeft) short.push(`day ${day}: ${host.name} has ${left.toFixed(2)} days left`);
        if (await isDue(host, random)) due.push(host);
      } else if (host.setUpOn <= day) due.push(host);
    }
    await renewAll(due);
    if (day % 7 === 0) await year.sweep();
    if (hostCount > 4 && day % 20 === 0) {
      const issued = hosts.reduce((sum, host) => sum + host.issued, 0);
      const least = Math.min(...hosts.filter(({ validTo }) => validTo !== null).map(daysLeft));
      process.stderr.write(`day ${day}: ${issued} certificates, at least ${least.toFixed(1)} days left\n`);
    }
  }
  expect(short).toEqual([]);

  // Terms at the authority, and items that were paid.
  const terms = await year.terms();
  const bought = await year.boughtItems();
  for (const { name, issued } of hosts) {
    const own = terms.filter(({ domain }) => domain === name);
    expect(own.length, `terms of ${name}`).toBe(2);
    // What was left of the first is in the second: no paid day is lost.
    const [first = 0, second = 0] = own.map(({ endsAt }) => endsAt).sort((one, other) => one - other);
    expect((second - first) / dayMs, name).toBeGreaterThan(365 - 0.01);
    expect(bought.filter(({ address }) => address === name).map(({ state }) => state)).toEqual([
      'succeeded',
      'succeeded',
    ]);
    expect(await year.issuesAtAuthority(name), `certificates of ${name}`).toBe(issued);
  }
  expect(terms).toHaveLength(bought.length);
  const price = await year.priceCents();
  expect(bought.map(({ cents }) => cents)).toEqual(bought.map(() => price));
  expect(before - (await year.postedCents())).toBe(bought.length * price);
  expect(await year.openHolds()).toBe(0);
  expect(await checkLedger(year.database.systemDb)).toEqual([]);
});

test('a machine that was off until its certificate had expired gets the next one of its term, for nothing', async () => {
  const host = await newHost(hostCount + 1);
  await renewAll([host]);
  const before = await year.postedCents();
  await year.until(year.now() + 60 * dayMs);
  await year.sweep();
  expect(daysLeft(host)).toBeLessThan(0);
  await renewAll([host]);
  expect(daysLeft(host)).toBeGreaterThan(leastDaysLeft);
  expect(await year.postedCents()).toBe(before);
  expect((await year.terms()).filter(({ domain }) => domain === host.name)).toHaveLength(1);
});

test('directory, nonces and renewal information write nothing, however many ask', async () => {
  const host = await newHost(hostCount);
  await renewAll([host]);
  const unread = await year.statementsOf(async () => {
    for (let asked = 0; asked < 50; asked += 1) {
      expect((await host.acme.get('directory')).status).toBe(200);
      expect((await host.acme.get('new-nonce', 'HEAD')).status).toBe(200);
    }
  });
  expect(unread).toEqual([]);
  const read = await year.statementsOf(async () => {
    for (let asked = 0; asked < 50; asked += 1) {
      expect((await host.acme.get(`renewal-info/${host.issuedId}`)).status).toBe(200);
      expect((await host.acme.get('renewal-info/AAAA.AAAA')).status).toBe(404);
    }
  });
  expect(new Set(read)).toEqual(new Set(['SelectQueryNode']));
  // The count sees writes.
  expect(await year.statementsOf(() => host.acme.order(host.name).then(() => undefined))).toContain(
    'InsertQueryNode',
  );
});
