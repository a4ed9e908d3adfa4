import { Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Order } from '#contracts/operations/orders.ts';
import { usdText } from '#contracts/values/format.ts';
import { useOrders } from '../features/orders/order-api.ts';
import { itemKinds, orderStates } from '../features/orders/order-texts.ts';
import { headings } from '../lib/headings.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { EmptyList } from '../ui/empty-list.tsx';
import { Page } from '../ui/page.tsx';
import { RowLink } from '../ui/row-link.tsx';
import { ListViews } from './list-views.tsx';

/** /orders: everything that was ordered, newest first. */
export default function OrdersScreen() {
  const { state, setState, showAll } = useTableState('-createdAt');
  const orders = useOrders({ ...state, sort: state.sort as '-createdAt' });
  return (
    <Page title={headings['/orders']}>
      <DataTable
        label="Orders"
        columns={columns}
        rows={orders.data?.rows}
        total={orders.data?.meta.total}
        rowKey={(order) => order.orderId}
        state={state}
        onState={setState}
        loading={orders.isFetching}
        error={orders.error}
        onRetry={orders.refetch}
        loadingText="Loading orders..."
        searchLabel="Search by domain"
        filters={<ListViews screen="orders" />}
        empty={
          <EmptyList
            title={showAll ? 'No orders found for this domain' : 'No orders yet'}
            showAll={showAll}
            first={{
              text: 'Registrations, renewals, transfers and certificates are listed here, with what they cost and how far they are.',
              act: (
                <Button component={Link} to="/domains">
                  Search for domains
                </Button>
              ),
            }}
          />
        }
      />
    </Page>
  );
}

const columns: Column<Order>[] = [
  {
    key: 'what',
    title: 'Items',
    width: '40%',
    render: (order) => <RowLink to={`/orders/${order.orderId}`}>{summaryOf(order)}</RowLink>,
  },
  {
    key: 'createdAt',
    title: 'Ordered',
    sort: 'createdAt',
    render: (order) => <DateTime at={order.createdAt} />,
  },
  { key: 'by', title: 'By', width: '20%', gives: 2, render: (order) => order.by },
  {
    key: 'state',
    title: 'State',
    render: (order) => (
      <Badge color={orderStates[order.state].tone} variant="light" tt="none">
        {orderStates[order.state].label}
      </Badge>
    ),
  },
  { key: 'total', title: 'Total', sort: 'total', align: 'right', render: (order) => amount(order.total) },
  { key: 'charged', title: 'Charged', align: 'right', gives: 1, render: (order) => amount(order.charged) },
];

const amount = (dollars: number) => <span className="number">{usdText(dollars)}</span>;

/** "Registration of a.com and 2 more" */
function summaryOf(order: Order): string {
  const [first, ...others] = order.items;
  if (!first) return 'Order';
  const what = `${itemKinds[first.kind]} of ${first.address}`;
  return others.length === 0 ? what : `${what} and ${others.length} more`;
}
