import { Paper, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { renewalsAheadDays } from '#contracts/values/domain-life.ts';
import { moneyText, signedMoneyText, usdText } from '#contracts/values/format.ts';
import { useBalance } from '../features/billing/api.ts';
import { AutoBalance } from '../features/billing/auto-balance.tsx';
import { pendingText } from '../features/billing/pending-text.ts';
import { BalanceField, TopUp } from '../features/billing/top-up.tsx';
import { useDueRenewals } from '../features/renewals/api.ts';
import { countedText, uncountedTexts } from '../features/renewals/coverage.ts';
import { runwayOf } from '../features/renewals/runway.ts';
import { Runway } from '../features/renewals/runway.tsx';
import { useStatement } from '../features/statement/api.ts';
import { useMay } from '../features/users/api.ts';
import { Card } from '../ui/card.tsx';
import { Day } from '../ui/date-time.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import classes from './account-billing.module.css';

const days = renewalsAheadDays;
const latest = 5;

/** Money as it moves: what there is, what is held and on its way, how long it lasts; then the ways to change it. */
export default function Billing({ initial, onPaid }: { initial: boolean; onPaid: () => void }) {
  const mayTopUp = useMay('balance.topup');
  const [unseenCents, setUnseenCents] = useState(0);
  if (initial) {
    return (
      <Paper withBorder p="lg" maw={720}>
        {mayTopUp ? <TopUp initial onPaid={onPaid} /> : <BalanceField />}
      </Paper>
    );
  }
  return (
    <div className={classes.screen}>
      <Figures unseenCents={unseenCents} onRefresh={() => setUnseenCents(0)} />
      {mayTopUp && (
        <div className={classes.pair}>
          <Card title="Top up">
            <TopUp initial={false} onPaid={onPaid} onUnseen={setUnseenCents} />
          </Card>
          <AutoBalance />
        </div>
      )}
      <div className={classes.pair}>
        <Ahead />
        <Movements />
      </div>
    </div>
  );
}

function Figures(props: { unseenCents: number; onRefresh: () => void }) {
  const balance = useBalance();
  const due = useDueRenewals(days);
  return (
    <dl className={classes.figures}>
      <div>
        <dt className={classes.hidden}>Balance</dt>
        <dd>
          <BalanceField large {...props} />
        </dd>
        <dd className={classes.note}>available now</dd>
      </div>
      <Figure label="Held for open orders" note="returned if they fail">
        {balance.data && moneyText(balance.data.held)}
      </Figure>
      <Figure label="On its way" note={balance.data && pendingText(balance.data)}>
        {balance.data && moneyText(balance.data.pendingBalance)}
      </Figure>
      <Figure label="Lasts until" note={due.data ? `with ${countedText(due.data)}` : undefined}>
        {due.data && (due.data.shortFrom ? <Day at={due.data.shortFrom} /> : `${days} days and longer`)}
      </Figure>
    </dl>
  );
}

function Figure({ label, note, children }: { label: string; note: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="number">{children ?? '…'}</dd>
      <dd className={classes.note}>{note ?? '\u00a0'}</dd>
    </div>
  );
}

/** What the automatic renewals of the next weeks leave of the balance. */
function Ahead() {
  const due = useDueRenewals(days);
  const uncounted = due.data ? uncountedTexts(due.data) : [];
  return (
    <Card
      title={`Next ${days} days`}
      end={
        <Link to="/domain/renewals" className={classes.more}>
          Renewals
        </Link>
      }
    >
      {due.error && !due.data ? (
        <ErrorState error={due.error} onRetry={due.refetch} />
      ) : !due.data ? (
        <Skeleton height={160} />
      ) : (
        <>
          <Runway points={runwayOf(due.data, new Date(), days)} />
          <Text c="dimmed" mt="xs">
            Automatic renewals take {uncounted.length > 0 && 'at least '}
            <b className="number">{usdText(due.data.automaticTotal)}</b>.
            {due.data.shortFrom && (
              <>
                {' '}
                <b className="number">{usdText(due.data.missing)}</b> more is needed to cover them.
              </>
            )}
            {uncounted.length > 0 && ` ${uncounted.join(' ')}`}
          </Text>
        </>
      )}
    </Card>
  );
}

function Movements() {
  const lines = useStatement({ page: 1, pageSize: latest, sort: '-at' });
  const rows = lines.data?.rows;
  return (
    <Card
      flush
      title="Latest transactions"
      end={
        <Link to="/account/{-$tab}" params={{ tab: 'statement' }} className={classes.more}>
          Statement
        </Link>
      }
    >
      {lines.error && !rows ? (
        <div className={classes.pad}>
          <ErrorState error={lines.error} onRetry={lines.refetch} />
        </div>
      ) : !rows ? (
        <div className={classes.pad}>
          <Skeleton height={160} />
        </div>
      ) : rows.length === 0 ? (
        <p className={classes.pad}>No transactions yet.</p>
      ) : (
        <ul className={classes.lines}>
          {rows.map((line) => (
            <li key={line.entryId}>
              <Day at={line.at} />
              <span title={`${line.text}${line.customer ? `, ${line.customer}` : ''}`}>{line.text}</span>
              <span className="number">{signedMoneyText(line.amount)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
