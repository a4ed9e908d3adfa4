import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDns } from '../../dns/index.ts';
import type { SandboxPart } from '../../part.ts';
import { type Fields, newOrder, openStand, type Stand } from '../test-client.ts';
import type { Mail } from '../world.ts';
import { maxValidityDays } from './authority.ts';

let stand: Stand;
let dns: SandboxPart;
let dir: string;
let csr: string;
const mails: Mail[] = [];
const domain = 'prove-me.com';
const DAY_MS = 86_400_000;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'trust-'));
  stand = await openStand({
    dnsServer: () => dns.url.replace('dns://', ''),
    mail: {
      async send(mail) {
        mails.push(mail);
      },
    },
  });
  dns = await startDns({ store: stand.store, host: '127.0.0.1', port: 0 });
  csr = openssl(
    'req',
    '-new',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    at('key'),
    '-subj',
    `/CN=${domain}`,
  );
});
afterAll(async () => {
  await dns.close();
  await stand.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  mails.length = 0;
  await stand.control('reset');
  await stand.control('knobs', { certificateCheckMs: 0, certificateIssueMs: 0 });
  await stand.send('SW_REGISTER', 'DOMAIN', newOrder(domain));
  await stand.send('CREATE_DNS_ZONE', 'DOMAIN', { domain });
});

