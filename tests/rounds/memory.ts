import type { PurchaseResult } from '../../src/contracts/operations/orders.ts';

/**
 * What people were told, so that it can be held against what is there afterwards. A thing that somebody was told of has one
 * possible content; after a request without an answer it has several.
 */
export interface Memory {
  /** Of TXT records by domain and name; null: it is not there. */
  zones: Map<string, Map<string, Set<string | null>>>;
  /** What the registrar was given for them, write by write, by domain and label. */
  written: Map<string, Map<string, (string | null)[]>>;
  /** Domain and label of records that somebody wanted to remove. */
  removals: Set<string>;
  /** Items that were carried out after they were given up, and that a person was told of. */
  reported: Set<string>;
  purchases: { msp: string; organisationId: string; result: PurchaseResult }[];
  /** How many customers have this name, by organisation and name; one of these counts. */
  customers: Map<string, Map<string, Set<number>>>;
  /** First lines of addresses by customer. */
  addresses: Map<string, Set<string>>;
  /** Paid ones. */
  topups: string[];
  /** What was seen to be wrong while people worked. */
  faults: string[];
  /** Of requests, by what they were. */
  acknowledged: Map<string, number>;
  unanswered: number;
}

export function newMemory(): Memory {
  return {
    ...{ zones: new Map(), written: new Map(), removals: new Set(), reported: new Set() },
    ...{ purchases: [], customers: new Map(), addresses: new Map(), topups: [] },
    ...{ faults: [], acknowledged: new Map(), unanswered: 0 },
  };
}

/** The set under a key of a map of sets; begins with what holds when nobody has done anything yet. */
export function possible<T>(sets: Map<string, Set<T>>, key: string, before: T): Set<T> {
  const known = sets.get(key) ?? new Set([before]);
  sets.set(key, known);
  return known;
}

export function mapIn<K, A, B>(outer: Map<K, Map<A, B>>, key: K): Map<A, B> {
  const inner = outer.get(key) ?? new Map<A, B>();
  outer.set(key, inner);
  return inner;
}

/** How a request that would make it `to` ended, and what may be there since. */
export function settleTo<T>(known: Set<T>, to: T, how: 'done' | 'refused' | 'unknown'): void {
  if (how === 'refused') return;
  if (how === 'done') known.clear();
  known.add(to);
}
