import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { countText, moneyText, utcDayText } from '#contracts/values/format.ts';
import { dayMs } from '#contracts/values/time.ts';

type Limits = AcmeAccess['mayBuy'];

const certificates = (count: number) => `${countText(count)} ${count === 1 ? 'certificate' : 'certificates'}`;

/** What an access may buy, as a sentence's end: "up to 2 certificates and $60.00 a month". */
export function limitsText(limits: Limits): string {
  if (limits === null) return 'never, only free reissues';
  const { ordersPerMonth, centsPerMonth } = limits;
  const money = centsPerMonth === null ? '' : ` and ${moneyText(centsPerMonth)}`;
  return `up to ${certificates(ordersPerMonth)}${money} a month`;
}

/** "1 of 2, $29.95 of $60.00" */
export function usedText({ buysNow, usedThisMonth }: Pick<AcmeAccess, 'buysNow' | 'usedThisMonth'>): string {
  if (buysNow === null) return 'Does not buy';
  const orders = `${countText(usedThisMonth.orders)} of ${countText(buysNow.ordersPerMonth)}`;
  if (buysNow.centsPerMonth === null || usedThisMonth.cents === null) return orders;
  return `${orders}, ${moneyText(usedThisMonth.cents)} of ${moneyText(buysNow.centsPerMonth)}`;
}

/** For which names: "All names of the customer", "shop.example.com and 2 more". */
export function hostsText(hosts: readonly string[] | null): string {
  if (hosts === null) return 'All names of the customer';
  const [first = '', ...more] = hosts;
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

/** "After Nov 22, 2026 (UTC)": the day that was entered is the last one on which it works. */
export function endText(expiresAt: string): string {
  return `After ${utcDayText(new Date(Date.parse(expiresAt) - dayMs))} (UTC)`;
}

export const pricesUnread = 'The price list could not be read. Please try again.';

export const stateTexts = {
  active: { tone: 'good', text: 'Works' },
  expired: { tone: 'plain', text: 'Ended' },
  revoked: { tone: 'plain', text: 'Revoked' },
} as const;

export const outcomeTexts = {
  done: { tone: 'good', text: 'Done' },
  waiting: { tone: 'good', text: 'Accepted' },
  refused: { tone: 'warn', text: 'Refused' },
  failed: { tone: 'bad', text: 'Failed' },
} as const;
