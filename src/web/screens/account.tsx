import { Paper, Stack } from '@mantine/core';
import { AutoBalance } from '../features/billing/auto-balance.tsx';
import { TopUp } from '../features/billing/top-up.tsx';
import { useMay, useProfile } from '../features/users/api.ts';
import { Page } from '../ui/page.tsx';

/** /account, "Manage your Billing" (P2 §2). In initial-fee mode the first $100 is all there is (decisions no. 11). */
export default function AccountScreen() {
  const profile = useProfile();
  const mayTopUp = useMay('balance.topup');
  const initial = profile.data?.paidInitialFee === false;
  return (
    <Page title="Manage your Billing">
      <Stack gap="lg" maw={720}>
        <Paper withBorder p="lg">
          <TopUp initial={initial} onPaid={() => void profile.refetch()} />
        </Paper>
        {!initial && mayTopUp && (
          <Paper withBorder p="lg">
            <AutoBalance />
          </Paper>
        )}
      </Stack>
    </Page>
  );
}
