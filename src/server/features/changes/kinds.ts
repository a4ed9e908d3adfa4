import type { ChangeItemState } from '#contracts/values/changes.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { DomainSettings } from '#contracts/values/domain-settings.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import type { ChangeRow } from './changes.repo.ts';
import type { ItemRow } from './items.repo.ts';

/** What a change touches of a domain: the records of its zone, or a setting. */
export type Side = DnsRecord[] | DomainSettings;

/** What is known of an item after a look at its domain. */
export interface Looked {
  state: Extract<ChangeItemState, 'ready' | 'same' | 'barred' | 'moved'>;
  note: string;
  /** Of the zone that was looked at. */
  version: string | null;
  plan: {
    before: Side;
    after: Side;
    /** Records that stay as they are, and those that go. */
    others: number | null;
    removed: number | null;
    needsTick: boolean;
    warnings: string[];
  } | null;
}

/** How an application of an item ended. */
export type Applied = { kind: 'done' } | { kind: 'looked'; looked: Looked };

/** What a kind of change does with one of its domains. */
export interface ItemKind {
  look(scope: Scope, change: ChangeRow, domain: string): Promise<Looked>;
  /**
   * The item was taken before this: it is taken again if nobody hears of the end. `end` may be part of the transaction that
   * writes down what was done. False: another try has the item by now, and writes it down.
   */
  apply(
    scope: Scope,
    change: ChangeRow,
    item: ItemRow,
    end: (tx: Tx, note: string) => Promise<boolean>,
  ): Promise<Applied>;
}

/** Reason of a version: as long as one that a person writes. */
export const longestReason = 200;
/** Domains that move again while they are looked at again. */
export const mostLooks = 3;
