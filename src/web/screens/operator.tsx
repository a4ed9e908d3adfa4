import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { ActsTab } from '../features/operator/acts-tab.tsx';
import { useMe } from '../features/operator/api.ts';
import { CorrectionsTab } from '../features/operator/corrections-tab.tsx';
import { useOperatorKey } from '../features/operator/key-context.ts';
import { OperatorDoor } from '../features/operator/operator-key.tsx';
import { PricesTab } from '../features/operator/prices-tab.tsx';
import { QueueTab } from '../features/operator/queue-tab.tsx';
import { ReconciliationTab } from '../features/operator/reconciliation-tab.tsx';
import { RecoveryNotice, RecoveryTab } from '../features/operator/recovery-tab.tsx';
import { RegistrarAccountCard } from '../features/operator/registrar-account.tsx';
import { Page } from '../ui/page.tsx';
import { ScreenTabs } from '../ui/screen-tabs.tsx';

const tabs = {
  queue: 'Queue',
  reconciliation: 'Reconciliation',
  corrections: 'Corrections',
  prices: 'Prices',
  recovery: 'Recovery',
  acts: 'Who did what',
};
type Tab = keyof typeof tabs;

/** /operator: for the people who run the portal. Opened by a key of their own, which no tenant and no sign-in holds. */
export default function OperatorScreen() {
  return (
    <OperatorDoor fallback={(form) => <Page title="Operator">{form}</Page>}>
      <Inside />
    </OperatorDoor>
  );
}

function Inside() {
  const { tab } = useParams({ strict: false });
  const { leave } = useOperatorKey();
  const me = useMe();
  const navigate = useNavigate();
  const active = tab === undefined ? 'queue' : (Object.keys(tabs) as Tab[]).find((name) => name === tab);
  if (!active) return <Navigate to="/operator/{-$tab}" params={{ tab: undefined }} replace />;
  const open = (name: Tab) =>
    void navigate({
      to: '/operator/{-$tab}',
      params: { tab: name === 'queue' ? undefined : name },
    });
  return (
    <Page
      title="Operator"
      action={
        <Group gap="sm">
          {me.data && <Text size="sm">{me.data.name}</Text>}
          <Button variant="default" onClick={leave}>
            Leave
          </Button>
        </Group>
      }
    >
      {active !== 'recovery' && <RecoveryNotice onOpen={() => open('recovery')} />}
      <ScreenTabs
        active={active}
        tabs={(Object.keys(tabs) as Tab[]).map((name) => ({ name, title: tabs[name] }))}
        onOpen={open}
      >
        <Tabs.Panel value="queue">
          <Stack gap="md">
            <RegistrarAccountCard />
            <QueueTab />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="reconciliation">
          <ReconciliationTab />
        </Tabs.Panel>
        <Tabs.Panel value="corrections">
          <CorrectionsTab />
        </Tabs.Panel>
        <Tabs.Panel value="recovery">
          <RecoveryTab />
        </Tabs.Panel>
        <Tabs.Panel value="acts">
          <ActsTab />
        </Tabs.Panel>
        <Tabs.Panel value="prices">
          <PricesTab />
        </Tabs.Panel>
      </ScreenTabs>
    </Page>
  );
}
