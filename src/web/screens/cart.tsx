import { Anchor, Button, Grid, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { useBalance } from '../features/billing/api.ts';
import { useAllCustomers } from '../features/customers/api.ts';
import { useCartPrices, usePurchase } from '../features/orders/api.ts';
import { cart, useCart } from '../features/orders/cart.ts';
import { CartLines, OrderSummary } from '../features/orders/cart-lines.tsx';
import { type DialogContent, hasFailures, PurchaseDialog } from '../features/orders/purchase-dialog.tsx';
import {
  orderBody,
  priceTable,
  purchaseObstacle,
  totalCents,
  totalMarkupCents,
  withSharedOwner,
} from '../features/orders/summary.ts';
import { useProfile } from '../features/users/api.ts';
import { ApiError } from '../lib/api-error.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

const noFunds = "You don't have enough funds to process this cart, please topup your account";

/** /cart (P1 §2): review, choose owners, pay from the balance, see what came of each item. */
export default function CartScreen() {
  const profile = useProfile();
  const { items: stored } = useCart(profile.data?.userId);
  const [sharedOwner, setSharedOwner] = useState(false);
  const items = useMemo(() => withSharedOwner(stored, sharedOwner), [stored, sharedOwner]);
  const customers = useAllCustomers();
  const prices = useCartPrices(items);
  const balance = useBalance();
  const purchase = usePurchase();
  const [dialog, setDialog] = useState<DialogContent | null>(null);
  const navigate = useNavigate();

  const table = priceTable(prices.data);
  const total = totalCents(items, table);
  const byId = useMemo(
    () =>
      new Map(
        (customers.data ?? []).map((customer) => [
          customer.customerId,
          { billDirectly: customer.billing.billDirectly, markups: customer.markups },
        ]),
      ),
    [customers.data],
  );
  const spendable = balance.data ? balance.data.balance + balance.data.pendingBalance : null;
  const obstacle = purchaseObstacle(items, table);

  function finalize() {
    // P1 §5: checked before the order is sent; the server checks again and decides.
    if (spendable !== null && spendable < total) {
      setDialog({ kind: 'problem', title: 'Something went wrong', message: noFunds });
      return;
    }
    purchase.mutate(orderBody(items, table), {
      onSuccess: (result) => setDialog({ kind: 'result', result }),
      onError: (error) => setDialog(problemOf(error)),
    });
  }

  function closeDialog() {
    const shown = dialog;
    setDialog(null);
    if (shown?.kind !== 'result') return;
    if (!hasFailures(shown.result)) {
      cart.clear();
      void navigate({ to: '/customers' });
      return;
    }
    cart.finish(bought(shown.result));
  }

  if (items.length === 0 && !dialog) {
    return (
      <Page title="Finalize domain purchase">
        <EmptyState
          title="Your cart is empty"
          action={
            <Button component={Link} to="/domains">
              Search for domains
            </Button>
          }
        />
      </Page>
    );
  }
  const options = (customers.data ?? []).map((customer) => ({
    value: customer.customerId,
    label: customer.contacts.owner.organization,
  }));
  return (
    <Page title="Finalize domain purchase">
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Title order={2} size="h4" mb="sm">
            Domain List
          </Title>
          {customers.isError ? (
            <ErrorState error={customers.error} onRetry={customers.refetch} />
          ) : customers.isPending ? (
            <Skeleton height={120} />
          ) : (
            <CartLines
              items={items}
              customers={options}
              sharedOwner={sharedOwner}
              onSharedOwner={setSharedOwner}
              addCustomer={
                <Anchor component={Link} to="/customers/add">
                  Add Customer
                </Anchor>
              }
              disabled={purchase.isPending}
            />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Title order={2} size="h4" mb="sm">
            Your cart
          </Title>
          <Paper withBorder p="md" pos="sticky" top={80}>
            {prices.isError ? (
              <ErrorState error={prices.error} onRetry={prices.refetch} />
            ) : (
              <OrderSummary
                items={items}
                prices={table}
                loading={prices.isFetching}
                totalCents={total}
                markupCents={totalMarkupCents(items, table, byId)}
                spendableCents={spendable}
              />
            )}
            <Stack gap={4} mt="md">
              <Button
                size="md"
                fullWidth
                disabled={obstacle !== null || purchase.isPending}
                onClick={finalize}
                aria-describedby="purchase-hint"
              >
                {purchase.isPending ? 'Processing...' : 'Finalize Purchase'}
              </Button>
              <Text size="xs" c="dimmed" id="purchase-hint" aria-live="polite">
                {purchase.isPending
                  ? 'This can take up to a minute. You may leave this page; nothing is bought twice.'
                  : (obstacle ?? 'Registrations and renewals cannot be undone.')}
              </Text>
            </Stack>
          </Paper>
        </Grid.Col>
      </Grid>
      <PurchaseDialog content={dialog} onClose={closeDialog} />
    </Page>
  );
}

/** Items that leave the cart (P1 §4): failed ones stay; buying a running one again only attaches to it. */
function bought(result: PurchaseResult) {
  const of = (type: 'domain' | 'renewal' | 'transfer' | 'certificate', list: { domain: string }[]) =>
    list.map(({ domain }) => ({ type, address: domain }));
  return [
    ...of('domain', result.domains.success),
    ...of('renewal', result.renewals.success),
    ...of('transfer', result.transfers.success),
    ...of('certificate', result.certificates.success),
  ];
}

interface PriceChange {
  items: { address: string; kind: string; oldPrice: number | null; newPrice: number }[];
}

function problemOf(error: unknown): DialogContent {
  const title = 'Something went wrong';
  if (!(error instanceof ApiError)) return { kind: 'problem', title, message: title };
  const problem = { kind: 'problem' as const, title, message: error.message };
  if (error.code === 'price_changed') {
    const { items } = error.data as PriceChange;
    const changed = items.filter((item) => item.oldPrice !== item.newPrice);
    return {
      ...problem,
      details: changed.map(
        (item) => `${item.address}: USD ${item.oldPrice ?? '?'} is now USD ${item.newPrice}`,
      ),
    };
  }
  if (error.details?.length) return { ...problem, details: error.details.map((entry) => entry.message) };
  return problem;
}
