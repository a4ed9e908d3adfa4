import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { OwnerChoice } from '../features/customers/owner-choice.tsx';
import { type MoveListQuery, useMoves } from '../features/moves/api.ts';
import { PasteForm } from '../features/moves/paste-form.tsx';
import { countsText } from '../features/moves/texts.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';
import { RowLink } from '../ui/row-link.tsx';

/** /domain/moves: a new list of names with codes, and the lists there are. */
export default function MovesScreen() {
  const navigate = useNavigate();
  const { customer } = useTableState();
  const [customerId, setCustomerId] = useState<string | null>(customer ?? null);
  return (
    <Page
      title="Transfer a list of domains"
      below="Each name is checked before anything is ordered, and the records of its DNS are read."
      above={
        <Breadcrumbs trail={[{ to: '/domain/list', label: 'Domain management' }]} here="Transfer lists" />
      }
    >
      <Stack gap="lg">
        <Card title="New list">
          <PasteForm
            customerId={customerId}
            customerChoice={(missing) => (
              <OwnerChoice
                label="Customer"
                what="these domains"
                value={customerId}
                missing={missing}
                onChange={setCustomerId}
              />
            )}
            onMade={(id) => void navigate({ to: `/domain/moves/${id}` as never })}
          />
        </Card>
        <Lists />
      </Stack>
    </Page>
  );
}

function Lists() {
  const { state, setState } = useTableState('-createdAt');
  const moves = useMoves({ ...state, sort: state.sort as MoveListQuery['sort'] });
  return (
    <Card flush title="Lists">
      <DataTable
        label="Transfer lists"
        columns={[
          {
            key: 'at',
            title: 'Pasted',
            sort: 'createdAt',
            render: ({ id, createdAt }) => (
              <RowLink to={`/domain/moves/${id}`}>
                <DateTime at={createdAt} />
              </RowLink>
            ),
          },
          { key: 'customer', title: 'Customer', width: '30%', render: ({ customer }) => customer },
          { key: 'state', title: 'State', width: '35%', render: ({ counts }) => countsText(counts) },
          { key: 'by', title: 'By', gives: 1, render: ({ by }) => by },
        ]}
        rows={moves.data?.rows}
        total={moves.data?.meta.total}
        rowKey={({ id }) => id}
        state={state}
        onState={setState}
        loading={moves.isFetching}
        error={moves.error}
        onRetry={moves.refetch}
        loadingText="Loading lists..."
        searchLabel="Search by domain"
        empty={
          state.search ? (
            <EmptyState title="No lists with this domain" />
          ) : (
            <EmptyState
              title="No lists yet"
              text="Paste the names of a new customer with their codes above."
            />
          )
        }
      />
    </Card>
  );
}
