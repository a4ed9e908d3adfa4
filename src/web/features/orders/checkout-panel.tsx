import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { memo, useDeferredValue } from 'react';
import { notChargedText } from '#contracts/values/direct-billing.ts';
import { moneyText } from '#contracts/values/format.ts';
import type { Markups } from '#contracts/values/money.ts';
import { Card } from '../../ui/card.tsx';
import { UnreadBalance } from '../../ui/unread-balance.tsx';
import type { CartItem } from './cart.ts';
import {
  type BalanceReading,
  type ItemPrice,
  itemKey,
  knownSpendable,
  purchaseObstacle,
  sumsByKind,
  totalCents,
  totalMarkupCents,
} from './summary.ts';

interface CheckoutProps {
  /** What the order will contain. */
  items: readonly CartItem[];
  prices: Map<string, ItemPrice>;
  loading: boolean;
  processing: boolean;
  /** While an order is processed, once it is known. */
  progress: { done: number; of: number } | null;
  /** These items were sent, and their money may be reserved already. */
  sent: boolean;
  /** Those that exist; null while they are not known. */
  customers: ReadonlySet<string> | null;
  /** Of customers that are billed directly. */
  markups: ReadonlyMap<string, Markups>;
  /** Customers of the order whom direct billing cannot charge. */
  stopped: readonly string[];
  balance: BalanceReading;
  mayBuy: boolean;
  onFinalize: () => void;
}

/** "Items review", "Order summary" and the one button that spends money. */
export function CheckoutPanel(props: CheckoutProps) {
  const { items, prices, processing, progress, markups, balance, sent, loading } = props;
  // The sums may follow what was pressed. The button does not wait for them: it never buys what has left the cart.
  const summed = useDeferredValue(items);
  const obstacle =
    items.length === 0 ? 'Nothing is left to buy' : purchaseObstacle(items, prices, props.customers, loading);
  const hint = processing
    ? 'This can take up to a minute. You may leave this page; nothing is bought twice.'
    : (obstacle ?? finality(items));
  return (
    <Card title="Your cart" end="Items review">
      <Summary items={summed} {...{ prices, markups, balance, sent }} />
      {props.stopped.length > 0 && (
        <Alert color="yellow" variant="light" role="status" mt="md">
          {notChargedText(props.stopped)}
        </Alert>
      )}
      <Stack gap={4} mt="md">
        <Button
          size="md"
          fullWidth
          disabled={obstacle !== null || processing || loading || !props.mayBuy}
          onClick={props.onFinalize}
          aria-describedby="purchase-hint"
        >
          {processing ? 'Processing...' : 'Finalize Purchase'}
        </Button>
        {progress && <HowFar {...progress} />}
        <Text size="xs" c="dimmed" id="purchase-hint" aria-live="polite">
          {hint}
        </Text>
        <Text size="xs" c="dimmed">
          You are charged only for what the registry confirms.
        </Text>
      </Stack>
    </Card>
  );
}

function HowFar({ done, of }: { done: number; of: number }) {
  const text = `${done} of ${of} ${of === 1 ? 'item' : 'items'}`;
  return (
    <>
      <Progress value={(done / of) * 100} animated aria-label="Progress" aria-valuetext={text} />
      <Text size="xs" className="number">
        {text}
      </Text>
    </>
  );
}

type SummaryProps = Pick<CheckoutProps, 'items' | 'prices' | 'markups' | 'balance' | 'sent'>;

const Summary = memo(function Summary(props: SummaryProps) {
  const { items, prices } = props;
  return (
    <Stack gap="xs">
      <Text fw={600}>Order summary</Text>
      {sumsByKind(items, prices).map((sum) => (
        <KindLine key={sum.kind} {...sum} known={items.every((item) => prices.has(itemKey(item)))} />
      ))}
      {items.length > 0 && <Sums {...props} />}
    </Stack>
  );
});

/** What is said of kinds that are in the cart. An order of certificates or transfers alone may still be cancelled. */
function finality(items: readonly CartItem[]): string | null {
  const isFinal = items.some(({ type }) => type === 'domain' || type === 'renewal');
  return isFinal ? 'Registrations and renewals cannot be undone.' : null;
}

const kinds: Record<CartItem['type'], readonly [string, string]> = {
  domain: ['registration', 'registrations'],
  renewal: ['renewal', 'renewals'],
  transfer: ['transfer', 'transfers'],
  certificate: ['certificate', 'certificates'],
};

function KindLine(props: { kind: CartItem['type']; count: number; cents: number; known: boolean }) {
  const { kind, count, cents, known } = props;
  return (
    <Group justify="space-between" wrap="nowrap" align="baseline" gap="md">
      <Text size="sm">
        {count} {kinds[kind][count === 1 ? 0 : 1]}
      </Text>
      <Text size="sm" className="number">
        {known ? moneyText(cents) : '…'}
      </Text>
    </Group>
  );
}

/** The subtotal excludes taxes; markups are what direct-billing customers pay on top (P1 §2). */
function Sums({ items, prices, markups, balance, sent }: SummaryProps) {
  // A sum is shown when all of its parts are known.
  const known = items.every((item) => prices.has(itemKey(item)));
  const total = known ? totalCents(items, prices) : null;
  const markup = totalMarkupCents(items, prices, markups);
  return (
    <>
      <SummaryLine label="Subtotal (excludes taxes)" cents={total} strong />
      {markup !== null && <SummaryLine label="Your total markup will be" cents={known ? markup : null} />}
      {balance.error ? (
        <UnreadBalance of={balance} />
      ) : (
        <BalanceLines spendable={knownSpendable(balance)} total={sent ? null : total} />
      )}
    </>
  );
}

/** `total`: null as well while the balance may be without that money already: it would be taken off twice. */
function BalanceLines({ spendable, total }: { spendable: number | null; total: number | null }) {
  const after = spendable === null || total === null ? null : spendable - total;
  return (
    <>
      <SummaryLine label="Your balance" cents={spendable} />
      <SummaryLine strong label="Balance after this order" cents={after} />
    </>
  );
}

function SummaryLine(props: { label: string; cents: number | null; strong?: boolean }) {
  const { label, cents, strong = false } = props;
  const weight = strong ? { fw: 600 } : {};
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" {...weight}>
        {label}
      </Text>
      <Text
        size="sm"
        {...weight}
        {...(cents !== null && cents < 0 ? { c: 'var(--bad)' } : {})}
        className="number"
        style={{ whiteSpace: 'nowrap' }}
      >
        {cents === null ? '…' : moneyText(cents)}
      </Text>
    </Group>
  );
}
