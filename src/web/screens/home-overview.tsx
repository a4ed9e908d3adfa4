import { Badge, Button, Skeleton, Text } from '@mantine/core';
import {
  IconCertificate,
  IconCreditCard,
  IconMailQuestion,
  IconRefresh,
  IconTransfer,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DueRenewals } from '#contracts/operations/renewals.ts';
import { auditTitle } from '#contracts/values/audit-actions.ts';
import { renewalsAheadDays } from '#contracts/values/domain-life.ts';
import { moneyText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { useAudit } from '../features/audit/api.ts';
import { useBalance } from '../features/billing/api.ts';
import { useFlaggedCertificates } from '../features/certificates/api.ts';
import { useOpenCharges } from '../features/direct-billing/api.ts';
import { useUnconfirmedDomains } from '../features/domains/api.ts';
import { cart, useCart } from '../features/orders/cart.ts';
import { useOverview } from '../features/overview/api.ts';
import { type AttentionItem, attentionOf } from '../features/overview/attention.ts';
import { FirstSteps } from '../features/overview/first-steps.tsx';
import { useDueRenewals } from '../features/renewals/api.ts';
import { runwayOf } from '../features/renewals/runway.ts';
import { Runway } from '../features/renewals/runway.tsx';
import { useMay, useProfile } from '../features/users/api.ts';
import { Author } from '../ui/author.tsx';
import { Card } from '../ui/card.tsx';
import { Day, Lately } from '../ui/date-time.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { ErrorState } from '../ui/error-state.tsx';
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

const icons = {
  renewal: IconRefresh,
  certificate: IconCertificate,
  acme: IconCertificate,
  charge: IconCreditCard,
  transfer: IconTransfer,
  registrant: IconMailQuestion,
};

function NeedsAttention() {
  const [all, setAll] = useState(false);
  const { items, loading, error, retry } = useAttention();
  const pressing = items.filter(({ level }) => level === 'bad').length;
  const later = items.length - pressing;
  return (
    <Card
      flush
      title="Needs attention"
      beside={
        <>
          {pressing > 0 && <Badge color="red">{pressing} now</Badge>}
          {later > 0 && <Badge color="yellow">{later} soon</Badge>}
        </>
      }
      end={
        items.length > shownFirst && (
          <Button size="xs" variant="subtle" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `All ${items.length}`}
          </Button>
        )
      }
    >
      {error && (
        <div className={classes.note}>
          <ErrorState error={error} onRetry={retry} />
        </div>
      )}
      {items.length > 0 ? (
        <ul className={classes.attention}>
          {items.slice(0, all ? items.length : shownFirst).map((item) => (
            <Item key={item.key} item={item} />
          ))}
        </ul>
      ) : loading ? (
        <div className={classes.note}>
          <Skeleton height={180} />
        </div>
      ) : (
        !error && <NothingToDo />
      )}
    </Card>
  );
}

/** Who has no domain yet has something else to do. */
function NothingToDo() {
  const counts = useOverview(true).data;
  const mayBuy = useMay('orders.purchase');
  const { held = 0, transferring = 0 } = counts?.domains ?? {};
  if (mayBuy && counts && held + transferring === 0) {
    return <NewHere customers={counts.customers?.total ?? 0} />;
  }
  return (
    <p className={classes.note}>
      Nothing needs your attention. No domain lapses in the next 30 days, and all certificates are in order.
    </p>
  );
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

/** Everything that the person may see and that needs somebody. */
function useAttention() {
  const renewals = useDueRenewals(days, useMay('balance.read'));
  const certificates = useFlaggedCertificates();
  const charges = useOpenCharges(useMay('customers.billing'));
  const domains = useUnconfirmedDomains();
  const overview = useOverview(true);
  const sources = [renewals, certificates, charges, domains, overview];
  const items = attentionOf(
    {
      renewals: renewals.data?.rows ?? [],
      certificates: certificates.data?.rows ?? [],
      charges: charges.data?.rows ?? [],
      domains: domains.data?.rows ?? [],
      acme: overview.data?.acme ?? [],
      transferring: overview.data?.domains?.transferring ?? 0,
    },
    new Date(),
  );
  return {
    items,
    loading: sources.some(({ isLoading }) => isLoading),
    error: sources.find(({ error }) => error)?.error ?? null,
    retry: () => Promise.all(sources.filter(({ error }) => error).map(({ refetch }) => refetch())),
  };
}

function Item({ item }: { item: AttentionItem }) {
  const Icon = icons[item.kind];
  return (
    <li>
      <span className={classes.mark} data-level={item.level}>
        <Icon size={16} stroke={1.8} role="img" aria-label={item.level === 'bad' ? 'Urgent' : 'Soon'} />
      </span>
      <div>
        <strong>
          {item.name && <DomainName name={item.name} copy={false} />} {item.title}
        </strong>
        <span title={item.detail}>{item.detail}</span>
      </div>
      <span className={`${classes.when} number`}>{item.when}</span>
      <Act item={item} />
    </li>
  );
}

/** The one act that helps: renewing puts the name into the cart, here; the rest opens where it is done. */
function Act({ item }: { item: AttentionItem }) {
  const { items } = useCart(useProfile().data?.userId);
  const mayBuy = useMay('orders.purchase');
  const { action } = item;
  if ('to' in action) {
    return (
      <Button
        size="xs"
        variant="default"
        component={Link}
        to={action.to as never}
        aria-label={`${action.label}: ${item.name ?? item.title}`}
      >
        {action.label}
      </Button>
    );
  }
  if (!mayBuy) return null;
  const { address, autoRenew, customerId, expireDate } = action.renew;
  const added = items.some((line) => line.type === 'renewal' && line.address === address);
  return (
    <Button
      size="xs"
      variant="default"
      disabled={added}
      aria-label={added ? `Renewal of ${address} is in the cart` : `Renew ${address}`}
      onClick={() =>
        cart.add({ type: 'renewal', address, registration: 1, autoRenew, customerId, expireDate })
      }
    >
      {added ? 'In cart' : action.label}
    </Button>
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
          {due.data ? <Lasts due={due.data} /> : <Skeleton height={140} />}
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
  return (
    <>
      <Text c="dimmed">
        {due.shortFrom ? (
          <>
            Covers every automatic renewal until{' '}
            <b>
              <Day at={due.shortFrom} />
            </b>
          </>
        ) : (
          <>Covers every automatic renewal of the next {days} days</>
        )}
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
        <ul className={classes.log}>
          {audit.data.rows.map((row) => (
            <li key={row.sequence}>
              <span title={row.actor}>
                <b>{auditTitle(row.action)}</b> by <Author name={row.actor} />
              </span>
              <Lately at={row.at} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
