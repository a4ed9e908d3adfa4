import sharp from 'sharp';
import type { Contact } from '../../../src/contracts/values/contact.ts';
import { contact } from '../../support/account.ts';
import { csvFile, namedRow } from '../../support/customer-file.ts';
import { certificates, domains, orders, zones } from './acts-of-domains.ts';
import { type Actor, type Does, fresh, type Life } from './life.ts';
import { operatorToken, type Portal } from './portal.ts';
import { insert, type Organisation, person } from './world.ts';

/**
 * A life of an organisation in which every operation that the log speaks of is carried out, against the sandbox. Each
 * part leaves the others alone.
 */
export async function liveThrough(portal: Portal, a: Organisation, does: Does): Promise<void> {
  const life: Life = {
    portal,
    a,
    does,
    control: (part, route, body) => portal.stack.control(part, route, body),
  };
  await settings(life);
  await people(life);
  await customers(life);
  await money(life);
  const domain = await orders(life);
  await domains(life, domain);
  await zones(life, domain);
  await manyChanges(life);
  await certificates(life, domain);
  await acme(life);
  await attention(life);
  await operators(life, domain);
  await privacy(life);
}

const contacts = { owner: contact, admin: contact, billing: contact };
const records = { A: [], AAAA: [], CNAME: [], MX: [], SRV: [], TXT: [{ subdomain: '', text: 'x' }] };
/** Puts a file where its signed address says. */
async function uploaded(life: Life, how: { grant: string; type: string; bytes: Buffer | string }) {
  const token = life.a.tokens.MSP_OWNER;
  const granted = await life.portal.call({
    ...{ method: 'GET', url: `/api${how.grant}`, headers: { authorization: `Bearer ${token}` } },
  });
  const { signedUrl, keyName } = JSON.parse(granted.body).data as { signedUrl: string; keyName: string };
  const { pathname, search } = new URL(signedUrl);
  await life.portal.call({
    ...{ method: 'PUT', url: pathname + search, payload: how.bytes, headers: { 'content-type': how.type } },
  });
  return keyName;
}

async function settings(life: Life): Promise<void> {
  const { does } = life;
  const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: '#1a7f4b' } });
  const bytes = await picture.png().toBuffer();
  const key = await uploaded(life, { grant: '/user/upload-logo-url/logo.png', type: 'image/png', bytes });
  await does('users.finishLogo', { body: { key } });
  const template = await does('dns.saveTemplate', { body: { name: 'A template', records } });
  await templateInUse(life, template.id ?? '');
  await does('dns.deleteTemplate', { params: { id: template.id ?? '' } });
  const mapping = { columns: { contacts_owner_organization: 'Company' }, values: {} };
  const kept = await does('customers.keepImportMapping', { body: { name: 'A mapping', mapping } });
  await does('customers.dropImportMapping', { params: { id: kept.id ?? '' } });
  const token = await does('tokens.create', { body: { name: 'A script', permissions: ['domains.read'] } });
  await does('tokens.revoke', { params: { id: token.id ?? '' } });
  const listed = { screen: 'domains', name: 'Expiring', query: 'status=active', shared: false };
  const view = await does('views.save', { body: listed });
  await does('views.rename', {
    params: { id: view.id ?? '' },
    body: { name: 'Expiring soon', shown: 'Expiring' },
  });
  await does('views.delete', { params: { id: view.id ?? '' } });
  const recipient = { name: 'Acts Accounting', address: ['1 Main Street'], taxId: 'DE123456789' };
  await does('statement.setAddress', { body: recipient });
}

/** Somebody who was invited and has accepted. */
async function joined(life: Life, email: string, more: object = { type: 'MSP_EMPLOYEE' }): Promise<Actor> {
  const { portal, does } = life;
  const them = await person(portal, email, null);
  const invite = await does('users.invite', { body: { email, ...more } });
  const { link } = await does<{ link: string }>('users.resendInvite', {
    params: { id: invite.inviteId ?? '' },
  });
  const made = await does<{ userId: string }>('users.createSubuser', {
    body: {},
    as: { ...them, userId: null },
  });
  const actor = { token: them.token, userId: made.userId };
  await does('users.acceptInvite', { params: { id: link.split('/').at(-1) ?? '' }, body: {}, as: actor });
  return actor;
}

