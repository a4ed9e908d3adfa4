import { sql } from '../../src/server/kernel/db/database.ts';
import { hashOf } from '../../src/server/kernel/ids.ts';
import {
  bookFaults,
  type JudgedItem,
  orderFaults,
  paymentFaults,
  watchedFaults,
} from '../support/invariants.ts';
import type { Told } from './life.ts';
import type { Outside } from './outside.ts';
import type { SimulatedPayments } from './payments.ts';
import type { Stand } from './stand.ts';

interface Judged {
  readonly buyers: readonly { organisationId: string }[];
  readonly outside: Outside;
  readonly payments: SimulatedPayments;
  readonly told: readonly Told[];
}

interface Item extends JudgedItem {
  years: number;
  /** Of a renewal: the year of the expiry that it moves. */
  expiryYear: number | null;
  /** Its own, and orders of the same thing that came while it was under way and share its end. */
  orderIds: string[];
}

/** A portal that has not read a new name yet counts from its own moment. */
const expiryToleranceMs = 2 * 86_400_000;

/** What does not hold of a life: the books against themselves, against what was really done outside, and against what people were told. */
export async function faultsOf(
  stand: Stand,
  life: Judged,
  { atRest }: { atRest: boolean },
): Promise<{ faults: string[]; items: number }> {
  const organisations = life.buyers.map(({ organisationId }) => organisationId);
  const { rows: items } = await sql<Item>`
    SELECT i.id, i.state, i.kind, i.address, i.years, i.expiry_year AS "expiryYear",
      i.order_id || ARRAY(SELECT o.id FROM orders o WHERE i.id = ANY (o.attached)) AS "orderIds"
    FROM order_items i WHERE i.organisation_id = ANY (${organisations}::uuid[])`.execute(stand.ownerDb);
  const { effects } = life.outside.registrar;
  const doneFor = (id: string) => effects.filter(({ tag, state }) => tag === id && state === 'completed');
  const faults = [...(await bookFaults(stand.ownerDb)), ...(await watchedFaults(stand.ownerDb))];
  faults.push(
    ...orderFaults(
      items,
      (item) => {
        const done = doneFor(item.id).length;
        return item.kind === 'certificate' && done === 0 ? null : done;
      },
      { atRest },
    ),
  );
  for (const item of items) {
    for (const { domain, years, fromYear } of doneFor(item.id)) {
      if (domain !== item.address || years !== item.years)
        faults.push(
          `12 ${item.kind} of ${item.address} for ${item.years}: ${domain} for ${years} years was done`,
        );
      if (item.kind === 'renewal' && fromYear !== item.expiryYear)
        faults.push(
          `12 a renewal moves the expiry that it names: ${item.address} ${item.expiryYear}, moved ${fromYear}`,
        );
    }
  }
  faults.push(...(await domainFaults(stand, life, items, atRest)));
  if (atRest) {
    faults.push(...(await topupFaults(stand, life, organisations)), ...toldFaults(life.told, items));
  }
  return { faults, items: items.length };
}

/** What is kept of a name may be old, but was true of this name once; at rest, the buyer of a name has it until it expires. */
async function domainFaults(
  stand: Stand,
  { outside, buyers }: Judged,
  bought: readonly Item[],
  atRest: boolean,
): Promise<string[]> {
  const { rows } = await sql<{ address: string; status: string; expires: Date | null }>`
    SELECT address, status, expires_at AS expires FROM domains
    WHERE organisation_id = ANY (${buyers.map(({ organisationId }) => organisationId)}::uuid[])`.execute(
    stand.ownerDb,
  );
  const faults: string[] = [];
  for (const { address, expires } of rows) {
    const known = outside.registrar.expiries.get(address) ?? [];
    if (expires && !known.some((one) => Math.abs(one - expires.getTime()) < expiryToleranceMs))
      faults.push(`12 an expiry is of its own name: ${address} never expired on ${expires.toISOString()}`);
  }
  const held = new Set(rows.filter(({ status }) => status !== 'ended').map(({ address }) => address));
  for (const { address, kind, state } of atRest ? bought : []) {
    const isBought = state === 'succeeded' && (kind === 'domain' || kind === 'transfer');
    const isLiving = (outside.registrar.expiry.get(address) ?? 0) > outside.schedule.nowMs;
    if (isBought && isLiving && !held.has(address))
      faults.push(`14 told as bought, and nobody has it: ${address}`);
  }
  return faults;
}

async function topupFaults(stand: Stand, life: Judged, organisations: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string; cents: number; state: string; reversed: number }>`
    SELECT id, cents, state, reversed_cents AS reversed FROM topups
    WHERE organisation_id = ANY (${organisations}::uuid[])`.execute(stand.ownerDb);
  const booked = rows.map(({ id, cents, state }) => ({
    id,
    cents,
    paid: state === 'succeeded' || state === 'reversed',
  }));
  const taken = life.payments.held.map((payment) => ({
    id: payment.id,
    cents: payment.amountCents,
    succeeded: payment.state === 'succeeded',
    about: payment.topupId ?? '',
  }));
  const faults = paymentFaults('top-up', booked, taken);
  for (const { topupId, reversedCents } of life.payments.held) {
    const known = rows.find(({ id }) => id === topupId);
    if (known && known.reversed !== reversedCents)
      faults.push(`9 top-up ${known.id}: ${reversedCents} cents went back, ${known.reversed} are booked`);
  }
  return faults;
}

/** 10 and 14: what was answered is true at rest, and the same answer was given to the same request. */
function toldFaults(told: readonly Told[], items: readonly Item[]): string[] {
  const first = new Map<string, Told>();
  for (const one of told) if (!first.has(one.key)) first.set(one.key, one);
  return told.flatMap((one) => [
    ...(hashOf(first.get(one.key)?.result) === hashOf(one.result)
      ? []
      : [`10 same key, same reply: ${one.key}`]),
    ...contradicted(one, items),
  ]);
}

function contradicted({ result }: Told, items: readonly Item[]): string[] {
  const { orderId, pending, ...kinds } = result;
  const own = items.filter((item) => item.orderIds.includes(orderId));
  const bought = new Set(own.filter(({ state }) => state === 'succeeded').map(({ address }) => address));
  const open = new Set(pending.map(({ domain }) => domain));
  const really = `of ${orderId}: ${own.map(({ kind, address, state }) => `${kind} ${address} ${state}`).join(', ')}`;
  const faults: string[] = [];
  for (const [kind, { success, fail }] of Object.entries(kinds)) {
    // A transfer is told as begun; how it ends is known days later.
    for (const { domain } of kind === 'transfers' ? [] : success) {
      if (!bought.has(domain)) faults.push(`14 told as bought, and it is not: ${domain} ${really}`);
    }
    for (const { domain } of fail) {
      if (bought.has(domain) && !open.has(domain))
        faults.push(`14 told as failed, and it is bought: ${domain} ${really}`);
    }
  }
  return faults;
}
