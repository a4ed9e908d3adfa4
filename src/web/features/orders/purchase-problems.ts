import type { LineProblem } from '#contracts/operations/orders.ts';
import { usdText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { ApiError, messageOf, somethingWentWrong } from '../../lib/api-error.ts';
import type { DialogContent } from './purchase-dialog.tsx';
import type { PriceChange as NewPrice } from './summary.ts';

/** Why there is no result: the words of the dialog (P1 §4 and §8). */

type Problem = Extract<DialogContent, { kind: 'problem' }>;
const title = somethingWentWrong;

interface PriceChange {
  oldTotal: number;
  newTotal: number;
  items: { address: string; kind: string; oldPrice: number | null; newPrice: number }[];
}

/** What a refusal says of single items; none where it is about the whole order, or about prices. */
function problemsAt(error: ApiError): LineProblem[] {
  if (error.code === 'price_changed') return [];
  const { items } = (error.data ?? {}) as { items?: LineProblem[] };
  return Array.isArray(items) ? items : [];
}

/** What is said beside one item of the cart. */
export interface Remark {
  type: string;
  address: string;
  message: string;
  /** It cannot be bought as it is; otherwise it only costs something else now. */
  refused: boolean;
}

/** What a refusal says of each item, for its line in the cart. */
export function remarksOf(error: unknown): Remark[] {
  if (!(error instanceof ApiError)) return [];
  if (error.code === 'price_changed') {
    return changedPrices(error).map(({ kind, address, oldPrice, newPrice }) => ({
      ...{ type: kind, address, refused: false },
      message: `${changeText(oldPrice, newPrice)} Finalize again to accept it.`,
    }));
  }
  return problemsAt(error).map(({ kind, address, message }) => ({
    ...{ type: kind, address, message, refused: true },
  }));
}

/** The same, seen before the order is sent. */
export const remarkOfPrice = ({ present, oldPrice }: NewPrice): Remark => ({
  ...{ type: present.type, address: present.address, refused: false },
  message: changeText(oldPrice, present.price),
});

/** In a line above the items: which, or how many, and what they are together. */
export function newPricesText(changed: readonly NewPrice[]): string {
  const [first] = changed;
  if (first && changed.length === 1) {
    return `The price of ${first.present.address} was ${dollars(first.oldPrice)} and is ${dollars(first.present.price)} now.`;
  }
  const sum = (prices: number[]) => dollars(prices.reduce((cents, usd) => cents + usdToCents(usd), 0) / 100);
  const [before, now] = [
    sum(changed.map(({ oldPrice }) => oldPrice)),
    sum(changed.map(({ present }) => present.price)),
  ];
  return `${changed.length} prices have changed. Together they were ${before} and are ${now} now.`;
}

const changeText = (oldPrice: number | null, newPrice: number) =>
  `It was ${dollars(oldPrice)} and is ${dollars(newPrice)} now.`;

const changedPrices = (error: ApiError) =>
  (error.data as PriceChange).items.filter((item) => item.oldPrice !== item.newPrice);

export function problemOf(error: unknown): Problem {
  if (!(error instanceof ApiError)) return { kind: 'problem', title, message: messageOf(error) };
  const problem: Problem = { kind: 'problem', title, message: error.message };
  if (error.code === 'offline') return { ...problem, details: [notSent] };
  if (error.code === 'insufficient_funds') return { ...problem, topUp: true };
  if (error.code === 'price_changed') {
    return pricesChanged(error);
  }
  const items = problemsAt(error);
  if (items.length > 0) return { ...problem, ...itemLines(items) };
  const details = error.details.map(({ message }) => message).filter((text) => text !== error.message);
  return details.length > 0 ? { ...problem, details } : problem;
}

/** Nothing went wrong: the person decides once more, and reads first that nothing has happened yet. */
function pricesChanged(error: ApiError): Problem {
  const { items, oldTotal, newTotal } = error.data as PriceChange;
  const total = { address: 'Total', oldPrice: oldTotal, newPrice: newTotal };
  return {
    kind: 'problem',
    title: 'Prices have changed',
    message:
      'Nothing was ordered, and nothing was charged. Press "Finalize Purchase" again to buy at the new prices.',
    details: [...changedPrices(error), ...(items.length > 1 ? [total] : [])].map(priceLine),
    prices: items.map(({ kind, address, newPrice }) => ({ type: kind, address, price: newPrice })),
  };
}

/** One line an item, with its name; a single one is said once, in place of what the server says of the order. */
function itemLines(items: readonly LineProblem[]): Pick<Problem, 'details' | 'done'> & { message?: string } {
  const lines = items.map(({ address, message, renewed }) => {
    const text = message.includes(address) ? message : `${address}: ${message}`;
    return renewed ? `${text.replace(/\.$/, '')}. It has been removed from your cart.` : text;
  });
  // A restoration never is in the cart.
  const done = items.flatMap(({ kind, address, renewed }) =>
    renewed && kind !== 'redemption' ? [{ type: kind, address }] : [],
  );
  const [only] = lines;
  return {
    ...(lines.length === 1 && only ? { message: only } : { details: lines }),
    ...(done.length > 0 ? { done } : {}),
  };
}

const notSent = 'Your order was not sent, and nothing was charged. Your cart is kept.';

/** Nobody knows whether the order arrived; it is being asked, and asking again is safe. */
export const noAnswer: Problem = {
  kind: 'problem',
  title,
  message: 'No answer came back.',
  details: [
    'Your order may have been placed. The portal is checking, and the result will appear here.',
    'You may also press "Finalize Purchase" again: nothing is bought twice.',
  ],
};

/** Nobody knows what became of the order before this one, and nothing is sent until that is known. */
export const earlierOpen: Problem = {
  kind: 'problem',
  title,
  message: 'Your earlier order has not been answered yet.',
  details: [
    'It may have been placed. The portal is checking, and its result will appear here.',
    'Nothing new was ordered. What is left in your cart can be bought after that.',
  ],
};

export const notArrived: Problem = {
  kind: 'problem',
  title,
  message: 'Your order has not reached us.',
  details: [
    'Nothing was charged, and your cart is kept.',
    'Press "Finalize Purchase" to send it again: nothing is bought twice.',
  ],
};

const dollars = (usd: number | null) => (usd === null ? '?' : usdText(usd));
const priceLine = (item: Omit<PriceChange['items'][number], 'kind'>) =>
  `${item.address}: ${dollars(item.oldPrice)} is now ${dollars(item.newPrice)}`;
