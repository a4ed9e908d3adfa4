import { Group, Text } from '@mantine/core';
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
    width: '36%',
    gives: 2,
    render: (row) => row.customer,
  };
  return [
    { key: 'address', title: 'Domain', sort: 'address', width: '58%', render: (row) => <Names row={row} /> },
    ...(withCustomer ? [customer] : []),
    { key: 'state', title: 'Status', sort: 'state', render: (row) => <Status row={row} /> },
    { key: 'validTo', title: 'Valid to', sort: 'validTo', render: (row) => <Moment at={row.validTo} /> },
    { key: 'next', title: 'Next reissue', gives: 2, render: (row) => <Moment at={row.nextReissueAt} /> },
    {
      key: 'term',
      title: 'Order term ends',
      gives: 1,
      sort: 'termEndsAt',
      render: (row) => <Moment at={row.termEndsAt} />,
    },
  ];
}

function Names({ row }: { row: CertificateRow }) {
  const others = row.hostNames.filter((name) => name !== row.address);
  return (
    <>
      {row.orderId ? (
        <DomainName name={row.address} to={`/SSL/${row.orderId}`} />
      ) : (
        <DomainName name={row.address} />
      )}
      <Text span size="xs" c="dimmed">
        {[row.provider, ...others].join(' · ')}
      </Text>
    </>
  );
}

/** One state, the worse of order and validity, and the most pressing notice on the same line. */
function Status({ row }: { row: CertificateRow }) {
  const [flag, ...more] = row.flags;
  const text = flag && (more.length > 0 ? `${flag.text} And ${more.length} more.` : flag.text);
  return (
    <Group gap="xs" wrap="nowrap">
      <CertificateStatus state={row.state} worst={flag?.level} />
      {flag && (
        <Text size="xs" c={flag.level === 'danger' ? 'red' : 'dimmed'} truncate title={text} maw="16rem">
          <IconAlertTriangle size={14} aria-hidden style={{ verticalAlign: '-2px' }} /> {text}
        </Text>
      )}
    </Group>
  );
}

function Moment({ at }: { at: string | null }) {
  return at ? <DateTime at={at} /> : '–';
}
