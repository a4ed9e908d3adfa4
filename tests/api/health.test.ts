import { afterAll, beforeAll, expect, test } from 'vitest';
import type {
  CustomerHealth,
  DomainHealth,
  HealthBoard,
  HealthFinding,
} from '../../src/contracts/operations/health.ts';
import type { Role } from '../../src/contracts/permissions.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import {
  faultyFleet,
  kindsElsewhere,
  kindsHere,
  managedHosts,
  mended,
  planted as plantedDomain,
  recordsOf,
  registrationsOf,
  worldHosts,
  writeFleet,
} from '../support/faulty-fleet.ts';
import { pdfText } from '../support/pdf-text.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { insert, type Organisation, seedOrganisation } from './support/world.ts';

/** A fleet with each fault planted in the sandbox's DNS: each is found, nothing else is, and what is mended is cleared. */

let portal: Portal;
let a: Organisation;
const fleet = faultyFleet(160, 2);
const world = new Map(fleet.domains.map((domain) => [domain.address, domain]));
beforeAll(async () => {
  portal = await startPortal({ REGISTRAR_NAMESERVERS: managedHosts.join(' ') });
  a = await seedOrganisation(portal, 'hea');
  // What was seeded has no place in this world.
  await portal.owner.query('DELETE FROM health_findings');
  await portal.owner.query("UPDATE domains SET status = 'ended'");
  await portal.owner.query('DELETE FROM watched_names');
  await writeFleet(
    portal.owner,
    a.id,
    fleet.domains,
    ({ address }) => a.customers[address.includes('-1.') ? 1 : 0].id,
  );
  await publish();
});
afterAll(() => portal[Symbol.asyncDispose]());

/** The world answers as planted now. */
async function publish(): Promise<void> {
  await portal.stack.control('dns', 'outside', recordsOf([...world.values()]));
  await portal.stack.control('internet', 'hosts', worldHosts);
  await portal.stack.control('rdap', 'registrations', registrationsOf([...world.values()]));
}

