import { Badge, Button, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DueRenewals } from '#contracts/operations/renewals.ts';
import { renewalsAheadDays } from '#contracts/values/domain-life.ts';
import { moneyText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { useAttention, useAttentionCounts } from '../features/attention/api.ts';
import { AttentionItems } from '../features/attention/attention-list.tsx';
import { nothingText } from '../features/attention/nothing-text.ts';
import { useAudit } from '../features/audit/api.ts';
import { AuditLines } from '../features/audit/audit-log-lines.tsx';
import { useBalance } from '../features/billing/api.ts';
import { useOverview } from '../features/overview/api.ts';
import { FirstSteps } from '../features/overview/first-steps.tsx';
import { useDueRenewals } from '../features/renewals/api.ts';
import { countedText, uncountedTexts } from '../features/renewals/coverage.ts';
import { runwayOf } from '../features/renewals/runway.ts';
import { Runway } from '../features/renewals/runway.tsx';
import { useMay } from '../features/users/api.ts';
import { Card } from '../ui/card.tsx';
import { Day } from '../ui/date-time.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { AttentionAct } from './attention-act.tsx';
import classes from './home.module.css';

const shownFirst = 6;
const days = renewalsAheadDays;

/** Below the tiles: what needs a person, the money there is, the latest changes. */
export default function HomeOverview() {
  const mayDomains = useMay('domains.read');
  const mayBalance = useMay('balance.read');
  const mayAudit = useMay('audit.read');
  return (
    <div className={classes.overview}>
      {mayDomains && <NeedsAttention />}
      <div className={classes.aside}>
        {mayBalance && <BalancePanel />}
        {mayAudit && <LatestChanges />}
      </div>
    </div>
  );
}

/** The first of what waits for a person; the rest is on its own screen. */
function NeedsAttention() {
  const list = useAttention({}, shownFirst);
  const counts = useAttentionCounts();
  const { now = 0, soon = 0 } = counts.data ?? {};
  return (
    <Card
      flush
      title="Needs attention"
      beside={
        <>
          {now > 0 && <Badge color="red">{now} now</Badge>}
          {soon > 0 && <Badge color="yellow">{soon} soon</Badge>}
        </>
      }
      end={
        now + soon > shownFirst && (
          <Link to="/attention" className={classes.more}>
            All {now + soon}
          </Link>
        )
      }
    >
      {list.error && (
        <div className={classes.note}>
          <ErrorState error={list.error} onRetry={list.refetch} />
        </div>
      )}
      {/* Together with the figures: on a phone they take a line of their own above it. */}
      {list.items === undefined || (counts.isPending && !list.error) ? (
        !list.error && (
          <div className={classes.waiting}>
            <Skeleton height={180} />
          </div>
        )
      ) : list.items.length > 0 ? (
        <AttentionItems
          items={list.items.slice(0, shownFirst)}
          act={(item) => <AttentionAct item={item} />}
        />
      ) : (
        <NothingToDo postponed={counts.data?.snoozed} />
      )}
    </Card>
  );
}

/** Who has no domain yet has something else to do. `postponed`: how much is put off; undefined: nobody knows. */
function NothingToDo({ postponed }: { postponed: number | undefined }) {
  const counts = useOverview(true).data;
  const mayBuy = useMay('orders.purchase');
  const staff = useMay('attention.manage');
  const { held = 0, transferring = 0 } = counts?.domains ?? {};
  if (mayBuy && counts && held + transferring === 0) {
    return <NewHere customers={counts.customers?.total ?? 0} />;
  }
  return <p className={classes.note}>{nothingText(staff, postponed)}</p>;
}

function NewHere({ customers }: { customers: number }) {
  const { data } = useBalance();
  return (
    <FirstSteps
      customers={customers}
      hasMoney={data !== undefined && data.balance + data.pendingBalance > 0}
    />
  );
}

function BalancePanel() {
  const balance = useBalance();
  const due = useDueRenewals(days);
  const mayTopUp = useMay('balance.topup');
  const { pendingBalance = 0, held = 0 } = balance.data ?? {};
  return (
    <Card
      title="Balance"
      end={
        <Button component={Link} to="/account" size="xs" variant="default">
          {mayTopUp ? 'Top up' : 'Billing'}
        </Button>
      }
    >
      {balance.isError ? (
        <ErrorState error={balance.error} onRetry={balance.refetch} />
      ) : !balance.data ? (
        <Skeleton height={200} />
      ) : (
        <>
          <p className={`${classes.amount} number`}>{moneyText(balance.data.balance)}</p>
          {due.data ? (
            <Lasts due={due.data} />
          ) : due.error ? (
            <ErrorState error={due.error} onRetry={due.refetch} />
          ) : (
            <Skeleton height={140} />
          )}
          <dl className={classes.figures}>
            {pendingBalance > 0 && <Figure label="Being processed" cents={pendingBalance} />}
            <Figure label="Held for open orders" cents={held} />
            {due.data && (
              <Figure label={`Renews in ${days} days`} cents={usdToCents(due.data.automaticTotal)} />
            )}
          </dl>
        </>
      )}
    </Card>
  );
}

function Lasts({ due }: { due: DueRenewals }) {
  const points = runwayOf(due, new Date(), days);
  const uncounted = uncountedTexts(due);
  return (
    <>
      <Text c="dimmed">
        Covers {countedText(due)}{' '}
        {due.shortFrom ? (
          <>
            until{' '}
            <b>
              <Day at={due.shortFrom} />
            </b>
          </>
        ) : (
          `of the next ${days} days`
        )}
        {uncounted.length > 0 && `. ${uncounted.join(' ')}`}
      </Text>
      <Runway points={points} />
    </>
  );
}

function Figure({ label, cents }: { label: string; cents: number }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className="number">{moneyText(cents)}</dd>
    </>
  );
}

function LatestChanges() {
  const audit = useAudit({ page: 1, pageSize: 5, sort: '-at' });
  return (
    <Card
      flush
      title="Latest changes"
      end={
        <Link to="/audit" className={classes.more}>
          Audit log
        </Link>
      }
    >
      {audit.isError ? (
        <div className={classes.note}>
          <ErrorState error={audit.error} onRetry={audit.refetch} />
        </div>
      ) : !audit.data ? (
        <div className={classes.note}>
          <Skeleton height={120} />
        </div>
      ) : audit.data.rows.length === 0 ? (
        <p className={classes.note}>No changes yet.</p>
      ) : (
        <AuditLines rows={audit.data.rows} />
      )}
    </Card>
  );
}
