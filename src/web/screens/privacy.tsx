import { Group, Stack, Text } from '@mantine/core';
import type { FormerCustomer, FormerUser } from '#contracts/operations/privacy.ts';
import { useFormer } from '../features/privacy/api.ts';
import { EraseCustomer } from '../features/privacy/erase-customer.tsx';
import { ExportButton } from '../features/privacy/export-button.tsx';
import { UserPrivacy } from '../features/privacy/user-privacy.tsx';
import { useSession } from '../lib/session.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

/** /privacy: whose data is still there though they are gone, to be handed out or erased. */
export default function PrivacyScreen() {
  const session = useSession();
  const former = useFormer();
  const onSignInAgain = () => void session.signIn({ fresh: true, returnPath: '/privacy' });
  const { error, isFetching: loading, refetch: onRetry } = former;
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
        <Card flush title="Deleted customers">
          <DataTable
            label="Deleted customers"
            columns={customerColumns(onSignInAgain)}
            rows={former.data?.customers}
            rowKey={(row) => row.customerId}
            {...{ loading, error, onRetry }}
            loadingText="Loading deleted customers..."
            empty={<EmptyState title="No deleted customers" />}
          />
        </Card>
        <Card flush title="Removed users">
          <DataTable
            label="Removed users"
            columns={userColumns(onSignInAgain)}
            rows={former.data?.users}
            rowKey={(row) => row.userId}
            {...{ loading, error, onRetry }}
            loadingText="Loading removed users..."
            empty={<EmptyState title="No removed users" />}
          />
        </Card>
      </Stack>
    </Page>
  );
}

function customerColumns(onSignInAgain: () => void): Column<FormerCustomer>[] {
  return [
    { key: 'organization', title: 'Organization', width: '60%', render: (row) => <b>{row.organization}</b> },
    { key: 'deleted', title: 'Deleted', render: (row) => <DateTime at={row.deletedAt} /> },
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
    { key: 'removed', title: 'Removed', render: (row) => <DateTime at={row.removedAt} /> },
    {
      key: 'privacy',
      title: 'Personal data',
      align: 'right',
      render: (row) => <UserPrivacy user={row} mayErase onSignInAgain={onSignInAgain} />,
    },
  ];
}
