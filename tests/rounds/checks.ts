import { sql } from '../../src/server/kernel/db/database.ts';
import { readTag } from '../../src/server/ports/tag.ts';
import {
  bookFaults,
  type JudgedItem,
  type OutsidePayment,
  orderFaults,
  paymentFaults,
  watchedFaults,
} from '../support/invariants.ts';
import { type Memory, mapIn } from './memory.ts';
import type { Stand } from './stand.ts';
import { namedAsTooLate } from './too-late.ts';

interface TakenCertificate {
  tag: string;
  state: string;
  orderedAt: string;
}

interface RegistrarState {
  domains: { domain: string; createdAt: string; expiresAt: string; transferredAt: string | null }[];
  orders: { domain: string; affiliateId: string; status: string; cost: string; completedAt: number | null }[];
  zones: { domain: string; records: { TXT?: { subdomain: string; text: string }[] } }[];
}

/** All that must hold once everything has come to rest; what does not, in sentences. */
export async function faultsAtRest(
  stand: Stand,
  memory: Memory,
  { late }: { late: boolean },
): Promise<string[]> {
  const [state, authority] = await Promise.all([
    stand.stack.control<RegistrarState>('registrar', 'state'),
    stand.stack.control<{ orders: TakenCertificate[] }>('registrar', 'certificates'),
  ]);
  return [
    ...memory.faults,
    ...(await watchedFaults(stand.owner)),
    ...(await bookFaults(stand.stack.database.systemDb)),
    ...(await orderChecks(stand, memory, late, { orders: state.orders, certificates: authority.orders })),
    ...(await certificateChecks(stand, authority.orders)),
    ...(await expiryChecks(stand, state, memory)),
    ...(await topupChecks(stand, memory)),
    ...(await directChecks(stand)),
    ...writeFaults(stand.zoneWrites.next(), memory, late),
    ...zoneChecks(state, memory),
    ...(await purchaseChecks(stand, memory)),
    ...(await customerChecks(stand, memory)),
  ];
}

async function orderChecks(
  stand: Stand,
  memory: Memory,
  late: boolean,
  { orders, certificates }: { orders: RegistrarState['orders']; certificates: readonly TakenCertificate[] },
): Promise<string[]> {
  const items = await stand.stack.database.systemDb
    .selectFrom('order_items')
    .select(['id', 'kind', 'address', 'state', 'cost_cents'])
    .execute();
  const done = Map.groupBy(
    orders.filter(({ status }) => status === 'completed'),
    ({ affiliateId }) => readTag(affiliateId).tag ?? '',
  );
  const placed = Map.groupBy(certificates, ({ tag }) => readTag(tag).tag ?? '');
  // A certificate is paid when its order is taken; what follows is the authority's work.
  const carriedOut = ({ id, kind }: JudgedItem) =>
    ((kind === 'certificate' ? placed : done).get(id) ?? []).length;
  // Only of a strike that nothing could hold back is it enough that a person is told.
  if (late) {
    const log = stand.stack.log();
    for (const { id, address } of items) {
      if (log.includes(`${address} was given up`)) memory.reported.add(id);
    }
  }
  const taken = certificates.filter(({ state }) => state !== 'declined' && state !== 'cancelled');
  const times = [
    ...[...done.values()]
      .flat()
      .map(({ affiliateId, completedAt }) => ({ tag: affiliateId, at: completedAt })),
    ...taken.map(({ tag, orderedAt }) => ({ tag, at: orderedAt })),
  ].flatMap(({ tag, at }) => {
    const itemId = readTag(tag).tag;
    return itemId && at !== null ? [{ itemId, at: new Date(at) }] : [];
  });
  for (const id of await namedAsTooLate(stand, times)) memory.reported.add(id);
  const found = orderFaults(items, carriedOut, { atRest: true, reported: memory.reported });
  for (const item of items.filter(({ state }) => state === 'succeeded')) {
    const order = done.get(item.id)?.[0];
    const cents = order && Math.round(Number(order.cost) * 100);
    if (cents !== undefined && cents !== item.cost_cents)
      found.push(`7 ${item.address}: the registrar took ${cents} cents, ${item.cost_cents} were booked`);
  }
  const ids = new Set(items.map(({ id }) => id));
  for (const [tag, own] of done) {
    if (!ids.has(tag)) found.push(`7 the registrar completed ${own[0]?.domain} for no item of ours (${tag})`);
  }
  return found;
}

/** One order a reissue; and what came to nothing was given back, and nothing else was. */
async function certificateChecks(
  { stack }: Stand,
  orders: readonly { tag: string; state: string }[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string; address: string; refunds: number }>`
    SELECT i.id, i.address, count(j.id)::int AS refunds FROM order_items i
    LEFT JOIN journal j ON j.order_item_id = i.id AND j.kind = 'refund'
    WHERE i.kind = 'certificate' AND i.state = 'succeeded' GROUP BY i.id, i.address`.execute(
    stack.database.systemDb,
  );
  const found: string[] = [];
  const byTag = Map.groupBy(orders, ({ tag }) => readTag(tag).tag ?? '');
  for (const [tag, own] of byTag) {
    if (own.length > 1) found.push(`5 the authority has ${own.length} orders under ${tag}`);
  }
  for (const { id, address, refunds } of rows) {
    const states = (byTag.get(id) ?? []).map(({ state }) => state);
    const ended = states.some((state) => state === 'cancelled' || state === 'declined');
    if (refunds !== (ended ? 1 : 0))
      found.push(
        `7 certificate ${address} is ${states.join()} at the authority and was given back ${refunds} times`,
      );
  }
  return found;
}

