import { Stack, Text } from '@mantine/core';
import type { OperatorAct } from '#contracts/operations/operators.ts';
import { Chip } from '../../ui/chip.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useActs } from './api.ts';

/** What each act of an operator is called in the list. */
export const actNames: Record<string, string> = {
  'operator.retry': 'Retried a queue entry',
  'operator.reconcile': 'Started a comparison',
  'operator.setPrices': 'Changed prices',
  'operator.endDomain': 'Ended a domain that had left',
  'operator.giveDomain': 'Gave a domain to a customer',
  'operator.beginRecovery': 'Began a recovery',
  'operator.settleRecoveryFinding': 'Settled a finding of the recovery',
  'operator.correct': 'Requested a correction',
  'operator.confirmCorrection': 'Confirmed a correction',
  'operator.declineCorrection': 'Declined a correction',
  'operator.withdrawCorrection': 'Withdrew a correction',
  'operator.reseal': 'Moved sealed values to the newest key',
  'operator.makeOperator': 'Created a key for a person',
  'operator.endOperator': 'Ended a person’s key',
};

/** Who did what, from where, and how it ended: every act of an operator, newest first. */
export function ActsTab() {
  const acts = useActs();
  return (
    <DataTable
      label="Operator activity"
      columns={columns}
      rows={acts.data}
      rowKey={(act) => act.id}
      loading={acts.isFetching}
      error={acts.error}
      onRetry={acts.refetch}
      loadingText="Loading activity..."
      empty={<EmptyState title="No activity yet" text="Everything an operator changes is listed here." />}
    />
  );
}

const columns: Column<OperatorAct>[] = [
  { key: 'at', title: 'When', render: (act) => <DateTime at={act.at} /> },
  { key: 'operator', title: 'Who', width: '25%', render: (act) => <Who act={act} /> },
  { key: 'what', title: 'Action', width: '60%', render: (act) => <What act={act} /> },
  {
    key: 'outcome',
    title: 'Outcome',
    render: (act) =>
      act.outcome === 'done' ? (
        <Chip tone="good">Done</Chip>
      ) : (
        <Chip tone="bad">{act.outcome?.replaceAll('_', ' ') ?? 'Not finished'}</Chip>
      ),
  },
];

function Who({ act }: { act: OperatorAct }) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600}>
        {act.operator}
      </Text>
      <Text size="xs" c="dimmed" className="number">
        {act.address}
      </Text>
    </Stack>
  );
}

function What({ act }: { act: OperatorAct }) {
  const input = JSON.stringify(act.input);
  return (
    <Stack gap={0} py={4}>
      <Text size="sm" fw={540}>
        {actNames[act.operation] ?? act.operation}
      </Text>
      {input !== '{}' && (
        <Text size="xs" c="dimmed" ff="monospace" title={input} style={{ overflowWrap: 'anywhere' }}>
          {input}
        </Text>
      )}
    </Stack>
  );
}
