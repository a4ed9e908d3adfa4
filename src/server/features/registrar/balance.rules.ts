import { dayMs } from '#contracts/values/time.ts';

/** Our account at the registrar, and what it has to pay for. Integer cents. */
export interface AccountFigures {
  balanceCents: number;
  /** What the registrar holds of it already. */
  heldCents: number;
  /** Cost of orders whose outcome is open: they may still be taken from the balance. */
  openCents: number;
}

export type BalanceLevel = 'enough' | 'low' | 'short';

/** What further orders can be paid with. The registrar may hold for an open order already: counted twice is the safe side. */
export function availableCents({ balanceCents, heldCents, openCents }: AccountFigures): number {
  return balanceCents - heldCents - openCents;
}

/** `low`: below the operator's mark. `short`: not even what is under way can be paid. */
export function levelOf(figures: AccountFigures, thresholdCents: number): BalanceLevel {
  const available = availableCents(figures);
  if (available < 0) return 'short';
  return available < thresholdCents ? 'low' : 'enough';
}

/** As long as the balance runs low, the alarm comes again after a day, and at once when it gets worse. */
const repeatAfterMs = dayMs;

export function isAlarmDue(
  level: BalanceLevel,
  last: { level: 'low' | 'short' | null; at: Date | null },
  now: Date,
): boolean {
  if (level === 'enough') return false;
  if (!last.at || last.level === null) return true;
  if (level === 'short' && last.level === 'low') return true;
  return now.getTime() - last.at.getTime() >= repeatAfterMs;
}
