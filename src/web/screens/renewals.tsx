import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DueRenewal, DueRenewals } from '#contracts/operations/renewals.ts';
import { daysUntil, lapsePressingDays, lapses, renewalsAheadDays } from '#contracts/values/domain-life.ts';
import { moneyText, usdText } from '#contracts/values/format.ts';
import { TopUpLink } from '../features/billing/top-up-link.tsx';
import { ChangeButton } from '../features/changes/change-buttons.tsx';
import { cart, type RenewalItem } from '../features/orders/cart.ts';
import { useCart } from '../features/orders/use-cart.ts';
import { useDueRenewals } from '../features/renewals/api.ts';
import { costText, coverageText, uncountedTexts } from '../features/renewals/coverage.ts';
import { plannedWithin } from '../features/renewals/runway.ts';
import { WeekChart } from '../features/renewals/week-chart.tsx';
import { weeksOf } from '../features/renewals/weeks.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime, Day } from '../ui/date-time.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

const days = renewalsAheadDays;
const weeks = 13;
const monthDays = 30;

/** /domain/renewals: what lapses unless somebody acts, then what renews by itself, against the money there is. */
export default function RenewalsScreen() {
  const due = useDueRenewals(days);
  const rows = due.data?.rows;
  const lapsing = rows?.filter(lapses);
  const automatic = rows?.filter((row) => !lapses(row));
  const renewing = useRenewing(lapsing ?? []);
  return (
    <Page
      title="Renewals"
      action={lapsing && lapsing.length > 0 && <RenewAll count={lapsing.length} {...renewing} />}
    >
      <Stack gap="md">
        {due.data && rows && rows.length > 0 && (
          <>
            <Money due={due.data} lapsing={lapsing?.length ?? 0} />
            <Card
              title={`Next ${weeks} weeks`}
              beside={<Legend />}
              end={<Text size="xs">domains a week</Text>}
            >
              <WeekChart weeks={weeksOf(rows, new Date(), weeks)} />
            </Card>
          </>
        )}
        {due.error && !rows && <ErrorState error={due.error} onRetry={due.refetch} />}
        {rows?.length === 0 && (
          <EmptyState
            title={`Nothing falls due in the next ${days} days`}
            text="Domains that expire within this time are listed here, with the price of their renewal."
            action={
              <Button component={Link} to="/domain/list">
                Show all domains
              </Button>
            }
          />
        )}
        {(!rows || (lapsing && lapsing.length > 0)) && !(due.error && !rows) && (
          <Card
            flush
            title="Will lapse"
            beside={lapsing && <Badge color="yellow">{domainsText(lapsing.length)}</Badge>}
            end={renewing.mayChange && lapsing && <AutoRenewForAll rows={lapsing} />}
          >
            <DueTable
              label="Will lapse"
              due={due}
              rows={lapsing}
              columns={[...columns, stateColumn, priceColumn, cartColumn(renewing)]}
            />
          </Card>
        )}
        {automatic && automatic.length > 0 && (
          <Card
            flush
            title="Renews automatically"
            beside={<Badge color="teal">{domainsText(automatic.length)}</Badge>}
            end={<span className="number">{costText(automatic)}</span>}
          >
            <DueTable
              label="Renews automatically"
              due={due}
              rows={automatic}
              columns={[...columns, stateColumn, priceColumn, cartColumn(renewing)]}
            />
          </Card>
        )}
      </Stack>
    </Page>
  );
}

interface Renewing {
  mayBuy: boolean;
  mayChange: boolean;
  inCart: ReadonlySet<string>;
  addAll: () => void;
}

function useRenewing(lapsing: readonly DueRenewal[]): Renewing {
  const { items } = useCart(useProfile().data?.userId);
  const inCart = new Set(items.filter(({ type }) => type === 'renewal').map(({ address }) => address));
  return {
    mayBuy: useMay('orders.purchase'),
    mayChange: useMay('domains.settings'),
    inCart,
    addAll: () => {
      for (const row of lapsing) cart.add(renewalOf(row));
    },
  };
}

const renewalOf = ({ address, autoRenew, customerId, expireDate }: DueRenewal): RenewalItem => ({
  ...{ type: 'renewal', address, registration: 1 },
  ...{ autoRenew, customerId, expireDate },
});

const domainsText = (count: number) => (count === 1 ? '1 domain' : `${count} domains`);

function RenewAll({ count, mayBuy, addAll }: Renewing & { count: number }) {
  if (!mayBuy) return null;
  return (
    <Button component={Link} to="/cart" onClick={addAll}>
      {count === 1 ? 'Renew it' : `Renew all ${count}`}
    </Button>
  );
}

function AutoRenewForAll({ rows }: { rows: readonly DueRenewal[] }) {
  const off = rows.filter(({ autoRenew }) => !autoRenew).map(({ address }) => address);
  const mayChangeMany = useMay('changes.manage');
  if (off.length === 0 || !mayChangeMany) return null;
  return (
    <ChangeButton
      names={off}
      request={{ kind: 'auto-renew', enabled: true }}
      label={off.length === 1 ? 'Turn on auto renew' : `Turn on auto renew for all ${off.length}`}
    />
  );
}

