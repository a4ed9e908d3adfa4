import { ActionIcon, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconChevronRight, IconTrash } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Customer } from '#contracts/operations/customers.ts';
import { countryName } from '#contracts/values/countries.ts';
import { AddCustomer } from '../features/customers/add-customer.tsx';
import { useCustomers, useDeleteCustomer } from '../features/customers/api.ts';
import { CsvMenu } from '../features/customers/csv-menu.tsx';
import { OpenImports } from '../features/customers/open-imports.tsx';
import { useMay, useProfile } from '../features/users/api.ts';
import { headings } from '../lib/headings.ts';
import { useRedirect } from '../lib/use-redirect.ts';
import { useScreenPath } from '../lib/use-screen-path.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { EmptyList } from '../ui/empty-list.tsx';
import { Page } from '../ui/page.tsx';
import { PageLoader } from '../ui/plain-button.tsx';
import { RowLink } from '../ui/row-link.tsx';
import { ListViews } from './list-views.tsx';

/** /customers and /customers/add (P1 §2): the list, with the add form inline above it. */
export default function CustomersScreen() {
  const own = useProfile().data?.authorizedClientId;
  // A customer's own user has exactly one: their own.
  useRedirect(own ? `/customers/${own}` : null);
  return own ? <PageLoader /> : <Customers />;
}

function Customers() {
  const adding = useScreenPath((path) => path === '/customers/add');
  const mayCreate = useMay('customers.create');
  const mayDelete = useMay('customers.delete');
  const mayExport = useMay('customers.export');
  const mayBill = useMay('customers.billing');
  const { state, setState, showAll } = useTableState('organization');
  const customers = useCustomers({ ...state, sort: state.sort as 'organization' });
  const [doomed, setDoomed] = useState<Customer | null>(null);
  const columns = useMemo(() => columnsOf(mayDelete ? setDoomed : null), [mayDelete]);
  const navigate = useNavigate();
  const addButton = (
    <Button component={Link} to="/customers/add">
      Add Customer
    </Button>
  );
  return (
    <Page
      title={headings['/customers']}
      action={
        mayCreate && !adding ? (
          <Group gap="sm">
            <CsvMenu mayExport={mayExport} />
            {addButton}
          </Group>
        ) : undefined
      }
    >
      {mayCreate && <OpenImports />}
      {adding && (
        <AddCustomer
          mayBill={mayBill}
          onDone={() => void navigate({ to: '/customers', ignoreBlocker: true })}
        />
      )}
      <DataTable
        label="Your current customers"
        columns={columns}
        rows={customers.data?.rows}
        total={customers.data?.meta.total}
        rowKey={(row) => row.customerId}
        state={state}
        onState={setState}
        loading={customers.isFetching}
        error={customers.error}
        onRetry={customers.refetch}
        loadingText="Loading customers..."
        searchLabel="Search customers"
        filters={<ListViews screen="customers" />}
        empty={
          <EmptyList
            title="No customers found"
            showAll={showAll}
            first={
              mayCreate && {
                text: 'Customers own domains and certificates. Add one, or upload a file with all of them.',
                act: !adding && addButton,
              }
            }
          />
        }
      />
      <DeleteDialog customer={doomed} onClose={() => setDoomed(null)} />
    </Page>
  );
}

function columnsOf(onDelete: ((row: Customer) => void) | null): Column<Customer>[] {
  return [
    {
      key: 'organization',
      title: 'Organization',
      sort: 'organization',
      width: '40%',
      render: (row) => (
        <RowLink to={`/customers/${row.customerId}`}>{row.contacts.owner.organization}</RowLink>
      ),
    },
    {
      key: 'location',
      title: 'Location',
      sort: 'location',
      width: '26%',
      gives: 1,
      render: (row) => `${countryName(row.contacts.owner.country)}, ${row.contacts.owner.state}`,
    },
    {
      key: 'contact',
      title: 'Contact',
      sort: 'contact',
      width: '24%',
      gives: 2,
      render: (row) => `${row.contacts.owner.firstName} ${row.contacts.owner.lastName}`,
    },
    {
      key: 'domains',
      title: 'Domains',
      sort: 'domains',
      align: 'right',
      render: (row) => <span className="number">{row.domainsCount}</span>,
    },
    ...(onDelete
      ? [
          {
            key: 'delete',
            title: 'Delete',
            hideTitle: true,
            align: 'right' as const,
            render: (row: Customer) => <DeleteIcon row={row} onDelete={onDelete} />,
          },
        ]
      : []),
    {
      key: 'open',
      title: 'Open',
      hideTitle: true,
      align: 'right',
      decoration: true,
      render: () => <IconChevronRight size={18} aria-hidden />,
    },
  ];
}

function DeleteIcon({ row, onDelete }: { row: Customer; onDelete: (row: Customer) => void }) {
  const blocked = row.domainsCount > 0;
  const name = row.contacts.owner.organization;
  return (
    <Tooltip label="Can't delete customers with active domains" disabled={!blocked}>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={blocked ? `Can't delete customers with active domains: ${name}` : `Delete ${name}`}
        // Not `disabled`: the tooltip must be reachable.
        {...(blocked ? { 'data-disabled': true } : {})}
        aria-disabled={blocked}
        onClick={(event) => {
          event.stopPropagation();
          if (!blocked) onDelete(row);
        }}
      >
        <IconTrash size={18} />
      </ActionIcon>
    </Tooltip>
  );
}

function DeleteDialog({ customer, onClose }: { customer: Customer | null; onClose: () => void }) {
  const remove = useDeleteCustomer();
  return (
    <ConfirmDialog
      opened={customer !== null}
      title="Delete customer"
      confirmLabel="Delete"
      runningLabel="Deleting..."
      running={remove.isPending}
      error={remove.error}
      danger
      onClose={() => {
        remove.reset();
        onClose();
      }}
      onConfirm={() => customer && remove.mutate(customer.customerId, { onSuccess: onClose })}
    >
      <Stack gap="xs">
        <Text>
          {customer?.contacts.owner.organization} will be removed from your customers. This cannot be undone.
        </Text>
        <Text size="sm">
          Its users can no longer sign in here, and its API tokens and ACME accesses end: servers that use
          them stop renewing their certificates. Orders, certificates and history stay readable.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
