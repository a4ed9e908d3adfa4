import { Alert, Anchor, Button, Group, Skeleton, Stack, Tabs } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import type { DomainDetails, RegistryContact } from '#contracts/operations/domain-settings.ts';
import { useBalance } from '../features/billing/api.ts';
import { useCertificateOffer } from '../features/certificates/api.ts';
import { useDomainDetails } from '../features/domains/api.ts';
import type { ContactType } from '../features/domains/contacts-section.tsx';
import { DnssecSection } from '../features/domains/dnssec-section.tsx';
import { leftFact } from '../features/domains/domain-state.ts';
import { DomainStateLine } from '../features/domains/domain-state-line.tsx';
import { flagsOf } from '../features/domains/flags.ts';
import { InfoTab } from '../features/domains/info-tab.tsx';
import { RegistrantNotice } from '../features/domains/registrant-notice.tsx';
import { RestoreNotice } from '../features/domains/restore-notice.tsx';
import { cart } from '../features/orders/cart.ts';
import { knownSpendable } from '../features/orders/summary.ts';
import { useAddAndGo } from '../features/orders/use-add.ts';
import { useCart } from '../features/orders/use-cart.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { ApiError } from '../lib/api-error.ts';
import { useRedirect } from '../lib/use-redirect.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { CopyName, DomainName } from '../ui/domain-name.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { FailureText } from '../ui/failure.tsx';
import { lazily } from '../ui/lazily.tsx';
import { Page } from '../ui/page.tsx';
import { PageLoader } from '../ui/plain-button.tsx';
import { ScreenTabs } from '../ui/screen-tabs.tsx';
import { Sliced } from '../ui/sliced.tsx';
import { UnreadBalance } from '../ui/unread-balance.tsx';

/** Loaded when somebody changes a contact: few do. */
const ContactDialog = lazily(() => import('./domain-contact.tsx'));

/** Each tab loads its own part. */
const ManagedDnsTab = lazily(async () => ({
  default: (await import('../features/dns/managed-dns-tab.tsx')).ManagedDnsTab,
}));
const AdvancedDnsTab = lazily(async () => ({
  default: (await import('../features/dns/advanced-dns-tab.tsx')).AdvancedDnsTab,
}));

const HealthTab = lazily(async () => ({
  default: (await import('../features/health/health-tab.tsx')).HealthTab,
}));

/** Of a name that is held elsewhere. */
const WatchedDomain = lazily(async () => ({
  default: (await import('./watched-domain.tsx')).WatchedDomain,
}));

const FixButton = lazily(async () => ({
  default: (await import('../features/changes/fix-button.tsx')).FixButton,
}));

type Tab = 'info' | 'dns' | 'advanced' | 'health';
const tabTitles: Record<Tab, string> = {
  info: 'Info',
  dns: 'Managed DNS',
  advanced: 'Advanced DNS',
  health: 'Health',
};

/** /domain/{domain}, /domain/{domain}/dns and /customers/{customerId}/domains/{domain} (P2 §2). */
export default function DomainDetailScreen() {
  // One route for both, or its tabs would draw the whole screen again. Any other path leads home (P2 §2), and nothing is asked for it.
  const isKnown = useParams({
    strict: false,
    select: (params) => [undefined, 'dns'].includes(tabOf(params)),
  });
  useRedirect(isKnown ? null : '/');
  return isKnown ? <Domain /> : <PageLoader />;
}

function Domain() {
  const { domain, customerId } = useNamed();
  const details = useDomainDetails(domain.toLowerCase());
  const staff = useMay('customers.create');
  const trail = customerId
    ? [
        ...(staff ? [{ to: '/customers', label: 'Customers' }] : []),
        { to: `/customers/${customerId}/domains`, label: details.data?.customer ?? 'Customer' },
      ]
    : [{ to: '/domain/list', label: 'Domain management' }];
  const back = <Breadcrumbs trail={trail} here={domain.toLowerCase()} />;
  const loading = (
    <Stack role="status" aria-label="Loading domain...">
      <RecordsAhead />
      <Skeleton height={36} />
      <Skeleton height={320} />
    </Stack>
  );
  if (details.data) {
    return (
      <Sliced
        key={domain}
        meanwhile={
          <Page title={domain} above={back}>
            {loading}
          </Page>
        }
      >
        <Detail details={details.data} asking={details.asking} above={back} />
      </Sliced>
    );
  }
  return (
    <Page title={domain} above={back}>
      {details.error === null ? (
        loading
      ) : isMissing(details.error) ? (
        <Suspense fallback={loading}>
          <WatchedDomain
            domain={domain.toLowerCase()}
            otherwise={
              <EmptyState
                title="This domain is not in your account"
                action={
                  <Button component={Link} to="/domain/list">
                    Show all domains
                  </Button>
                }
              />
            }
          />
        </Suspense>
      ) : (
        <ErrorState error={details.error} onRetry={details.refetch} />
      )}
    </Page>
  );
}

