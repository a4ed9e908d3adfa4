import { dayMs } from '#contracts/values/time.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Fence } from '#kernel/fence.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarOrder } from '../../ports/registrar.ts';
import type { Sought, WantedOrder } from '../../ports/sought.ts';
import type { OrderOrigin } from '../../ports/tag.ts';
import type { Item, ItemSecrets } from './item.ts';

/** What came of an item, as far as it has to be written down. */
export interface ActResult {
  registrarOrderId: string;
  /** Registry expiry after a registration, renewal or transfer, where the registrar said it. */
  expiresAt?: Date | null;
  registeredAt?: Date | null;
  /** State of a certificate order. */
  state?: string;
  /** Remarks fit to show. */
  notes?: string[];
}

/** What the registrar says about an item of ours when it is asked. */
export type Finding =
  | { kind: 'done'; result: ActResult }
  | { kind: 'pending'; registrarOrderId: string | null; text: string }
  | { kind: 'declined'; text: string }
  /** No trace of it in a whole reading of the orders of its name. */
  | { kind: 'absent' }
  /** Two orders under one tag, a wrong kind, and the like: a person has to look. */
  | { kind: 'contradictory'; text: string };

/** How one kind of item is ordered, found again, and written into the portal's own copy. */
export interface Act {
  /** The irreversible call. Runs outside any transaction, after claim and intent are committed. */
  send(item: Item, secrets: ItemSecrets, fence: Fence): Promise<Outcome<ActResult>>;
  /** Whether the registrar says that it would refuse the item now. Throws `UpstreamUnavailable` when it does not answer. */
  refuses?(item: Item): Promise<boolean>;
  /** Asks the registrar what became of the item. Throws `UpstreamUnavailable` when it does not answer. */
  find(item: Item): Promise<Finding>;
  /** Writes the portal's copy, in the transaction that captures the money. */
  succeeded(tx: Tx, item: Item, result: ActResult, now: Date): Promise<void>;
  /** First acceptance of something that takes long (transfers): shows it as under way. */
  started?(tx: Tx, item: Item, now: Date): Promise<void>;
  /** In the transaction that releases the money. */
  declined?(tx: Tx, item: Item, reason: string, now: Date): Promise<void>;
}

/** The registrar's clock and ours, and its days without an hour, may differ by so much. */
const clockSlackMs = dayMs;

/** What an order carries: by it, it is found again, even by a portal that has forgotten the item. */
export function tagOf(item: Item): { tag: string; origin: OrderOrigin } {
  const { organisationId, customerId, priceCents, details } = item;
  return {
    tag: item.id,
    origin: { organisationId, customerId, priceCents, autoRenew: details.autoRenew ?? false },
  };
}

/** What to look for at the registrar. */
export function wantedOf(item: Item): WantedOrder {
  return { domain: item.address, tag: item.id, since: new Date(item.createdAt.getTime() - clockSlackMs) };
}

/**
 * The orders under the item's tag, or what came of the look-up without one. Throws `UpstreamUnavailable` when nothing is
 * known, as for a registrar that does not answer: what cannot be read is never absent.
 */
export function ordersOrFinding<T extends { orderId: string }>(sought: Sought<T>): readonly T[] | Finding {
  switch (sought.kind) {
    case 'found':
      return sought.orders;
    case 'absent':
      return { kind: 'absent' };
    case 'untagged': {
      const ids = sought.orders.map(({ orderId }) => orderId).join(', ');
      return {
        kind: 'contradictory',
        text: `No order carries our tag, but order ${ids} of this name has none.`,
      };
    }
    case 'unreadable':
      throw new UpstreamUnavailable(sought.text);
  }
}

/**
 * Sends what nothing at the registrar guards against a repeat: only when no order carries the item's tag. After a
 * restore an item may be queued that was ordered long since.
 */
export async function sendWhenAbsent(
  item: Item,
  find: Act['find'],
  send: () => Promise<Outcome<ActResult>>,
): Promise<Outcome<ActResult>> {
  let finding: Finding;
  try {
    finding = await find(item);
  } catch (error) {
    if (!(error instanceof UpstreamUnavailable || error instanceof UpstreamRefused)) throw error;
    return { kind: 'unknown', text: error.message };
  }
  switch (finding.kind) {
    case 'absent':
      return send();
    case 'done':
      return { kind: 'done', value: finding.result };
    case 'pending':
      return { kind: 'pending', orderId: finding.registrarOrderId, text: finding.text };
    case 'declined':
    case 'contradictory':
      // Asked about as after any call without an answer, which takes it where it belongs.
      return { kind: 'unknown', text: finding.text };
  }
}

/** Reads the one order that carries the item's tag. More than one is a contradiction that a person must see. */
export function findingFrom(item: Item, sought: Sought<RegistrarOrder>): Finding {
  const ours = ordersOrFinding(sought);
  if ('kind' in ours) return ours;
  const completed = ours.filter((order) => order.state === 'completed');
  if (completed.length > 1) {
    return { kind: 'contradictory', text: `${completed.length} completed orders carry the tag ${item.id}` };
  }
  const [done] = completed;
  if (done) return { kind: 'done', result: { registrarOrderId: done.orderId } };
  const waiting = ours.find((order) => order.state === 'pending' || order.state === 'unknown');
  if (waiting) {
    return { kind: 'pending', registrarOrderId: waiting.orderId, text: 'The registry has not finished yet.' };
  }
  const [ended] = ours;
  if (ended) return { kind: 'declined', text: `The registrar ${ended.state} the order.` };
  return { kind: 'contradictory', text: 'The registrar found orders but did not name them.' };
}