async function call<T>(role: Role, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) {
  const answer = await portal.call({
    ...{ method, url: `/api${path}` },
    headers: {
      authorization: `Bearer ${a.tokens[role]}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  });
  return {
    status: answer.status,
    ...(JSON.parse(answer.body) as { data: T; details?: { message: string }[] }),
  };
}

/** A round, and those that it hands on to after some seconds, until nothing is due or nobody looks. */
async function sweep(features = portal.features): Promise<void> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    await features.health.tasks['health.sweep']();
    const { rows } = await portal.owner.query<{ due: number }>(
      'SELECT count(*)::int AS due FROM health_checks WHERE next_at <= now()',
    );
    const due = rows[0]?.due ?? 0;
    if (due === 0 || due >= before) return;
    before = due;
  }
}

/** All domains are due, and looked at. */
async function look(features = portal.features): Promise<void> {
  await portal.owner.query('UPDATE health_checks SET next_at = now()');
  await sweep(features);
  await portal.owner.query('UPDATE health_checks SET next_at = now() WHERE checked_at IS NULL');
  await sweep(features);
}

/** Every open finding, as "domain kind". */
async function open(role: Role = 'MSP_OWNER', query = ''): Promise<string[]> {
  const found: string[] = [];
  for (let after = '', more = true; more; ) {
    const { data } = await call<HealthBoard>(role, 'GET', `/health?limit=20${query}${after}`);
    found.push(...data.rows.map(({ domain, kind }) => `${domain} ${kind}`));
    more = data.more;
    after = `&after=${data.rows.at(-1)?.id}`;
  }
  return found;
}

interface HostLoad {
  connections: number;
  mostInSecond: number;
  mostAtOnce: number;
}

interface DnsLoad {
  queries: number;
  mostInSecond: number;
  mostAtOnce: number;
}

/** Those that are held elsewhere belong to the first customer. */
const planted = (twins = [0, 1]) => [
  ...kindsHere.flatMap((kind) => twins.map((twin) => `${kind}-${twin}.example ${kind}`)),
  ...kindsElsewhere.map((kind) => `watched-${kind}.example ${kind}`),
];

test('each planted fault is found, and nothing that is not there; a look costs no more than the stated questions', async () => {
  const before = await portal.stack.control<DnsLoad>('dns', 'queries');
  await look();
  expect((await open()).sort()).toEqual(planted().sort());
  const after = await portal.stack.control<DnsLoad>('dns', 'queries');
  // Of each domain its NS, A, AAAA, MX and four TXT, and A and AAAA of www; names that many share are asked once. Of those
  // whose zone is elsewhere six names that are often aliases, and what is behind those that are.
  const isHere = (names: unknown) => (names as string[]).every((name) => managedHosts.includes(name));
  const elsewhere = fleet.domains.filter(({ watched, row }) => watched || !isHere(row.nameservers)).length;
  expect(after.queries - before.queries).toBeLessThanOrEqual(world.size * 10 + elsewhere * 9 + 120);
  expect(after.mostInSecond).toBeLessThanOrEqual(100);
  expect(after.mostAtOnce).toBeLessThanOrEqual(16);
  const { connections, mostInSecond, mostAtOnce } = await portal.stack.control<HostLoad>(
    'internet',
    'load',
    {},
  );
  expect(connections).toBeGreaterThan(world.size);
  expect(mostInSecond).toBeLessThanOrEqual(10);
  expect(mostAtOnce).toBeLessThanOrEqual(4);
});

test('nobody is asked again before the day is over, and nothing while the operator has it turned off', async () => {
  const before = await portal.stack.control<{ queries: number }>('dns', 'queries');
  await sweep();
  const { features } = await portal.withSettings({ HEALTH_CHECKS: 'off' });
  await look(features);
  expect(await portal.stack.control<{ queries: number }>('dns', 'queries')).toEqual(before);
  // What was made due is not: the next test looks at one domain, and not at all of them.
  await portal.owner.query("UPDATE health_checks SET next_at = now() + interval '1 day'");
  const { data } = await call<DomainHealth>('MSP_OWNER', 'GET', '/domain/health/sound-0.example');
  expect([data.findings, data.checkedAt === null]).toEqual([[], false]);
});

test('a domain that was bought a moment ago can be looked at', async () => {
  const address = 'fresh.example';
  await insert(portal, 'domains', {
    id: newId(),
    organisation_id: a.id,
    address,
    status: 'active',
    locked: true,
  });
  const before = (await call<DomainHealth>('MSP_OWNER', 'GET', `/domain/health/${address}`)).data;
  expect([before.checkedAt, before.nextAt === null]).toEqual([null, false]);
  expect((await call('MSP_OWNER', 'POST', `/domain/health/${address}`)).status).toBe(200);
  await sweep();
  const { data } = await call<DomainHealth>('MSP_OWNER', 'GET', `/domain/health/${address}`);
  expect(data.findings.map(({ kind }) => kind)).toEqual(['ns-none']);
  await portal.owner.query(
    'DELETE FROM health_checks WHERE domain_id = (SELECT id FROM domains WHERE address = $1)',
    [address],
  );
  await portal.owner.query("UPDATE domains SET status = 'ended' WHERE address = $1", [address]);
});

test('a customer’s own user sees the own domains’ findings, and mutes none', async () => {
  expect((await open('MSP_CUSTOMER')).sort()).toEqual(planted([0]).sort());
  const own = await call<DomainHealth>('MSP_CUSTOMER', 'GET', '/domain/health/spf-open-0.example');
  expect(own.data.findings.map(({ kind }) => kind)).toEqual(['spf-open']);
  const others = await call('MSP_CUSTOMER', 'GET', '/domain/health/spf-open-1.example');
  expect(others.status).toBe(404);
  const [finding] = own.data.findings;
  const muted = { until: new Date(Date.now() + 86_400_000).toISOString(), reason: 'x' };
  expect((await call('MSP_CUSTOMER', 'PUT', `/health/${finding?.id}/mute`, { muted })).status).toBe(403);
});

test('a customer has a report of the own domains, and of no others', async () => {
  const [own, other] = a.customers.map(({ id }) => `/api/customer/${id}/health-report`);
  const ask = (role: Role, url = '') =>
    portal.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${a.tokens[role]}` } });
  const answer = await ask('MSP_CUSTOMER', own);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
  const text = pdfText(answer.rawPayload);
  expect(text).toContain('spf-open-0.example');
  expect(text).toContain('SPF allows every server');
  expect(text).not.toContain('spf-open-1.example');
  expect((await ask('MSP_CUSTOMER', other)).statusCode).toBe(404);
  expect(pdfText((await ask('MSP_EMPLOYEE', other)).rawPayload)).toContain('spf-open-1.example');
  expect((await ask('MSP_OWNER', `/api/customer/${newId()}/health-report`)).statusCode).toBe(404);
});

test('the page of a report has the same of the own domains, the weightiest first, and of no others', async () => {
  const [own, other] = a.customers;
  const read = (role: Role, id: string) => call<CustomerHealth>(role, 'GET', `/customer/${id}/health`);
  const { data } = await read('MSP_CUSTOMER', own.id);
  expect(data.findings.map(({ domain, kind }) => `${domain} ${kind}`).sort()).toEqual(planted([0]).sort());
  expect(data.findings[0]?.weight).toBe('bad');
  expect(data).toMatchObject({ name: own.marker, more: false });
  expect([data.domains, data.watched]).toEqual([data.lookedAt, kindsElsewhere.length + 1]);
  expect((await read('MSP_CUSTOMER', other.id)).status).toBe(404);
  expect((await read('MSP_EMPLOYEE', newId())).status).toBe(404);
});

test('findings that weigh need attention, one entry for each domain', async () => {
  const { data } = await call<{ items: { name: string; detail: string }[] }>(
    ...(['MSP_OWNER', 'GET', '/attention?cause=health&limit=200'] as const),
  );
  const bad = (await call<HealthBoard>('MSP_OWNER', 'GET', '/health?limit=200')).data.rows.filter(
    ({ weight }) => weight === 'bad',
  );
  expect(data.items.map(({ name }) => name).sort()).toEqual(bad.map(({ domain }) => domain).sort());
});

