import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Zone } from '../../src/contracts/operations/dns.ts';
import type { Move, MoveHead, MoveLine, MoveZone } from '../../src/contracts/operations/moves.ts';
import type { Role } from '../../src/contracts/permissions.ts';
import { flatRecords } from '../../src/contracts/values/zone-changes.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

/**
 * A new customer's sixty domains, pasted with their codes: some locked, too young, with a wrong code, unregistered, here already,
 * some with DNS elsewhere. The sandbox's DNS speaks real DNS, and `dig` asks it before and after.
 */

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  // A slow machine answers late: what was not answered would be asked about for ten minutes.
  portal = await startPortal({
    ...{ REGISTRAR_PARALLEL: '8', REGISTRAR_READ_TIMEOUT_MS: '120000', REGISTRAR_WRITE_TIMEOUT_MS: '120000' },
  });
  a = await seedOrganisation(portal, 'mov');
  await prepareWorld();
});
afterAll(() => portal[Symbol.asyncDispose]());

async function call<T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  role: Role = 'MSP_OWNER',
) {
  const answer = await portal.call({
    ...{ method, url: `/api${path}` },
    headers: { authorization: `Bearer ${a.tokens[role]}`, 'content-type': 'application/json' },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  });
  const { data, ...rest } = JSON.parse(answer.body) as { data: T; message?: string };
  return { status: answer.status, data, ...rest };
}
const control = (part: string, route: string, body?: unknown) => portal.stack.control(part, route, body);

const code = 'Right-Code-42';
const count = (n: number, word: string) => Array.from({ length: n }, (_, i) => `zq-${word}-${i}.com`);
const [locked, young, wrong, elsewhere] = [
  count(5, 'bolt'),
  count(5, 'new'),
  count(5, 'typo'),
  count(10, 'apart'),
];
const plain = count(33, 'plain');
const inFiveDays = new Date(Date.now() + 5 * 86_400_000).toISOString();
const unregistered = 'zq-nobody-has-this.com';
let mine = '';
const all = () => [...locked, ...young, ...wrong, unregistered, mine, ...elsewhere, ...plain];
const moved = [...elsewhere, ...plain];

/** Every third gives its zone away whole; one has a wildcard, one a type that we cannot hold. */
const hostedZone = (domain: string, n: number) => ({
  domain,
  axfr: n % 3 === 0,
  independent: elsewhere.includes(domain),
  records: {
    A: [
      { subdomain: '', ip_address: `203.0.113.${n}` },
      { subdomain: 'www', ip_address: `203.0.113.${n}` },
      { subdomain: 'relay', ip_address: '198.51.100.7' },
      ...(n % 3 === 0 ? [{ subdomain: 'a-name-nobody-guesses', ip_address: '198.51.100.9' }] : []),
      ...(n === 1 ? [{ subdomain: '*', ip_address: '198.51.100.10' }] : []),
    ],
    AAAA: [{ subdomain: '', ipv6_address: `2001:db8::${n}` }],
    CNAME: [
      { subdomain: 'shop', hostname: 'shops.myshopify.com' },
      { subdomain: 'fm1._domainkey', hostname: `fm1.${domain}.dkim.fmhosted.com` },
    ],
    MX: [
      { subdomain: '', hostname: `mx1.${domain}`, priority: 10 },
      { subdomain: '', hostname: 'in1-smtp.messagingengine.com', priority: 20 },
    ],
    TXT: [
      { subdomain: '', text: `v=spf1 a:relay.${domain} include:spf.messagingengine.com ~all` },
      { subdomain: '_dmarc', text: `v=DMARC1; p=reject; rua=mailto:d@${domain}` },
      { subdomain: 'selector1._domainkey', text: `v=DKIM1; k=rsa; p=${'M'.repeat(390)}` },
    ],
    SRV: [{ subdomain: '_sip._tls', hostname: `sip.${domain}`, priority: 1, weight: 2, port: 443 }],
  },
});

