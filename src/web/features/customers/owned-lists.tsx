import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useCustomerDomains } from './api.ts';

interface DomainsTabProps {
  customerId: string;
  /** That it has left the account; nothing for one that is here. */
  left: (row: DomainRow) => ReactNode;
  /** The state of a domain's certificate, or a link to buy one. */
  certificate: (row: DomainRow) => ReactNode;
}

/** Domains tab (P1 §2): a click opens /customers/{customerId}/domains/{address}. */
export function DomainsTab(props: DomainsTabProps) {
  const { customerId } = props;
  const { state, setState } = useTableState('address');
  const domains = useCustomerDomains(customerId, { ...state, sort: state.sort as 'address' });
  return (
    <DataTable
      label="Domains"
      columns={domainColumns(props)}
      rows={domains.data?.rows}
      total={domains.data?.meta.total}
      rowKey={(row) => row.address}
      state={state}
      onState={setState}
      loading={domains.isFetching}
      error={domains.error}
      onRetry={domains.refetch}
      loadingText="Loading domains..."
      searchLabel="Search this customer's domains"
      empty={<EmptyState title="No domains found" />}
    />
  );
}

function domainColumns({ customerId, left, certificate }: DomainsTabProps): Column<DomainRow>[] {
  return [
    {
      key: 'domain',
      title: 'Domain',
      sort: 'address',
      width: '60%',
      render: (row) => (
        <Group gap="xs">
          <DomainName name={row.address} to={`/customers/${customerId}/domains/${row.address}`} />
          {left(row)}
        </Group>
      ),
    },
    {
      key: 'expiration',
      title: 'Expiration',
      sort: 'expireDate',
      render: (row) => (row.expireDate ? <DateTime at={row.expireDate} /> : 'Pending Transfer'),
    },
    {
      key: 'ssl',
      title: 'SSL Certificate',
      render: certificate,
    },
  ];
}
