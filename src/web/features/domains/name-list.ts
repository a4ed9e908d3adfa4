import type { ListedNameState } from '#contracts/operations/domains.ts';
import { namesInOneCall } from '#contracts/values/name-list.ts';

/** What a name of a list is to somebody who wants to buy it. */
export function stateText({ status, own, problem }: ListedNameState): {
  label: string;
  tone: 'good' | 'plain' | 'bad';
} {
  if (own) return { label: 'In your account', tone: 'plain' };
  if (status === 'available') return { label: 'Available', tone: 'good' };
  if (status === 'taken') return { label: problem ?? 'Taken', tone: 'plain' };
  return { label: problem ?? 'Could not be looked up', tone: 'bad' };
}

/** Only what is available, has a price, and is not in the cart can be put there. */
export function canBuy(
  { status, price, own, domain }: ListedNameState,
  inCart: (domain: string) => boolean,
): boolean {
  return status === 'available' && price !== null && !own && !inCart(domain);
}

/** Parts of a list that are asked for one after the other. */
export function inCalls(names: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let from = 0; from < names.length; from += namesInOneCall)
    parts.push(names.slice(from, from + namesInOneCall));
  return parts;
}
