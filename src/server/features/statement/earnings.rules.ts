import type { EarningsRow } from '#contracts/operations/earnings.ts';
import type { EarningsFigures, EarningsGroup } from './earnings.repo.ts';

const kinds: Readonly<Record<string, string>> = {
  domain: 'Registration',
  renewal: 'Renewal',
  transfer: 'Transfer',
  certificate: 'Certificate',
  redemption: 'Restoration',
};

/** A kind of item in words; one that a later version has made keeps its name. */
export function kindName(kind: string): string {
  return kinds[kind] ?? kind;
}

/** What is left of what customers paid: less what the same items cost. Other items have no price that the portal knows. */
export function earnedCents({ received, cost }: Pick<EarningsFigures, 'received' | 'cost'>): number {
  return received - cost;
}

/** One group's figures with the group's key and name. */
export function toEarningsRow(by: EarningsGroup, row: EarningsFigures): EarningsRow {
  const { items, cost, otherCost, received } = row;
  return { ...nameOf(by, row), items, cost, otherCost, received, earned: earnedCents(row) };
}

function nameOf(by: EarningsGroup, row: EarningsFigures): { key: string; label: string } {
  if (by === 'month') return { key: row.month, label: row.month };
  if (by === 'kind') return { key: row.kind, label: kindName(row.kind) };
  return { key: row.customerId ?? '', label: row.customer || 'No customer' };
}
