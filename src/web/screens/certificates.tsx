import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type CertificateBand, certificateBands } from '#contracts/operations/certificates.ts';
import { useCertificates } from '../features/certificates/api.ts';
import { certificateColumns } from '../features/certificates/certificate-list.tsx';
import { useOverview } from '../features/overview/api.ts';
import { useMay } from '../features/users/api.ts';
import { headings } from '../lib/headings.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyList } from '../ui/empty-list.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterChips } from '../ui/filter-chips.tsx';
import { Page } from '../ui/page.tsx';
import { ListViews } from './list-views.tsx';

const bandNames: Readonly<Record<CertificateBand, string>> = {
  attention: 'Needs attention',
  valid: 'In order',
  open: 'On their way',
  ended: 'Ended',
};
const noneOf: Readonly<Record<CertificateBand, string>> = {
  attention: 'Nothing needs attention',
  valid: 'No certificate is in order',
  open: 'No certificate is on its way',
  ended: 'No certificate has ended',
};

/** Every certificate, with its two dates, and what somebody has to do about it. */
export default function CertificatesScreen() {
  const { state, setState, showAll, kind } = useTableState('validTo');
  const band = certificateBands.find((name) => name === kind);
  const mayBuy = useMay('orders.purchase');
  const certificates = useCertificates({
    ...state,
    sort: state.sort as 'validTo',
    band,
  });
  return (
    <Page
      title={headings['/certificates']}
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
        searchLabel="Search by host name or serial number"
        filters={
          <>
            <Bands active={band} onChoose={(chosen) => setState({ kind: chosen, page: 1 })} />
            <ListViews screen="certificates" />
          </>
        }
        empty={
          band ? (
            <EmptyState title={noneOf[band]} />
          ) : (
            <EmptyList
              title="No certificates found"
              showAll={showAll}
              first={
                mayBuy && {
                  text: 'Order one on the page of a domain, or let a server get its own by ACME.',
                  act: (
                    <Button component={Link} to="/domain/list">
                      Choose a domain
                    </Button>
                  ),
                }
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

/** Where the certificates stand, each with how many there are. */
function Bands(props: {
  active: CertificateBand | undefined;
  onChoose: (band: CertificateBand | undefined) => void;
}) {
  const { active, onChoose } = props;
  const overview = useOverview(true);
  const figures = overview.data?.certificates;
  const counts = figures && {
    ...{ attention: figures.flagged, valid: figures.valid, open: figures.open, ended: figures.ended },
  };
  return (
    <FilterChips
      label="Bands"
      counting={!overview.data && !overview.error}
      chips={certificateBands.map((band) => ({
        ...{ key: band, label: bandNames[band], active: active === band },
        count: counts?.[band],
        ...(band === 'attention' ? { tone: 'bad' as const } : {}),
        onToggle: () => onChoose(active === band ? undefined : band),
      }))}
    />
  );
}
