import { useEffect, useEffectEvent, useState } from 'react';
import type { PurchaseBody } from '#contracts/operations/orders.ts';
import { formatCents, usdToCents } from '#contracts/values/money.ts';
import { ApiError, somethingWentWrong } from '../../lib/api-error.ts';
import { usePurchase } from './api.ts';
import { cart, type SentOrder } from './cart.ts';
import { type DialogContent, hasFailures } from './purchase-dialog.tsx';

const noFunds = "You don't have enough funds to process this cart, please topup your account";

/** From "Finalize Purchase" to the closed result dialog, across reloads and tabs (P1 §4). */
export function usePurchaseFlow(options: { userId: string | undefined; onAllBought: () => void }) {
  const purchase = usePurchase();
  const [dialog, setDialog] = useState<DialogContent | null>(null);
  const { mutate } = purchase;
  const ask = (order: SentOrder) =>
    mutate(order, {
      onSuccess: (result) => setDialog({ kind: 'result', result }),
      onError: (error) => setDialog(problemOf(error)),
    });

  // The page was left in the middle of a purchase: under its key the order is the same, and so is its result.
  const resume = useEffectEvent(() => {
    const order = cart.interrupted(Date.now());
    if (order && !purchase.isPending && !dialog) ask(order);
  });
  useEffect(() => {
    if (!options.userId) return;
    cart.init(options.userId);
    resume();
  }, [options.userId]);

  /** `spendableCents`: null while the balance is not known; the server decides in any case. */
  function finalize(body: PurchaseBody, spendableCents: number | null) {
    // P1 §5: checked before the order is sent. What was sent before has its money held already.
    const short = spendableCents !== null && spendableCents < usdToCents(body.price);
    if (short && !cart.unanswered()) {
      setDialog({ kind: 'problem', title: somethingWentWrong, message: noFunds, topUp: true });
      return;
    }
    ask(cart.send(body, Date.now()));
  }

  function closeDialog() {
    const shown = dialog;
    setDialog(null);
    if (shown?.kind !== 'result') return;
    cart.settle(shown.result);
    if (!hasFailures(shown.result)) options.onAllBought();
  }
  return { dialog, finalize, closeDialog, processing: purchase.isPending };
}

interface PriceChange {
  items: { address: string; kind: string; oldPrice: number | null; newPrice: number }[];
}

function problemOf(error: unknown): DialogContent {
  const title = somethingWentWrong;
  if (!(error instanceof ApiError)) return { kind: 'problem', title, message: title };
  const problem = { kind: 'problem' as const, title, message: error.message };
  if (error.code === 'price_changed') {
    const { items } = error.data as PriceChange;
    const changed = items.filter((item) => item.oldPrice !== item.newPrice);
    return { ...problem, details: changed.map(priceLine) };
  }
  if (error.code === 'insufficient_funds') return { ...problem, topUp: true };
  if (error.status === 0) return { ...problem, details: [noAnswer] };
  if (error.details.length > 0) return { ...problem, details: error.details.map((entry) => entry.message) };
  return problem;
}

/** Nobody knows whether the order arrived; asking again is safe, and that is all that can be said. */
const noAnswer =
  'No answer came back. Your order may have been placed. Press "Finalize Purchase" again to see its result: nothing is bought twice.';

const dollars = (usd: number | null) => (usd === null ? '?' : formatCents(usdToCents(usd)));
const priceLine = (item: PriceChange['items'][number]) =>
  `${item.address}: USD ${dollars(item.oldPrice)} is now USD ${dollars(item.newPrice)}`;
