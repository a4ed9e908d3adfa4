import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Move } from '#contracts/operations/moves.ts';
import { lineMarkupCents, notChargedText } from '#contracts/values/direct-billing.ts';
import { moneyText } from '#contracts/values/format.ts';
import { type Markups, usdToCents } from '#contracts/values/money.ts';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { useOrderLines } from './api.ts';
import { names, unlockLetter } from './texts.ts';

interface OrderProps {
  move: Move;
  /** null while it is not known. */
  spendableCents: number | null;
  /** Says where the balance could not be read. */
  unread: ReactNode;
  /** Of the customer, where they are billed directly. */
  markups: Markups | null;
  /** They are, and cannot be charged because of a dispute. */
  stopped: boolean;
}

const overtakenText =
  'This list changed while you were asked, and no line is ready any more. You have not ordered anything.';

/** What the lines that are ready cost, who pays, and the one button that spends money. Where all is ordered, only what came of a try. */
export function OrderPanel({ move, spendableCents, unread, markups, stopped }: OrderProps) {
  const order = useOrderLines(move.id);
  const [asked, setAsked] = useState(false);
  const [overtaken, setOvertaken] = useState(false);
  const ready = move.lines.filter(({ stage }) => stage === 'ready');
  const nothingReady = ready.length === 0;
  // A colleague was first: there is nothing to ask about any more.
  if (asked && nothingReady && !order.isPending) {
    setAsked(false);
    setOvertaken(order.isIdle);
  }
  const locked = move.lines.filter(({ help }) => help === 'unlock');
  const cents = usdToCents(move.total);
  const after = spendableCents === null ? null : spendableCents - cents;
  const customerCents =
    markups &&
    ready.reduce((sum, { price }) => {
      const own = usdToCents(price ?? 0);
      return sum + own + lineMarkupCents(own, markups, { kind: 'transfer', renewsCertificate: false });
    }, 0);
  const obstacle = obstacleOf(move, ready.length, after);
  const ask = (open: boolean) => {
    setAsked(open);
    setOvertaken(false);
    // What went wrong is not said of the next try.
    order.reset();
  };
  const place = () =>
    order.mutate(
      { lineIds: ready.map(({ id }) => id), price: move.total },
      { onSuccess: () => setAsked(false) },
    );
  const cameOfIt = nothingReady && (
    <>
      <FailureText error={order.error} />
      {overtaken && (
        <Text size="sm" role="status">
          {overtakenText}
        </Text>
      )}
    </>
  );
  if (move.lines.every(({ orderId }) => orderId !== null)) {
    return (order.error || overtaken) && <Card title="Order">{cameOfIt}</Card>;
  }
  return (
    <Card title="Order">
      <Stack gap="xs">
        <Figure
          label={`${ready.length} ${ready.length === 1 ? 'transfer' : 'transfers'}`}
          cents={cents}
          strong
        />
        <Figure label="Your balance" cents={spendableCents} />
        <Figure label="Balance after this order" cents={after} strong />
        {unread}
        {stopped && (
          <Alert color="yellow" variant="light" role="status">
            {notChargedText([move.customer])}
          </Alert>
        )}
        {customerCents !== null && !stopped && (
          <Figure label={`${move.customer} pays as they arrive`} cents={customerCents} />
        )}
        <Text size="xs" c="dimmed">
          Your balance pays. The price of each is reserved now and charged when the domain has arrived. Only
          the registry can tell whether a code is right. A wrong code costs nothing.
        </Text>
        <Button
          fullWidth
          disabled={obstacle !== null || order.isPending}
          aria-describedby="order-hint"
          onClick={() => ask(true)}
        >
          {order.isPending
            ? 'Ordering...'
            : `Order ${ready.length === 1 ? '1 transfer' : `${ready.length} transfers`}`}
        </Button>
        <Text size="xs" c="dimmed" id="order-hint" aria-live="polite">
          {obstacle ?? ''}
        </Text>
        {cameOfIt}
        {locked.length > 1 && (
          <Button variant="default" component="a" href={unlockLetter(locked)}>
            Ask for unlock of {names(locked.length)}
          </Button>
        )}
      </Stack>
      <ConfirmDialog
        opened={asked}
        title={`Order the transfer of ${names(ready.length)}?`}
        confirmLabel={`Order for ${moneyText(cents)}`}
        runningLabel="Ordering..."
        running={order.isPending}
        error={order.error}
        onConfirm={place}
        onClose={() => ask(false)}
      >
        {moneyText(cents)} is reserved from your balance
        {after !== null && `, which is then ${moneyText(after)}`}. Each domain is renewed for a year when it
        arrives, and is charged then. What does not arrive costs nothing.
      </ConfirmDialog>
    </Card>
  );
}

/** Why nothing can be ordered now; null: it can. */
function obstacleOf({ counts }: Move, ready: number, afterCents: number | null): string | null {
  // Without how many: each of them would be read out.
  if (counts.checking) return 'The list is still being checked';
  if (ready === 0) return 'No line is ready';
  return afterCents !== null && afterCents < 0
    ? "You don't have enough funds to process this cart, please topup your account"
    : null;
}

function Figure({ label, cents, strong = false }: { label: string; cents: number | null; strong?: boolean }) {
  const weight = strong ? { fw: 600 } : {};
  return (
    <Group justify="space-between" wrap="nowrap" align="baseline">
      <Text size="sm" {...weight} style={{ overflowWrap: 'anywhere' }}>
        {label}
      </Text>
      <Text
        size="sm"
        {...weight}
        className="number"
        {...(cents !== null && cents < 0 ? { c: 'var(--bad)' } : {})}
      >
        {cents === null ? '…' : moneyText(cents)}
      </Text>
    </Group>
  );
}
