import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormerCustomer, FormerUser } from '#contracts/operations/privacy.ts';
import {
  type FormerCustomerQuery,
  type FormerUserQuery,
  useFormerCustomers,
  useFormerUsers,
} from '../features/privacy/api.ts';
import { EraseCustomer } from '../features/privacy/erase-customer.tsx';
import { ExportButton } from '../features/privacy/export-button.tsx';
import { UserPrivacy } from '../features/privacy/user-privacy.tsx';
import { draftOf, keepDraft, useDraftUntilLeft } from '../lib/drafts.ts';
import { useSession } from '../lib/session.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, type TableState } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

/** /privacy: whose data is still there though they are gone, to be handed out or erased. */
export default function PrivacyScreen() {
  const session = useSession();
  const customers = useListState('former-customers', '-deletedAt');
  const users = useListState('former-users', '-removedAt');
  const onSignInAgain = () => {
    customers.keep();
    users.keep();
    void session.signIn({ fresh: true, returnPath: '/privacy' });
  };
  return (
    <Page
      title="Former customers and users"
      above={<Breadcrumbs trail={[{ to: '/users', label: 'Users' }]} here="Former customers and users" />}
    >
      <Text mb="md" maw={720} c="var(--text-2)">
        Deleted customers and removed users stay in the records until you erase their data. For current
        customers and users, you find the same actions with their entries.
      </Text>
      <Stack gap="md">
        <DeletedCustomers list={customers} onSignInAgain={onSignInAgain} />
        <RemovedUsers list={users} onSignInAgain={onSignInAgain} />
      </Stack>
    </Page>
  );
}

/**
 * Of one of two lists on a screen, and so not in the address; nor are the names of people who are gone. It is kept over the
 * sign-in that an erasure asks for: a person who was found is there again.
 */
function useListState(list: string, sort: string) {
  const [first] = useState<TableState>({ page: 1, pageSize: 50, sort, search: '' });
  const [state, set] = useState(() => draftOf(list, first));
  useDraftUntilLeft(list);
  const onState = (change: Partial<TableState>) => set((before) => ({ ...before, ...change }));
  return { table: { state, onState }, keep: () => keepDraft(list, state, first) };
}

interface ListProps {
  list: ReturnType<typeof useListState>;
  onSignInAgain: () => void;
}

function DeletedCustomers({ list: { table }, onSignInAgain }: ListProps) {
  const { state } = table;
  const former = useFormerCustomers({ ...state, sort: state.sort as FormerCustomerQuery['sort'] });
  return (
    <Card flush title="Deleted customers">
      <DataTable
        label="Deleted customers"
        columns={customerColumns(onSignInAgain)}
        rows={former.data?.rows}
        total={former.data?.meta.total}
        rowKey={(row) => row.customerId}
        {...table}
        loading={former.isFetching}
        error={former.error}
        onRetry={former.refetch}
        loadingText="Loading deleted customers..."
        searchLabel="Search deleted customers"
        empty={<EmptyState title={state.search ? 'No deleted customers match' : 'No deleted customers'} />}
      />
    </Card>
  );
}

function RemovedUsers({ list: { table }, onSignInAgain }: ListProps) {
  const { state } = table;
  const former = useFormerUsers({ ...state, sort: state.sort as FormerUserQuery['sort'] });
  return (
    <Card flush title="Removed users">
      <DataTable
        label="Removed users"
        columns={userColumns(onSignInAgain)}
        rows={former.data?.rows}
        total={former.data?.meta.total}
        rowKey={(row) => row.userId}
        {...table}
        loading={former.isFetching}
        error={former.error}
        onRetry={former.refetch}
        loadingText="Loading removed users..."
        searchLabel="Search removed users by email"
        empty={<EmptyState title={state.search ? 'No removed users match' : 'No removed users'} />}
      />
    </Card>
  );
}

function customerColumns(onSignInAgain: () => void): Column<FormerCustomer>[] {
  return [
    { key: 'organization', title: 'Organization', width: '60%', render: (row) => <b>{row.organization}</b> },
    { key: 'deleted', title: 'Deleted', sort: 'deletedAt', render: (row) => <DateTime at={row.deletedAt} /> },
    {
      key: 'privacy',
      title: 'Personal data',
      align: 'right',
      render: (row) => (
        <Group gap="xs" wrap="nowrap">
          <ExportButton name={row.organization} subject={{ kind: 'customer', id: row.customerId }} />
          <EraseCustomer
            customerId={row.customerId}
            organization={row.organization}
            onErased={() => undefined}
            onSignInAgain={onSignInAgain}
          />
        </Group>
      ),
    },
  ];
}

function userColumns(onSignInAgain: () => void): Column<FormerUser>[] {
  return [
    { key: 'email', title: 'Email', width: '60%', render: (row) => <b>{row.email}</b> },
    { key: 'removed', title: 'Removed', sort: 'removedAt', render: (row) => <DateTime at={row.removedAt} /> },
    {
      key: 'privacy',
      title: 'Personal data',
      align: 'right',
      render: (row) => <UserPrivacy user={row} mayErase onSignInAgain={onSignInAgain} />,
    },
  ];
}