/** What shows the records is fetched while the domain is read. */
function RecordsAhead() {
  const tab = useTabInPath();
  useEffect(() => {
    if (tab === 'dns') void ManagedDnsTab.preload();
  }, [tab]);
  return null;
}

interface Edited {
  details: DomainDetails;
  type: ContactType;
  shown: RegistryContact;
}

function Detail(props: { details: DomainDetails; asking: boolean; above: ReactNode }) {
  const { details } = props;
  const mayChange = useMay('domains.settings');
  const mayBuy = useMay('orders.purchase');
  const staff = useMay('customers.create');
  // With the details of that moment: what is read again behind the dialog has no contacts when the registrar is away.
  const [edited, setEdited] = useState<Edited | null>(null);
  const edit = (type: ContactType) => {
    const shown = details.contact_set[type];
    if (shown) setEdited({ details, type, shown });
  };
  return (
    <Page
      title={details.domain}
      heading={<DomainName name={details.domain} copy={false} />}
      beside={<CopyName name={details.domain} />}
      below={<DomainStateLine details={details} namesOwner={staff} />}
      above={props.above}
      action={mayBuy && <Actions details={details} />}
    >
      {details.status === 'transferring' && <TransferWarning domain={details.domain} />}
      {mayBuy ? (
        <Restorable details={details} />
      ) : (
        <RestoreNotice details={details} mayBuy={false} spendableCents={null} />
      )}
      <RegistrantNotice
        details={details}
        asking={props.asking}
        mayResend={mayChange}
        onChangeRegistrant={mayChange ? () => edit('owner') : null}
      />
      <DetailTabs details={details} asking={props.asking} onEditContact={edit} />
      {edited && (
        <Suspense>
          <ContactDialog
            {...edited}
            details={details.live ? details : edited.details}
            onClose={() => setEdited(null)}
          />
        </Suspense>
      )}
    </Page>
  );
}

interface DetailTabsProps {
  details: DomainDetails;
  asking: boolean;
  onEditContact: (type: ContactType) => void;
}

/** Apart: somebody who opens another tab has the tabs drawn again, and not the screen. */
function DetailTabs({ details, asking, onEditContact }: DetailTabsProps) {
  const { tab, shown, isDisabled, open } = useTabs(details);
  const mayChange = useMay('domains.settings');
  const mayUnlock = useMay('domains.unlock');
  const mayFix = useMay('changes.manage');
  const staff = useMay('customers.create');
  const mayEditRecords = useMay('dns.write');
  const mayTemplate = useMay('dns.templates');
  return (
    <ScreenTabs
      active={tab}
      tabs={shown.map((name) => ({ name, title: tabTitles[name], disabled: isDisabled(name) }))}
      onOpen={open}
    >
      <Tabs.Panel value="info">
        <InfoTab
          details={details}
          asking={asking}
          rights={{ settings: mayChange, unlock: mayUnlock }}
          onEditContact={onEditContact}
        />
      </Tabs.Panel>
      <Tabs.Panel value="dns">
        <Suspense fallback={<Skeleton height={320} />}>
          <ManagedDnsTab address={details.domain} mayEdit={mayEditRecords} mayTemplate={mayTemplate} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="advanced">
        <Suspense fallback={<Skeleton height={320} />}>
          <Stack gap="md">
            <AdvancedDnsTab address={details.domain} mayEdit={mayChange} />
            <DnssecSection domain={details.domain} mayChange={mayChange} />
          </Stack>
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="health">
        <Suspense fallback={<Skeleton height={320} />}>
          <HealthTab
            domain={details.domain}
            mayMute={staff}
            missing={details.missing}
            fix={
              mayFix
                ? ({ title, fix }) =>
                    fix && (
                      <FixButton
                        finding={title}
                        label="Fix"
                        wish={async () => ({ fix, names: [details.domain] })}
                      />
                    )
                : undefined
            }
          />
        </Suspense>
      </Tabs.Panel>
    </ScreenTabs>
  );
}