/** What ends with an organization: a token, a watched name, and auto balance. */
async function foundedAndClosed({ portal, does }: Life): Promise<void> {
  const { token } = await person(portal, 'founder@acts.example', null);
  const body = { username: 'thefounder', organization: 'Founders Inc' };
  const founded = await does<{ userId: string; organizationId: string }>('users.createProfile', {
    ...{ body, as: { token, userId: null } },
  });
  await portal.owner.query(
    `INSERT INTO billing_profiles (organisation_id, initial_fee_paid, auto_topup) VALUES ($1, true, true)
     ON CONFLICT (organisation_id) DO UPDATE SET initial_fee_paid = true, auto_topup = true`,
    [founded.organizationId],
  );
  const as = { token, userId: founded.userId };
  await does('tokens.create', { body: { name: 'Theirs', permissions: ['domains.read'] }, as });
  await does('health.watch', { body: { text: 'founders-watch-acts.com', customerId: null }, as });
  await does('users.closeOrganization', { as });
}

async function people(life: Life): Promise<void> {
  const { a, does } = life;
  await foundedAndClosed(life);
  const open = await does('users.invite', { body: { email: 'open@acts.example', type: 'MSP_EMPLOYEE' } });
  await does('users.cancelInvite', { params: { id: open.inviteId ?? '' } });
  // Each is made an administrator, makes a token, and loses it: by becoming a customer's user, and by leaving.
  for (const [email, end] of [
    ['moved@acts.example', 'users.change'],
    ['gone@acts.example', 'users.remove'],
    ['erased@acts.example', 'privacy.eraseUser'],
  ] as const) {
    const them = await joined(life, email);
    const params = { id: them.userId ?? '' };
    await does('users.change', { params, body: { type: 'MSP_ADMIN' } });
    await does('tokens.create', { body: { name: 'Theirs', permissions: ['domains.read'] }, as: them });
    const place = { type: 'MSP_CUSTOMER', authorizedClientId: a.customers[0].id };
    await does(end, { params, ...(end === 'users.change' ? { body: place } : {}) });
  }
}

async function customers(life: Life): Promise<void> {
  const { does } = life;
  for (const end of ['customers.delete', 'privacy.eraseCustomer'] as const) {
    const { customerId: id = '' } = await does('customers.create', { body: { contacts } });
    const owner: Contact = { ...contact, city: 'Buffalo' };
    await does('customers.update', { params: { id }, body: { contacts: { ...contacts, owner } } });
    // Its own user, an open invitation and a token end with it.
    const tag = end.split('.')[0];
    await joined(life, `own-${tag}@acts.example`, { type: 'MSP_CUSTOMER', authorizedClientId: id });
    const email = `invited-${tag}@acts.example`;
    await does('users.invite', { body: { email, type: 'MSP_CUSTOMER', authorizedClientId: id } });
    const token = { name: 'For one', permissions: ['customers.read'], customerId: id };
    await does('tokens.create', { body: token });
    if (end === 'privacy.eraseCustomer') await does('privacy.exportCustomer', { params: { id } });
    await does(end, { params: { id } });
  }
  const key = await uploaded(life, {
    ...{ grant: '/customer/upload-csv-url', type: 'text/csv', bytes: csvFile([namedRow('From A File')]) },
  });
  await does('customers.finishCsv', { body: { key, preview: true } });
  await does('customers.csvExport');
}

/** Jobs do not run here: it is in use in a domain as they would leave it there. */
async function templateInUse({ portal, a, does }: Life, id: string): Promise<void> {
  const changed = { name: 'A changed template', records, variables: [], version: 1 };
  await does('dns.changeTemplate', { params: { id }, body: changed });
  const [{ domain }] = a.customers;
  const record = { type: 'A', subdomain: '', ip_address: '192.0.2.1' };
  const drift = [{ action: 'remove', record, old: null }];
  await portal.owner.query(
    `INSERT INTO dns_template_uses (organisation_id, template_id, domain_id, version, filled, owned, state, drift,
       applied_at, next_at)
     SELECT organisation_id, $1, id, 2, '{}', '[]', 'drifted', $3, now(), now() FROM domains WHERE address = $2`,
    [id, domain, JSON.stringify(drift)],
  );
  await does('dns.acceptDrift', { params: { id }, body: { domain, version: 2 } });
  await does('dns.forgetTemplate', { params: { id }, body: { domains: [domain] } });
}

