import type { BillingAddress } from '#contracts/operations/earnings.ts';

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
