import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Move } from '../../../src/contracts/operations/moves.ts';
import { contact } from '../../support/account.ts';
import { fresh, type Life } from './life.ts';

/** Orders at the price that the portal names when it refuses another one. */
async function bought(life: Life, operation: string, body: object): Promise<void> {
  const { portal, a, does } = life;
  const headers = { authorization: `Bearer ${a.tokens.MSP_OWNER}`, 'content-type': 'application/json' };
  const url = operation === 'orders.restore' ? '/api/domain/restore' : '/api/cart/purchase';
  const payload = JSON.stringify({ ...body, price: 0.01 });
  const refused = await portal.call({ method: 'POST', url, headers, payload });
  const { items } = (JSON.parse(refused.body).data ?? {}) as { items?: { newPrice: number }[] };
  if (!items) throw new Error(refused.body);
  const cents = items.reduce((sum, { newPrice }) => sum + Math.round(newPrice * 100), 0);
  await does(operation, { body: { ...body, price: cents / 100 } });
}

export async function orders(life: Life): Promise<string> {
  const { portal, a, does, control } = life;
  const customerId = a.customers[0].id;
  const [domain, lost, again] = [fresh('held'), fresh('lost'), fresh('again')];
  const line = (address: string) => ({ address, customerId, period: 1, whois: false });
  await bought(life, 'orders.purchase', { domains: [line(domain), line(lost), line(again)] });
  await bought(life, 'orders.purchase', { domainRenewals: [{ address: domain, period: 1 }] });
  const [cart, single] = [fresh('cart'), fresh('single')];
  const authCode = 'a-transfer-code-1';
  for (const name of [cart, single])
    await control('registrar', 'outside-world', { domain: name, authCode, locked: false, ageDays: 400 });
  const transfer = { address: cart, customerId, EPPCode: authCode };
  await bought(life, 'orders.purchase', { domainTransfers: [transfer] });
  const [listed, dropped] = [fresh('listed'), fresh('dropped')];
  for (const name of [listed, dropped])
    await control('registrar', 'outside-world', { domain: name, authCode, locked: false, ageDays: 400 });
  const text = `${listed}, ${authCode}\n${dropped}, another-code-1`;
  const { id = '' } = await does('moves.create', { body: { customerId, text } });
  await portal.features.moves.tasks['moves.sweep']();
  const move = await does<Move>('moves.get', { params: { id } });
  const [first, second] = move.lines;
  const lineIds = [second?.id ?? ''];
  await does('moves.change', { params: { id }, body: { lineIds, leftOut: true } });
  await does('moves.setCode', { params: { id, lineId: lineIds[0] ?? '' }, body: { code: authCode } });
  await does('moves.order', {
    params: { id },
    body: { lineIds: [first?.id ?? ''], price: first?.price ?? 0 },
  });
  await does('moves.drop', { params: { id } });
  await does('orders.transfer', { body: { domain: single, customerId, authInfo: authCode } });
  await does('transfers.cancel', { body: { domain: single } });
  // The registry has deleted them, and the portal has seen that.
  for (const name of [lost, again])
    await control('registrar', 'domains/dates', { domain: name, expiresInDays: -41 });
  await control('registrar', 'state');
  await portal.owner.query(
    "UPDATE domains SET status = 'expired', restorable_until = now() + interval '20 days' WHERE address = ANY ($1)",
    [[lost, again]],
  );
  await bought(life, 'orders.restore', { domain: lost });
  await bought(life, 'orders.purchase', { domainRestores: [{ address: again }] });
  return domain;
}

export async function domains({ does, control }: Life, domain: string): Promise<void> {
  await does('domains.unlock', { body: { domain } });
  await does('domains.details', { params: { domain }, query: { type: 'domain_auth_info' } });
  await does('domains.lock', { body: { domain } });
  await does('domains.autoRenew', { body: { domain, enabled: true } });
  await does('domains.privacy', { body: { domain, enabled: true } });
  await does('domains.contacts', { params: { domain }, body: { admin: { ...contact, city: 'Albany' } } });
  await control('registrar', 'verify', { domain, status: 'unverified', daysLeft: 9 });
  await does('domains.resendVerification', { body: { domain } });
}