async function attention({ a, does }: Life): Promise<void> {
  const items = await does<{ items: { id: string }[] }>('attention.list');
  const params = { id: items.items[0]?.id ?? '' };
  await does('attention.change', { params, body: { ownerId: a.userIds.MSP_OWNER } });
  await does('attention.setDigest', { body: { daily: true } });
  const { rows } = await does<{ rows: { id: string }[] }>('health.board');
  const muted = { until: new Date(Date.now() + 86_400_000).toISOString(), reason: 'As agreed' };
  await does('health.mute', { params: { id: rows[0]?.id ?? '' }, body: { muted } });
  const domains = ['held-elsewhere.com'];
  await does('health.watch', { body: { text: domains.join(), customerId: null } });
  await does('health.assignWatched', { body: { domains, customerId: a.customers[0].id } });
  await does('health.unwatch', { body: { domains } });
}

/** Jobs do not run here: the changes are moved on as they would. */
async function manyChanges({ portal, a, does }: Life): Promise<void> {
  const request = { kind: 'set-spf', text: 'v=spf1 -all', where: 'missing' };
  const described = { title: 'A change', reason: 'T-1', request };
  const targets = { kind: 'names', names: [a.customers[0].domain] };
  const made = () => does<{ id: string }>('changes.create', { body: { ...described, targets } });
  const stands = (id: string, state: string, item: string) =>
    portal.owner.query(
      `WITH items AS (UPDATE change_items SET state = $3, before = '[]', after = '[]' WHERE change_id = $1)
       UPDATE changes SET state = $2 WHERE id = $1`,
      [id, state, item],
    );
  const dropped = await made();
  await does('changes.describe', { params: dropped, body: { ...described, title: 'Another' } });
  await does('changes.discard', { params: dropped });
  const { id } = await made();
  const params = { id };
  await stands(id, 'ready', 'ready');
  const { items } = await does<{ items: { id: string }[] }>('changes.items', { params });
  await does('changes.choose', { params, body: { ids: items.map((item) => item.id), ticked: true } });
  await does('changes.apply', { params, body: { expected: 1 } });
  await does('changes.pause', { params });
  await does('changes.resume', { params });
  await stands(id, 'partly', 'failed');
  await does('changes.retry', { params, body: { expected: 1 } });
  await does('changes.cancel', { params });
  await stands(id, 'done', 'done');
  await does('changes.undo', { params });
}

async function acme({ a, does }: Life): Promise<void> {
  const [{ id: customerId }] = a.customers;
  const limits = { ordersPerMonth: 2, centsPerMonth: 80_00 };
  const access = { name: 'Web server', customerId, hosts: null, productType: 'rapidssl', mayBuy: limits };
  const { id } = await does<{ id: string }>('acme.make', { body: access });
  await does('acme.change', { params: { id }, body: { name: 'Mail server', mayBuy: null } });
  await does('acme.revoke', { params: { id } });
  const allowance = { mostAccesses: 9, productType: 'rapidssl', mayBuy: limits };
  const allow = (body: object) => does('acme.setAllowance', { params: { customerId }, body });
  // As the seeded world has it.
  await allow({ allowance, shown: { mostAccesses: 50, productType: 'rapidssl', mayBuy: null } });
  const as = { token: a.tokens.MSP_CUSTOMER, userId: a.userIds.MSP_CUSTOMER };
  await does('acme.make', { body: { ...access, mayBuy: null, productType: undefined }, as });
  await allow({ allowance: null, shown: allowance });
}

