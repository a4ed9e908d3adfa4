import type { Tx } from '#kernel/db/database.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { RegistrarOrder } from '../../ports/registrar.ts';
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
  /** No trace of it. */
  | { kind: 'absent' }
  /** Two orders under one tag, a wrong kind, and the like: a person has to look. */
  | { kind: 'contradictory'; text: string };

/** How one kind of item is ordered, found again, and written into the portal's own copy. */
export interface Act {
  /** The irreversible call. Runs outside any transaction, after claim and intent are committed. */
  send(item: Item, secrets: ItemSecrets): Promise<Outcome<ActResult>>;
  /** Asks the registrar what became of the item. Throws `UpstreamUnavailable` when it does not answer. */
  find(item: Item): Promise<Finding>;
  /** Writes the portal's copy, in the transaction that captures the money. */
  succeeded(tx: Tx, item: Item, result: ActResult, now: Date): Promise<void>;
  /** First acceptance of something that takes long (transfers): shows it as under way. */
  started?(tx: Tx, item: Item, now: Date): Promise<void>;
  /** In the transaction that releases the money. */
  declined?(tx: Tx, item: Item, reason: string, now: Date): Promise<void>;
}

/** Reads the one order that carries the item's tag. More than one is a contradiction that a person must see. */
export function findingFromOrders(item: Item, orders: readonly RegistrarOrder[]): Finding {
  const ours = orders.filter((order) => order.tag === item.id);
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
  return { kind: 'absent' };
}
