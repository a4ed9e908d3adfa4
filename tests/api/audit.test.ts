import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from '../../src/server/kernel/audit.ts';
import { inTransaction } from '../../src/server/kernel/db/database.ts';
import { operate } from './support/operate.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'uu');
  // What was seeded without the kernel is no chain.
  await portal.owner.query('DELETE FROM audit_log WHERE organisation_id = $1', [a.id]);
  await portal.owner.query('DELETE FROM audit_heads WHERE organisation_id = $1', [a.id]);
  const [first, second] = a.customers;
  const acts = [
    {
      by: 'MSP_OWNER',
      action: 'customers.update',
      objectKind: 'customer',
      object: first.id,
      customerId: first.id,
      after: { markups: { cents: 5 } },
    },
    {
      by: 'MSP_OWNER',
      action: 'domains.lock',
      objectKind: 'domain',
      object: first.domain,
      customerId: first.id,
      after: { locked: true, authCode: 'zqcanary' },
    },
    {
      by: 'MSP_EMPLOYEE',
      action: 'domains.lock',
      objectKind: 'domain',
      object: second.domain,
      customerId: second.id,
    },
    {
      by: 'MSP_CUSTOMER',
      action: 'dns.changeZone',
      objectKind: 'zone',
      object: first.domain,
      customerId: first.id,
      after: { text: '=cmd|calc' },
    },
  ] as const;
  for (const { by, ...entry } of acts) {
    const actor = { organisationId: a.id, userId: a.userIds[by], email: `${by}@x.example`, ip: '192.0.2.7' };
    await inTransaction(portal.stack.database.db, actor, (tx) =>
      audit(tx, actor, { at: new Date(), ...entry }),
    );
  }
});
afterAll(() => portal[Symbol.asyncDispose]());

interface Row {
  sequence: number;
  action: string;
  object: string;
  ip: string | null;
  after: unknown;
}
async function read(role: keyof Organisation['tokens'], query = ''): Promise<Row[]> {
  const headers = { authorization: `Bearer ${a.tokens[role]}` };
  const { status, body } = await portal.call({ method: 'GET', url: `/api/audit${query}`, headers });
  expect([status, body.includes('zqcanary')]).toEqual([200, false]);
  return JSON.parse(body).data;
}
const numbers = async (...input: Parameters<typeof read>) =>
  (await read(...input)).map((row) => row.sequence);

test('managers read all of it, an employee their own acts, a customer the acts on their own domains', async () => {
  expect(await numbers('MSP_OWNER')).toEqual([4, 3, 2, 1]);
  expect(await numbers('MSP_EMPLOYEE')).toEqual([3]);
  const own = await read('MSP_CUSTOMER');
  expect(own.map((row) => row.sequence)).toEqual([4, 2]);
  // Where the MSP's people sit is not told; of the own acts it is.
  expect(own.map((row) => row.ip)).toEqual(['192.0.2.7', null]);
  expect(JSON.stringify(own)).not.toContain('markups');
});

test('it is filtered by person, customer, domain and day, and secrets were never written', async () => {
  expect(await numbers('MSP_OWNER', `?person=${a.userIds.MSP_EMPLOYEE}`)).toEqual([3]);
  expect(await numbers('MSP_OWNER', `?customerId=${a.customers[0].id}`)).toEqual([4, 2, 1]);
  expect(await numbers('MSP_OWNER', `?domain=${a.customers[1].domain}`)).toEqual([3]);
  expect(await numbers('MSP_OWNER', '?to=2020-01-01')).toEqual([]);
  expect(await numbers('MSP_OWNER', '?page=2&pageSize=3')).toEqual([1]);
  expect((await read('MSP_OWNER'))[2]?.after).toEqual({ locked: true, authCode: '[removed]' });
});

test.each(['/audit', '/audit/csv'])(
  '%s: a day that is none is refused at its name, and never a fault of ours',
  async (path) => {
    const headers = { authorization: `Bearer ${a.tokens.MSP_OWNER}` };
    for (const name of ['from', 'to']) {
      for (const value of ['2026-99-99', '2026-02-30', '0000-00-00', '2026-1-1', 'x', '']) {
        const url = `/api${path}?${new URLSearchParams({ [name]: value })}`;
        const { status, body } = await portal.call({ method: 'GET', url, headers });
        expect([url, status, JSON.parse(body)]).toEqual([
          ...[url, 400],
          expect.objectContaining({
            code: 'validation_failed',
            details: expect.arrayContaining([expect.objectContaining({ path: name })]),
          }),
        ]);
      }
      const { status } = await portal.call({ method: 'GET', url: `/api${path}?${name}=2024-02-29`, headers });
      expect([name, status]).toEqual([name, 200]);
    }
  },
);