async function prepareWorld(): Promise<void> {
  const { rows } = await portal.owner.query<{ address: string }>(
    'SELECT address FROM domains WHERE organisation_id = $1 AND customer_id = $2',
    [a.id, a.customers[0].id],
  );
  mine = rows[0]?.address ?? '';
  const old = ['ns1.oldregistrar.net', 'ns2.oldregistrar.net'];
  const cloudflare = ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'];
  await control('registrar', 'outside-world', [
    ...locked.map((domain) => ({ domain, authCode: code, locked: true, nameservers: old })),
    ...young.map((domain) => ({ domain, authCode: code, ageDays: 20, nameservers: old })),
    ...wrong.map((domain) => ({ domain, authCode: 'Another-Code-1', nameservers: old })),
    ...elsewhere.map((domain) => ({ domain, authCode: code, nameservers: cloudflare })),
    ...plain.map((domain) => ({ domain, authCode: code, nameservers: old })),
  ]);
  const registrations = [{ domain: plain[0], registrar: 'Old Registrar Ltd', expiresAt: inFiveDays }];
  await control('rdap', 'registrations', { registrations });
  const zones = [...locked, ...young, ...wrong, ...moved].map(hostedZone);
  await control('dns', 'zones', { zones });
}

/** What is asked before and after: every name of every zone, each of its types, and names that a wildcard may answer. */
const types = ['A', 'AAAA', 'MX', 'TXT', 'CNAME', 'SRV'];
const subdomains = [
  ...['', 'www.', 'relay.', 'shop.', 'fm1._domainkey.', '_dmarc.', 'selector1._domainkey.', '_sip._tls.'],
  ...['a-name-nobody-guesses.', 'nothing-here.', 'mx1.'],
];

/** The answers of `dig`, sorted: of each question name, life, type and data. */
function dig(domains: readonly string[], names: readonly string[] = subdomains): Map<string, string[]> {
  const [host = '', port = ''] = (portal.stack.settings.DNS_SERVERS ?? '').split(':');
  const questions = domains.flatMap((domain) =>
    names.flatMap((below) => types.map((type) => [`${below}${domain}`, type])),
  );
  const text = execFileSync(
    'dig',
    [`@${host}`, '-p', port, '+noall', '+answer', '+nocookie', ...questions.flat()],
    { encoding: 'utf8', maxBuffer: 64_000_000 },
  );
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  return Map.groupBy(lines.map((line) => line.replace(/\s+/g, ' ')).sort(), (line) => {
    const name = line.split(' ', 1)[0] ?? '';
    return domains.find((domain) => name === `${domain}.` || name.endsWith(`.${domain}.`)) ?? 'others';
  });
}

/** A job works for a while and is followed by the next; here until nothing is due. */
async function sweep(): Promise<void> {
  do await portal.features.moves.tasks['moves.sweep']();
  while ((await portal.owner.query('SELECT 1 FROM move_lines WHERE next_at <= now()')).rows.length > 0);
}
const due = () => portal.owner.query('UPDATE move_lines SET next_at = now() WHERE next_at IS NOT NULL');

async function paste(text: string): Promise<string> {
  const { status, data, message } = await call<{ id: string }>('POST', '/move', {
    ...{ customerId: a.customers[0].id, text },
  });
  if (status !== 200) throw new Error(message);
  return data.id;
}
/** The list of lists always counts as the list itself does. */
async function read(id: string): Promise<Move> {
  const { data } = await call<Move>('GET', `/move/${id}`);
  const heads = (await call<MoveHead[]>('GET', '/move')).data;
  expect(heads.find((head) => head.id === id)?.counts).toEqual(data.counts);
  return data;
}
const lineAt = (move: Move, domain: string): MoveLine => {
  const line = move.lines.find((one) => one.domain === domain);
  if (!line) throw new Error(`no line of ${domain}`);
  return line;
};

/** What the registrar and the jobs do after an order, until nothing moves any more. */
/** Items of orders in these states. */
async function itemsIn(states: readonly string[]): Promise<number> {
  const { rows } = await portal.owner.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM order_items WHERE organisation_id = $1 AND state = ANY ($2)',
    [a.id, states],
  );
  return rows[0]?.n ?? 0;
}

/** The engine sends them beside the reply; what it did not, it does as the job would have it. */
async function allSent(): Promise<void> {
  while ((await itemsIn(['queued', 'sending'])) > 0) {
    await new Promise((next) => setTimeout(next, 200));
    await askEngine();
  }
}

