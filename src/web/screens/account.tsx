import { Paper } from '@mantine/core';
import { TopUp } from '../features/billing/top-up.tsx';
import { useProfile } from '../features/users/api.ts';
import { Page } from '../ui/page.tsx';

/** /account, "Manage your Billing" (P2 §2). */
export default function AccountScreen() {
  const profile = useProfile();
  return (
    <Page title="Manage your Billing">
      <Paper withBorder p="lg" maw={720}>
        <TopUp initial={profile.data?.paidInitialFee === false} onPaid={() => void profile.refetch()} />
      </Paper>
    </Page>
  );
}
