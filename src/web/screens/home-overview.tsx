import { Anchor, Paper, Skeleton, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { renewSoonDays } from '#contracts/values/domain-life.ts';
import { formatCents } from '#contracts/values/money.ts';
import { useBalance } from '../features/billing/api.ts';
import { useDomains } from '../features/domains/api.ts';
import { DaysLeft } from '../features/domains/life-section.tsx';
import { useMay } from '../features/users/api.ts';
import { DomainName } from '../ui/domain-name.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import classes from './home.module.css';

const shown = 5;

/** Below the tiles: what will need somebody soon, and the money there is for it. */
export default function HomeOverview() {
  const mayDomains = useMay('domains.read');
  const mayBalance = useMay('balance.read');
  return (
    <div className={classes.overview}>
      {mayDomains && <ExpiringNext />}
      {mayBalance && <BalancePanel />}
    </div>
  );
}

function ExpiringNext() {
  const domains = useDomains({
    sort: 'expireDate',
    page: 1,
    pageSize: shown,
    expiringWithinDays: renewSoonDays,
  });
  const rows = domains.data?.rows ?? [];
  const total = domains.data?.meta.total ?? 0;
  const now = new Date();
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="expiring">
      <Title order={2} size="h4" id="expiring" mb="xs">
        Expiring next
      </Title>
      {domains.isError ? (
        <ErrorState error={domains.error} onRetry={domains.refetch} />
      ) : !domains.data ? (
        <Skeleton height={120} />
      ) : rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          No domain expires in the next {renewSoonDays} days.
        </Text>
      ) : (
        <>
          <ul className={classes.expiring}>
            {rows.map((row) => (
              <li key={row.address}>
                <DomainName name={row.address} copy={false} to={`/domain/${row.address}`} />
                <span className={classes.owner}>{row.customer}</span>
                {row.expireDate && <DaysLeft to={row.expireDate} now={now} />}
              </li>
            ))}
          </ul>
          {total > rows.length && (
            <Link
              to="/domain/list"
              search={{ sort: 'expireDate', expiring: String(renewSoonDays) }}
              className={classes.more}
            >
              All {total} that expire in the next {renewSoonDays} days
            </Link>
          )}
        </>
      )}
    </Paper>
  );
}

function BalancePanel() {
  const balance = useBalance();
  const mayTopUp = useMay('balance.topup');
  const { pendingBalance = 0, held = 0 } = balance.data ?? {};
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="balance">
      <Title order={2} size="h4" id="balance" mb="xs">
        Balance
      </Title>
      {balance.isError ? (
        <ErrorState error={balance.error} onRetry={balance.refetch} />
      ) : !balance.data ? (
        <Skeleton height={64} />
      ) : (
        <>
          <p className={`${classes.amount} number`}>${formatCents(balance.data.balance)}</p>
          {pendingBalance > 0 && (
            <Text size="sm" c="dimmed">
              ${formatCents(pendingBalance)} being processed
            </Text>
          )}
          {held > 0 && (
            <Text size="sm" c="dimmed">
              ${formatCents(held)} reserved by running orders
            </Text>
          )}
          <Anchor component={Link} to="/account" size="sm">
            {mayTopUp ? 'Top up' : 'Billing'}
          </Anchor>
        </>
      )}
    </Paper>
  );
}