async function askEngine(): Promise<void> {
  await portal.owner.query(
    "UPDATE order_items SET next_check_at = now() WHERE organisation_id = $1 AND state IN ('pending', 'queued', 'unknown')",
    [a.id],
  );
  while ((await portal.features.orders.engine.sweep()) > 0);
}

/** What the registrar and the jobs do after an order, until every domain's DNS is set up or the order came to nothing. */
async function letItHappen(id: string): Promise<void> {
  await allSent();
  for (let step = 0; step < 20 && (await itemsIn(['pending', 'unknown'])) > 0; step += 1) {
    await control('registrar', 'transfers/advance', { steps: 1 });
    await due();
    await sweep();
    await askEngine();
  }
  const { rows } = await portal.owner.query<{ address: string }>(
    "SELECT address FROM domains WHERE organisation_id = $1 AND status = 'active' AND cardinality(nameservers) = 0",
    [a.id],
  );
  for (const { address } of rows) {
    await portal.features.domains.tasks['domains.sync']({ organisationId: a.id, address });
  }
  await settled(id);
}

/** As many rounds as a slow machine needs: an answer that comes too late is asked for again in the next round. */
async function settled(id: string): Promise<void> {
  const end = performance.now() + 600_000;
  do {
    await due();
    await sweep();
  } while (performance.now() < end && (await read(id)).lines.some(({ stage }) => stage === 'arriving'));
}

