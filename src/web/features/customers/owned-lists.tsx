import { Text } from '@mantine/core';
import type { CertificateRow } from '#contracts/operations/certificates.ts';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useCustomerCertificates, useCustomerDomains } from './api.ts';

/** Domains tab (P1 §2): a click opens /customers/{customerId}/domains/{address}. */
export function DomainsTab({ customerId }: { customerId: string }) {
  const { state, setState } = useTableState('address');
  const domains = useCustomerDomains(customerId, { ...state, sort: state.sort as 'address' });
  return (
    <DataTable
      label="Domains"
      columns={domainColumns(customerId)}
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

function domainColumns(customerId: string): Column<DomainRow>[] {
  return [
    {
      key: 'domain',
      title: 'Domain',
      sort: 'address',
      render: (row) => (
        <DomainName name={row.address} to={`/customers/${customerId}/domains/${row.address}`} />
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
      render: (row) => row.certificate && <Text size="sm">Status: {row.certificate.state}</Text>,
    },
  ];
}

/** Certificates tab (P1 §2): the customer's SSL items. */
export function CertificatesTab({ customerId }: { customerId: string }) {
  const { state, setState } = useTableState('address');
  const certificates = useCustomerCertificates(customerId, { ...state, sort: state.sort as 'address' });
  return (
    <DataTable
      label="Certificates"
      columns={certificateColumns}
      rows={certificates.data?.rows}
      total={certificates.data?.meta.total}
      rowKey={(row) => row.certificateId}
      state={state}
      onState={setState}
      loading={certificates.isFetching}
      error={certificates.error}
      onRetry={certificates.refetch}
      loadingText="Loading certificates..."
      searchLabel="Search this customer's certificates"
      empty={<EmptyState title="No certificates found" />}
    />
  );
}

const certificateColumns: Column<CertificateRow>[] = [
  {
    key: 'address',
    title: 'Domain',
    sort: 'address',
    render: (row) => <DomainName name={row.address} />,
  },
  { key: 'product', title: 'Certificate', render: (row) => `${row.provider} ${row.productType}` },
  { key: 'state', title: 'Status', sort: 'state', render: (row) => row.state },
  // Decisions no. 26: two dates, both shown.
  {
    key: 'term',
    title: 'Order term ends',
    render: (row) => (row.termEndsAt ? <DateTime at={row.termEndsAt} /> : '–'),
  },
  {
    key: 'validTo',
    title: 'Valid to',
    sort: 'validTo',
    render: (row) => (row.validTo ? <DateTime at={row.validTo} /> : '–'),
  },
];
