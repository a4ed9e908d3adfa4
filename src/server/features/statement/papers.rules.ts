import type { BillingAddress } from '#contracts/operations/earnings.ts';
import type { StatementLine, StatementMonth } from '#contracts/operations/statement.ts';
import { isoDay, isoMonth, utcDayText } from '#contracts/values/format.ts';
import { isOpenItem } from '#contracts/values/order-states.ts';

/** Who issues a paper, or whom it is made out to. */
export interface Party {
  name: string;
  address: readonly string[];
  taxId: string;
}

/** Nameward charges no tax and knows no rates (docs/decisions/0159): the paper says what is on it, and nothing of the law. */
export const taxText = 'Tax: $0.00. The amounts are in US dollars, and no tax was charged.';

/** `R-000042`, `S-000007`: consecutive for each organization. */
export function paperNumber(kind: 'R' | 'S', number: number): string {
  return `${kind}-${String(number).padStart(6, '0')}`;
}

/** Lines of a party, the name first, without those that nobody has filled in. */
export function partyLines({ name, address, taxId }: Party): string[] {
  const lines = [name, ...address].map((line) => line.trim()).filter((line) => line !== '');
  return taxId ? [...lines, `Tax ID: ${taxId}`] : lines;
}

/** The organization as its papers name it. */
export function recipientOf(address: BillingAddress, organisation: string): Party {
  return { ...address, name: address.name || organisation };
}

/** The statements of an organization count its months with movements, from its first: a closed month keeps its number. */
export function statementNumber(month: string, months: readonly { month: string }[]): number {
  return months.filter((other) => other.month <= month).length;
}

/** What stands below a receipt of these items. */
export function receiptNote(items: readonly { state: string }[]): string {
  const open = items.some(({ state }) => isOpenItem(state));
  const parts = [
    'Paid from the prepaid balance.',
    taxText,
    'Later charges and refunds for this order are added under the same number.',
    ...(open ? ['Items that are still being processed are not on this receipt.'] : []),
  ];
  return parts.join(' ');
}

/** The first and the last day of a month, as `2026-11-01`. */
export function daysOf(month: string): { first: string; last: string } {
  const [year, number] = month.split('-').map(Number);
  // The day before the next month's first.
  return { first: `${month}-01`, last: isoDay(new Date(Date.UTC(year ?? 0, number ?? 1, 0))) };
}

/** A month's sums from its lines themselves, the oldest first: the figures cannot differ from what they sum up. Null without lines. */
export function monthOf(month: string, lines: readonly StatementLine[]): StatementMonth | null {
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) return null;
  const sum = (part: (amount: number) => number) =>
    lines.reduce((total, { amount }) => total + part(amount), 0);
  return {
    month,
    opening: first.balance - first.amount,
    in: sum((amount) => Math.max(amount, 0)),
    out: sum((amount) => Math.min(amount, 0)),
    closing: last.balance,
    lines: lines.length,
  };
}

/** The days that a statement is about; a month that goes on says so. */
export function periodText(month: string, now: Date): string {
  const { first, last } = daysOf(month);
  const ended = isoMonth(now) > month;
  return `${utcDayText(new Date(first))} to ${utcDayText(new Date(last))} (UTC)${ended ? '' : ', not ended yet'}`;
}
