import { newId } from '../../../src/server/kernel/ids.ts';
import type { Portal } from './portal.ts';
import { type Customer, type Organisation, writableColumns } from './world.ts';

type Change = Record<string, unknown>;

/** Each moment that is used is another one: lists by time have one order only. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** The word that names of a customer's things begin with. */
export const wordOf = ({ domain }: Pick<Customer, 'domain'>) => domain.slice(0, domain.indexOf('-'));

/**
 * Beside the one row of each table that a seeded organisation has: rows of each of its two customers that every filter
 * tells apart, with words that say whose they are.
 */
export async function seedVariety(portal: Portal, organisation: Organisation): Promise<void> {
  for (const [index, customer] of organisation.customers.entries()) {
    await seedNames(portal, organisation, customer, index);
    await seedMoney(portal, organisation, customer, index);
    await seedWaiting(portal, organisation, customer);
  }
  await seedStaffs(portal, organisation);
  await seedFormer(portal, organisation);
  await seedLog(portal, organisation);
}

async function seedNames(portal: Portal, { id }: Organisation, customer: Customer, index: number) {
  const its = { organisation_id: id, customer_id: customer.id };
  const word = wordOf(customer);
  const [unlocked = '', locked = ''] = await likeness(portal, 'domains', its, [
    { address: `${word}-unlocked.com`, locked: false, auto_renew: true, expires_at: day(20 + index) },
    { address: `${word}-locked.com`, locked: true, auto_renew: false, expires_at: day(200 + index) },
    {
      ...{ address: `${word}-waits.com`, locked: true, auto_renew: true, expires_at: day(90 + index) },
      verification: 'waiting',
    },
    { address: `${word}-held.com`, locked: false, expires_at: day(250 + index), verification: 'suspended' },
  ]);
  for (const [domain_id, host] of [
    [unlocked, 'mail'],
    [locked, 'intranet'],
  ]) {
    const records = {
      A: [{ subdomain: host, ip_address: '192.0.2.7' }],
      TXT: [{ subdomain: '', text: word }],
    };
    await likeness(portal, 'zone_copies', { organisation_id: id }, [
      { domain_id, body: JSON.stringify({ data: { records } }) },
    ]);
  }
  await portal.owner.query(
    `UPDATE certificates SET valid_from = $2, valid_to = $3, term_ends_at = $4 WHERE customer_id = $1`,
    [customer.id, day(-200), day(150 + index), day(180 + index)],
  );
  // No machine installs them: a person is called.
  const soon = {
    acme_access_id: null,
    valid_from: day(-60),
    valid_to: day(12 + index),
    term_ends_at: day(300 + index),
  };
  const certificates = [
    { ...soon, address: `www.${word}-unlocked.com`, proof_state: 'missing', ordered_at: day(-60 - index) },
    { address: `www.${word}-locked.com`, state: 'pending', valid_to: null, ordered_at: day(-3 - index) },
    { address: `www.${word}-held.com`, state: 'revoked', revoked_at: day(-5), ordered_at: day(-40 - index) },
  ];
  await likeness(
    portal,
    'certificates',
    its,
    certificates.map((each, place) => ({
      ...each,
      term_ends_at: day(300 + 2 * place + index),
      registrar_order_id: `6${place}${Number.parseInt(customer.id.slice(-9), 16)}`,
    })),
  );
  await likeness(portal, 'acme_accesses', its, [
    { name: `${word} expired`, expires_at: day(-2), created_at: day(-30 - index), key_id: `${word}-key-1` },
    { name: `${word} revoked`, revoked_at: day(-2), created_at: day(-20 - index), key_id: `${word}-key-2` },
    { name: `${word} active`, expires_at: day(90), created_at: day(-10 - index), key_id: `${word}-key-3` },
  ]);
  await likeness(portal, 'watched_names', its, [
    { address: `${word}-elsewhere.com`, registrar: word, expires_at: day(30 + index) },
    { address: `${word}-other.com`, registrar: word, expires_at: day(60 + index) },
  ]);
}