export async function zones({ does, control }: Life, domain: string): Promise<void> {
  const params = { domain };
  await does('dns.forceNameservers', { params, body: {} });
  const record = { subdomain: 'www', type: 'A', action: 'add', ip_address: '192.0.2.1' };
  await does('dns.changeZone', { params, body: { records: [record] } });
  const host = { name: `ns1.${domain}`, ipaddress: '9.9.9.9' };
  await does('dns.createGlue', { params, body: host });
  await does('dns.updateGlue', { params, body: { ...host, ipaddress: '9.9.9.10' } });
  await does('dns.deleteGlue', { params, body: { name: host.name } });
  await control('registrar', 'dnssec', { domain, signed: true });
  await does('dns.removeDnssec', { params });
  const nameservers = ['ns1.systemdns.com', 'ns2.systemdns.com'];
  await does('domains.updateNameservers', { params, body: { nameservers } });
}

function requestFor(domain: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'acts-'));
  const key = join(folder, 'key.pem');
  const args = ['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-subj', `/CN=${domain}`];
  const pem = execFileSync('openssl', args, { stdio: 'pipe' }).toString();
  rmSync(folder, { recursive: true });
  return pem;
}

export async function certificates(life: Life, domain: string): Promise<void> {
  const { portal, a, does, control } = life;
  await control('registrar', 'knobs', { certificateCheckMs: 100, certificateIssueMs: 100 });
  const line = (name: string, more: object) => ({
    ...{ domain: name, provider: 'RapidSSL', productType: 'rapidssl', handle: 'process', regType: 'new' },
    ...{ customerId: a.customers[0].id, period: 1, csr: requestFor(name), ...more },
  });
  const orderOf = async (name: string) => {
    const { rows } = await portal.owner.query<{ id: string }>(
      'SELECT registrar_order_id AS id FROM certificates WHERE address = $1',
      [name],
    );
    return { orderId: rows[0]?.id ?? '' };
  };
  const waiting = fresh('waits');
  const approver = { dvAuthMethod: 'Email', approverEmail: `admin@${waiting}` };
  await bought(life, 'orders.purchase', { certificates: [line(waiting, approver)] });
  const open = await orderOf(waiting);
  await does('certificates.resendApproval', { params: open, body: {} });
  await does('certificates.setProof', { params: open, body: { method: 'DNS' } });
  await does('certificates.cancel', { params: open, body: {} });
  await bought(life, 'orders.purchase', { certificates: [line(domain, { dvAuthMethod: 'Email' })] });
  const done = await orderOf(domain);
  await completed(life, done.orderId);
  await does('certificates.setAutoReissue', { params: done, body: { enabled: false } });
  await does('certificates.reissue', { params: done, body: {} });
  await does('certificates.revoke', { params: done, body: { confirm: domain } });
}

/** The person who was asked has pressed the button. */
async function completed({ portal, a, control }: Life, orderId: string): Promise<void> {
  const headers = { authorization: `Bearer ${a.tokens.MSP_OWNER}` };
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 200) {
    const letters = await control<{ links: string[] }[]>('mail', 'messages');
    for (const link of letters.flatMap(({ links }) => links).filter((one) => one.includes('approve')))
      await fetch(link, { method: 'POST' }).catch(() => undefined);
    await control('registrar', 'certificates/round');
    await portal.owner.query(
      "UPDATE certificates SET synced_at = synced_at - interval '1 minute' WHERE registrar_order_id = $1",
      [orderId],
    );
    const { body } = await portal.call({ method: 'GET', url: `/api/ssl/order/${orderId}`, headers });
    if (JSON.parse(body).data?.state === 'completed') return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${orderId} was not completed`);
}
