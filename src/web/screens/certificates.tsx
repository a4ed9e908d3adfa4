import { Button, Switch, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useCertificates } from '../features/certificates/api.ts';
import { certificateColumns } from '../features/certificates/certificate-list.tsx';
import { useMay } from '../features/users/api.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';
import { ListViews } from './list-views.tsx';

/** Every certificate, with its two dates, and what somebody has to do about it. */
export default function CertificatesScreen() {
  const { state, setState, kind } = useTableState('validTo');
  const flagged = kind === 'attention';
  const mayBuy = useMay('orders.purchase');
  const certificates = useCertificates({
    ...state,
    sort: state.sort as 'validTo',
    ...(flagged ? { flagged: 'true' } : {}),
  });
  return (
    <Page
      title="Certificates"
      action={
        <Button component={Link} to="/certificates/acme" variant="default">
          ACME access
        </Button>
      }
    >
      <DataTable
        label="Certificates"
        columns={certificateColumns(true)}
        rows={certificates.data?.rows}
        total={certificates.data?.meta.total}
        rowKey={(row) => row.certificateId}
        state={state}
        onState={setState}
        loading={certificates.isFetching}
        error={certificates.error}
        onRetry={certificates.refetch}
        loadingText="Loading certificates..."
        searchLabel="Search host name or serial"
        filters={
          <>
            <Switch
              label="Needs attention"
              checked={flagged}
              onChange={(event) =>
                setState({ kind: event.currentTarget.checked ? 'attention' : undefined, page: 1 })
              }
            />
            <ListViews screen="certificates" />
          </>
        }
        empty={
          flagged ? (
            <EmptyState title="Nothing needs attention" />
          ) : (
            <EmptyState
              title="No certificates found"
              action={
                mayBuy && (
                  <Button component={Link} to="/domain/list">
                    Choose a domain
                  </Button>
                )
              }
            />
          )
        }
      />
      {certificates.data && certificates.data.rows.length > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Serial numbers and files are on each certificate's page. The tick on a bar marks the next reissue.
        </Text>
      )}
    </Page>
  );
}
