import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { contact } from '../support/account.ts';
import { operatorToken, type Portal, startPortal } from './support/portal.ts';
import { requestFor } from './support/samples.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

/** A request that its caller sends twice with the same Idempotency-Key takes effect once (decisions no. 9). */

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'rp');
});
afterAll(() => portal[Symbol.asyncDispose]());

const admin = () => a.tokens.MSP_ADMIN;
async function send(key: string, method: 'POST' | 'PUT' | 'DELETE', path: string, body: unknown) {
  const answer = await portal.call({
    ...{ method, url: `/api${path}`, payload: JSON.stringify(body) },
    headers: {
      ...{ authorization: `Bearer ${admin()}`, 'content-type': 'application/json' },
      'idempotency-key': key,
    },
  });
  return { status: answer.status, text: answer.body, json: JSON.parse(answer.body) };
}

test('an Idempotency-Key that is too short, too long or not printable is a fault at its name, on each operation that changes something', async () => {
  const subject = { id: a.customers[0].id, domain: a.customers[0].domain, text: 'x.png' };
  const faults: string[] = [];
  const writing = operations.filter(({ method, access }) => method !== 'GET' && access !== 'webhook');
  for (const operation of writing) {
    const token = operation.access === 'operator' ? operatorToken : a.tokens.MSP_OWNER;
    for (const key of ['a'.repeat(7), 'a'.repeat(201), 'with a space']) {
      const request = requestFor(operation, subject, token);
      const answer = await portal.call({
        ...request,
        headers: { ...request.headers, 'idempotency-key': key },
      });
      const named = answer.status === 400 && answer.body.includes('"path":"Idempotency-Key"');
      const otherwise = [401, 403].includes(answer.status);
      if (!named && !otherwise) faults.push(`${operation.id}: ${answer.status} ${answer.body}`);
    }
  }
  expect(faults).toEqual([]);
});

test('a repeated invitation is one invitation, its secret link is told again, and stands nowhere in plain text', async () => {
  const invite = { email: `twice@${a.marker}.example`, type: 'MSP_EMPLOYEE' };
  const first = await send('invite-key-1', 'POST', '/user/subuser', invite);
  expect(first.status).toBe(200);
  const again = await send('invite-key-1', 'POST', '/user/subuser', invite);
  expect(again).toEqual(first);
  const { rows } = await portal.owner.query('SELECT id FROM invites WHERE email = $1', [invite.email]);
  expect(rows).toHaveLength(1);
  const link = /"link":"([^"]+)"/.exec(first.text)?.[1] ?? '';
  expect(link).not.toBe('');
  const kept = await portal.owner.query(
    `SELECT encode(reply_sealed, 'escape') AS reply, request_hash FROM request_keys WHERE key = 'invite-key-1'`,
  );
  expect(kept.rows).toHaveLength(1);
  expect(JSON.stringify(kept.rows)).not.toContain(link.slice(-20));
});

test('the same key with another body is refused and changes nothing; twenty at once are one', async () => {
  const template = (name: string) => ({
    name,
    records: { A: [], AAAA: [], CNAME: [], MX: [], SRV: [], TXT: [{ subdomain: '', text: 'x' }] },
  });
  const named = async (name: string) =>
    (await portal.owner.query('SELECT id FROM dns_templates WHERE name = $1', [name])).rows.length;
  const all = await Promise.all(
    Array.from({ length: 20 }, () => send('template-key', 'POST', '/dns/templates', template('once only'))),
  );
  const codes = all.map(({ status, json }) => (status === 200 ? 'done' : json.code));
  expect(codes).toContain('done');
  expect(codes.filter((code) => !['done', 'in_progress'].includes(code))).toEqual([]);
  expect(await named('once only')).toBe(1);
  const other = await send('template-key', 'POST', '/dns/templates', template('another'));
  expect([other.status, other.json.code]).toEqual([409, 'idempotency_key_reused']);
  expect(await named('another')).toBe(0);
});

test('a refused request leaves its key free: mended, it may be sent again under it', async () => {
  const path = '/customer';
  const body = (email: string) => ({
    contacts: { owner: { ...contact, email }, admin: contact, billing: contact },
  });
  expect((await send('customer-key-1', 'POST', path, body('no address'))).status).toBe(400);
  expect((await send('customer-key-1', 'POST', path, body('ann@bluefig.example'))).status).toBe(200);
  const zone = `/${a.customers[0].domain}/zone`;
  const change = (type: string) => ({
    records: [{ subdomain: 'www', type, action: 'add', ip_address: '192.0.2.1' }],
  });
  expect((await send('zone-key-1', 'PUT', zone, change('none'))).status).toBe(400);
  const first = await send('zone-key-1', 'PUT', zone, change('A'));
  const again = await send('zone-key-1', 'PUT', zone, change('A'));
  // The registrar does not know the name: the very same refusal, and no "key reused".
  expect([first.json.code, again.json.code]).toEqual(['registrar_refused', 'registrar_refused']);
});
