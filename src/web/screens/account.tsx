import { Tabs } from '@mantine/core';
import { Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useBalance } from '../features/billing/api.ts';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useBillingAddress } from '../features/profile/api.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { CloseOrganization } from '../features/users/close-organization.tsx';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { lazily } from '../ui/lazily.tsx';
import { Page } from '../ui/page.tsx';
import { PageLoader } from '../ui/plain-button.tsx';
import { ScreenTabs } from '../ui/screen-tabs.tsx';

const Billing = lazily(() => import('./account-billing.tsx'));

const StatementTab = lazily(async () => ({
  default: (await import('../features/statement/statement-tab.tsx')).StatementTab,
}));

const RecipientCard = lazily(async () => ({
  default: (await import('../features/statement/recipient-card.tsx')).RecipientCard,
}));

const EarningsTab = lazily(async () => ({
  default: (await import('../features/statement/earnings-tab.tsx')).EarningsTab,
}));

const ManageProfile = lazily(async () => ({
  default: (await import('../features/profile/manage-profile.tsx')).ManageProfile,
}));

const ExportData = lazily(async () => ({
  default: (await import('../features/privacy/export-data.tsx')).ExportData,
}));

const tabs = {
  billing: 'Manage your Billing',
  profile: 'Manage Profile',
  statement: 'Statement',
  earnings: 'Earnings',
};
type Tab = keyof typeof tabs;

/** /account (P2 §2, decisions no. 11). In initial-fee mode only billing shows: the first $100 is all there is. */
export default function AccountScreen() {
  const { tab } = useParams({ strict: false });
  const navigate = useNavigate();
  const profile = useProfile();
  const maySee = useMay('balance.read');
  const mayExport = useMay('statement.export');
  const initial = profile.data?.paidInitialFee === false;
  // A customer's own user has no business with the MSP's money.
  const allowed = {
    ...{ billing: maySee, profile: !initial || !maySee },
    ...{ statement: maySee && !initial, earnings: maySee && !initial },
  };
  const shown = (Object.keys(tabs) as Tab[]).filter((name) => allowed[name]);
  const active = tab === undefined ? shown[0] : shown.find((name) => name === tab);
  if (!profile.data) return <PageLoader />;
  if (!active) return <Navigate to="/account/{-$tab}" params={{ tab: undefined }} replace />;
  const open = (name: Tab) =>
    void navigate({
      to: '/account/{-$tab}',
      params: { tab: name === shown[0] ? undefined : name },
    });
  return (
    <Page title={tabs[active]}>
      <ScreenTabs active={active} tabs={shown.map((name) => ({ name, title: tabs[name] }))} onOpen={open}>
        <Tabs.Panel value="billing">
          <Suspense fallback={<PageLoader />}>
            <Billing initial={initial} onPaid={() => void profile.refetch()} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="profile">
          <Suspense fallback={<PageLoader />}>
            <Profile />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="statement">
          <Suspense fallback={<PageLoader />}>
            <Statement />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="earnings">
          <Suspense fallback={<PageLoader />}>
            <EarningsTab mayExport={mayExport} />
          </Suspense>
        </Tabs.Panel>
      </ScreenTabs>
    </Page>
  );
}

function Profile() {
  const profile = useProfile();
  const config = usePublicConfig();
  const session = useSession();
  const mayChangeLogo = useMay('organisation.write');
  const maySeeAccount = useMay('account.payment');
  if (!profile.data) return <PageLoader />;
  return (
    <ManageProfile
      ownData={<ExportData subject={{ kind: 'own' }} />}
      closing={<CloseOrganization at="/account/profile" />}
      profile={profile.data}
      {...{ config, mayChangeLogo, maySeeAccount }}
      onSignInAgain={() => void session.signIn({ fresh: true, returnPath: '/account/profile' })}
    />
  );
}

function Statement() {
  const profile = useProfile();
  const balance = useBalance();
  const customers = useCustomerChoices();
  const mayExport = useMay('statement.export');
  const maySeeAccount = useMay('account.payment');
  const [editing, setEditing] = useState(false);
  // The provider is asked when somebody wants to change the recipient, not with each look at the statement.
  const kept = useBillingAddress(maySeeAccount && editing);
  return (
    <StatementTab
      balance={balance.data ?? (balance.error ? null : undefined)}
      customers={customerOptions(customers.data)}
      mayExport={mayExport}
      recipient={
        mayExport && (
          <RecipientCard
            organization={profile.data?.organization ?? ''}
            editing={editing}
            onEditing={setEditing}
            kept={kept.error || !maySeeAccount ? null : kept.data?.address}
          />
        )
      }
    />
  );
}
