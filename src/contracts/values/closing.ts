import { countText, moneyText } from './format.ts';

/** Closing an organisation: what it may still have that stands against it, in the order in which it is told. */
export const closingReasons = [
  'users',
  'invitations',
  'customers',
  'imports',
  'domains',
  'orders',
  'certificates',
  'balance',
  'reserved',
  'pending',
  'topups',
  'charges',
  'refunds',
] as const;
export type ClosingReason = (typeof closingReasons)[number];

/** `count` is in cents where the reason is an amount. */
export interface ReasonAgainstClosing {
  reason: ClosingReason;
  count: number;
}

const one: Record<Exclude<ClosingReason, 'balance' | 'reserved' | 'pending'>, readonly [string, string]> = {
  users: ['other user', 'other users'],
  invitations: ['open invitation', 'open invitations'],
  customers: ['customer', 'customers'],
  imports: ['import under way', 'imports under way'],
  domains: ['domain', 'domains'],
  orders: ['order under way', 'orders under way'],
  certificates: ['certificate that has not ended', 'certificates that have not ended'],
  topups: ['open top-up', 'open top-ups'],
  charges: ['open direct charge', 'open direct charges'],
  refunds: ['refund under way', 'refunds under way'],
};

/** "2 other users", "a balance of $10.00" */
export function reasonText({ reason, count }: ReasonAgainstClosing): string {
  if (reason === 'balance') return `a balance of ${moneyText(count)}`;
  if (reason === 'reserved') return `${moneyText(count)} reserved for orders`;
  if (reason === 'pending') return `${moneyText(count)} on the way to the balance`;
  return `${countText(count)} ${one[reason][count === 1 ? 0 : 1]}`;
}

/** All of them in one sentence. */
export function closingRefusal(reasons: readonly ReasonAgainstClosing[]): string {
  const texts = reasons.map(reasonText);
  const last = texts.pop() ?? '';
  const list = texts.length === 0 ? last : `${texts.join(', ')} and ${last}`;
  return `The organization cannot be closed while it has ${list}.`;
}

/** What the operator's lists call an organisation: one that was closed says so. */
export function organizationText(name: string, closedAt: string | null): string {
  return closedAt === null ? name : `${name} (closed)`;
}