test('the export has each row with its hash, and no cell that a spreadsheet would run', async () => {
  const headers = { authorization: `Bearer ${a.tokens.MSP_ADMIN}` };
  const { status, body } = await portal.call({ method: 'GET', url: '/api/audit/csv', headers });
  expect([status, body.trim().split('\r\n').length]).toEqual([200, 5]);
  expect(body).toMatch(/,[0-9a-f]{64}\r\n/);
  expect(body).not.toMatch(/(^|,)=/m);
});

test('the export has the entries that the list has, by every filter and by the search', async () => {
  const headers = { authorization: `Bearer ${a.tokens.MSP_OWNER}` };
  const queries = ['person', 'customerId', 'domain', 'search'].map((name) => {
    const values = {
      ...{ person: a.userIds.MSP_EMPLOYEE, customerId: a.customers[0].id },
      ...{ domain: a.customers[1].domain, search: a.customers[1].domain.slice(0, -4).toUpperCase() },
    };
    return `?${new URLSearchParams({ [name]: values[name as keyof typeof values] })}`;
  });
  for (const query of [...queries, '?search=nothing-has-this', '?to=2020-01-01']) {
    const { body } = await portal.call({ method: 'GET', url: `/api/audit/csv${query}`, headers });
    const rows = body.trim().split('\r\n').slice(1);
    const exported = rows.map((line) => Number(line.split(',')[0])).reverse();
    expect([query, exported]).toEqual([query, await numbers('MSP_OWNER', query)]);
  }
});

test('the export of a long log has all of it, to the newest entry, in the order of the log', async () => {
  const b = await seedOrganisation(portal, 'long');
  const most = 12_345;
  await portal.owner.query('DELETE FROM audit_log WHERE organisation_id = $1', [b.id]);
  await portal.owner.query(
    `INSERT INTO audit_log (organisation_id, sequence, at, actor_id, actor, action, object_kind, object, previous_hash, hash)
     SELECT $1, n, now(), NULL, 'somebody', 'customers.update', 'customer', n::text, '', '' FROM generate_series(1, $2::int) n`,
    [b.id, most],
  );
  const headers = { authorization: `Bearer ${b.tokens.MSP_OWNER}` };
  const { body } = await portal.call({ method: 'GET', url: '/api/audit/csv', headers });
  const numbers = body
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => Number(line.split(',')[0]));
  expect(numbers).toEqual(Array.from({ length: most }, (_, n) => n + 1));
});

test('a changed, a removed and a cut off row are named, and the jobs say so; the portal itself can change none', async () => {
  const { features, owner } = portal;
  const verdict = async () => {
    const headers = { authorization: `Bearer ${a.tokens.MSP_OWNER}` };
    return JSON.parse((await portal.call({ method: 'GET', url: '/api/audit/verification', headers })).body)
      .data;
  };
  expect(await verdict()).toMatchObject({ rows: 4, broken: null });
  await features.audit.keepHeads();
  await features.audit.keepHeads();
  await owner.query(
    `UPDATE audit_log SET actor = 'somebody else' WHERE organisation_id = $1 AND sequence = 2`,
    [a.id],
  );
  expect((await verdict()).broken).toEqual({ sequence: 2, reason: 'changed' });
  await expect(features.audit.tasks['audit.verify']()).rejects.toThrow('not what was written');
  await owner.query(`UPDATE audit_log SET actor = '' WHERE organisation_id = $1 AND sequence = 2`, [a.id]);
  expect((await verdict()).broken).toBeNull();
  await owner.query('DELETE FROM audit_log WHERE organisation_id = $1 AND sequence = 4', [a.id]);
  expect((await verdict()).broken).toEqual({ sequence: 4, reason: 'not the log that was kept' });
  // Work goes on, and the next hour keeps the end of what is there: the cut is seen all the same.
  const about = { organisationId: a.id, userId: a.userIds.MSP_OWNER, email: 'who@x.example', ip: null };
  for (const object of ['five', 'six']) {
    const entry = {
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object,
      customerId: null,
    };
    await inTransaction(portal.stack.database.db, about, (tx) => audit(tx, about, entry));
  }
  await features.audit.keepHeads();
  expect((await verdict()).broken).toEqual({ sequence: 4, reason: 'not the log that was kept' });
  await expect(features.audit.tasks['audit.verify']()).rejects.toThrow('not what was written');
  const { db } = portal.stack.database;
  for (const change of [
    'UPDATE audit_log SET actor = actor',
    'DELETE FROM audit_log',
    'DELETE FROM audit_heads',
  ]) {
    const { sql } = await import('../../src/server/kernel/db/database.ts');
    await expect(sql.raw(change).execute(db)).rejects.toMatchObject({ code: '42501' });
  }
});

