import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CertificateDetail, CertificateRow } from '../../src/contracts/operations/certificates.ts';
import { utcDayText } from '../../src/contracts/values/format.ts';
import { createDatabase, type Db, sql } from '../../src/server/kernel/db/database.ts';
import { type Account, cartOf, openAccount, purchase } from '../support/account.ts';
import { logged } from '../support/audit-log.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** The real server against the registrar's and the authority's stand-in, over the wire. */
let stack: Stack;
let account: Account;
let owner: Db;
const dir = mkdtempSync(join(tmpdir(), 'certificates-'));
beforeAll(async () => {
  stack = await startStack();
  // Long enough for a busy machine: no test here waits for the end of it.
  await stack.startServer({ REGISTRAR_WRITE_TIMEOUT_MS: '60000', ORDER_RELEASE_AFTER_MS: '120000' });
  await stack.control('registrar', 'knobs', {
    ...{ certificateCheckMs: 100, certificateIssueMs: 100 },
    // What the registrar would do by itself is done by the tests.
    certificateReissueDays: 0,
  });
  account = await openAccount(stack, 1_000_00);
  owner = createDatabase({ url: stack.database.url, maxConnections: 1 });
});
afterAll(async () => {
  await owner.destroy();
  await stack[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const at = (name: string) => join(dir, name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' }).toString();
const freshName = (word: string) => `${word}-${randomBytes(4).toString('hex')}.com`;
const csrFor = (name: string, key = `${name}.key`) =>
  openssl(
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', at(key), '-subj', `/CN=${name}`],
  );
const price = 17.19;

interface SandboxOrder {
  id: string;
  domain: string;
  state: string;
  method: string;
  tag: string;
  cost: string;
  approver: string;
  baseOrderId: string | null;
  regType: string;
}
const atAuthority = async (domain: string) =>
  (await stack.control<{ orders: SandboxOrder[] }>('registrar', 'certificates')).orders.filter(
    (order) => order.domain === domain,
  );

const certificateLine = (domain: string, csr: string, more: object = {}) => ({
  ...{ domain, provider: 'RapidSSL', productType: 'rapidssl', handle: 'process', regType: 'new' },
  ...{ dvAuthMethod: 'Email', customerId: account.customerId, period: 1, csr, ...more },
});

async function buy(domain: string, csr: string, withDomain: boolean, more: object = {}) {
  const cart = withDomain ? await cartOf(stack, account, [domain]) : { domains: [], price: 0 };
  const { body: prices } = await stack.call<{ data: { productType: string; pricePerYear: number }[] }>(
    account.token,
    'GET',
    'ssl/prices',
  );
  const each = prices.data.find(({ productType }) => productType === 'rapidssl')?.pricePerYear ?? price;
  const total = Math.round((cart.price + each) * 100) / 100;
  const body = { ...cart, certificates: [certificateLine(domain, csr, more)], price: total };
  return purchase(stack, account, body, `ssl-${randomBytes(4).toString('hex')}`);
}

const call = <T>(method: string, path: string, body?: unknown) =>
  stack.call<{ data: T; message?: string; details?: { path: string; message: string }[] }>(
    account.token,
    method,
    path,
    body,
  );
const rowOf = async (domain: string) =>
  (await call<CertificateRow[]>('GET', 'ssl')).body.data.find(({ address }) => address === domain);

async function when(orderId: string, ready: (found: CertificateDetail) => boolean) {
  let last: CertificateDetail | null = null;
  for (let waitedMs = 0; waitedMs < 600_000; waitedMs += 300) {
    last = (await call<CertificateDetail>('GET', `ssl/order/${orderId}`)).body.data;
    if (ready(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error(`${JSON.stringify(last)}\n${stack.log()}`);
}

async function running(word: string) {
  const domain = freshName(word);
  const bought = await buy(domain, csrFor(domain), true);
  expect(bought.body, JSON.stringify(bought.body)).toMatchObject({
    data: { certificates: { success: [{ domain }] } },
  });
  const orderId = (await rowOf(domain))?.orderId ?? '';
  // Issued before its zone has answered, its proof is known a moment later.
  const isDone = ({ state, proofState }: CertificateDetail) => state === 'completed' && proofState !== null;
  return { domain, orderId, found: await when(orderId, isDone) };
}

async function file(orderId: string, name: string): Promise<Buffer> {
  const reply = await fetch(`${stack.url}/api/ssl/order/${orderId}/files/${name}`, {
    headers: { authorization: `Bearer ${account.token}` },
  });
  expect(reply.status).toBe(200);
  return Buffer.from(await reply.arrayBuffer());
}

describe.concurrent('from the order to the certificate', () => {
  test('domain and certificate in one order: the portal proves control by itself, and the files verify', async () => {
    const { domain, orderId, found } = await running('whole');
    expect(found).toMatchObject({ proof: { method: 'DNS' }, proofState: 'set' });
    expect(found.hostNames).toEqual([domain, `www.${domain}`]);
    expect(Date.parse(found.termEndsAt ?? '')).toBeGreaterThan(Date.parse(found.validTo ?? ''));
    expect(found.nextReissueAt).not.toBeNull();
    const zone = await call<{ records: { TXT: { subdomain: string }[] } }>('GET', `${domain}/zone`);
    expect(zone.body.data.records.TXT.map(({ subdomain }) => subdomain)).toEqual(['_dnsauth']);
    const { root } = await stack.control<{ root: string }>('registrar', 'certificates/root');
    writeFileSync(at('root.pem'), root);
    for (const name of ['certificate.pem', 'chain.pem', 'fullchain.pem', 'bundle.p7b'])
      writeFileSync(at(name), await file(orderId, name));
    expect(
      openssl('verify', '-CAfile', at('root.pem'), '-untrusted', at('chain.pem'), at('certificate.pem')),
    ).toContain('OK');
    expect(readFileSync(at('fullchain.pem'), 'utf8').match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    const packed = openssl('pkcs7', '-inform', 'DER', '-in', at('bundle.p7b'), '-print_certs', '-noout');
    expect(packed).toContain(domain);
  });

  test('an answer lost while ordering never makes two orders, and the certificate still comes', async () => {
    const domain = freshName('lost');
    await stack.control('registrar', 'faults', {
      ...{ action: 'SW_REGISTER', object: 'TRUST_SERVICE', domain, effect: 'drop-after' },
    });
    const bought = await buy(domain, csrFor(domain), true);
    expect(bought.status).toBe(200);
    for (let tries = 0; tries < 60 && !(await rowOf(domain)); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const orderId = (await rowOf(domain))?.orderId ?? '';
    await when(orderId, ({ state }) => state === 'completed');
    expect(await atAuthority(domain)).toHaveLength(1);
  });

  test('a private key, another name and a weak key are refused in their own words, and nothing is ordered', async () => {
    const domain = freshName('refused');
    const csr = csrFor(domain);
    const key = readFileSync(at(`${domain}.key`), 'utf8');
    for (const [text, words] of [
      [key, /private key, not a CSR/],
      [csrFor('other.com'), /This CSR is for other\.com/],
      ['no csr', /cannot read this CSR/],
    ] as const) {
      const bought = await buy(domain, text, false);
      expect(bought.status).toBe(400);
      expect(bought.body.message).toMatch(words);
      const read = await call('POST', 'ssl/parsecsr', { csr: text });
      if (words.source.includes('other')) expect(read.status).toBe(200);
      else
        expect(read.body.details?.[0]).toMatchObject({ path: 'csr', message: expect.stringMatching(words) });
    }
    expect(await atAuthority(domain)).toEqual([]);
    const stored = JSON.stringify(
      await stack.database.systemDb.selectFrom('order_items').select('details').execute(),
    );
    expect(stored).not.toContain('PRIVATE KEY');
    const read = await call<{ csr_data: object }>('POST', 'ssl/parsecsr', { csr });
    expect(read.body.data.csr_data).toEqual({ domain });
  });

  test('a domain elsewhere: the record is shown as missing, the mailbox can be chosen instead, declined is told', async () => {
    const domain = freshName('foreign');
    await stack.control('registrar', 'outside-world', { domain, nameservers: ['ns1.x.net', 'ns2.x.net'] });
    await buy(domain, csrFor(domain), false, { dvAuthMethod: 'DNS' });
    const orderId = (await rowOf(domain))?.orderId ?? '';
    const waiting = await when(
      orderId,
      ({ proofState }) => proofState === 'waiting' || proofState === 'missing',
    );
    expect(waiting).toMatchObject({ state: 'awaiting-approval', proof: { dnsName: `_dnsauth.${domain}` } });
    const approvers = (await call<string[]>('GET', `ssl/order/${orderId}/approvers`)).body.data;
    expect(approvers).toContain(`hostmaster@${domain}`);
    const none = await call('POST', `ssl/order/${orderId}/validation`, { method: 'Email' });
    expect(none.body.details?.[0]).toEqual({ path: 'approverEmail', message: 'Please choose an approver.' });
    const chosen = await call<CertificateDetail>('POST', `ssl/order/${orderId}/validation`, {
      ...{ method: 'Email', approverEmail: `hostmaster@${domain}` },
    });
    expect(chosen.body.data).toMatchObject({
      proof: { method: 'Email' },
      approverEmail: `hostmaster@${domain}`,
    });
    expect((await call('POST', `ssl/order/${orderId}/resend`)).status).toBe(200);
    await stack.control('registrar', 'certificates/decline', { orderId, reason: 'Not this name' });
    const declined = await when(orderId, ({ state }) => state === 'declined');
    expect(declined.remark).toBe('Not this name');
    await expect(refundsOf(domain)).resolves.toHaveLength(1);
    const item = (
      await stack.database.systemDb
        .selectFrom('certificates')
        .select('order_item_id')
        .where('address', '=', domain)
        .executeTakeFirst()
    )?.order_item_id;
    // Once, however often the job runs.
    await job('orders.refund-certificate', {
      ...{ organisationId: account.organisationId, itemId: item },
      reason: 'again',
    });
    await expect(refundsOf(domain)).resolves.toHaveLength(1);
    const entries = await logged(stack.database.db, account, 'orders.refund');
    expect(entries.filter(({ object }) => object === domain)).toMatchObject([
      { by: 'Refunds', kind: 'order item', before: null, after: { item, reason: expect.any(String) } },
    ]);
  });
});

describe.concurrent('the life of a certificate', () => {
  test('a reissue is found by its tag when its answer is lost, is free, and takes the place of the old one', async () => {
    const { domain, orderId, found } = await running('again');
    await stack.control('registrar', 'faults', {
      ...{ action: 'SW_REGISTER', object: 'TRUST_SERVICE', domain, effect: 'drop-after' },
    });
    const csr = csrFor(domain, 'new.pem');
    const asked = await call<CertificateDetail>('POST', `ssl/order/${orderId}/reissue`, { csr });
    expect(asked.status).toBe(200);
    const again = await when(orderId, ({ serial }) => serial !== found.serial);
    expect(again.issues).toHaveLength(2);
    const orders = await atAuthority(domain);
    expect(orders.map(({ cost, baseOrderId }) => ({ cost, baseOrderId }))).toEqual([
      { cost: '0.00', baseOrderId: orderId },
      { cost: expect.not.stringMatching(/^0\.00$/), baseOrderId: null },
    ]);
    writeFileSync(at('again.pem'), await file(orderId, 'certificate.pem'));
    const key = openssl('pkey', '-in', at('new.pem'), '-pubout');
    expect(openssl('x509', '-in', at('again.pem'), '-noout', '-pubkey')).toBe(key);
  });

  test('what expires soon is reissued without a person; what the registrar has reissued is taken over', async () => {
    const { domain, orderId, found } = await running('soon');
    await stack.control('registrar', 'certificates/dates', { orderId, expiresInDays: 20 });
    const place = { organisationId: account.organisationId, certificateId: found.certificateId };
    await job('certificates.sync', place);
    const replaced = await when(orderId, ({ serial }) => serial !== found.serial);
    await job('certificates.sweep', {});
    const reissued = await when(orderId, ({ serial }) => serial !== replaced.serial);
    expect(Date.parse(reissued.validTo ?? '')).toBeGreaterThan(Date.now() + 100 * 86_400_000);
    expect(await atAuthority(domain)).toHaveLength(2);
  });

  test('an expired certificate that a person reissues with another key ends with the new one in use', async () => {
    const { domain, orderId, found } = await running('late');
    await stack.control('registrar', 'certificates/dates', { orderId, expiresInDays: -1 });
    const place = { organisationId: account.organisationId, certificateId: found.certificateId };
    await job('certificates.sync', place);
    const expired = await when(orderId, ({ state }) => state === 'expired');
    const csr = csrFor(domain, 'late.pem');
    const asked = await call<CertificateDetail>('POST', `ssl/order/${orderId}/reissue`, { csr });
    expect(asked.body.data.csr).not.toBe(found.csr);
    const next = await when(orderId, ({ serial }) => serial !== expired.serial);
    expect(next).toMatchObject({ state: 'completed', reissue: null, csr: asked.body.data.csr });
    writeFileSync(at('late-new.pem'), await file(orderId, 'certificate.pem'));
    const key = openssl('pkey', '-in', at('late.pem'), '-pubout');
    expect(openssl('x509', '-in', at('late-new.pem'), '-noout', '-pubkey')).toBe(key);
  });

  test('a proof that is taken away is flagged with what to do, and listed as needing attention', async () => {
    const { domain, orderId, found } = await running('proof');
    const zone = await call<{ records: { TXT: object[] } }>('GET', `${domain}/zone`);
    const [record] = zone.body.data.records.TXT;
    const removed = await call('PUT', `${domain}/zone`, {
      records: [{ type: 'TXT', action: 'remove', ...record }],
    });
    expect(removed.status).toBe(200);
    const place = { organisationId: account.organisationId, certificateId: found.certificateId };
    await job('certificates.sync', place);
    const broken = await when(orderId, ({ proofState }) => proofState === 'missing');
    expect(broken.flags.map(({ kind }) => kind)).toContain('proof');
    const flagged = await call<CertificateRow[]>('GET', 'ssl?flagged=true');
    expect(flagged.body.data.map(({ address }) => address)).toContain(domain);
  });

  test('expired, revoked and cancelled are told; what cannot be undone asks for the name', async () => {
    const { domain, orderId, found } = await running('ends');
    const place = { organisationId: account.organisationId, certificateId: found.certificateId };
    const wrong = await call('POST', `ssl/order/${orderId}/revoke`, { confirm: 'other.com' });
    expect(wrong.body.message).toBe(`Type ${domain} to confirm.`);
    const revoked = await call<CertificateDetail>('POST', `ssl/order/${orderId}/revoke`, { confirm: domain });
    expect(revoked.body.data.state).toBe('revoked');
    const other = await running('over');
    await stack.control('registrar', 'certificates/dates', { orderId: other.orderId, expiresInDays: -1 });
    await job('certificates.sync', { ...place, certificateId: other.found.certificateId });
    const expired = await when(other.orderId, ({ state }) => state === 'expired');
    expect(expired.flags).toEqual([expect.objectContaining({ kind: 'expired', level: 'danger' })]);
    // Renewed: a new order that follows the old one, which is no matter of concern any more once the new one is issued.
    await buy(other.domain, csrFor(other.domain), false, { regType: 'renew' });
    await when(other.orderId, ({ flags }) => flags.length === 0);
    expect((await atAuthority(other.domain)).map(({ regType }) => regType)).toEqual(['renew', 'new']);
    const never = freshName('never');
    expect((await buy(never, csrFor(never), false, { regType: 'renew' })).status).toBe(404);
    const open = freshName('open');
    await buy(open, csrFor(open), false, { dvAuthMethod: 'File' });
    const openId = (await rowOf(open))?.orderId ?? '';
    const cancelled = await call<CertificateDetail>('POST', `ssl/order/${openId}/cancel`);
    expect(cancelled.body.data.state).toBe('cancelled');
    expect((await call('POST', `ssl/order/${openId}/cancel`)).status).toBe(422);
    expect((await call('GET', 'ssl/order/99')).status).toBe(404);
  });
});

/** One after the other: each round of reminders is about every certificate of the organization. */
describe('reminders', () => {
  test('reminders name host, serial and date, come once, and stop when the certificate is replaced', async () => {
    const { domain, orderId, found } = await running('remind');
    await call('POST', `ssl/order/${orderId}/auto-reissue`, { enabled: false });
    await stack.control('registrar', 'certificates/dates', { orderId, expiresInDays: 10 });
    const place = { organisationId: account.organisationId, certificateId: found.certificateId };
    await job('certificates.sync', place);
    const soon = await when(orderId, ({ serial }) => serial !== found.serial);
    expect(soon.flags.map(({ kind }) => kind)).toContain('reissue');
    await job('certificates.remind', {});
    const letters = await lettersAbout(domain, expiry);
    expect(letters).toHaveLength(1);
    for (const fact of [domain, soon.serial ?? '', utcDayText(new Date(soon.validTo ?? 0))])
      expect(letters[0]?.text).toContain(fact);
    await job('certificates.remind', {});
    await call('POST', `ssl/order/${orderId}/reissue`, {});
    await when(orderId, ({ serial }) => serial !== soon.serial);
    await job('certificates.remind', {});
    expect(await lettersAbout(domain, expiry)).toHaveLength(1);
  });

  test('a term that ends is told once for each of its dates, and a reissue that comes by itself is announced once', async () => {
    const [ends, comes] = [await running('ending'), await running('coming')];
    for (const [{ orderId, found }, dates] of [
      [ends, { expiresInDays: 13 }],
      [comes, { expiresInDays: 35 }],
    ] as const) {
      // The term first: what the registrar issues is news that the portal reads by itself, and it writes the term it read.
      if (dates.expiresInDays === 13) await endTermIn(13, orderId);
      await stack.control('registrar', 'certificates/dates', { orderId, ...dates });
      const place = { organisationId: account.organisationId, certificateId: found.certificateId };
      await job('certificates.sync', place);
      await when(orderId, ({ serial }) => serial !== found.serial);
    }
    const [first, second] = [
      (await rowOf(ends.domain)) as CertificateRow,
      (await rowOf(comes.domain)) as CertificateRow,
    ];
    expect(first.flags.map(({ kind, level }) => [kind, level])).toEqual([['term', 'danger']]);
    for (let round = 0; round < 2; round += 1) {
      await job('certificates.remind', {});
      const [letter, ...others] = await lettersAbout(ends.domain, term);
      expect(others).toEqual([]);
      for (const fact of [ends.domain, first.serial ?? '', utcDayText(new Date(first.termEndsAt ?? 0))])
        expect(letter?.text).toContain(fact);
      const [announced, ...more] = await lettersAbout(comes.domain, announcement);
      expect(more).toEqual([]);
      expect(announced?.text).toContain(second.serial ?? '-');
    }
    // A week before its end the term is told again; once it is renewed, no more.
    await endTermIn(6, ends.orderId);
    await job('certificates.remind', {});
    await job('certificates.remind', {});
    expect(await lettersAbout(ends.domain, term)).toHaveLength(2);
    await endTermIn(1, ends.orderId);
    await buy(ends.domain, csrFor(ends.domain), false, { regType: 'renew' });
    await job('certificates.remind', {});
    expect(await lettersAbout(ends.domain, term)).toHaveLength(2);
    expect((await rowOf(ends.domain))?.flags).toEqual([]);
  });
});

/** The order is as long ago as that makes it: the term is the portal's own knowledge. */
const endTermIn = (days: number, orderId: string) =>
  sql`UPDATE certificates SET term_ends_at = now() + make_interval(days => ${days})
    WHERE registrar_order_id = ${orderId}`.execute(owner);

/** Starts a job now, as its time would, and waits for its end. */
async function job(task: string, payload: object): Promise<void> {
  const mark = `now-${randomBytes(4).toString('hex')}`;
  await sql`SELECT enqueue_job(${task}, ${JSON.stringify(payload)}::json, ${mark}, now(), 3, NULL)`.execute(
    owner,
  );
  for (let waitedMs = 0; waitedMs < 600_000; waitedMs += 100) {
    // The letters that it wrote are jobs of their own; one that could not be sent at once is sent soon.
    const { rows } = await sql`SELECT 1 FROM graphile_worker.jobs
      WHERE key = ${mark} OR task_identifier IN ('billing.notify', 'mail.send') AND (attempts > 0 OR run_at <= now())`.execute(
      owner,
    );
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${task} did not end\n${stack.log()}`);
}

/** Letters with such news of the domain: alone, or in a list below the heading of its kind. */
async function lettersAbout(domain: string, words: RegExp) {
  const all = await stack.control<{ subject: string; text: string }[]>('mail', 'messages');
  return all.filter(({ subject, text }) => {
    if (subject.includes(domain)) return words.test(subject);
    const parts = text.split(/\r?\n\r?\n/);
    return parts.some((part, at) => words.test(part) && (parts[at + 1] ?? '').includes(domain));
  });
}
const expiry = /expires? (on|soon)/;
const term = /renew the certificate/i;
const announcement = /will be reissued/;

async function refundsOf(domain: string) {
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 200) {
    const found = await stack.database.systemDb
      .selectFrom('journal')
      .select('id')
      .where('kind', '=', 'refund')
      .where('text', 'like', `%${domain}%`)
      .execute();
    if (found.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return [];
}