test('a muted finding is in no list until its date, and says why', async () => {
  const { data } = await call<HealthBoard>('MSP_EMPLOYEE', 'GET', '/health?kind=mx-dead');
  const [row] = data.rows;
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const mute = (body: object) => call<HealthFinding>('MSP_EMPLOYEE', 'PUT', `/health/${row?.id}/mute`, body);
  expect((await mute({ muted: { until, reason: 'Moves on Friday' } })).data.muted).toEqual({
    ...{ until, reason: 'Moves on Friday' },
  });
  expect(await open('MSP_OWNER', '&kind=mx-dead')).toEqual([
    ...['mx-dead-1.example mx-dead', 'watched-mx-dead.example mx-dead'],
  ]);
  expect(await open('MSP_OWNER', '&muted=true')).toEqual(['mx-dead-0.example mx-dead']);
  const wrong = await mute({ muted: { until: new Date(0).toISOString(), reason: 'x' } });
  expect([wrong.status, wrong.details?.[0]?.message]).toEqual([
    ...[400, 'Please choose a date within the next year'],
  ]);
  expect((await mute({ muted: { until, reason: ' ' } })).details?.[0]?.message).toBe('Please enter a reason');
  expect((await mute({ muted: null })).data.muted).toBeNull();
});

test('while nobody answers nothing is raised and nothing is cleared', async () => {
  await portal.stack.control('dns', 'mode', { mode: 'servfail' });
  await look();
  await portal.stack.control('dns', 'mode', { mode: 'normal' });
  expect((await open()).sort()).toEqual(planted().sort());
});

test('what is mended is cleared by the next look, and is remembered; one that comes back is new', async () => {
  for (const domain of fleet.domains) {
    if (domain.address.endsWith('-0.example')) world.set(domain.address, mended(domain));
  }
  await publish();
  // What only the registrar and the zone have.
  await portal.owner.query(`UPDATE domains SET locked = true, auto_renew = true, verification = 'verified',
    verification_bounced = false, nameservers = CASE WHEN address IN (SELECT address FROM certificates)
      THEN nameservers ELSE '{ns1.host.example,ns2.host.example}' END
    WHERE address LIKE '%-0.example'`);
  await portal.owner.query(`UPDATE zone_versions SET records = replace(records::text, 'gone.host.example', 'site.host.example')::jsonb
    WHERE domain_id = (SELECT id FROM domains WHERE address = 'web-dangling-0.example')`);
  await look();
  expect((await open()).sort()).toEqual(planted([1]).sort());
  const { data } = await call<DomainHealth>('MSP_OWNER', 'GET', '/domain/health/spf-two-0.example');
  expect(data.findings).toMatchObject([{ kind: 'spf-two', clearedAt: expect.any(String) }]);
  world.set('spf-two-0.example', plantedDomain('spf-two-0.example', 'spf-two'));
  await publish();
  expect((await call('MSP_CUSTOMER', 'POST', '/domain/health/spf-two-0.example')).status).toBe(200);
  await sweep();
  const [again] = (await call<DomainHealth>('MSP_OWNER', 'GET', '/domain/health/spf-two-0.example')).data
    .findings;
  expect(again).toMatchObject({ kind: 'spf-two', clearedAt: null });
  expect(Date.parse(again?.firstSeen ?? '')).toBeGreaterThan(Date.parse(data.findings[0]?.firstSeen ?? ''));
});

test('a domain is looked at soon after its zone was changed', async () => {
  const nextAt = async () =>
    Date.parse(
      (await call<DomainHealth>('MSP_OWNER', 'GET', '/domain/health/sound-1.example')).data.nextAt ?? '',
    );
  expect(await nextAt()).toBeGreaterThan(Date.now() + 3_600_000);
  const versions = "(SELECT id FROM domains WHERE address = 'sound-1.example')";
  await portal.owner.query(`UPDATE zone_versions SET state = 'writing' WHERE domain_id = ${versions}`);
  await portal.owner.query(`UPDATE zone_versions SET state = 'applied' WHERE domain_id = ${versions}`);
  expect(await nextAt()).toBeLessThanOrEqual(Date.now() + 60_000);
});

test('what was mended is forgotten after 30 days', async () => {
  const kept = async () =>
    (await portal.owner.query('SELECT id FROM health_findings WHERE cleared_at IS NOT NULL')).rows.length;
  await portal.owner.query(
    "UPDATE health_findings SET cleared_at = now() - interval '29 days' WHERE cleared_at IS NOT NULL",
  );
  await portal.features.health.tasks['health.forget']();
  expect(await kept()).toBeGreaterThan(0);
  await portal.owner.query(
    "UPDATE health_findings SET cleared_at = now() - interval '31 days' WHERE cleared_at IS NOT NULL",
  );
  await portal.features.health.tasks['health.forget']();
  expect(await kept()).toBe(0);
});