async function seedMoney(portal: Portal, { id }: Organisation, customer: Customer, index: number) {
  const its = { organisation_id: id, customer_id: customer.id };
  const word = wordOf(customer);
  const orders = [
    { created_at: day(-100 - index), total_cents: 900 + index, state: 'running' },
    { created_at: day(-300 - index), total_cents: 700 + index, state: 'settled' },
    { created_at: day(-10 - index), total_cents: 500 + index, state: 'partial' },
  ];
  for (const [place, order] of orders.entries()) {
    const [order_id] = await likeness(portal, 'orders', { organisation_id: id }, [order]);
    const kind = ['domain', 'renewal', 'certificate'][place];
    const what = { order_id, kind, address: `${word}-unlocked.com`, price_cents: order.total_cents };
    const times = { created_at: order.created_at, updated_at: order.created_at };
    const state = order.state === 'running' ? 'pending' : 'succeeded';
    const [item] = await likeness(portal, 'order_items', its, [{ ...what, ...times, state }]);
    const [charge] = await likeness(portal, 'direct_charges', its, [
      {
        ...times,
        order_id,
        cents: 100 * place + 20 + index,
        payment_intent: `pi_${word}_${place}`,
        state: ['failed', 'succeeded', 'waived'][place],
        ...(place === 1 ? { refunded_cents: 20, disputed_cents: 20 } : {}),
      },
    ]);
    await likeness(portal, 'direct_charge_items', { organisation_id: id }, [
      { item_id: item, charge_id: charge },
    ]);
    await entry(portal, id, {
      ...{
        kind: place === 2 ? 'refund' : 'purchase',
        text: `${word}-unlocked.com ${place}`,
        at: order.created_at,
      },
      order_item_id: item,
      cents: place === 2 ? 70 + index : -70 - place - 10 * index,
    });
  }
  await entry(portal, id, {
    kind: 'topup',
    text: `Top-up ${word}`,
    at: day(-50 - index),
    cents: 333 + index,
  });
}

/** A line of the statement. */
async function entry(portal: Portal, organisationId: string, { cents, ...line }: Change & { cents: number }) {
  const [journal = ''] = await likeness(portal, 'journal', { organisation_id: organisationId }, [
    { ref: `reach:${newId()}`, ...line },
  ]);
  await portal.owner.query(
    `INSERT INTO postings (journal_id, organisation_id, account, cents)
     VALUES ($1, $2, 'wallet', $3::int), ($1, $2, 'adjustments', - $3::int)`,
    [journal, organisationId, cents],
  );
}

async function seedWaiting(portal: Portal, { id }: Organisation, customer: Customer) {
  const its = { organisation_id: id, customer_id: customer.id };
  const word = wordOf(customer);
  const unlocked = { domain_id: await domainId(portal, id, `${word}-unlocked.com`) };
  const domain = await domainId(portal, id, customer.domain);
  await likeness(portal, 'health_checks', { organisation_id: id }, [unlocked]);
  await likeness(portal, 'health_findings', { domain_id: domain }, [
    { ...unlocked, kind: 'spf-open', detail: word },
    { ...unlocked, kind: 'web-none', detail: word, muted_until: day(30), muted_reason: word },
    { ...unlocked, kind: 'unlocked', detail: word },
  ]);
  const email = `zq${word}marker.example`;
  await likeness(portal, 'invites', its, [
    { email: `customer@${email}`, role: 'MSP_CUSTOMER' },
    { email: `another@${email}`, role: 'MSP_ADMIN' },
  ]);
  // A change of the domains of both, and what is done about each of them.
  const { change_id } = await firstRow(portal, 'change_items', its);
  await likeness(portal, 'change_items', { ...its, change_id }, [
    { ...unlocked, address: `${word}-unlocked.com`, state: 'failed', warnings: [word] },
    {
      domain_id: await domainId(portal, id, `${word}-locked.com`),
      address: `${word}-locked.com`,
      state: 'same',
    },
  ]);
  const { template_id } = await firstRow(portal, 'dns_template_uses', { organisation_id: id });
  await likeness(portal, 'dns_template_uses', { organisation_id: id, template_id }, [
    { ...unlocked, state: 'drifted', drift: [], filled: { host: word } },
  ]);
  const { import_id } = await firstRow(portal, 'import_rows', { organisation_id: id });
  await likeness(
    portal,
    'import_rows',
    { import_id },
    ['new', 'changed', 'faulty'].map((kind, place) => ({
      ...{ number: 10 * (place + 1) + Number(word.endsWith('two')), kind, organization: `${word} ${kind}` },
      ...{ match_key: `${word} ${kind}`, cells: [word] },
      notes: [],
    })),
  );
}

