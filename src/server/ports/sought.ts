/** What is looked for: the order that was placed under a tag. */
export interface WantedOrder {
  domain: string;
  tag: string;
  /** When the order can have been placed at the earliest. */
  since: Date;
}

/**
 * What a look-up by tag says. Money goes back on `absent` alone, and only a whole reading says it: a list with an order
 * that cannot be read is `unreadable`, and one with an order that could be ours but carries no tag is `untagged`.
 */
export type Sought<T> =
  /** Every order that carries the tag. */
  | { kind: 'found'; orders: readonly T[] }
  /** Each order of this name was read, and none is ours. */
  | { kind: 'absent' }
  /** A person has to look: these were placed since, for this very name, and say nobody's tag. */
  | { kind: 'untagged'; orders: readonly T[] }
  /** Nothing is known; it may be asked again. */
  | { kind: 'unreadable'; text: string };

interface Tagged {
  orderId: string;
  tag: string | null;
  orderedAt: Date | null;
}

/** Reads a whole list of orders. `couldBeOurs`: of one without a tag, whether it is of the wanted kind and alive. */
export function soughtAmong<T extends Tagged>(
  orders: readonly T[],
  wanted: WantedOrder,
  couldBeOurs: (order: T) => boolean,
): Exclude<Sought<T>, { kind: 'unreadable' }> {
  const ours = orders.filter((order) => order.tag === wanted.tag);
  if (ours.length > 0) return { kind: 'found', orders: ours };
  const untagged = orders.filter(
    (order) =>
      order.tag === null &&
      couldBeOurs(order) &&
      (order.orderedAt === null || order.orderedAt >= wanted.since),
  );
  return untagged.length > 0 ? { kind: 'untagged', orders: untagged } : { kind: 'absent' };
}
