import { Button, Skeleton, Stack, Tabs } from '@mantine/core';
import { Link, Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { Customer } from '#contracts/operations/customers.ts';
import { moneyText } from '#contracts/values/format.ts';
import { WhatHappened } from '../features/audit/what-happened.tsx';
import { useCustomerCount } from '../features/certificates/api.ts';
import { CertificatesTab } from '../features/certificates/certificate-list.tsx';
import { DomainCertificate } from '../features/certificates/domain-cell.tsx';
import { useCustomer, useCustomerDomains } from '../features/customers/api.ts';
import { BillingTab } from '../features/customers/billing-tab.tsx';
import { stateOf } from '../features/customers/direct-billing.ts';
import { OwnUsersSwitch } from '../features/customers/own-users-switch.tsx';
import { DomainsTab } from '../features/customers/owned-lists.tsx';
import { ProfileTab } from '../features/customers/profile-tab.tsx';
import { LeftChip } from '../features/domains/domain-state-line.tsx';
import { useHealthCount } from '../features/health/api.ts';
import { useAddAndGo } from '../features/orders/use-add.ts';
import { useYearOfCustomer } from '../features/statement/api.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { ApiError } from '../lib/api-error.ts';
import { useSession } from '../lib/session.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Day } from '../ui/date-time.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { type Figure, Figures } from '../ui/figures.tsx';
import { lazily } from '../ui/lazily.tsx';
import { Page } from '../ui/page.tsx';
import { ScreenTabs } from '../ui/screen-tabs.tsx';
import { CustomerAttention } from './customer-attention.tsx';
import classes from './customer-detail.module.css';

const tabs = { profile: 'Profile', domains: 'Domains', certificates: 'Certificates', billing: 'Billing' };
type Tab = keyof typeof tabs;

/** /customers/{customerId}/{tab} (P1 §2): the tab defaults to profile, the path is rewritten when it changes. */
export default function CustomerDetailScreen() {
  const { customerId = '', tab } = useParams({ strict: false });
  const customer = useCustomer(customerId);
  if (customer.data) return <Detail key={customerId} customer={customer.data} tab={tab} />;
  if (customer.error && !isMissing(customer.error)) {
    return (
      <Page title="Customer Management" above={<Trail here="Customer" />}>
        <ErrorState error={customer.error} onRetry={customer.refetch} />
      </Page>
    );
  }
  // P1 §2: a missing customerId redirects to /customers.
  if (customer.error) return <Navigate to="/customers" replace />;
  return (
    <Page title="Customer Management" above={<Trail here="Customer" />}>
      <Stack role="status" aria-label="Loading customer...">
        <Skeleton height={36} />
        <Skeleton height={320} />
      </Stack>
    </Page>
  );
}

/** An id that nobody has, or that is none. */
function isMissing(error: Error): boolean {
  return error instanceof ApiError && (error.code === 'not_found' || error.code === 'validation_failed');
}

function Detail({ customer, tab }: { customer: Customer; tab: string | undefined }) {
  const navigate = useNavigate();
  // A customer's own users do not see the provider's billing arrangements.
  const staff = useMay('customers.create');
  const mayBuy = useMay('orders.purchase');
  const add = useAddAndGo(useProfile().data?.userId);
  const mayEditBilling = useMay('customers.billing');
  const mayEdit = useMay('customers.edit');
  const mayAudit = useMay('audit.read');
  const mayErase = useMay('privacy.manage');
  const { customerId } = customer;
  const shown = (Object.keys(tabs) as Tab[]).filter((name) => name !== 'billing' || staff);
  const active = shown.find((name) => name === tab) ?? 'profile';
  const counts: Partial<Record<Tab, number | undefined>> = {
    domains: useSoonest(customerId).data?.meta.total,
    certificates: useCustomerCount(customerId).data?.all,
  };
  const open = (name: Tab) =>
    void navigate({ to: '/customers/$customerId/{-$tab}', params: { customerId, tab: name } });
  return (
    <Page
      title={`${staff ? 'Customer Management' : 'Contacts'}: ${customer.contacts.owner.organization}`}
      above={<Trail here={customer.contacts.owner.organization} />}
    >
      <CustomerFigures customer={customer} staff={staff} />
      <CustomerAttention customerId={customerId} />
      <ScreenTabs
        active={active}
        tabs={shown.map((name) => ({ name, title: tabs[name], end: <TabCount of={counts[name]} /> }))}
        onOpen={open}
      >
        <Tabs.Panel value="profile">
          <div className={classes.profile}>
            <ProfileTab customer={customer} mayEdit={mayEdit} />
            {mayAudit && <WhatHappened customerId={customerId} />}
          </div>
          {mayErase && <Privacy customer={customer} />}
        </Tabs.Panel>
        <Tabs.Panel value="domains">
          {staff && <OwnUsersSwitch customer={customer} />}
          <DomainsTab
            customerId={customerId}
            left={(row) => <LeftChip domain={row} />}
            certificate={(row) => <DomainCertificate domain={row} mayBuy={mayBuy} onOffer={add} />}
          />
        </Tabs.Panel>
        <Tabs.Panel value="certificates">
          <CustomerAcme customerId={customerId} staff={staff} />
          <CertificatesTab customerId={customerId} />
        </Tabs.Panel>
        <Tabs.Panel value="billing">
          <BillingTab customer={customer} mayEdit={mayEditBilling} />
        </Tabs.Panel>
      </ScreenTabs>
    </Page>
  );
}

function TabCount({ of }: { of: number | undefined }) {
  return of === undefined ? null : <span className={`${classes.count} number`}>{of}</span>;
}

const useSoonest = (customerId: string) =>
  useCustomerDomains(customerId, { page: 1, pageSize: 1, sort: 'expireDate' });

/** undefined while it is on its way, null where it cannot be read. */
const unread = <T,>(read: { error: Error | null }, value: T | undefined) =>
  value ?? (read.error ? null : undefined);

/** What there is of this customer, and what is next. */
function CustomerFigures({ customer, staff }: { customer: Customer; staff: boolean }) {
  const { customerId } = customer;
  const domains = useSoonest(customerId);
  const certificates = useCustomerCount(customerId);
  const problems = useHealthCount(customerId);
  const [soonest] = domains.data?.rows ?? [];
  const figures: Figure[] = [
    {
      title: 'Domains',
      value: unread(domains, domains.data?.meta.total),
      detail: soonest?.expireDate ? (
        <>
          next expires <Day at={soonest.expireDate} />
        </>
      ) : (
        ''
      ),
    },
    {
      title: 'Certificates',
      value: unread(certificates, certificates.data?.all),
      detail: certificates.data ? certificatesText(certificates.data) : '',
    },
    {
      title: 'Health',
      value: unread(problems, problems.data && problemsText(problems.data)),
      detail: problems.data ? <HealthLink customerId={customerId} found={problems.data} /> : '',
    },
  ];
  const year = useYearFigure(customerId);
  return (
    <Figures label="Figures" figures={staff ? [...figures, ...year, billingFigure(customer)] : figures} />
  );
}

/** What this customer brought in a year; of one that the organization bills itself only the cost is known. */
function useYearFigure(customerId: string): Figure[] {
  const mayRead = useMay('balance.read');
  const earnings = useYearOfCustomer(customerId, mayRead);
  if (!mayRead) return [];
  const [year] = earnings.data ?? [];
  const { received, cost, otherCost, earned } = year ?? { received: 0, cost: 0, otherCost: 0, earned: 0 };
  const isCharged = received !== 0 || cost !== 0;
  return [
    {
      title: isCharged ? 'Charged in 12 months' : 'Spent in 12 months',
      value: unread(earnings, earnings.data && moneyText(isCharged ? received : otherCost)),
      detail: !earnings.data ? '' : isCharged ? `your margin ${moneyText(earned)}` : 'from your balance',
    },
  ];
}

const problemsText = ({ all }: { all: number }) =>
  all === 0 ? 'No problems' : all === 1 ? '1 problem' : `${all} problems`;

function HealthLink({ customerId, found }: { customerId: string; found: { first: string | null } }) {
  if (found.first === null) return 'as others see its domains';
  return (
    <Link
      to="/health"
      search={{ customer: customerId } as never}
      className={classes.more}
      title={found.first}
    >
      {found.first}
    </Link>
  );
}

function certificatesText({ all, attention }: { all: number; attention: number }): string {
  if (all === 0) return 'none ordered yet';
  return attention === 0 ? 'all in order' : `${attention} ${attention === 1 ? 'needs' : 'need'} you`;
}

function billingFigure(customer: Customer): Figure {
  const title = 'Direct billing';
  const state = stateOf(customer);
  const { chargesStopped } = customer;
  if (state !== 'Stopped') return { title, value: state, detail: billingTexts[state] };
  if (!chargesStopped) return { title, value: state };
  const { disputes, since } = chargesStopped;
  const detail = (
    <>
      {disputes === 1 ? 'disputed on' : `${disputes} disputes since`} <Day at={since} />
    </>
  );
  return { title, value: state, detail };
}

const billingTexts = {
  Active: 'charged directly',
  Pending: 'no payment method yet',
  Disabled: 'from your balance',
};

/** Loaded when they are shown: few visits to a customer are about these. */
const AllowanceRow = lazily(async () => ({
  default: (await import('../features/acme/allowance-row.tsx')).AllowanceRow,
}));
const CustomerPrivacy = lazily(async () => ({
  default: (await import('../features/privacy/customer-privacy.tsx')).CustomerPrivacy,
}));

/** By what the customer's machines get certificates by themselves. */
function CustomerAcme({ customerId, staff }: { customerId: string; staff: boolean }) {
  return (
    <>
      <Button
        component={Link}
        to="/certificates/acme"
        search={{ customer: staff ? customerId : undefined } as never}
        variant="default"
        mb="md"
      >
        ACME access
      </Button>
      {staff && (
        <Suspense fallback={<Skeleton height={60} mb="lg" />}>
          <AllowanceRow customerId={customerId} />
        </Suspense>
      )}
    </>
  );
}

function Privacy({ customer }: { customer: Customer }) {
  const session = useSession();
  const navigate = useNavigate();
  const { customerId } = customer;
  return (
    <Suspense fallback={<Skeleton height={160} mt="xl" />}>
      <CustomerPrivacy
        customerId={customerId}
        organization={customer.contacts.owner.organization}
        onErased={() => void navigate({ to: '/customers' })}
        onSignInAgain={() => void session.signIn({ fresh: true, returnPath: `/customers/${customerId}` })}
      />
    </Suspense>
  );
}

function Trail({ here }: { here: string }) {
  // A customer's own user has come from nowhere else.
  const staff = useMay('customers.create');
  return staff && <Breadcrumbs trail={[{ to: '/customers', label: 'Customers' }]} here={here} />;
}
