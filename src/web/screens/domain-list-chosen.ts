import { useDeferredValue, useState } from 'react';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { moneyText } from '#contracts/values/format.ts';
import { useAllDomains } from '../features/domains/api.ts';
import { leftFact } from '../features/domains/domain-state.ts';
import { useCartPrices } from '../features/orders/api.ts';
import { cart, type RenewalItem } from '../features/orders/cart.ts';
import { itemKey, priceTable, totalCents } from '../features/orders/summary.ts';
import { useCart } from '../features/orders/use-cart.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import type { CallInput } from '../lib/operations.ts';

/** More than this are not chosen at a stroke: each act on them is a call of its own. */
const mostAtOnce = 1_000;
/** As many as a cart holds. */
const mostPriced = 200;

/** Which domains are listed, and how. */
export type DomainQuery = NonNullable<CallInput<'GET /domain'>['query']>;

/** Rows that were chosen, over the pages; renewing puts them into the cart. */
export function useChosen(query: DomainQuery, total: number) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, DomainRow>>(new Map());
  /** How many went into the cart, and how many found no place there. */
  const [added, setAdded] = useState({ count: 0, leftOut: 0 });
  useCart(useProfile().data?.userId);
  const all = useAllDomains();
  // A box that was ticked is painted before what can be done with all that are ticked.
  const shown = useDeferredValue(chosen);
  const rows = [...shown.values()];
  const renewals = rows.flatMap((row) => renewalOf(row) ?? []);
  const change = (changed: readonly DomainRow[], on: boolean) => {
    setAdded({ count: 0, leftOut: 0 });
    // What is given up while all of them are on their way is not chosen again by their arrival.
    if (all.isError || !on) all.reset();
    setChosen((before) => {
      const next = new Map(before);
      for (const row of changed) {
        if (on) next.set(row.address, row);
        else next.delete(row.address);
      }
      return next;
    });
  };
  return {
    rows,
    added,
    cost: useCost(renewals),
    clear: () => {
      all.reset();
      setChosen(new Map());
    },
    renew: () => {
      // The button is drawn a moment after the boxes: what was given up meanwhile is not bought, and nothing is bought twice.
      const wanted = renewals.filter(({ address }) => chosen.has(address));
      if (wanted.length === 0) return;
      all.reset();
      const leftOut = new Set(cart.add(...wanted).map(({ address }) => address));
      setAdded({ count: wanted.length - leftOut.size, leftOut: leftOut.size });
      // What found no place stays chosen, for the next order.
      setChosen(new Map([...chosen].filter(([address]) => leftOut.has(address) || !shown.has(address))));
    },
    all:
      rows.length > 0 && total > rows.length && total <= mostAtOnce
        ? {
            count: total,
            choosing: all.isPending,
            error: all.error,
            onChoose: () => all.mutate(query, { onSuccess: (found) => change(found, true) }),
          }
        : null,
    selection: {
      keys: new Set(chosen.keys()),
      label: (row: DomainRow) => `Select ${row.address}`,
      onChange: change,
    },
  };
}

/** What renewing them costs, in a sentence; null while the prices are not known. */
function useCost(renewals: readonly RenewalItem[]): string | null {
  const mayBuy = useMay('orders.purchase');
  const priced = mayBuy && renewals.length <= mostPriced ? renewals : [];
  const prices = priceTable(useCartPrices(priced).data);
  const known = priced.length > 0 && priced.every((item) => prices.get(itemKey(item))?.error === undefined);
  if (!known || !priced.every((item) => prices.has(itemKey(item)))) return null;
  const them = priced.length === 1 ? 'it' : priced.length === 2 ? 'both' : `all ${priced.length}`;
  return `Renewing ${them} costs ${moneyText(totalCents(priced, prices))}`;
}

function renewalOf(row: DomainRow): RenewalItem | null {
  const { address, customerId, autoRenew, expireDate } = row;
  // A name that has left cannot be renewed here.
  if (!expireDate || leftFact(row)) return null;
  return { type: 'renewal', address, registration: 1, autoRenew, customerId, expireDate };
}