describe('sixty domains of a new customer', () => {
  let id = '';
  let before: Map<string, string[]>;

  test('are pasted with their codes, and each line says before the order what will happen', async () => {
    before = dig(moved);
    expect(moved.filter((domain) => (before.get(domain)?.length ?? 0) < 12)).toEqual([]);
    id = await paste(['Domain;Code', ...all().map((domain) => `${domain}; ${code}`)].join('\r\n'));
    expect((await read(id)).counts).toEqual({ checking: 60 });
    await sweep();
    const move = await read(id);
    expect(move.counts).toEqual({ ready: 48, blocked: 12 });
    expect(move.lines.map(({ number }) => number)).toEqual(Array.from({ length: 60 }, (_, n) => n + 2));
    for (const domain of locked) {
      const text = 'It is locked at its current registrar. It has to be unlocked there first.';
      expect(lineAt(move, domain)).toMatchObject({ stage: 'blocked', help: 'unlock', text });
    }
    for (const domain of young) expect(lineAt(move, domain).text).toContain('less than 60 days ago');
    expect(lineAt(move, unregistered).text).toContain('Nobody has registered it');
    expect(lineAt(move, mine).text).toContain('in your account already');
    for (const domain of elsewhere) {
      expect(lineAt(move, domain)).toMatchObject({ stage: 'ready', dns: 'keep', warnings: [] });
      expect(lineAt(move, domain).text).toContain('Its DNS stays at Cloudflare.');
    }
    for (const domain of plain) {
      const line = lineAt(move, domain);
      expect(line).toMatchObject({ stage: 'ready', dns: 'bring' });
      expect(line.text).toMatch(/Its \d+ records will be served here/);
      expect(line.text).toContain('renewed for a year for $');
      const warnings = (line.zone?.how === 'usual' ? 1 : 0) + (domain === plain[0] ? 1 : 0);
      expect(line.warnings.length).toBe(warnings);
    }
    // What the registry says of each: who has it now, and until when.
    expect(lineAt(move, plain[0] ?? '')).toMatchObject({
      ...{ registrar: 'Old Registrar Ltd', expiresAt: inFiveDays },
      warnings: expect.arrayContaining([expect.stringContaining('If it may not be here by then')]),
    });
    expect(lineAt(move, plain[1] ?? '').registrar).toBe('Elsewhere Names Ltd.');
    expect(lineAt(move, locked[0] ?? '').expiresAt).not.toBeNull();
    expect(lineAt(move, unregistered)).toMatchObject({ registrar: null, expiresAt: null });
    // What the registry alone can tell is told before as what it is.
    for (const domain of wrong) expect(lineAt(move, domain).stage).toBe('ready');
    const cents = move.lines.reduce(
      (sum, { stage, price }) => sum + (stage === 'ready' ? Math.round((price ?? 0) * 100) : 0),
      0,
    );
    expect(Math.round(move.total * 100)).toBe(cents);
  });

  test('no code is in a reply, in the log or in the audit log, and none is readable in the database', async () => {
    const move = await call('GET', `/move/${id}`);
    expect(JSON.stringify(move)).not.toContain(code);
    expect(portal.log()).not.toContain(code);
    for (const table of ['move_lines', 'audit_log', 'moves']) {
      const { rows } = await portal.owner.query(`SELECT to_jsonb(t)::text AS row FROM ${table} t`);
      expect(JSON.stringify(rows)).not.toContain(code);
    }
  });

  test('are ordered together, once, for the total that was shown', async () => {
    const move = await read(id);
    const lineIds = move.lines.filter(({ stage }) => stage === 'ready').map((line) => line.id);
    const dear = await call('POST', `/move/${id}/order`, { lineIds, price: move.total - 1 });
    expect(dear.status).toBe(409);
    const blocked = lineAt(move, unregistered).id;
    const refused = await call('POST', `/move/${id}/order`, { lineIds: [blocked], price: 0 });
    expect([refused.status, refused.message]).toEqual([
      422,
      `${unregistered} is not ready to be ordered. Please look at the list again.`,
    ]);
    const ordered = await call<Move>('POST', `/move/${id}/order`, { lineIds, price: move.total });
    expect([ordered.status, ordered.message]).toEqual([200, undefined]);
    expect(new Set(ordered.data.lines.map(({ orderId }) => orderId).filter(Boolean)).size).toBe(1);
    expect((await call('POST', `/move/${id}/order`, { lineIds, price: move.total })).status).toBe(422);
    // The order has the codes now.
    const { rows } = await portal.owner.query(
      'SELECT count(*)::int AS n FROM move_lines WHERE item_id IS NOT NULL AND code_sealed IS NOT NULL',
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test('come, and after that every name of every zone is answered as before', async () => {
    await letItHappen(id);
    const move = await read(id);
    const stages = Object.fromEntries(moved.map((domain) => [domain, lineAt(move, domain).stage]));
    expect(stages).toEqual(Object.fromEntries(moved.map((domain) => [domain, 'done'])));
    const after = dig(moved);
    expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before));
    for (const domain of elsewhere)
      expect(lineAt(move, domain).text).toContain('It keeps its nameservers, and all of its');
    for (const domain of plain)
      expect(lineAt(move, domain).text).toContain('It is served here now, and all of its');
    for (const domain of wrong) {
      expect(lineAt(move, domain)).toMatchObject({ stage: 'failed', help: 'code' });
      expect(lineAt(move, domain).text).toContain('You were not charged.');
    }
    const heads = (await call<MoveHead[]>('GET', '/move')).data;
    expect(heads.find((head) => head.id === id)?.counts).toEqual({ done: 43, failed: 5, blocked: 12 });
  });

  test('a line that failed goes again with another code', async () => {
    const [domain = ''] = wrong;
    const lineId = lineAt(await read(id), domain).id;
    const put = (entered: string) => call<Move>('POST', `/move/${id}/line/${lineId}/code`, { code: entered });
    expect((await put('ab c')).status).toBe(400);
    expect((await put(' Another-Code-1 ')).status).toBe(200);
    await sweep();
    const line = lineAt(await read(id), domain);
    expect(line.stage).toBe('ready');
    expect((await call('POST', `/move/${id}/order`, { lineIds: [lineId], price: line.price })).status).toBe(
      200,
    );
    expect((await put('Another-Code-1')).status).toBe(422);
    await letItHappen(id);
    expect(lineAt(await read(id), domain).stage).toBe('done');
  });

  test('a locked one that was unlocked is ready at the next look', async () => {
    const [domain = ''] = locked;
    await control('registrar', 'outside-world', {
      ...{
        domain,
        authCode: code,
        locked: false,
        nameservers: ['ns1.oldregistrar.net', 'ns2.oldregistrar.net'],
      },
    });
    const { data } = await call<Move>('POST', `/move/${id}/look`, {
      lineIds: [lineAt(await read(id), domain).id],
    });
    expect(lineAt(data, domain).stage).toBe('checking');
    await sweep();
    expect(lineAt(await read(id), domain).stage).toBe('ready');
  });

  test('what is not ordered is dropped with its code, what is ordered stays', async () => {
    expect((await call('DELETE', `/move/${id}`)).status).toBe(200);
    expect((await read(id)).counts).toEqual({ done: 44, failed: 4 });
  });
});

describe('a list', () => {
  test('of nothing, or of too much, is refused with words', async () => {
    const refused = async (text: string) =>
      (await call('POST', '/move', { customerId: a.customers[0].id, text })).message;
    expect(await refused(' \n\n')).toBe('Please paste names with their codes');
    expect(await refused(count(201, 'many').join('\n'))).toBe(
      'A list has at most 200 names; this one has 201',
    );
  });

  test('keeps what it cannot read, and says line by line what is wrong', async () => {
    const id = await paste(
      `not a name, x\nzq-once.com, ${code}\nZQ-ONCE.com ${code}\nzq-short.com, ab\nzq-none.com`,
    );
    await sweep();
    const { lines } = await read(id);
    expect(lines.map(({ number, text, help }) => [number, text, help])).toEqual([
      [1, 'Please enter the name with its extension, such as example.com', null],
      [2, 'Nobody has registered it. It can be registered instead of transferred.', null],
      [3, 'Line 2 has this name already', null],
      [4, 'This code is too short. Codes have at least 6 characters.', 'code'],
      [5, 'Please enter the AuthInfo / EPP code', 'code'],
    ]);
    expect((await call('DELETE', `/move/${id}`)).status).toBe(200);
    expect((await call('GET', `/move/${id}`)).status).toBe(404);
  });

  test('while the registrar does not answer says so, and nothing can be ordered', async () => {
    await control('registrar', 'faults', {
      action: 'CHECK_TRANSFER',
      effect: '705',
      times: 1,
    }).catch(() => null);
    const id = await paste(`zq-quiet.com, ${code}`);
    await sweep();
    expect((await read(id)).counts.ready).toBeUndefined();
    await control('registrar', 'faults/clear', {});
  });

  test('that nobody ordered is forgotten after 60 days, with its codes; what was ordered stays', async () => {
    const forget = portal.features.moves.tasks['moves.forget'];
    const id = await paste(`zq-forgotten.com, ${code}`);
    const age = (days: number) =>
      portal.owner.query(`UPDATE moves SET created_at = now() - interval '${days} days' WHERE id = $1`, [id]);
    await age(59);
    await forget();
    expect((await call('GET', `/move/${id}`)).status).toBe(200);
    await age(61);
    await forget();
    expect((await call('GET', `/move/${id}`)).status).toBe(404);
    const { rows } = await portal.owner.query('SELECT 1 FROM move_lines WHERE move_id = $1', [id]);
    expect(rows).toEqual([]);
  });

  test('is nobody else’s: other organizations and customers’ users do not find it', async () => {
    const id = await paste(`zq-hidden.com, ${code}`);
    expect((await call('GET', `/move/${id}`, undefined, 'MSP_CUSTOMER')).status).toBe(403);
    const b = await seedOrganisation(portal, 'mob');
    const answer = await portal.call({
      ...{
        method: 'GET',
        url: `/api/move/${id}`,
        headers: { authorization: `Bearer ${b.tokens.MSP_OWNER}` },
      },
    });
    expect(answer.status).toBe(404);
  });
});

describe('DNS that does not come along as it should', () => {
  const signed = 'zq-signed.com';
  const ends = 'zq-ends.com';
  let id = '';

  test('a signed domain keeps its nameservers, with a warning, unless somebody decides otherwise', async () => {
    const nameservers = ['ns1.oldregistrar.net', 'ns2.oldregistrar.net'];
    await control(
      'registrar',
      'outside-world',
      [signed, ends].map((domain) => ({ domain, authCode: code, nameservers })),
    );
    await control('dns', 'zones', {
      zones: [{ ...hostedZone(signed, 3), signed: true, independent: true }, hostedZone(ends, 6)],
    });
    id = await paste(`${signed}, ${code}\n${ends}, ${code}`);
    await sweep();
    const move = await read(id);
    const line = lineAt(move, signed);
    expect(line).toMatchObject({ stage: 'ready', dns: 'keep' });
    expect(line.warnings.join(' ')).toContain('DNSSEC is on. It keeps working while');
    const { data } = await call<Move>('PATCH', `/move/${id}`, { lineIds: [line.id], dns: 'bring' });
    expect(lineAt(data, signed).warnings.join(' ')).toContain(
      'nameservers are not changed before DNSSEC is off',
    );
    // And the one whose old DNS ends is told to keep its nameservers.
    await call('PATCH', `/move/${id}`, { lineIds: [lineAt(move, ends).id], dns: 'keep' });
    const { data: zone } = await call<MoveZone>('GET', `/move/${id}/line/${line.id}`);
    expect(zone.records.length).toBe(line.zone?.records);
  });

  test('nameservers are not changed while DNSSEC is on, and are as soon as it is off', async () => {
    const move = await read(id);
    const lineIds = move.lines.map((line) => line.id);
    expect((await call('POST', `/move/${id}/order`, { lineIds, price: move.total })).status).toBe(200);
    await allSent();
    await control('registrar', 'transfers/advance', { steps: 3 });
    await control('registrar', 'dnssec', { domain: signed });
    await letItHappen(id);
    const held = lineAt(await read(id), signed);
    expect(held).toMatchObject({ stage: 'held', help: 'look' });
    expect(held.text).toMatch(/could not be put in order: .*DNSSEC/);
    expect(await troubled()).toEqual([ends, signed]);
    await control('registrar', 'dnssec', { domain: signed, signed: false });
    await call('POST', `/move/${id}/look`, { lineIds: [held.id] });
    await sweep();
    await settled(id);
    expect(lineAt(await read(id), signed).stage).toBe('done');
    expect(await troubled()).toEqual([ends]);
  });

  test('old DNS that has ended is told, and the records that were read before are brought', async () => {
    const after = lineAt(await read(id), ends);
    expect(after).toMatchObject({ stage: 'differs', help: 'bring' });
    expect(after.text).toContain('Its old DNS no longer answers');
    const { data: zone } = await call<MoveZone>('GET', `/move/${id}/line/${after.id}`);
    expect(zone.differences.every(({ now }) => now.length === 0)).toBe(true);
    await call('PATCH', `/move/${id}`, { lineIds: [after.id], dns: 'bring' });
    await settled(id);
    expect(lineAt(await read(id), ends).stage).toBe('done');
    expect(await troubled()).toEqual([]);
  });

  /** What of it needs attention. */
  async function troubled() {
    await portal.features.attention.tasks['attention.sweep']();
    const { data } = await call<{ items: { name: string | null }[] }>(
      'GET',
      '/attention?cause=move-dns&limit=200',
    );
    return data.items
      .map(({ name }) => name)
      .filter((name) => name === ends || name === signed)
      .sort();
  }
});

test('a zone that changes during its transfer comes as it is then; after that a person decides', async () => {
  const domain = 'zq-changes.com';
  const hosted = (ip_address: string) => {
    const { records, ...zone } = hostedZone(domain, 3);
    const A = [...records.A, { subdomain: 'intranet', ip_address }];
    return control('dns', 'zones', { zones: [{ ...zone, records: { ...records, A }, independent: true }] });
  };
  const answers = () =>
    (dig([domain], ['intranet.']).get(domain) ?? []).map((line) => line.split(' ').at(-1));
  await hosted('203.0.113.1');
  const { id, lines, total } = await readyList([domain]);
  const lineIds = lines.map((line) => line.id);
  expect((await call('POST', `/move/${id}/order`, { lineIds, price: total })).status).toBe(200);
  await allSent();
  await due();
  await sweep();
  await hosted('203.0.113.2');
  await portal.owner.query(
    "UPDATE move_lines SET checked_at = now() - interval '7 hours' WHERE id = $1",
    lineIds,
  );
  await due();
  await sweep();
  const { data: waiting } = await call<Zone>('GET', `/${domain}/zone`);
  expect(waiting.staged).toBe(true);
  expect(flatRecords(waiting.records)).toContainEqual({
    ...{ type: 'A', subdomain: 'intranet', ip_address: '203.0.113.2' },
  });
  await hosted('203.0.113.3');
  await letItHappen(id);
  const held = lineAt(await read(id), domain);
  expect(held).toMatchObject({ stage: 'held', help: 'bring' });
  expect(held.text).toContain(`: intranet.${domain} (A). Correct its records here and check again`);
  const { data: zone } = await call<MoveZone>('GET', `/move/${id}/line/${held.id}`);
  expect(zone.differences).toEqual([
    { name: `intranet.${domain}`, type: 'A', before: ['203.0.113.2'], now: ['203.0.113.3'] },
  ]);
  expect(answers()).toEqual(['203.0.113.3']);
  const asShown = (comparedAt: string | null) =>
    call('PATCH', `/move/${id}`, { lineIds, dns: 'bring', comparedAt });
  expect((await asShown('2026-11-01T00:00:00.000Z')).status).toBe(409);
  expect((await asShown(zone.comparedAt)).status).toBe(200);
  await settled(id);
  expect(lineAt(await read(id), domain).stage).toBe('done');
  expect(answers()).toEqual(['203.0.113.2']);
});

describe('what was asked for by somebody who may do it no more', () => {
  const [early, late] = ['zq-left-early.com', 'zq-left-after.com'];
  const nameservers = ['ns1.oldregistrar.net', 'ns2.oldregistrar.net'];
  const employee = (change: string) =>
    portal.owner.query(`UPDATE users SET ${change} WHERE id = $1`, [a.userIds.MSP_EMPLOYEE]);
  const pasteAs = async (text: string, role: Role) =>
    (await call<{ id: string }>('POST', '/move', { customerId: a.customers[0].id, text }, role)).data.id;

  test.each([
    ['was removed', 'removed_at = now()', 'removed_at = NULL'],
    ['had their sign-in switched off', 'disabled_at = now()', 'disabled_at = NULL'],
    [
      'became a customer’s user',
      "role = 'MSP_CUSTOMER', customer_id = (SELECT id FROM customers WHERE organisation_id = users.organisation_id LIMIT 1)",
      "role = 'MSP_EMPLOYEE', customer_id = NULL",
    ],
  ])('is not checked in the name of somebody who %s, until a colleague goes on', async (_, ends, back) => {
    await control('registrar', 'outside-world', [{ domain: early, authCode: code, nameservers }]);
    const id = await pasteAs(`${early}, ${code}`, 'MSP_EMPLOYEE');
    await employee(ends);
    await sweep();
    const line = lineAt(await read(id), early);
    expect(line).toMatchObject({ stage: 'blocked', help: 'look', price: null, registrar: null });
    expect(line.text).toBe(
      'The person in whose name it was to be done has no access any more. Check it again to go on in your name.',
    );
    await call('POST', `/move/${id}/look`, { lineIds: [line.id] });
    await sweep();
    expect(lineAt(await read(id), early).stage).toBe('ready');
    await employee(back);
    await call('DELETE', `/move/${id}`);
  });

  test('is not put in order after the transfer: its DNS waits, needs attention, and a colleague goes on', async () => {
    await control('registrar', 'outside-world', [{ domain: late, authCode: code, nameservers }]);
    await control('dns', 'zones', { zones: [hostedZone(late, 3)] });
    const id = await pasteAs(`${late}, ${code}`, 'MSP_EMPLOYEE');
    await sweep();
    const move = await read(id);
    const lineIds = move.lines.map((line) => line.id);
    const ordered = await call('POST', `/move/${id}/order`, { lineIds, price: move.total }, 'MSP_EMPLOYEE');
    expect(ordered.status).toBe(200);
    await employee('removed_at = now()');
    await letItHappen(id);
    expect(lineAt(await read(id), late)).toMatchObject({ stage: 'held', help: 'look' });
    const versions = await portal.owner.query(
      'SELECT 1 FROM zone_versions v JOIN domains d ON d.id = v.domain_id WHERE d.address = $1',
      [late],
    );
    expect(versions.rows).toEqual([]);
    await portal.features.attention.tasks['attention.sweep']();
    const { data } = await call<{ items: { name: string | null; detail: string }[] }>(
      'GET',
      '/attention?cause=move-dns&limit=200',
    );
    expect(data.items.find(({ name }) => name === late)?.detail).toContain('has no access any more');
    await call('POST', `/move/${id}/look`, { lineIds });
    await settled(id);
    expect(lineAt(await read(id), late).stage).toBe('done');
    await employee('removed_at = NULL');
  });
});

/** Names that are ready, with their list. */
async function readyList(names: readonly string[]): Promise<Move> {
  const nameservers = ['ns1.oldregistrar.net', 'ns2.oldregistrar.net'];
  const outside = names.map((domain) => ({ domain, authCode: code, nameservers }));
  await control('registrar', 'outside-world', outside);
  const id = await paste(names.map((domain) => `${domain}, ${code}`).join('\n'));
  await sweep();
  const move = await read(id);
  expect(move.counts).toEqual({ ready: names.length });
  return move;
}

test('a list is ordered once, however many order it at once', async () => {
  const { id, lines, total } = await readyList(count(2, 'race'));
  const lineIds = lines.map((line) => line.id);
  const tries = await Promise.all(
    Array.from({ length: 5 }, () => call('POST', `/move/${id}/order`, { lineIds, price: total })),
  );
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(tries.map(({ status }) => status).filter((status) => ![200, 409, 422].includes(status))).toEqual([]);
  // Who came too late reads which names were ordered without them.
  const names = lines.map(({ domain }) => domain).join(' and ');
  const said = tries.filter(({ status }) => status === 422).map(({ message }) => message);
  expect([...new Set(said)]).toEqual([
    `${names} were ordered in the meantime. Please look at the list again.`,
  ]);
  const { rows } = await portal.owner.query(
    "SELECT count(*)::int AS n FROM order_items WHERE kind = 'transfer' AND address LIKE 'zq-race-%'",
  );
  expect(rows).toEqual([{ n: 2 }]);
  await allSent();
});

test('what differs is compared again for a day after the transfer, and no longer', async () => {
  const domain = 'zq-fades.com';
  await control('dns', 'zones', { zones: [hostedZone(domain, 6)] });
  const { id, lines, total } = await readyList([domain]);
  const lineIds = lines.map((line) => line.id);
  await call('PATCH', `/move/${id}`, { lineIds, dns: 'keep' });
  expect((await call('POST', `/move/${id}/order`, { lineIds, price: total })).status).toBe(200);
  await letItHappen(id);
  const againAfter = async (age: string) => {
    await portal.owner.query(
      `UPDATE transfers SET completed_at = now() - $2::interval WHERE id = (SELECT item_id FROM move_lines WHERE id = $1)`,
      [lineIds[0], age],
    );
    await portal.owner.query('UPDATE move_lines SET next_at = now() WHERE id = $1', [lineIds[0]]);
    await sweep();
    const { rows } = await portal.owner.query('SELECT next_at FROM move_lines WHERE id = $1', [lineIds[0]]);
    expect(lineAt(await read(id), domain).stage).toBe('differs');
    return rows[0].next_at !== null;
  };
  expect(await againAfter('23 hours 59 minutes')).toBe(true);
  expect(await againAfter('24 hours 1 minute')).toBe(false);
});

test('a job looks at forty lines at most, and the next one goes on', async () => {
  const names = count(45, 'limit');
  const id = await paste(names.map((domain) => `${domain}, ${code}`).join('\n'));
  const jobs = async () =>
    (await portal.owner.query("SELECT 1 FROM graphile_worker.jobs WHERE key = 'moves.sweep'")).rows.length;
  await portal.owner.query("SELECT graphile_worker.remove_job('moves.sweep')");
  await portal.features.moves.tasks['moves.sweep']();
  expect((await read(id)).counts).toEqual({ blocked: 40, checking: 5 });
  expect(await jobs()).toBe(1);
  await portal.owner.query("SELECT graphile_worker.remove_job('moves.sweep')");
  await portal.features.moves.tasks['moves.sweep']();
  expect((await read(id)).counts).toEqual({ blocked: 45 });
  expect(await jobs()).toBe(0);
});
