import { wholeDollarsText } from '#contracts/values/format.ts';
/** Amounts of top-ups, in cents (P2 §5 and decisions no. 5), for screens, API and documents alike. */
export const topupLimits = {
  /** By hand. */
  leastCents: 20_00,
  /** Above what anybody tops up by hand, below what a slip of units makes of $100. */
  mostCents: 9_999_00,
  /** The first one, which opens the account. */
  initialCents: 100_00,
} as const;

/** Auto balance: what is topped up, and the mark below which it is. */
export const autoBalanceLimits = {
  leastAmountCents: 100_00,
  leastMarkCents: 10_00,
  mostCents: 100_000_00,
} as const;

/** "Minimum of $20": limits are whole dollars, and are said so. */
export const minimumText = (cents: number) => `Minimum of ${wholeDollarsText(cents / 100)}`;
export const maximumText = (cents: number) => `Maximum of ${wholeDollarsText(cents / 100)}`;
