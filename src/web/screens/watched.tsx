import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { WatchedName } from '#contracts/operations/health.ts';
import { isOfferedHere } from '#contracts/values/domain-name.ts';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { WatchForm } from '../features/health/watch-form.tsx';
import { useWatched } from '../features/health/watched-api.ts';
import { WatchedBar } from '../features/health/watched-bar.tsx';
import { keepNamesToMove } from '../features/moves/names-to-move.ts';
import { useMay } from '../features/users/api.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Day } from '../ui/date-time.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { EmptyList } from '../ui/empty-list.tsx';
import { UnreadChoices } from '../ui/error-state.tsx';
import { ChoiceFilter } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { RowLink } from '../ui/row-link.tsx';

/** /health/watched: domains that are held elsewhere and looked at as those that are held here. */
export default function WatchedScreen() {
  const { state, setState, showAll, customer } = useTableState('domain');
  const mayWatch = useMay('domains.watch');
  const customers = useCustomerChoices();
  const options = customerOptions(customers.data);
  const watched = useWatched({ ...state, sort: state.sort as 'domain', customerId: customer });
  const chosen = useChosen();
  return (
    <Page
      title="Watched domains"
      below="Domains that are held elsewhere. They are checked daily, as far as others can see them."
      above={<Breadcrumbs trail={[{ to: '/health', label: 'Health' }]} here="Watched domains" />}
    >
      <Stack gap="lg">
        {mayWatch && (
          <Card title="Watch domains">
            <WatchForm customers={customers.data && options} unread={<UnreadChoices of={[customers]} />} />
          </Card>
        )}
        <DataTable
          label="Watched domains"
          columns={columnsOf(mayWatch)}
          rows={watched.data?.rows}
          total={watched.data?.meta.total}
          rowKey={({ domain }) => domain}
          state={state}
          onState={setState}
          loading={watched.isFetching}
          error={watched.error}
          onRetry={watched.refetch}
          loadingText="Loading watched domains..."
          searchLabel="Search watched domains"
          filters={
            mayWatch && (
              <ChoiceFilter
                label="Customer"
                all="All customers"
                width={200}
                value={customer}
                data={options}
                onChange={(id) => setState({ customer: id, page: 1 })}
              />
            )
          }
          {...(mayWatch ? { selection: chosen.selection } : {})}
          empty={
            <EmptyList
              title="No watched domains found"
              showAll={showAll}
              first={
                mayWatch && {
                  text: 'Enter domains that a customer holds elsewhere, to see what is wrong with them.',
                }
              }
            />
          }
        />
      </Stack>
      <WatchedBar
        names={chosen.names}
        customers={options}
        onTransfer={chosen.transfer}
        onClear={chosen.clear}
      />
    </Page>
  );
}

/** Rows that were chosen, over the pages; transferring takes their names along. */
function useChosen() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, WatchedName>>(new Map());
  const mayBuy = useMay('orders.purchase');
  const navigate = useNavigate();
  const names = [...chosen.keys()];
  const coming = [...chosen.values()].filter(({ domain }) => isOfferedHere(domain));
  const [first, ...others] = new Set(coming.map(({ customerId }) => customerId));
  const transfer = () => {
    keepNamesToMove(coming.map(({ domain }) => domain));
    const customer = others.length === 0 ? (first ?? undefined) : undefined;
    void navigate({ to: '/domain/moves', search: { customer } });
  };
  return {
    names,
    clear: () => setChosen(new Map()),
    transfer: mayBuy && coming.length > 0 ? { begin: transfer, leftOut: names.length - coming.length } : null,
    selection: {
      keys: new Set(names),
      label: ({ domain }: WatchedName) => `Select ${domain}`,
      onChange: (rows: readonly WatchedName[], on: boolean) =>
        setChosen((before) => {
          const next = new Map(before);
          for (const row of rows) {
            if (on) next.set(row.domain, row);
            else next.delete(row.domain);
          }
          return next;
        }),
    },
  };
}

function columnsOf(staff: boolean): Column<WatchedName>[] {
  return [
    {
      ...{ key: 'domain', title: 'Domain', sort: 'domain', width: '30%' },
      render: ({ domain }) => (
        <RowLink to={`/domain/${domain}`}>
          <DomainName name={domain} copy={false} />
        </RowLink>
      ),
    },
    {
      ...{ key: 'registrar', title: 'Held at', width: '25%', gives: 2 },
      render: ({ registrar, checkedAt }) => registrar ?? (checkedAt ? 'Not known' : 'Not checked yet'),
    },
    {
      ...{ key: 'expires', title: 'Expires', sort: 'expireDate' },
      render: ({ expiresAt }) => (expiresAt ? <Day at={expiresAt} /> : '–'),
    },
    ...(staff
      ? [
          {
            ...({ key: 'customer', title: 'Customer', width: '20%', gives: 1 } as const),
            render: ({ customer }: WatchedName) => customer || '–',
          },
        ]
      : []),
    {
      ...{ key: 'problems', title: 'Problems', align: 'right' },
      render: ({ problems, checkedAt }) => (checkedAt ? problems : '–'),
    },
  ];
}
