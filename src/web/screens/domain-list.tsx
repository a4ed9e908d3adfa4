import { Anchor, Button, Group, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { useAllCustomers } from '../features/customers/api.ts';
import { useDomains } from '../features/domains/api.ts';
import { useMay } from '../features/users/api.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

/** /domain/list (P2 §2). */
export default function DomainListScreen() {
  const { state, setState, customer } = useTableState('address');
  const mayBuy = useMay('orders.purchase');
  const domains = useDomains({ ...state, sort: state.sort as 'address', customerId: customer });
  return (
    <Page title="Domains">
      <DataTable
        label="Domains"
        columns={columnsOf(mayBuy)}
        rows={domains.data?.rows}
        total={domains.data?.meta.total}
        rowKey={(row) => row.address}
        state={state}
        onState={setState}
        loading={domains.isFetching}
        error={domains.error}
        onRetry={domains.refetch}
        loadingText="Loading domains..."
        searchLabel="Search your domains"
        filters={<CustomerFilter value={customer} onChange={(id) => setState({ customer: id, page: 1 })} />}
        empty={
          <EmptyState
            title="No domains found"
            action={
              <Button component={Link} to="/domains">
                Search for domains
              </Button>
            }
          />
        }
      />
    </Page>
  );
}

function CustomerFilter(props: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const customers = useAllCustomers();
  return (
    <Group gap="xs">
      <Select
        aria-label="Customer"
        placeholder="All customers"
        searchable
        data={(customers.data ?? []).map((entry) => ({
          value: entry.customerId,
          label: entry.contacts.owner.organization,
        }))}
        value={props.value ?? null}
        onChange={(id) => props.onChange(id ?? undefined)}
      />
      <Button variant="default" disabled={!props.value} onClick={() => props.onChange(undefined)}>
        {props.value ? 'Clear Filter' : 'Showing All Customers'}
      </Button>
    </Group>
  );
}

function columnsOf(mayBuy: boolean): Column<DomainRow>[] {
  return [
    {
      key: 'domain',
      title: 'Domain',
      sort: 'address',
      render: (row) => <DomainName name={row.address} to={`/domain/${row.address}`} />,
    },
    { key: 'customer', title: 'Customer', sort: 'customer', render: (row) => row.customer },
    { key: 'expiration', title: 'Expiration', sort: 'expireDate', render: (row) => <Expiration row={row} /> },
    { key: 'ssl', title: 'SSL Certificate', render: (row) => <Certificate row={row} mayBuy={mayBuy} /> },
  ];
}

/** Local date-time, or 'Pending Transfer' when there is no expiry date (P2 §2). */
function Expiration({ row }: { row: DomainRow }) {
  return row.expireDate ? <DateTime at={row.expireDate} /> : 'Pending Transfer';
}

function Certificate({ row, mayBuy }: { row: DomainRow; mayBuy: boolean }) {
  if (row.certificate) return <Text size="sm">Status: {row.certificate.state}</Text>;
  if (!mayBuy) return null;
  return (
    <Anchor
      component={Link}
      to={`/domain/${row.address}`}
      size="sm"
      onClick={(event) => event.stopPropagation()}
    >
      Purchase SSL Certificate
    </Anchor>
  );
}
