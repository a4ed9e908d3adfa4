import { Anchor, Button, Group, Loader, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { expiresSoon } from '#contracts/values/domain-life.ts';
import { dayMs } from '#contracts/values/time.ts';
import { DomainCertificate } from '../features/certificates/domain-cell.tsx';
import { ManyChanges } from '../features/changes/change-buttons.tsx';
import { keepChosenNames } from '../features/changes/chosen-names.ts';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useDomains } from '../features/domains/api.ts';
import { BulkBar } from '../features/domains/bulk-bar.tsx';
import { DomainChips, filterOf } from '../features/domains/domain-chips.tsx';
import { LeftChip } from '../features/domains/domain-state-line.tsx';
import { DaysLeft } from '../features/domains/life-section.tsx';
import { RegistrantChip } from '../features/domains/registrant-notice.tsx';
import { useAddAndGo } from '../features/orders/use-add.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { headings } from '../lib/headings.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { type Column, DataTable, type DataTableProps } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { EmptyList } from '../ui/empty-list.tsx';
import { LongSelect } from '../ui/long-select.tsx';
import { Page } from '../ui/page.tsx';
import { type DomainQuery, useChosen } from './domain-list-chosen.ts';
import { ListViews } from './list-views.tsx';

/** /domain/list (P2 §2). */
export default function DomainListScreen() {
  const { state, setState, showAll, customer, kind, expiring } = useTableState('address');
  const mayBuy = useMay('orders.purchase');
  const query = {
    ...state,
    sort: state.sort as 'address',
    customerId: customer,
    ...filterOf(kind, expiring),
  };
  return (
    <Page title={headings['/domain/list']} action={<Ways mayBuy={mayBuy} />}>
      <Domains
        query={query}
        state={state}
        onState={setState}
        // A customer's own user has one customer, and nothing to choose.
        filters={
          <>
            {mayBuy && (
              <CustomerFilter value={customer} onChange={(id) => setState({ customer: id, page: 1 })} />
            )}
            <DomainChips
              kind={kind}
              expiring={expiring}
              counted={!customer && state.search === ''}
              onChange={setState}
            />
            <ListViews screen="domains" />
          </>
        }
        empty={
          <EmptyList
            title="No domains found"
            showAll={showAll}
            first={
              mayBuy && {
                text: 'Register a name, or bring a domain here from another registrar.',
                act: (
                  <Button component={Link} to="/domains">
                    Search for domains
                  </Button>
                ),
              }
            }
          />
        }
      />
    </Page>
  );
}

/** The list, and what can be done with the chosen. What is around it is not drawn again with each box that is ticked. */
function Domains({
  query,
  ...list
}: Required<Pick<DataTableProps<DomainRow>, 'state' | 'onState' | 'filters' | 'empty'>> & {
  query: DomainQuery;
}) {
  const mayBuy = useMay('orders.purchase');
  const mayChangeMany = useMay('changes.manage');
  const navigate = useNavigate();
  const domains = useDomains(query);
  const chosen = useChosen(query, domains.data?.meta.total ?? 0);
  const stale = domains.isPlaceholderData;
  const columns = useMemo(() => columnsOf(mayBuy, stale), [mayBuy, stale]);
  const names = chosen.rows.filter(({ status }) => status !== 'transferring').map(({ address }) => address);
  const describe = () => {
    keepChosenNames(names);
    void navigate({ to: '/changes/new' });
  };
  return (
    <>
      <DataTable
        {...list}
        label="Domains"
        columns={columns}
        rows={domains.data?.rows}
        total={domains.data?.meta.total}
        rowKey={(row) => row.address}
        loading={domains.isFetching}
        error={domains.error}
        onRetry={domains.refetch}
        loadingText="Loading domains..."
        searchLabel="Search your domains"
        {...(mayBuy || mayChangeMany ? { selection: chosen.selection } : {})}
      />
      <BulkBar
        rows={chosen.rows}
        onRenew={mayBuy ? chosen.renew : null}
        changes={mayChangeMany && <ManyChanges names={names} onDescribe={describe} />}
        onClear={chosen.clear}
        cost={mayBuy ? chosen.cost : null}
        all={chosen.all}
      >
        {chosen.added.count > 0 && <Added {...chosen.added} />}
      </BulkBar>
    </>
  );
}