const at = (name: string) => join(dir, name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' }).toString();
const person = { first_name: 'Ann', last_name: 'Smith', email: 'ann@msp.example', phone: '+1.2125550100' };
const trust = (action: string, attributes: Fields) => stand.send(action, 'TRUST_SERVICE', attributes);
const order = (more: Fields = {}) =>
  trust('SW_REGISTER', {
    ...{ product_type: 'rapidssl', reg_type: 'new', period: '1', handle: 'process', csr, domain },
    dv_auth_method: 'DNS',
    contact_set: { admin: person, billing: person, tech: person },
    ...more,
  });
const text = (fields: Fields, key: string) => String(fields[key] ?? '');
const info = async (id: string) => (await trust('GET_ORDER_INFO', { order_id: id })).attributes;
const details = async (id: string) => (await info(id)).dv_auth_details as Fields;
async function rounds() {
  for (let round = 0; round < 4; round += 1) await stand.control('certificates/round');
}
async function prove(id: string) {
  const want = await details(id);
  const subdomain = text(want, 'dns_record_name').replace(`.${domain}`, '');
  const value = text(want, 'dns_record_value');
  const record =
    want.dns_record_type === 'TXT'
      ? { TXT: [{ subdomain, text: value }] }
      : { CNAME: [{ subdomain, hostname: value }] };
  await stand.send('SET_DNS_ZONE', 'DOMAIN', { domain, records: record });
  await rounds();
}
async function certificate(id: string) {
  const reply = await trust('GET_CERT', { order_id: id, return_ca_certs: '1' });
  return { reply, data: (reply.attributes.cert_data ?? {}) as Fields };
}
const newId = async (more: Fields = {}) => text((await order(more)).attributes, 'order_id');

it('a name that spoils its registration leaves its certificate alone, unless "ssl-" stands before the word', async () => {
  const named = 'acme-refuse-ssl-busy.com';
  const request = openssl(
    ...['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', at('named'), '-subj', `/CN=${named}`],
  );
  const register = () => stand.send('SW_REGISTER', 'DOMAIN', newOrder(named));
  expect([(await register()).code, (await register()).code]).toEqual(['465', '200']);
  const codes = [];
  for (let count = 0; count < 3; count += 1) codes.push((await order({ csr: request, domain: named })).code);
  expect(codes).toEqual(['486', '486', '200']);
});

describe('what is issued', () => {
  it.each(['rapidssl', 'positivessl'])(
    'openssl verifies the chain of a %s proven by DNS',
    async (product) => {
      const contacts = { organization: person, admin: person, billing: person, tech: person };
      const id = await newId({ product_type: product, contact_set: contacts });
      await rounds();
      expect((await info(id)).state).toBe('awaiting-approval');
      await prove(id);
      expect((await info(id)).state).toBe('completed');
      const { data } = await certificate(id);
      writeFileSync(at('leaf.pem'), text(data, 'certificate'));
      writeFileSync(at('ca.pem'), text(data, 'ca_certificate'));
      writeFileSync(at('root.pem'), text(data, 'root_certificate'));
      const verified = openssl(
        ...['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', `www.${domain}`],
        ...['-CAfile', at('root.pem'), '-untrusted', at('ca.pem'), at('leaf.pem')],
      );
      expect(verified).toContain('OK');
      const key = openssl('pkey', '-in', at('key'), '-pubout');
      expect(openssl('x509', '-in', at('leaf.pem'), '-noout', '-pubkey')).toBe(key);
      const root = await fetch(`${stand.part.url}/authority/root.pem`);
      expect((await root.text()).trim()).toBe(readFileSync(at('root.pem'), 'utf8').trim());
    },
  );

  it('is never valid for longer than the rules of its day allow', async () => {
    expect(maxValidityDays(Date.UTC(2026, 10, 21))).toBe(200);
    expect(maxValidityDays(Date.UTC(2027, 2, 14, 23, 59))).toBe(200);
    expect(maxValidityDays(Date.UTC(2027, 2, 15))).toBe(100);
    expect(maxValidityDays(Date.UTC(2029, 2, 15))).toBe(47);
    const id = await newId();
    await prove(id);
    const { attributes } = (await certificate(id)).reply;
    const span = Date.parse(text(attributes, 'expiry_date')) - Date.parse(text(attributes, 'start_date'));
    expect(span).toBeLessThanOrEqual(maxValidityDays(stand.store.now()) * DAY_MS);
    expect(span).toBeGreaterThan((maxValidityDays(stand.store.now()) - 1) * DAY_MS);
  });

  it('a reissue on the base order costs nothing and ends with its term; of another name it is refused', async () => {
    const id = await newId();
    await prove(id);
    const before = (await stand.state()).balance;
    const again = await newId({ base_order_id: id });
    expect((await stand.state()).balance).toBe(before);
    expect((await info(again)).price).toBe('0');
    await prove(again);
    expect((await info(again)).state).toBe('completed');
    expect((await order({ base_order_id: '1' })).code).toBe('480');
  });

  it('the registrar reissues inside the term by itself while the proof can be seen', async () => {
    const id = await newId();
    await prove(id);
    const first = text(await info(id), 'product_id');
    await stand.control('certificates/dates', { orderId: id, expiresInDays: 10 });
    await rounds();
    expect(text(await info(id), 'product_id')).not.toBe(first);
    const { attributes } = (await certificate(id)).reply;
    expect(Date.parse(text(attributes, 'expiry_date'))).toBeGreaterThan(stand.store.now() + 40 * DAY_MS);
  });
});

describe('control is really checked', () => {
  it('another value under the name proves nothing', async () => {
    const id = await newId();
    const records = { TXT: [{ subdomain: '_dnsauth', text: 'something else' }] };
    await stand.send('SET_DNS_ZONE', 'DOMAIN', { domain, records });
    await rounds();
    const order = await info(id);
    expect(order.state).toBe('awaiting-approval');
    expect(JSON.stringify(order.notes_list)).toContain('something else');
    expect((await certificate(id)).reply.code).toBe('480');
  });

  it('a file is fetched over HTTP from the address that DNS names', async () => {
    const id = await newId({ dv_auth_method: 'File' });
    const want = await details(id);
    let served = 'not it';
    const asked: string[] = [];
    const web = createServer((request, response) => {
      asked.push(`${request.headers.host}${request.url}`);
      response.end(served);
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const address = web.address();
    await stand.control('knobs', { certificateHttpPort: typeof address === 'object' ? address?.port : 0 });
    const records = { A: [{ subdomain: '', ip_address: '127.0.0.1' }] };
    await stand.send('SET_DNS_ZONE', 'DOMAIN', { domain, records });
    await rounds();
    expect((await info(id)).state).toBe('awaiting-approval');
    expect(asked[0]).toBe(`${domain}${text(want, 'file_path')}`);
    served = text(want, 'file_content');
    await rounds();
    web.close();
    expect((await info(id)).state).toBe('completed');
  });

  it('what is declined while another order is checked stays declined', async () => {
    const declined = await newId({ dv_auth_method: 'Email', approver_email: `admin@${domain}` });
    // The newest is looked at first.
    await newId({ dv_auth_method: 'File' });
    // A slow machine has had a round of its own by then.
    let mailedBefore: number | undefined;
    const web = createServer(async (_, response) => {
      await stand.control('certificates/decline', { orderId: declined, reason: 'Not this name' });
      mailedBefore ??= mails.length;
      response.end('not it');
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const address = web.address();
    await stand.control('knobs', { certificateHttpPort: typeof address === 'object' ? address?.port : 0 });
    const records = { A: [{ subdomain: '', ip_address: '127.0.0.1' }] };
    await stand.send('SET_DNS_ZONE', 'DOMAIN', { domain, records });
    await stand.control('certificates/round');
    web.close();
    expect((await info(declined)).state).toBe('declined');
    expect(mails.slice(mailedBefore)).toEqual([]);
  });

  it('an approver is mailed, and only the press on the page behind the link approves', async () => {
    const id = await newId({ dv_auth_method: 'Email', approver_email: `admin@${domain}` });
    await rounds();
    expect(mails.map(({ to }) => to)).toEqual([`admin@${domain}`]);
    const link = /http\S+/.exec(mails[0]?.text ?? '')?.[0] ?? '';
    expect(await (await fetch(link)).text()).toContain('Do you approve it?');
    await rounds();
    expect((await info(id)).state).toBe('awaiting-approval');
    await fetch(link, { method: 'POST' });
    await rounds();
    expect((await info(id)).state).toBe('completed');
    expect((await fetch(`${stand.part.url}/approve/${'0'.repeat(32)}`)).status).toBe(404);
  });

  it('the method can be changed and the letter sent again while approval is awaited', async () => {
    const id = await newId({ dv_auth_method: 'Email', approver_email: `admin@${domain}` });
    await rounds();
    await trust('RESEND_APPROVE_EMAIL', { order_id: id });
    await rounds();
    expect(mails).toHaveLength(2);
    const changed = await trust('UPDATE_DV_AUTH', { order_id: id, dv_auth_method: 'DNS' });
    expect(changed.code).toBe('200');
    await prove(id);
    expect((await info(id)).state).toBe('completed');
    expect((await trust('UPDATE_DV_AUTH', { order_id: id, dv_auth_method: 'DNS' })).code).toBe('465');
  });
});

describe('refusals and ends', () => {
  it.each<[string, Fields, string]>([
    ['a product that is not sold', { product_type: 'nothing' }, '465'],
    ['a request that is none', { csr: 'hello' }, '465'],
    ['an approver outside the domain', { dv_auth_method: 'Email', approver_email: 'me@x.com' }, '465'],
    ['contacts left out', { contact_set: {} }, '465'],
    ['a name of another domain', { domain: 'other.com' }, '465'],
  ])('%s is refused and costs nothing', async (_, more, code) => {
    const before = (await stand.state()).balance;
    expect((await order(more)).code).toBe(code);
    expect((await stand.state()).balance).toBe(before);
  });

  it('an open order can be cancelled for its money; a completed one is revoked', async () => {
    const before = (await stand.state()).balance;
    const open = await newId();
    expect((await stand.state()).balance).not.toBe(before);
    await trust('CANCEL_ORDER', { order_id: open });
    expect((await stand.state()).balance).toBe(before);
    const id = await newId();
    await prove(id);
    await trust('CANCEL_ORDER', { order_id: id });
    expect((await certificate(id)).reply.attributes.state).toBe('revoked');
  });

  it('rounds at the same time issue one certificate: nothing brings a revoked one back', async () => {
    const id = await newId();
    await stand.control('certificates/hold', { orderId: id, on: false, at: 'in-progress' });
    await Promise.all(Array.from({ length: 4 }, () => stand.control('certificates/round')));
    const { orders } = (await stand.control('certificates')) as { orders: { id: string; notes: string[] }[] };
    const notes = orders.find((each) => each.id === id)?.notes ?? [];
    expect(notes.filter((note) => note.startsWith('Issued'))).toHaveLength(1);
    await trust('CANCEL_ORDER', { order_id: id });
    await rounds();
    expect((await certificate(id)).reply.attributes.state).toBe('revoked');
  });

  it('the control plane declines, holds and dates; the answer of an order can be lost', async () => {
    const id = await newId();
    await stand.control('certificates/hold', { orderId: id });
    await prove(id);
    expect((await info(id)).state).toBe('awaiting-approval');
    await stand.control('certificates/decline', { orderId: id, reason: 'Not this name' });
    expect((await info(id)).state).toBe('declined');
    await stand.control('faults', { action: 'SW_REGISTER', object: 'TRUST_SERVICE', effect: 'drop-after' });
    await expect(order()).rejects.toThrow();
    const list = (await trust('GET_ORDERS_BY_DOMAIN', { domain })).attributes.orders;
    expect(list).toHaveLength(2);
    expect((await trust('PARSE_CSR', { csr, product_type: 'rapidssl' })).attributes.csr_data).toMatchObject({
      domain,
    });
    expect((await trust('QUERY_APPROVER_LIST', { domain, product_type: 'rapidssl' })).text).toContain(
      `hostmaster@${domain}`,
    );
  });

  it('keeps its keys and orders over a restart', async () => {
    const id = await newId();
    const root = await stand.control('certificates/root');
    await stand.reopen();
    expect(await stand.control('certificates/root')).toEqual(root);
    expect((await info(id)).state).toBe('awaiting-approval');
  });
});
