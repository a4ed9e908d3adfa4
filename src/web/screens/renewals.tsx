import { Alert, Badge, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DueRenewal, DueRenewals } from '#contracts/operations/renewals.ts';
import { formatCents, usdToCents } from '#contracts/values/money.ts';
import { DaysLeft } from '../features/domains/life-section.tsx';
import { cart, useCart } from '../features/orders/cart.ts';
import { useDueRenewals } from '../features/renewals/api.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { BackLink } from '../ui/back-link.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

const days = 90;

/** /domain/renewals: what falls due in the next 90 days against the money there is. */
export default function RenewalsScreen() {
  const due = useDueRenewals(days);
  const mayBuy = useMay('orders.purchase');
  const { items } = useCart(useProfile().data?.userId);
  const inCart = new Set(items.filter(({ type }) => type === 'renewal').map(({ address }) => address));
  return (
    <Page title="Renewals" above={<BackLink to="/domain/list">Back to domains</BackLink>}>
      <Stack gap="md">
        {due.data && due.data.rows.length > 0 && <Money due={due.data} />}
        <DataTable
          label={`Due in the next ${days} days`}
          columns={columnsOf(mayBuy ? inCart : null)}
          rows={due.data?.rows}
          rowKey={(row) => row.address}
          loading={due.isFetching}
          error={due.error}
          onRetry={due.refetch}
          loadingText="Loading renewals..."
          empty={
            <EmptyState
              title={`Nothing falls due in the next ${days} days`}
              action={
                <Button component={Link} to="/domain/list">
                  Show all domains
                </Button>
              }
            />
          }
        />
      </Stack>
    </Page>
  );
}

function Money({ due }: { due: DueRenewals }) {
  const manual = due.rows.length - due.automaticCount;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <Figure label="You can spend" cents={due.spendable} />
        <Figure label={`Auto renew (${due.automaticCount})`} cents={usdToCents(due.automaticTotal)} />
        <Figure label={`All due (${due.rows.length})`} cents={usdToCents(due.total)} />
      </SimpleGrid>
      {due.shortFrom ? (
        <Alert color="red" variant="light" role="status" title="Your balance does not last">
          <Text size="sm" mb="xs">
            From <DateTime at={due.shortFrom} /> automatic renewals are not covered. $
            {formatCents(usdToCents(due.missing))} are missing for all of them.
          </Text>
          <Button component={Link} to="/account" size="xs">
            Top up
          </Button>
        </Alert>
      ) : (
        <Alert color="teal" variant="light" role="status">
          Your balance covers every automatic renewal of the next {days} days.
          {manual === 1 && ' 1 domain does not renew by itself.'}
          {manual > 1 && ` ${manual} domains do not renew by themselves.`}
        </Alert>
      )}
    </>
  );
}

function Figure({ label, cents }: { label: string; cents: number }) {
  return (
    <Paper withBorder p="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="lg" fw={600} className="number">
        ${formatCents(cents)}
      </Text>
    </Paper>
  );
}

function columnsOf(inCart: ReadonlySet<string> | null): Column<DueRenewal>[] {
  return [
    {
      key: 'domain',
      title: 'Domain',
      width: '36%',
      render: (row) => <DomainName name={row.address} to={`/domain/${row.address}`} />,
    },
    { key: 'customer', title: 'Customer', width: '22%', gives: 1, render: (row) => row.customer },
    {
      key: 'expires',
      title: 'Expiration',
      render: (row) => (
        <Stack gap={2}>
          <DateTime at={row.expireDate} />
          <DaysLeft to={row.expireDate} now={new Date()} />
        </Stack>
      ),
    },
    { key: 'renewal', title: 'Renewal', render: (row) => <Renewal row={row} /> },
    {
      key: 'price',
      title: 'Price',
      align: 'right',
      render: (row) => (
        <span className="number">{row.price === null ? '–' : `$${formatCents(usdToCents(row.price))}`}</span>
      ),
    },
    ...(inCart
      ? [
          {
            key: 'cart',
            title: 'Cart',
            hideTitle: true,
            align: 'right' as const,
            render: (row: DueRenewal) => <AddButton row={row} added={inCart.has(row.address)} />,
          },
        ]
      : []),
  ];
}

function Renewal({ row }: { row: DueRenewal }) {
  if (row.state === 'manual') {
    return (
      <Badge color="gray" variant="light">
        By hand
      </Badge>
    );
  }
  if (row.state === 'ordered') {
    return (
      <Badge color="teal" variant="light">
        Being renewed
      </Badge>
    );
  }
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Badge color={row.state === 'unable' || !row.covered ? 'red' : 'teal'} variant="light">
          {row.state === 'unable' ? 'Could not be renewed' : row.covered ? 'Auto renew' : 'Not covered'}
        </Badge>
        {row.state === 'planned' && row.renewAt && (
          <Text size="xs" c="dimmed">
            <DateTime at={row.renewAt} />
          </Text>
        )}
      </Group>
      {row.reason && <Text size="xs">{row.reason}</Text>}
    </Stack>
  );
}

function AddButton({ row, added }: { row: DueRenewal; added: boolean }) {
  if (row.state === 'ordered') return null;
  const { address, autoRenew, customerId, expireDate } = row;
  return (
    <Button
      size="compact-sm"
      variant="default"
      disabled={added}
      aria-label={added ? `Renewal of ${address} is in the cart` : `Renew ${address}`}
      onClick={() =>
        cart.add({ type: 'renewal', address, registration: 1, autoRenew, customerId, expireDate })
      }
    >
      {added ? 'In cart' : 'Renew'}
    </Button>
  );
}