function Ways({ mayBuy }: { mayBuy: boolean }) {
  const mayPlan = useMay('balance.read');
  return (
    <Group gap="xs">
      {mayPlan && (
        <Button component={Link} to="/domain/renewals" variant="default">
          Renewals
        </Button>
      )}
      {mayBuy && (
        <Button component={Link} to="/domain/transfer">
          Transfer a domain
        </Button>
      )}
    </Group>
  );
}

function Added({ count, leftOut }: { count: number; leftOut: number }) {
  return (
    <Group gap="sm" role="status">
      <Text size="sm">
        {count === 1 ? '1 renewal is' : `${count} renewals are`} in your cart.
        {leftOut > 0 &&
          ` The ${leftOut === 1 ? 'domain that is' : `${leftOut} domains that are`} still selected found no place.`}
      </Text>
      <Button component={Link} to="/cart" size="xs" variant="light">
        View Cart
      </Button>
    </Group>
  );
}

function CustomerFilter(props: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const customers = useCustomerChoices();
  return (
    <Group gap="xs">
      <LongSelect
        likely
        aria-label="Customer"
        placeholder="All customers"
        miw={0}
        style={{ flex: '1 1 10rem' }}
        searchable
        data={customerOptions(customers.data)}
        value={props.value ?? null}
        onChange={(id) => props.onChange(id ?? undefined)}
      />
      <Button variant="default" disabled={!props.value} onClick={() => props.onChange(undefined)}>
        {props.value ? 'Clear Filter' : 'Showing All Customers'}
      </Button>
    </Group>
  );
}

function columnsOf(mayBuy: boolean, stale: boolean): Column<DomainRow>[] {
  return [
    {
      key: 'domain',
      title: 'Domain',
      sort: 'address',
      width: '36%',
      render: (row) => (
        // Below the name, which it would cut off beside it.
        <div>
          <Group gap="xs">
            <DomainName name={row.address} to={`/domain/${row.address}`} />
            <RegistrantChip state={row.verification} deadline={row.verificationDeadline} />
          </Group>
          <LeftChip domain={row} />
        </div>
      ),
    },
    {
      key: 'customer',
      title: 'Customer',
      sort: 'customer',
      width: '30%',
      gives: 2,
      render: (row) => row.customer,
    },
    {
      key: 'expiration',
      title: 'Expiration',
      sort: 'expireDate',
      render: (row) => <Expiration row={row} />,
    },
    {
      key: 'ssl',
      title: 'SSL Certificate',
      render: (row) => (stale ? <LoadingCell /> : <Certificate row={row} mayBuy={mayBuy} />),
    },
  ];
}

/** Older than this, the copy's age is shown, because the jobs refresh it every night. */
const agedMs = 3 * dayMs;

/** Local date-time, or 'Pending Transfer' when there is no expiry date (P2 §2); red below 60 days. */
function Expiration({ row }: { row: DomainRow }) {
  if (!row.expireDate) {
    return (
      <Anchor component={Link} to={`/domain/transfer/${row.address}`} size="sm">
        Pending Transfer
      </Anchor>
    );
  }
  const now = new Date();
  const soon = expiresSoon(new Date(row.expireDate), now);
  const aged = row.syncedAt !== null && now.getTime() - new Date(row.syncedAt).getTime() > agedMs;
  return (
    <Group gap="xs" data-wraps>
      <DateTime at={row.expireDate} />
      {soon && <DaysLeft to={row.expireDate} now={now} />}
      {aged && row.syncedAt && (
        <Text size="xs" c="dimmed">
          as of <DateTime at={row.syncedAt} />
        </Text>
      )}
    </Group>
  );
}

/** P2 §2: a spinner while loading. */
function LoadingCell() {
  return <Loader size="xs" role="status" aria-label="Loading the certificate's state" />;
}

function Certificate({ row, mayBuy }: { row: DomainRow; mayBuy: boolean }) {
  const add = useAddAndGo(useProfile().data?.userId);
  return <DomainCertificate domain={row} mayBuy={mayBuy} onOffer={add} />;
}