test('a sealed head that does not open any more is the fault that is named, and never hides a worse one', async () => {
  const { owner, features } = portal;
  const d = await seedOrganisation(portal, 'ww');
  const about = { organisationId: d.id, userId: d.userIds.MSP_OWNER, email: 'who@x.example', ip: null };
  await owner.query('DELETE FROM audit_log WHERE organisation_id = $1', [d.id]);
  await owner.query('DELETE FROM audit_heads');
  for (const object of ['one', 'two']) {
    const entry = {
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object,
      customerId: null,
    };
    await inTransaction(portal.stack.database.db, about, (tx) => audit(tx, about, entry));
  }
  await features.audit.keepHeads();
  const headers = { authorization: `Bearer ${d.tokens.MSP_OWNER}` };
  const verdict = async () =>
    JSON.parse((await portal.call({ method: 'GET', url: '/api/audit/verification', headers })).body).data;
  expect(await verdict()).toMatchObject({ rows: 2, broken: null });
  const setHead = (change: string) =>
    owner.query(`UPDATE audit_heads SET head_sealed = ${change} WHERE organisation_id = $1`, [d.id]);
  const faulty = (fault: string) => ({
    rows: 2,
    broken: { sequence: 2, reason: `its sealed head does not open: ${fault}` },
  });
  await setHead('set_byte(head_sealed, 1, 99)');
  expect(await verdict()).toMatchObject(faulty('sealing key 99 is not configured'));
  await setHead('set_byte(set_byte(head_sealed, 1, 1), 40, 0)');
  expect(await verdict()).toMatchObject(faulty('it was changed, or sealed for another row'));
  await setHead(`'\\x00'`);
  expect(await verdict()).toMatchObject(faulty('it is not a sealed value'));
  await owner.query(`UPDATE audit_log SET object = 'x' WHERE organisation_id = $1 AND sequence = 1`, [d.id]);
  expect((await verdict()).broken).toEqual({ sequence: 1, reason: 'changed' });
});

const verifyByCommand = (...more: string[]) => operate(portal.app, 'audit', 'verify', ...more);

test('the command line names the first bad entry of each log, changed, removed or all gone, and ends with 1', async () => {
  const { owner, features } = portal;
  const c = await seedOrganisation(portal, 'vv');
  const about = { organisationId: c.id, userId: c.userIds.MSP_OWNER, email: 'who@x.example', ip: null };
  await owner.query('DELETE FROM audit_log WHERE organisation_id = $1', [c.id]);
  await owner.query('DELETE FROM audit_heads');
  for (const object of ['one', 'two', 'three']) {
    const entry = {
      at: new Date(),
      action: 'users.change' as const,
      objectKind: 'thing',
      object,
      customerId: null,
    };
    await inTransaction(portal.stack.database.db, about, (tx) => audit(tx, about, entry));
  }
  await features.audit.keepHeads();
  // All are asked for some at a time, and none twice.
  const everyOne = (await verifyByCommand()).text
    .split('\n')
    .filter((line) => line.includes(' entries, head '));
  expect(everyOne.filter((line) => line.includes(c.id))).toHaveLength(1);
  expect(new Set(everyOne).size).toBe(everyOne.length);
  const one = ['--organisation', c.id];
  const whole = await verifyByCommand(...one);
  expect([whole.code, whole.text]).toEqual([0, expect.stringContaining(`${c.id}  ${c.marker}: 3 entries`)]);
  const kept = await owner.query('SELECT * FROM audit_log WHERE organisation_id = $1', [c.id]);
  expect(kept.rows).toHaveLength(3);

  await owner.query(`UPDATE audit_log SET object = 'x' WHERE organisation_id = $1 AND sequence = 2`, [c.id]);
  expect(await verifyByCommand(...one)).toMatchObject({
    code: 1,
    text: expect.stringContaining('entry 2 changed'),
  });
  await owner.query('DELETE FROM audit_log WHERE organisation_id = $1 AND sequence = 2', [c.id]);
  expect((await verifyByCommand(...one)).text).toContain('entry 2 missing');
  await owner.query('DELETE FROM audit_log WHERE organisation_id = $1 AND sequence > 1', [c.id]);
  expect((await verifyByCommand(...one)).text).toContain('entry 2 not the log that was kept');
  await owner.query('DELETE FROM audit_log WHERE organisation_id = $1', [c.id]);
  const all = await verifyByCommand();
  expect([all.code, all.text]).toEqual([1, expect.stringMatching(`BROKEN  ${c.id}.*entry 1`)]);
  expect((await verifyByCommand('--organisation', a.userIds.MSP_OWNER)).code).toBe(1);
});