/** What the address names. The rest of it, and the tab, may change without the screen. */
function useNamed() {
  const domain = useParams({ strict: false, select: (params) => params.domain ?? '' });
  const customerId = useParams({ strict: false, select: (params) => params.customerId });
  return { domain, customerId };
}

/** As the router takes the rest of a path: in any case. */
const tabOf = ({ tab }: { tab?: string | undefined }) => tab?.toLowerCase();
const useTabInPath = () => useParams({ strict: false, select: tabOf });

/**
 * P2 §2: Managed DNS appears when it is in use or during a transfer; while transferring it is the only tab. The tab is in
 * the address: by its path where P2 names one, else behind the question mark.
 */
function useTabs(details: DomainDetails) {
  const { customerId } = useNamed();
  const inPath = useTabInPath();
  const inSearch = useSearch({ strict: false, select: (search) => search.tab });
  const navigate = useNavigate();
  const transferring = details.status === 'transferring';
  const managed = transferring || details.managed_dns === true;
  const shown: Tab[] = managed ? ['info', 'dns', 'advanced', 'health'] : ['info', 'advanced', 'health'];
  const named = inPath ?? inSearch;
  const tab = transferring ? 'dns' : (shown.find((name) => name === named) ?? 'info');
  const open = (name: Tab) => {
    const below = customerId ? `/customers/${customerId}/domains` : '/domain';
    const path = `${below}/${details.domain}`;
    if (name === 'dns' && !customerId) void navigate({ to: `${path}/dns` });
    else void navigate({ to: path, search: { tab: name === 'info' ? undefined : name } });
  };
  return { tab, shown, open, isDisabled: (name: Tab) => transferring && name !== 'dns' };
}

/** What is bought for this domain: a renewal (decisions no. 15), a certificate. */
function Actions({ details }: { details: DomainDetails }) {
  const userId = useProfile().data?.userId;
  const { items } = useCart(userId);
  const add = useAddAndGo(userId);
  const offer = useCertificateOffer();
  const { domain: address, registry_expiredate: expireDate, customerId } = details;
  // A deleted domain cannot be renewed, and one on its way has no expiry yet.
  if (!expireDate || details.restorable_until) return null;
  const inCart = items.some((item) => item.type === 'renewal' && item.address === address);
  const { autoRenew } = flagsOf(details);
  const renew = () =>
    cart.add({ type: 'renewal', address, registration: 1, autoRenew, customerId, expireDate });
  return (
    <Group gap="xs">
      <FailureText error={offer.error} />
      {!leftFact(details) && (
        <Button variant="default" disabled={inCart} onClick={renew}>
          {inCart ? 'Renewal in cart' : 'Renew'}
        </Button>
      )}
      <Button
        variant="default"
        disabled={offer.isPending}
        onClick={() => offer.mutate({ address, customerId }, { onSuccess: (item) => item && add(item) })}
      >
        {offer.isPending ? 'Loading prices...' : 'Order certificate'}
      </Button>
    </Group>
  );
}

/** For those who may buy: with what is left of the balance. */
function Restorable({ details }: { details: DomainDetails }) {
  const balance = useBalance();
  return (
    <RestoreNotice
      details={details}
      mayBuy
      spendableCents={knownSpendable(balance)}
      unread={<UnreadBalance of={balance} />}
    />
  );
}

function TransferWarning({ domain }: { domain: string }) {
  return (
    <Alert color="yellow" variant="light" role="status" mb="md" title="This domain is being transferred">
      You can change its settings when the transfer is complete. DNS records that you prepare now take effect
      then.{' '}
      <Anchor component={Link} to={`/domain/transfer/${domain}`} size="sm">
        Follow the transfer
      </Anchor>
    </Alert>
  );
}

/** A name that is not ours, or that is none. */
function isMissing(error: Error): boolean {
  return error instanceof ApiError && (error.code === 'not_found' || error.code === 'validation_failed');
}
