import type { AttentionCounts } from '#contracts/operations/attention.ts';
import { may, type Role } from '#contracts/permissions.ts';
import type { AttentionCause } from '#contracts/values/attention.ts';
import { type AttentionSeverity, attentionSeverities, ruleOf } from '#contracts/values/attention.ts';
import type { AttentionStatement } from '#kernel/attention.ts';
import { canonicalJson } from '#kernel/changed-parts.rules.ts';
import type { ItemCount } from './attention.repo.ts';

/** An item as it is kept, as far as it can differ from what is stated. */
export interface KeptItem {
  id: string;
  organisationId: string;
  object: string;
  rank: number;
  customerId: string | null;
  address: string | null;
  deadline: Date | null;
  facts: unknown;
}

/** What is stated, as it is kept. */
export type StatedItem = Omit<KeptItem, 'id'>;

export interface Difference {
  /** New ones, and open ones that are not as stated. */
  write: StatedItem[];
  /** Open ones that are stated no more. */
  close: string[];
}

export const rankOf = (severity: AttentionSeverity): number => attentionSeverities.indexOf(severity);
export const severityOf = (rank: number): AttentionSeverity => attentionSeverities[rank] ?? 'soon';

/** A statement with the severity that its cause's rule gives it at this moment. */
export function statedItem(cause: AttentionCause, stated: AttentionStatement, now: Date): StatedItem {
  const { facts, deadline, ...rest } = stated;
  const severity = ruleOf(cause).severity(facts as never, { deadline, now });
  return { ...rest, deadline, facts, rank: rankOf(severity) };
}

const placeOf = ({ organisationId, object }: Pick<KeptItem, 'organisationId' | 'object'>) =>
  `${organisationId} ${object}`;

/** From the open items of a cause and what is stated of it now. What is stated twice counts once. */
export function differenceOf(kept: readonly KeptItem[], stated: readonly StatedItem[]): Difference {
  const wanted = new Map(stated.map((item) => [placeOf(item), item]));
  const open = new Map(kept.map((item) => [placeOf(item), item]));
  return {
    write: [...wanted].flatMap(([place, item]) => {
      const there = open.get(place);
      return there && isSame(there, item) ? [] : [item];
    }),
    close: kept.filter((item) => !wanted.has(placeOf(item))).map(({ id }) => id),
  };
}

function isSame(kept: KeptItem, stated: StatedItem): boolean {
  return (
    kept.rank === stated.rank &&
    kept.customerId === stated.customerId &&
    kept.address === stated.address &&
    kept.deadline?.getTime() === stated.deadline?.getTime() &&
    // The database gives their keys back in an order of its own.
    canonicalJson(kept.facts) === canonicalJson(stated.facts)
  );
}

/** Until when an item is put off: not beyond a deadline that is still ahead. */
export function putOffUntil(wanted: Date, deadline: Date | null, now: Date): Date {
  const end = deadline ?? wanted;
  return end > now ? new Date(Math.min(end.getTime(), wanted.getTime())) : wanted;
}

/**
 * Whether what is put off is so for this reader. Staff put it off, for themselves and each other; a customer's own user has to
 * see what they alone can end. By the role: a token of staff that may only read reads what staff read.
 */
export const heedsPutOff = (role: Role): boolean => may(role, 'attention.manage');

const sumOf = (rows: readonly ItemCount[], which: (row: ItemCount) => boolean) =>
  rows.filter(which).reduce((total, { count }) => total + count, 0);

/** How many wait now: what is put off does not. */
export const openCount = (rows: readonly ItemCount[]): number => sumOf(rows, ({ snoozed }) => !snoozed);

/** The figures above the list. A cause of which nothing waits is left out. */
export function countsOf(rows: readonly ItemCount[], causes: readonly AttentionCause[]): AttentionCounts {
  const open = rows.filter(({ snoozed }) => !snoozed);
  return {
    now: sumOf(open, ({ rank }) => severityOf(rank) === 'now'),
    soon: sumOf(open, ({ rank }) => severityOf(rank) === 'soon'),
    snoozed: sumOf(rows, ({ snoozed }) => snoozed),
    mine: sumOf(open, ({ mine }) => mine),
    causes: causes
      .map((cause) => ({ cause, count: sumOf(open, (row) => row.cause === cause) }))
      .filter(({ count }) => count > 0),
  };
}