async function money(life: Life): Promise<void> {
  const { portal, a, does, control } = life;
  await does('billing.accountLink');
  const { id: account } = await does<{ id: string }>('billing.refreshAccount', { body: {} });
  await control('payments', 'account-finish', { account });
  await does('billing.refreshAccount', { body: {} });
  await does('billing.dashboardLink');
  const topUp = await does<{ topupId: string }>('billing.topUp', { body: { amount: 100 } });
  await does('billing.cancelTopUp', { params: { id: topUp.topupId }, body: {} });
  await portal.owner.query(
    "UPDATE billing_profiles SET payment_method_id = 'pm_card_visa', initial_fee_paid = true WHERE organisation_id = $1",
    [a.id],
  );
  await does('billing.autoBalance', { body: { enabled: true, amount: 200_00, mark: 60_00 } });
  const billing = { billDirectly: true, email: 'pay@acts.example', allowChangeBilling: false };
  const made = await does<{ billing: { stripeId: string } }>('customers.create', {
    body: { contacts, billing },
  });
  await does('customers.resendPaymentLink', { params: { stripeId: made.billing.stripeId } });
  const { rows } = await portal.owner.query<{ id: string }>(
    `UPDATE direct_charges SET state = 'failed', failure = 'declined', updated_at = now()
     WHERE organisation_id = $1 RETURNING id`,
    [a.id],
  );
  const [first, second] = rows.map(({ id }) => ({ id }));
  if (!first || !second) throw new Error('no charges');
  await portal.owner.query('UPDATE direct_charges SET disputed_cents = 1 WHERE id = $1', [second.id]);
  await does('direct.release', { params: second, body: { disputed: 0.01, disputedAt: null } });
  await does('direct.retry', { params: first, body: {} });
  await does('direct.settle', { params: second, body: { note: 'Paid by cheque' } });
  await portal.owner.query("UPDATE direct_charges SET state = 'failed' WHERE id = $1", [first.id]);
  const as = { token: portal.operatorKey, userId: null, name: 'operator Ada Smith' };
  await does('operator.retry', { params: { kind: 'charge', id: first.id }, body: {}, as });
}

async function operators({ portal, a, does }: Life, domain: string): Promise<void> {
  const ada = { token: portal.operatorKey, userId: null, name: 'operator Ada Smith' };
  const { rows } = await portal.owner.query<{ name: string }>(
    'SELECT name FROM organisations WHERE id = $1',
    [a.id],
  );
  const organization = rows[0]?.name;
  const sum = (amount: number, reference: string) => ({
    body: { organizationId: a.id, organization, amount, reason: 'Never carried out', reference },
    as: ada,
  });
  await does('operator.correct', sum(12.5, 'acts-1'));
  const large = await portal.call({
    ...{ method: 'POST', url: '/api/operator/correction' },
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    payload: JSON.stringify(sum(2_500, 'acts-2').body),
  });
  const { id } = JSON.parse(large.body).data as { id: string };
  const ben = await does<{ id: string; key: string }>('operator.makeOperator', {
    ...{ body: { name: 'Ben Jones' }, as: { token: operatorToken, userId: null } },
  });
  const second = { token: ben.key, userId: null, name: 'operator Ben Jones' };
  await does('operator.confirmCorrection', { params: { id }, body: {}, as: second });
  // The registrar has never had it.
  const left = { id: crypto.randomUUID(), organisation_id: a.id, customer_id: a.customers[0].id };
  const missing = { address: fresh('left'), status: 'active', missing_since: new Date() };
  await insert(portal, 'domains', { ...left, ...missing });
  const because = { reason: 'Transferred away' };
  await does('operator.endDomain', { params: { id: left.id }, body: because, as: ada });
  // The registrar has it, and nobody's list has it any more.
  await portal.owner.query("UPDATE domains SET status = 'ended' WHERE address = $1", [domain]);
  const customerId = a.customers[0].id;
  const given = { domain, organizationId: a.id, organization, customerId };
  await does('operator.giveDomain', { body: { ...given, reason: 'Lost in the restore' }, as: ada });
}

async function privacy({ portal, a, does }: Life): Promise<void> {
  await does('privacy.exportOwn');
  await does('privacy.exportUser', { params: { id: a.userIds.MSP_EMPLOYEE } });
  const address = fresh('held-back');
  await insert(portal, 'legal_holds', {
    ...{ id: crypto.randomUUID(), organisation_id: a.id, customer_id: a.customers[0].id, address },
    data_sealed: Buffer.from('x'),
    ...{ ended_at: new Date(), delete_after: new Date(Date.now() + 86_400_000) },
  });
  await does('privacy.readHold', { params: { domain: address } });
}