const yearMs = 365.25 * 86_400_000;

/** 12: the registry's expiry is what was captured for the name, no more and no less; and the portal says the same day. */
async function expiryChecks(
  { stack }: Stand,
  { domains }: RegistrarState,
  { reported }: Memory,
): Promise<string[]> {
  const { rows } = await sql<{ address: string; years: number; expires: Date | null }>`
    SELECT i.address, sum(i.years)::int AS years,
      (SELECT d.expires_at FROM domains d WHERE d.address = i.address AND d.status <> 'ended') AS expires
    FROM order_items i WHERE i.kind IN ('domain', 'renewal')
      AND (i.state = 'succeeded' OR i.id = ANY (${[...reported]}::uuid[]))
    GROUP BY i.address HAVING bool_or(i.kind = 'domain' AND i.state = 'succeeded')`.execute(
    stack.database.systemDb,
  );
  const there = new Map(domains.map((domain) => [domain.domain, domain]));
  return rows.flatMap(({ address, years, expires }) => {
    const domain = there.get(address);
    if (!domain) return [`6 ${address} was paid for, and the registrar does not have it`];
    const [from, to] = [domain.createdAt, domain.expiresAt].map((stamp) =>
      Date.parse(`${stamp.replace(' ', 'T')}Z`),
    );
    const held = Math.round(((to ?? 0) - (from ?? 0)) / yearMs);
    const found: string[] = [];
    if (held !== years)
      found.push(
        `12 ${address}: ${years} years were paid for, the registrar has ${held} (${domain.expiresAt})`,
      );
    if (expires?.toISOString().slice(0, 10) !== domain.expiresAt.slice(0, 10))
      found.push(`14 ${address} expires on ${domain.expiresAt}, the portal says ${expires?.toISOString()}`);
    return found;
  });
}

async function topupChecks({ stack, provider }: Stand, memory: Memory): Promise<string[]> {
  const topups = await stack.database.systemDb
    .selectFrom('topups')
    .select(['id', 'cents', 'state'])
    .execute();
  const payments: OutsidePayment[] = [];
  for await (const intent of provider.paymentIntents.list({ limit: 100 })) {
    const about = intent.metadata.topup ?? '';
    payments.push({ id: intent.id, cents: intent.amount, succeeded: intent.status === 'succeeded', about });
  }
  const credited = ({ state }: { state: string }) => state === 'succeeded' || state === 'reversed';
  const lost = memory.topups.filter((id) => !topups.some((topup) => topup.id === id && credited(topup)));
  return [
    ...paymentFaults(
      'top-up',
      topups.map((topup) => ({ ...topup, paid: credited(topup) })),
      payments,
    ),
    ...lost.map((id) => `9 top-up ${id} was paid and is not credited`),
  ];
}

/** End customers: charged once for what they have, given back once what came to nothing. */
async function directChecks({ stack, provider, msps }: Stand): Promise<string[]> {
  const { systemDb } = stack.database;
  const [charges, refunds] = await Promise.all([
    systemDb.selectFrom('direct_charges').select(['id', 'organisation_id', 'cents', 'state']).execute(),
    systemDb.selectFrom('direct_refunds').select(['item_id', 'organisation_id', 'cents', 'state']).execute(),
  ]);
  const found: string[] = [];
  for (const msp of msps) {
    const at = { stripeAccount: msp.stripeAccount };
    const payments: OutsidePayment[] = [];
    for await (const intent of provider.paymentIntents.list({ limit: 100 }, at)) {
      const about = intent.metadata.charge ?? '';
      payments.push({ id: intent.id, cents: intent.amount, succeeded: intent.status === 'succeeded', about });
    }
    const own = charges.filter(({ organisation_id }) => organisation_id === msp.organisationId);
    found.push(
      ...paymentFaults(
        'direct charge',
        own.map((charge) => ({ ...charge, paid: charge.state === 'succeeded' })),
        payments,
      ),
    );
    const given: number[] = [];
    for await (const { amount } of provider.refunds.list({ limit: 100 }, at)) given.push(amount);
    const wanted = refunds.filter(
      ({ organisation_id, state }) => organisation_id === msp.organisationId && state === 'done',
    );
    const sum = (all: readonly number[]) => all.reduce((total, cents) => total + cents, 0);
    const [out, booked] = [sum(given), sum(wanted.map(({ cents }) => cents))];
    if (given.length !== wanted.length || out !== booked)
      found.push(
        `9 refunds to customers of ${msp.name}: ${given.length} of ${out} cents at the provider, ${wanted.length} of ${booked} booked`,
      );
  }
  const { rows } = await sql<{ address: string }>`
    SELECT i.address FROM order_items i JOIN customers c ON c.id = i.customer_id AND c.bill_directly
    WHERE i.state = 'succeeded' AND NOT EXISTS (SELECT FROM direct_charge_items d WHERE d.item_id = i.id)
      AND NOT EXISTS (SELECT FROM direct_refunds r WHERE r.item_id = i.id)`.execute(systemDb);
  return [...found, ...rows.map(({ address }) => `9 nobody charged the customer for ${address}`)];
}

