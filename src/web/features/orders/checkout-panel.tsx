import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { formatCents, type Markups, usdToCents } from '#contracts/values/money.ts';
import type { CartItem } from './cart.ts';
import { itemKinds } from './order-texts.ts';
import { type ItemPrice, itemKey, purchaseObstacle, totalCents, totalMarkupCents } from './summary.ts';

interface CheckoutProps {
  /** What the order will contain. */
  items: readonly CartItem[];
  prices: Map<string, ItemPrice>;
  loading: boolean;
  processing: boolean;
  /** Those that exist; null while they are not known. */
  customers: ReadonlySet<string> | null;
  /** Of customers that are billed directly. */
  markups: ReadonlyMap<string, Markups>;
  /** null while the balance is not known. */
  spendableCents: number | null;
  mayBuy: boolean;
  onFinalize: () => void;
}

/** "Items review", "Order summary" and the one button that spends money. */
export function CheckoutPanel(props: CheckoutProps) {
  const { items, prices, processing } = props;
  const obstacle =
    items.length === 0 ? 'Nothing is left to buy' : purchaseObstacle(items, prices, props.customers);
  const hint = processing
    ? 'This can take up to a minute. You may leave this page; nothing is bought twice.'
    : (obstacle ?? 'Registrations and renewals cannot be undone.');
  return (
    <Paper withBorder p="md" pos="sticky" top={80}>
      <Stack gap="xs">
        <Text fw={600}>Items review</Text>
        {items.map((item) => (
          <ReviewLine key={itemKey(item)} item={item} price={prices.get(itemKey(item))} />
        ))}
        <Text fw={600} mt="sm">
          Order summary
        </Text>
        {items.length > 0 && <Sums {...props} />}
      </Stack>
      <Stack gap={4} mt="md">
        <Button
          size="md"
          fullWidth
          disabled={obstacle !== null || processing || props.loading || !props.mayBuy}
          onClick={props.onFinalize}
          aria-describedby="purchase-hint"
        >
          {processing ? 'Processing...' : 'Finalize Purchase'}
        </Button>
        <Text size="xs" c="dimmed" id="purchase-hint" aria-live="polite">
          {hint}
        </Text>
      </Stack>
    </Paper>
  );
}

function ReviewLine({ item, price }: { item: CartItem; price: ItemPrice | undefined }) {
  const years = item.type === 'domain' && item.registration === 2 ? ', 2 years' : '';
  return (
    <Group justify="space-between" wrap="nowrap" align="baseline" gap="md">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {item.address}{' '}
        <Text span c="dimmed">
          {itemKinds[item.type].toLowerCase()}
          {years}
        </Text>
      </Text>
      <Text size="sm" className="number" {...(price?.error ? { c: 'var(--bad)' } : {})}>
        {price?.error ?? (price ? formatCents(usdToCents(price.price)) : '…')}
      </Text>
    </Group>
  );
}

/** The subtotal excludes taxes; markups are what direct-billing customers pay on top (P1 §2). */
function Sums({ items, prices, markups, spendableCents }: CheckoutProps) {
  // A sum is shown when all of its parts are known.
  const known = items.every((item) => prices.has(itemKey(item)));
  const total = known ? totalCents(items, prices) : null;
  const markup = totalMarkupCents(items, prices, markups);
  return (
    <>
      <SummaryLine label="Subtotal (excludes taxes)" cents={total} strong />
      {markup !== null && <SummaryLine label="Your total markup will be" cents={known ? markup : null} />}
      {spendableCents !== null && (
        <>
          <SummaryLine label="Your balance" cents={spendableCents} />
          <SummaryLine
            label="Balance after this order"
            cents={total === null ? null : spendableCents - total}
          />
        </>
      )}
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
      >
        {cents === null ? '…' : `USD ${formatCents(cents)}`}
      </Text>
    </Group>
  );
}
