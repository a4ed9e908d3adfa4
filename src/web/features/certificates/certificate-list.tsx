import { Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { CertificateRow } from '#contracts/operations/certificates.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useCustomerCertificates } from './api.ts';
import { CertificateStatus } from './status.tsx';

/** Certificates tab (P1 §2): the customer's SSL items. */
export function CertificatesTab({ customerId }: { customerId: string }) {
  const { state, setState } = useTableState('-orderedAt');
  const certificates = useCustomerCertificates(customerId, { ...state, sort: state.sort as '-orderedAt' });
  return (
    <DataTable
      label="Certificates"
      columns={certificateColumns(false)}
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

/** Host names, serial, and the two dates of decisions no. 26. */
export function certificateColumns(withCustomer: boolean): Column<CertificateRow>[] {
  const customer: Column<CertificateRow> = {
    key: 'customer',
    title: 'Customer',
    render: (row) => row.customer,
  };
  return [
    { key: 'address', title: 'Domain', sort: 'address', render: (row) => <Names row={row} /> },
    ...(withCustomer ? [customer] : []),
    { key: 'state', title: 'Status', sort: 'state', render: (row) => <Status row={row} /> },
    { key: 'validTo', title: 'Valid to', sort: 'validTo', render: (row) => <Moment at={row.validTo} /> },
    { key: 'next', title: 'Next reissue', render: (row) => <Moment at={row.nextReissueAt} /> },
    {
      key: 'term',
      title: 'Order term ends',
      sort: 'termEndsAt',
      render: (row) => <Moment at={row.termEndsAt} />,
    },
  ];
}

function Names({ row }: { row: CertificateRow }) {
  const others = row.hostNames.filter((name) => name !== row.address);
  return (
    <Stack gap={0} miw={210}>
      {row.orderId ? (
        <DomainName name={row.address} to={`/SSL/${row.orderId}`} />
      ) : (
        <DomainName name={row.address} />
      )}
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {[row.provider, ...others].join(' · ')}
      </Text>
      {row.serial && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Serial{' '}
          <Text span ff="monospace" size="xs">
            {row.serial}
          </Text>
        </Text>
      )}
    </Stack>
  );
}

function Status({ row }: { row: CertificateRow }) {
  const [flag, ...more] = row.flags;
  return (
    <Stack gap={4} align="flex-start">
      <CertificateStatus state={row.state} />
      {flag && (
        <Text size="xs" {...(flag.level === 'danger' ? { c: 'var(--mantine-color-error)' } : {})} maw={240}>
          <IconAlertTriangle size={14} aria-hidden style={{ verticalAlign: '-2px' }} /> {flag.text}
          {more.length > 0 && ` And ${more.length} more.`}
        </Text>
      )}
    </Stack>
  );
}

function Moment({ at }: { at: string | null }) {
  return at ? <DateTime at={at} /> : '–';
}