/**
 * 14, at each write that reached the registrar: no text that was replaced comes back, and no record goes that nobody wanted
 * to remove. A write under a lost lease does one or the other, also when it is put right a moment later.
 */
function writeFaults(
  writes: ReturnType<Stand['zoneWrites']['next']>,
  memory: Memory,
  late: boolean,
): string[] {
  const found: string[] = [];
  for (const { sequence, domain, texts } of writes) {
    const labels = mapIn(memory.written, domain);
    for (const label of memory.zones.get(domain)?.keys() ?? []) {
      const history = labels.get(label) ?? [null];
      const text = texts.get(label)?.join(' and ') ?? null;
      if (history.at(-1) === text) continue;
      const unwanted = text === null && !memory.removals.has(`${domain} ${label}`);
      if (!late && (unwanted || (text !== null && history.includes(text))))
        found.push(
          `14 write ${sequence} of ${domain}: ${label} became ${text ?? 'nothing'} after ${history.map((past) => past ?? 'nothing').join(', ')}`,
        );
      labels.set(label, [...history, text]);
    }
  }
  return found;
}

/** 14: what somebody was told is in force is in force, until somebody was told that it is gone. */
function zoneChecks({ zones }: RegistrarState, memory: Memory): string[] {
  const there = new Map(zones.map(({ domain, records }) => [domain, records.TXT ?? []]));
  return [...memory.zones].flatMap(([domain, labels]) =>
    [...labels].flatMap(([label, known]) => {
      const texts = (there.get(domain) ?? [])
        .filter(({ subdomain }) => subdomain === label)
        .map(({ text }) => text);
      const right = texts.length <= 1 && known.has(texts[0] ?? null);
      if (right) {
        // From here on it is known which it was.
        known.clear();
        known.add(texts[0] ?? null);
      }
      return right
        ? []
        : [
            `14 record ${label}.${domain} is ${JSON.stringify(texts)}, and may be ${JSON.stringify([...known])}`,
          ];
    }),
  );
}

/** 14: what a purchase was told to have done is done. */
async function purchaseChecks({ stack }: Stand, memory: Memory): Promise<string[]> {
  const items = await stack.database.systemDb
    .selectFrom('order_items')
    .select(['id', 'order_id', 'address', 'kind', 'state'])
    .execute();
  const byOrder = Map.groupBy(items, ({ order_id }) => order_id);
  const lists = {
    domains: 'domain',
    renewals: 'renewal',
    transfers: 'transfer',
    certificates: 'certificate',
  } as const;
  return memory.purchases.flatMap(({ result }) =>
    Object.entries(lists).flatMap(([list, kind]) => {
      const { success, fail } = result[list as keyof typeof lists];
      const open = result.pending.filter((one) => one.kind === kind).map(({ domain }) => domain);
      const stateOf = (domain: string) =>
        byOrder.get(result.orderId)?.find((item) => item.kind === kind && item.address === domain)?.state;
      // Attached to an item of another order: that order's own answer counts.
      const told = [
        ...success.map(({ domain }) => ({ domain, state: 'succeeded' })),
        ...fail
          .filter(({ domain }) => !open.includes(domain))
          .map(({ domain }) => ({ domain, state: 'declined' })),
      ];
      return told
        .filter(({ domain, state }) => (stateOf(domain) ?? state) !== state)
        .map(
          ({ domain, state }) => `14 ${kind} ${domain} was told to have ${state} and is ${stateOf(domain)}`,
        );
    }),
  );
}

/** 14: each customer once. */
async function customerChecks({ stack }: Stand, memory: Memory): Promise<string[]> {
  const rows = await stack.database.systemDb
    .selectFrom('customers')
    .select(['id', 'organisation_id', 'owner'])
    .where('deleted_at', 'is', null)
    .execute();
  const found: string[] = [];
  const names = Map.groupBy(rows, (row) => `${row.organisation_id} ${row.owner.organization}`);
  for (const [organisationId, known] of memory.customers) {
    for (const [name, counts] of known) {
      const count = names.get(`${organisationId} ${name}`)?.length ?? 0;
      if (!counts.has(count))
        found.push(`14 customer "${name}" is there ${count} times, and may be ${[...counts]}`);
    }
  }
  const byId = new Map(rows.map((row) => [row.id, row.owner.address1]));
  for (const [id, addresses] of memory.addresses) {
    const address = byId.get(id) ?? 'nowhere';
    if (!addresses.has(address))
      found.push(`14 customer ${id} is at ${address}, and may be at ${[...addresses]}`);
  }
  return found;
}
