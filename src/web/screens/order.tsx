import { Skeleton, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useOrder } from '../features/orders/order-api.ts';
import { OrderDetails, Receipt } from '../features/orders/order-details.tsx';
import { ApiError } from '../lib/api-error.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

/** /orders/{orderId}: what was ordered and what became of it, live until nothing is open. */
export default function OrderScreen() {
  const { orderId = '' } = useParams({ strict: false });
  const order = useOrder(orderId);
  return (
    <Page
      title="Order"
      above={<Breadcrumbs trail={[{ to: '/orders', label: 'Orders' }]} here="Order" />}
      action={order.data && <Receipt order={order.data} />}
    >
      {order.data ? (
        <OrderDetails order={order.data} />
      ) : order.error && isMissing(order.error) ? (
        <EmptyState title="Order not found" text="Please check the address." />
      ) : order.error ? (
        <ErrorState error={order.error} onRetry={order.refetch} />
      ) : (
        <Stack role="status" aria-label="Loading order...">
          <Skeleton height={84} />
          <Skeleton height={120} />
        </Stack>
      )}
    </Page>
  );
}

function isMissing(error: Error): boolean {
  return error instanceof ApiError && (error.code === 'not_found' || error.code === 'validation_failed');
}