/** Customers and people who are gone. */
async function seedFormer(portal: Portal, { userIds, customers }: Organisation) {
  for (const [index, customer] of customers.entries()) {
    const word = wordOf(customer);
    await likeness(portal, 'customers', { id: customer.id }, [
      { payment_customer_id: null, external_id: `${word} former`, deleted_at: day(-70 - index) },
    ]);
    await likeness(portal, 'users', { id: userIds.MSP_EMPLOYEE }, [
      {
        email: `former@zq${word}marker.example`,
        identity_subject: `${word} former`,
        removed_at: day(-70 - index),
      },
    ]);
  }
}

/** What is nobody's but the provider's. */
async function seedStaffs(portal: Portal, { id, marker, userIds }: Organisation) {
  await likeness(portal, 'changes', { organisation_id: id }, [
    { state: 'done', title: `${marker} done`, created_at: day(-9) },
    { state: 'draft', title: `${marker} draft`, created_at: day(-8) },
  ]);
  await likeness(portal, 'saved_views', { organisation_id: id }, [
    { screen: 'orders', name: `${marker} orders`, user_id: userIds.MSP_ADMIN },
  ]);
}

/** Entries about each customer's domains; of a former holder, of nobody, and such as only staff read. */
async function seedLog(portal: Portal, organisation: Organisation) {
  const { id, userIds, customers } = organisation;
  const entries: Change[] = [];
  for (const [index, customer] of customers.entries()) {
    const former = customers[1 - index] ?? customer;
    const domain = {
      object_kind: 'domain',
      object: `${wordOf(customer)}-unlocked.com`,
      action: 'domains.lock',
    };
    const zone = { ...domain, object_kind: 'zone', action: 'dns.changeZone' };
    const mine = { customer_id: customer.id, after: { note: wordOf(customer) } };
    entries.push(
      { ...domain, ...mine, actor_id: userIds.MSP_ADMIN, at: day(-100 - index) },
      {
        ...zone,
        ...mine,
        actor_id: index === 0 ? userIds.MSP_CUSTOMER : userIds.MSP_ADMIN,
        at: day(-50 - index),
      },
      { ...zone, customer_id: null, after: null, actor_id: userIds.MSP_EMPLOYEE, at: day(-30 - index) },
      {
        ...domain,
        customer_id: former.id,
        after: { note: wordOf(former) },
        actor_id: userIds.MSP_ADMIN,
        at: day(-300 - index),
      },
      {
        ...zone,
        customer_id: former.id,
        after: { note: wordOf(former) },
        actor_id: userIds.MSP_ADMIN,
        at: day(-290 - index),
      },
      {
        ...mine,
        object_kind: 'customer',
        object: customer.id,
        action: 'customers.update',
        actor_id: userIds.MSP_ADMIN,
        at: day(-20 - index),
      },
    );
  }
  // The log numbers its entries without a gap.
  const { sequence } = await firstRow(portal, 'audit_log', { organisation_id: id });
  await likeness(
    portal,
    'audit_log',
    { organisation_id: id },
    entries.map((each, index) => ({ actor: `somebody`, ...each, sequence: Number(sequence) + 1 + index })),
  );
}

async function domainId(portal: Portal, organisationId: string, address: string): Promise<unknown> {
  return (await firstRow(portal, 'domains', { organisation_id: organisationId, address })).id;
}

async function firstRow(portal: Portal, table: string, where: Change): Promise<Change> {
  const names = Object.keys(where);
  const { rows } = await portal.owner.query<{ row: Change }>(
    `SELECT to_jsonb(t) AS row FROM ${table} t
     WHERE ${names.map((name, index) => `${name} = $${index + 1}`).join(' AND ')} LIMIT 1`,
    Object.values(where),
  );
  const [found] = rows;
  if (!found) throw new Error(`${table} has no row of ${JSON.stringify(where)}`);
  return found.row;
}

/** A row like one of `where` for each change, with an id of its own; their ids. */
async function likeness(
  portal: Portal,
  table: string,
  where: Change,
  changes: readonly Change[],
): Promise<string[]> {
  const like = await firstRow(portal, table, where);
  const columns = await writableColumns(portal, table);
  const ids: string[] = [];
  for (const change of changes) {
    const id = newId();
    const made = {
      ...('id' in like ? { id } : {}),
      ...('token_hash' in like ? { token_hash: `\\x${id.replaceAll('-', '')}` } : {}),
    };
    await portal.owner.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::${table}, $1)`,
      [JSON.stringify({ ...like, ...made, ...change })],
    );
    ids.push(id);
  }
  return ids;
}