function Legend() {
  return (
    <Group gap="xs" aria-hidden>
      <Badge color="accent">Renews automatically</Badge>
      <Badge color="yellow">Will lapse</Badge>
    </Group>
  );
}

/** What the balance covers, as far as prices are known and everything was read; green only where nothing lapses. */
function Money({ due, lapsing }: { due: DueRenewals; lapsing: number }) {
  const mayTopUp = useMay('balance.topup');
  const balance = <b className="number">{moneyText(due.spendable)}</b>;
  if (due.shortFrom) {
    const uncounted = uncountedTexts(due);
    return (
      <Alert color="red" variant="light" role="status" title="Your balance will run out">
        <Text size="sm" mb="xs">
          From <DateTime at={due.shortFrom} /> automatic renewals are not covered.{' '}
          {uncounted.length > 0 && 'At least '}
          {usdText(due.missing)} more is needed to cover all of them. {uncounted.join(' ')} You can spend{' '}
          {balance}.
        </Text>
        <TopUpLink may={mayTopUp} label="Top up" size="xs" />
      </Alert>
    );
  }
  const month = plannedWithin(due.rows, new Date(), monthDays);
  const others = lapsing === 1 ? '1 domain does' : `${lapsing} domains do`;
  return (
    <Text role="status" c="dimmed">
      {coverageText(due, days)} You can spend {balance}.{' '}
      {month.length > 0 && (
        <>
          In the next {monthDays} days{' '}
          {month.length === 1 ? '1 domain renews' : `${month.length} domains renew`} for{' '}
          <b className="number">{costText(month)}</b>.
        </>
      )}
      {lapsing > 0 && ` ${others} not renew automatically.`}
    </Text>
  );
}

function DueTable(props: {
  label: string;
  due: ReturnType<typeof useDueRenewals>;
  rows: DueRenewal[] | undefined;
  columns: Column<DueRenewal>[];
}) {
  const { due } = props;
  return (
    <DataTable
      label={props.label}
      columns={props.columns}
      rows={props.rows}
      rowKey={(row) => row.address}
      loading={due.isFetching}
      error={due.error}
      onRetry={due.refetch}
      loadingText="Loading renewals..."
      empty={null}
    />
  );
}

const columns: Column<DueRenewal>[] = [
  {
    key: 'domain',
    title: 'Domain',
    width: '44%',
    render: (row) => <DomainName name={row.address} to={`/domain/${row.address}`} />,
  },
  { key: 'customer', title: 'Customer', width: '28%', gives: 1, render: (row) => row.customer },
  {
    key: 'expires',
    title: 'Expiration',
    render: (row) => (
      <Group gap="xs">
        <Day at={row.expireDate} />
        <Left row={row} />
      </Group>
    ),
  },
];

const stateColumn: Column<DueRenewal> = {
  key: 'renewal',
  title: 'Renewal',
  gives: 2,
  render: (row) => <Renewal row={row} />,
};

const priceColumn: Column<DueRenewal> = {
  key: 'price',
  title: 'Price',
  align: 'right',
  gives: 3,
  render: (row) => <span className="number">{row.price === null ? '–' : usdText(row.price)}</span>,
};

const cartColumn = ({ mayBuy, inCart }: Renewing): Column<DueRenewal> => ({
  key: 'cart',
  title: 'Cart',
  hideTitle: true,
  align: 'right',
  render: (row) => mayBuy && <AddButton row={row} added={inCart.has(row.address)} />,
});

/** Red and amber only where somebody must act. */
function Left({ row }: { row: DueRenewal }) {
  const left = daysUntil(new Date(row.expireDate), new Date());
  const text =
    left < 0 ? `Expired ${daysText(-left)} ago` : left === 0 ? 'Within a day' : `${daysText(left)} left`;
  return <Badge color={!lapses(row) ? 'gray' : left < lapsePressingDays ? 'red' : 'yellow'}>{text}</Badge>;
}

const daysText = (count: number) => (count === 1 ? '1 day' : `${count} days`);

function Renewal({ row }: { row: DueRenewal }) {
  if (row.state === 'manual') return <Text size="sm">Auto renew is off</Text>;
  if (row.state === 'ordered') return <Badge color="blue">Being renewed</Badge>;
  if (row.state === 'unable') {
    return (
      <Text size="sm" c="red" title={row.reason ?? undefined}>
        {row.reason ?? 'Could not be renewed'}
      </Text>
    );
  }
  if (!row.covered) return <Badge color="red">Not covered</Badge>;
  return (
    <Text size="sm" c="dimmed">
      {row.renewAt ? (
        <>
          Renews <Day at={row.renewAt} />
        </>
      ) : (
        'Auto renew'
      )}
    </Text>
  );
}

function AddButton({ row, added }: { row: DueRenewal; added: boolean }) {
  if (row.state === 'ordered') return null;
  return (
    <Button
      size="xs"
      variant="default"
      disabled={added}
      aria-label={added ? `In cart: renewal of ${row.address}` : `Renew ${row.address}`}
      onClick={() => cart.add(renewalOf(row))}
    >
      {added ? 'In cart' : 'Renew'}
    </Button>
  );
}
