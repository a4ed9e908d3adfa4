import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { CertificateRow } from '#contracts/operations/certificates.ts';
import { dayText } from '#contracts/values/format.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { Chip } from '../../ui/chip.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useCustomerCertificates } from './api.ts';
import classes from './certificate-list.module.css';
import { standingOf } from './standing.ts';
import { ValidityBar } from './validity-bar.tsx';

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

/** Host names, one state, the validity with the next reissue on it, what is next, and the end of the term (decisions no. 26). */
export function certificateColumns(withCustomer: boolean): Column<CertificateRow>[] {
  const now = new Date();
  const customer: Column<CertificateRow> = {
    key: 'customer',
    title: 'Customer',
    width: '18%',
    gives: 2,
    render: (row) => row.customer,
  };
  return [
    { key: 'address', title: 'Domain', sort: 'address', width: '50%', render: (row) => <Names row={row} /> },
    ...(withCustomer ? [customer] : []),
    {
      key: 'state',
      title: 'Status',
      sort: 'state',
      render: (row) => {
        const { tone, state } = standingOf(row, now);
        return <Chip tone={tone}>{state}</Chip>;
      },
    },
    {
      key: 'validTo',
      title: 'Validity',
      sort: 'validTo',
      render: (row) => <ValidityBar standing={standingOf(row, now)} />,
    },
    {
      key: 'next',
      title: 'Next step',
      width: '32%',
      gives: 2,
      render: (row) => {
        const { next } = standingOf(row, now);
        return (
          <span className={classes.next} title={next}>
            {next}
          </span>
        );
      },
    },
    {
      key: 'act',
      title: 'Action',
      hideTitle: true,
      align: 'right',
      render: (row) => <Act row={row} now={now} />,
    },
  ];
}

function Names({ row }: { row: CertificateRow }) {
  const others = row.hostNames.filter((name) => name !== row.address);
  return (
    <div style={{ minWidth: 0 }}>
      {row.orderId ? (
        <DomainName name={row.address} copy={false} to={`/SSL/${row.orderId}`} />
      ) : (
        <DomainName name={row.address} copy={false} />
      )}
      <Text size="xs" c="dimmed" truncate>
        {[row.provider, row.byAcme ? 'by ACME' : '', termText(row), ...others].filter(Boolean).join(' · ')}
      </Text>
    </div>
  );
}

/** The second of the two dates (decisions no. 26). */
const termText = ({ termEndsAt }: CertificateRow) =>
  termEndsAt === null ? '' : `term ends ${dayText(new Date(termEndsAt))}`;

/** The one thing that helps, where a person is needed: it is done on the certificate's page. */
function Act({ row, now }: { row: CertificateRow; now: Date }) {
  const { act } = standingOf(row, now);
  if (!act || !row.orderId) return null;
  return (
    <Button
      component={Link}
      to={`/SSL/${row.orderId}`}
      size="xs"
      variant="default"
      aria-label={`${act}: ${row.address}`}
    >
      {act}
    </Button>
  );
}
