import { Anchor, Button, Group, Loader, Select, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type DomainRow, type RegistrantFilter, registrantFilters } from '#contracts/operations/domains.ts';
import { daysUntil, renewSoonDays } from '#contracts/values/domain-life.ts';
import { DomainCertificate } from '../features/certificates/domain-cell.tsx';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useDomains } from '../features/domains/api.ts';
import { BulkBar } from '../features/domains/bulk-bar.tsx';
import { DaysLeft } from '../features/domains/life-section.tsx';
import { RegistrantChip } from '../features/domains/registrant-notice.tsx';
import { cart, type RenewalItem, useCart } from '../features/orders/cart.ts';
import { useAddAndGo } from '../features/orders/use-add.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

/** /domain/list (P2 §2). */
export default function DomainListScreen() {
  const { state, setState, customer, kind, expiring } = useTableState('address');
  const within = daysOf(expiring);
  const registrant = registrantFilters.find((name) => name === kind);
  const mayBuy = useMay('orders.purchase');
  const mayChange = useMay('domains.settings');
  const domains = useDomains({
    ...state,
    sort: state.sort as 'address',
    customerId: customer,
    registrant,
    expiringWithinDays: within,
  });
  const chosen = useChosen();
  const stale = domains.isPlaceholderData;
  return (
    <Page title="Domains" action={<Ways mayBuy={mayBuy} />}>
      <BulkBar
        rows={chosen.rows}
        mayChange={mayChange}
        onRenew={mayBuy ? chosen.renew : null}
        onClear={chosen.clear}
      >
        {chosen.added > 0 && <Added count={chosen.added} />}
      </BulkBar>
      <DataTable
        label="Domains"
        columns={columnsOf(mayBuy, stale)}
        rows={domains.data?.rows}
        total={domains.data?.meta.total}
        rowKey={(row) => row.address}
        state={state}
        onState={setState}
        loading={domains.isFetching}
        error={domains.error}
        onRetry={domains.refetch}
        loadingText="Loading domains..."
        searchLabel="Search your domains"
        // A customer's own user has one customer, and nothing to choose.
        filters={
          <>
            {mayBuy && (
              <CustomerFilter value={customer} onChange={(id) => setState({ customer: id, page: 1 })} />
            )}
            {within !== undefined && (
              <Button
                variant="light"
                rightSection={<IconX size={14} aria-hidden />}
                aria-label={`Expiring in ${within} days: clear this filter`}
                onClick={() => setState({ expiring: undefined, page: 1 })}
              >
                Expiring in {within} days
              </Button>
            )}
            <RegistrantChoice value={registrant} onChange={(chosen) => setState({ kind: chosen, page: 1 })} />
          </>
        }
        {...(mayBuy || mayChange ? { selection: chosen.selection } : {})}
        empty={
          <EmptyState
            title="No domains found"
            action={
              mayBuy && (
                <Button component={Link} to="/domains">
                  Search for domains
                </Button>
              )
            }
          />
        }
      />
    </Page>
  );
}

/** The filter of the address as it may have been typed: 1 to 365 days, else none. */
function daysOf(text: string | undefined): number | undefined {
  const days = Number(text);
  return Number.isInteger(days) && days >= 1 && days <= 365 ? days : undefined;
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

/** Rows that were chosen, over the pages; renewing puts them into the cart. */
function useChosen() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, DomainRow>>(new Map());
  const [added, setAdded] = useState(0);
  useCart(useProfile().data?.userId);
  const rows = [...chosen.values()];
  return {
    rows,
    added,
    clear: () => setChosen(new Map()),
    renew: () => {
      const renewals = rows.flatMap((row) => renewalOf(row) ?? []);
      for (const item of renewals) cart.add(item);
      setAdded(renewals.length);
      setChosen(new Map());
    },
    selection: {
      keys: new Set(chosen.keys()),
      label: (row: DomainRow) => `Choose ${row.address}`,
      onChange: (changed: readonly DomainRow[], on: boolean) => {
        setAdded(0);
        setChosen((before) => {
          const next = new Map(before);
          for (const row of changed) {
            if (on) next.set(row.address, row);
            else next.delete(row.address);
          }
          return next;
        });
      },
    },
  };
}

function renewalOf(row: DomainRow): RenewalItem | null {
  const { address, customerId, autoRenew, expireDate } = row;
  if (!expireDate) return null;
  return { type: 'renewal', address, registration: 1, autoRenew, customerId, expireDate };
}

function Added({ count }: { count: number }) {
  return (
    <Group gap="sm" role="status">
      <Text size="sm">{count === 1 ? '1 renewal is' : `${count} renewals are`} in your cart.</Text>
      <Button component={Link} to="/cart" size="xs" variant="light">
        View Cart
      </Button>
    </Group>
  );
}

const registrantTexts: Record<RegistrantFilter, string> = {
  unverified: 'Registrant not verified',
  suspended: 'Suspended',
};

function RegistrantChoice(props: {
  value: RegistrantFilter | undefined;
  onChange: (value: RegistrantFilter | undefined) => void;
}) {
  return (
    <Select
      aria-label="Registrant"
      placeholder="Any registrant state"
      clearable
      data={registrantFilters.map((value) => ({ value, label: registrantTexts[value] }))}
      value={props.value ?? null}
      onChange={(value) => props.onChange(registrantFilters.find((name) => name === value))}
    />
  );
}

function CustomerFilter(props: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const customers = useCustomerChoices();
  return (
    <Group gap="xs">
      <Select
        aria-label="Customer"
        placeholder="All customers"
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
      width: '40%',
      render: (row) => (
        <Group gap="xs">
          <DomainName name={row.address} to={`/domain/${row.address}`} />
          <RegistrantChip state={row.verification} deadline={row.verificationDeadline} />
        </Group>
      ),
    },
    {
      key: 'customer',
      title: 'Customer',
      sort: 'customer',
      width: '24%',
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

/** Older than this, the copy's age is told: the jobs refresh it every night. */
const agedMs = 3 * 86_400_000;

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
  const soon = daysUntil(new Date(row.expireDate), now) < renewSoonDays;
  const aged = row.syncedAt !== null && now.getTime() - new Date(row.syncedAt).getTime() > agedMs;
  return (
    <Group gap="xs">
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
