import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { PurchaseBody, PurchaseResult } from '#contracts/operations/orders.ts';
import { isRefusal, somethingWentWrong } from '../../lib/api-error.ts';
import { changedByOrders, readAgain } from '../../lib/read-again.ts';
import { useEarlierOutcome, usePurchase, usePurchaseOutcome, usePurchaseProgress } from './api.ts';
import { type CartItem, cart, cartNow, type SeenPrice, type SentOrder } from './cart.ts';
import { type DialogContent, hasFailures } from './purchase-dialog.tsx';
import { earlierOpen, noAnswer, notArrived, problemOf, type Remark, remarksOf } from './purchase-problems.ts';
import { keepRefusal, useRefusal } from './refusal.ts';
import { afterEarlier, isNotPlaced, meaningOf } from './sent-order.ts';
import { asSeen, itemKey, lacksFunds } from './summary.ts';

const noFunds = "You don't have enough funds to process this cart, please topup your account";

/** What was said of an item, and the item as it was then: once it is changed the words are about another one. */
interface RowRemark {
  remark: Remark;
  item: string;
}

/** From "Finalize Purchase" to the closed result dialog, across reloads, tabs and lost connections (P1 §4). */
export function usePurchaseFlow(options: { userId: string | undefined; onAllBought: () => void }) {
  const purchase = usePurchase();
  const earlier = useEarlierOutcome();
  const [dialog, setDialog] = useState<DialogContent | null>(null);
  /** The key of the order whose result is shown. */
  const [answered, setAnswered] = useState('');
  const [rows, setRows] = useState<ReadonlyMap<string, RowRemark>>(new Map());
  const showResult = ({ key }: SentOrder, result: PurchaseResult) => {
    setAnswered(key);
    setDialog({ kind: 'result', result });
  };
  const awaited = useAwaited({
    onResult: showResult,
    onAbsent: () => setDialog(notArrived),
  });
  const { mutate } = purchase;
  const refusal = useRefusal();
  const ask = (order: SentOrder) =>
    mutate(order, {
      onSuccess: (result) => showResult(order, result),
      onError: (error) => {
        if (isNotPlaced(error, order)) return;
        // Nobody knows whether it arrived: that is asked, and nothing is ordered by asking.
        setDialog(isRefusal(error) ? { ...noAnswer, message: error.message } : noAnswer);
        awaited.wait(order);
      },
    });

  // Of an order that was sent from here, or before the person left the cart and came back.
  const showRefusal = useEffectEvent((error: Error) => {
    keepRefusal(null);
    awaited.stop();
    setDialog(problemOf(error));
    setRows(rowRemarks(remarksOf(error), cartNow().items));
  });
  useEffect(() => {
    if (refusal) showRefusal(refusal);
  }, [refusal]);

  // The page was left in the middle of a purchase: what became of it is asked by its key.
  const resume = useEffectEvent(() => {
    const order = cart.interrupted();
    if (order && !purchase.isPending && !dialog) awaited.wait(order);
  });
  useEffect(() => {
    if (!options.userId) return;
    cart.init(options.userId);
    resume();
  }, [options.userId]);

  function finalize(body: PurchaseBody, spendableCents: number | null) {
    setRows(new Map());
    const before = cart.superseded();
    if (!before) return place(body, spendableCents);
    // What was sent before the items changed may have been bought: under another key it would be bought again.
    earlier.mutate(before, {
      onSettled: (outcome, error) => {
        const next = afterEarlier(outcome, before, Date.now());
        if (next === 'order') return place(body, spendableCents);
        if (next === 'say that nobody knows') return error ? setDialog(problemOf(error)) : undefined;
        if (next === 'say that it is open') setDialog(earlierOpen);
        awaited.wait(before);
      },
    });
  }

  function place(body: PurchaseBody, spendableCents: number | null) {
    if (lacksFunds(body, spendableCents, cart.unanswered() !== null)) {
      setDialog({ kind: 'problem', title: somethingWentWrong, message: noFunds, topUp: true });
      return;
    }
    ask(cart.send(body, Date.now()));
  }

  /** The person has read it. True: they bought all that the cart held. */
  function readDialog(): boolean {
    const shown = dialog;
    setDialog(null);
    // There is nothing left to buy of what was renewed in the meantime.
    if (shown?.kind === 'problem' && shown.done) cart.finish(shown.done);
    if (shown?.kind === 'problem' && shown.prices) cart.see(seenOf(shown.prices, cartNow().items));
    if (shown?.kind !== 'result') return false;
    cart.settle(answered, shown.result);
    // What was added meanwhile is still to be bought here.
    return !hasFailures(shown.result) && cartNow().items.length === 0;
  }
  const closeDialog = () => {
    if (readDialog()) options.onAllBought();
  };
  /** By a link of the dialog. */
  const leaveDialog = () => void readDialog();
  const remarkOn = (item: CartItem) => {
    const row = rows.get(itemKey(item));
    return row?.item === JSON.stringify(item) ? row.remark : null;
  };
  const processing = purchase.isPending || earlier.isPending || awaited.waiting;
  const progress = usePurchaseProgress(purchase.isPending ? purchase.variables : awaited.sent);
  return { dialog, finalize, closeDialog, leaveDialog, remarkOn, processing, progress };
}

/** Asks for a result whose answer was lost until it is there, or the order turns out not to have arrived. */
function useAwaited(on: {
  onResult: (order: SentOrder, result: PurchaseResult) => void;
  onAbsent: () => void;
}) {
  const client = useQueryClient();
  const [order, setOrder] = useState<{ sent: SentOrder; sinceMs: number } | null>(null);
  const outcome = usePurchaseOutcome(order?.sent ?? null);
  const { data, dataUpdatedAt } = outcome;
  const look = useEffectEvent(() => {
    if (!order || !data) return;
    const meaning = meaningOf(data, order.sent, { sinceMs: order.sinceMs, nowMs: dataUpdatedAt });
    if (meaning === 'wait') return;
    setOrder(null);
    if (data.result) {
      void readAgain(client, ...changedByOrders);
      on.onResult(order.sent, data.result);
    } else {
      cart.giveUpWaiting(order.sent.key);
      if (meaning === 'not arrived') on.onAbsent();
    }
  });
  useEffect(() => {
    if (dataUpdatedAt > 0) look();
  }, [dataUpdatedAt]);
  // Not `isError`, which ends while it is asked again: each time the button would change, and be read out.
  const unanswered = outcome.errorUpdatedAt > dataUpdatedAt;
  return {
    wait: (sent: SentOrder) => setOrder({ sent, sinceMs: Date.now() }),
    stop: () => setOrder(null),
    sent: order && !unanswered ? order.sent : null,
    /** Without a connection the person may press again: under its key it is the same order. */
    waiting: order !== null && !unanswered,
  };
}

/** Prices that were told, as those of the items of the cart. */
function seenOf(
  prices: readonly { type: string; address: string; price: number }[],
  items: readonly CartItem[],
): SeenPrice[] {
  return prices.flatMap(({ price, ...name }) => {
    const item = items.find(({ type, address }) => type === name.type && address === name.address);
    return item ? [asSeen(item, price)] : [];
  });
}

function rowRemarks(remarks: readonly Remark[], items: readonly CartItem[]): Map<string, RowRemark> {
  return new Map(
    remarks.flatMap((remark) => {
      const item = items.find(({ type, address }) => type === remark.type && address === remark.address);
      return item ? [[itemKey(item), { remark, item: JSON.stringify(item) }] as const] : [];
    }),
  );
}
