import { Alert, Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Reconciliation } from '#contracts/operations/operator.ts';
import { agreementText, differenceTexts } from '#contracts/values/differences.ts';
import { Card } from '../../ui/card.tsx';
import { Chip } from '../../ui/chip.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useReconciliation, useStartReconciliation } from './api.ts';
import { useGiving } from './give-domain.tsx';

type Difference = Reconciliation['differences'][number];
type Run = Reconciliation['runs'][number];

/** Registrar, ledger and payments against each other, once a day and when asked. */
export function ReconciliationTab() {
  // When the newest run that was there began, as long as another one has been asked for.
  const [after, setAfter] = useState<string | null>(null);
  const found = useReconciliation(after !== null);
  const start = useStartReconciliation();
  const newest = found.data?.runs[0];
  const running = after !== null && !(newest && newest.startedAt !== after && newest.endedAt !== null);
  if (after !== null && !running) setAfter(null);
  const giving = useGiving();
  const begin = () => start.mutate(undefined, { onSuccess: () => setAfter(newest?.startedAt ?? '') });
  return (
    <Stack gap="md">
      {giving.done}
      <Card
        flush
        title="Open differences"
        beside={
          found.data &&
          found.data.differences.length > 0 && <Chip tone="bad">{found.data.differences.length} open</Chip>
        }
        end={
          <Button size="xs" variant="default" disabled={running || start.isPending} onClick={begin}>
            {running ? 'Comparing...' : 'Compare now'}
          </Button>
        }
      >
        <div aria-live="polite">
          {start.error && (
            <Text size="sm" c="var(--bad)" p="md">
              {start.error.message}
            </Text>
          )}
          {newest?.incomplete && (
            <Alert color="yellow" variant="light" radius={0}>
              The last comparison was incomplete: {newest.incomplete}
            </Alert>
          )}
        </div>
        <DataTable
          label="Open differences"
          columns={differenceColumns(giving.button)}
          rows={found.data?.differences}
          rowKey={(row) => `${row.kind} ${row.subject}`}
          loading={found.isFetching && !found.data}
          error={found.error}
          onRetry={found.refetch}
          loadingText="Loading differences..."
          empty={
            <EmptyState
              title={agreementText(found.data?.runs ?? [])}
              text="Registrar, ledger and payments are compared every night."
            />
          }
        />
      </Card>
      {found.data && found.data.runs.length > 0 && (
        <Card flush title="Comparisons">
          <DataTable
            label="Comparisons"
            columns={runColumns}
            rows={found.data.runs}
            rowKey={(run) => run.startedAt}
            loading={false}
            error={null}
            onRetry={found.refetch}
            loadingText="Loading comparisons..."
            empty={null}
          />
        </Card>
      )}
      {giving.dialog}
    </Stack>
  );
}

const differenceColumns = (give: (domain: string) => ReactNode): Column<Difference>[] => [
  {
    key: 'kind',
    title: 'Difference',
    width: '60%',
    render: (row) => <What row={row} />,
  },
  {
    key: 'organization',
    title: 'Organization',
    width: '20%',
    gives: 2,
    render: (row) => row.organization || null,
  },
  { key: 'first', title: 'First seen', render: (row) => <DateTime at={row.firstSeenAt} /> },
  { key: 'last', title: 'Last seen', render: (row) => <DateTime at={row.lastSeenAt} /> },
  {
    key: 'act',
    title: 'Action',
    hideTitle: true,
    align: 'right',
    render: (row) => row.kind === 'name-unknown' && give(row.subject),
  },
];

/** What differs, what to do about it, and the id to look for on the other side. */
function What({ row }: { row: Difference }) {
  const told = row.text.includes(row.subject);
  return (
    <Stack gap={2} py={4} style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
      <Text size="sm" fw={600}>
        {differenceTexts[row.kind].title}
      </Text>
      <Text size="sm">{row.text}</Text>
      <Text size="xs" c="dimmed">
        {differenceTexts[row.kind].advice}
      </Text>
      {!told && row.kind !== 'ledger' && (
        <Text size="xs" c="dimmed" className="number">
          {row.subject}
        </Text>
      )}
    </Stack>
  );
}

function RunState({ run }: { run: Run }) {
  if (run.endedAt === null) return <Chip tone="info">Not finished</Chip>;
  return run.incomplete ? <Chip tone="warn">Incomplete</Chip> : <Chip tone="good">Complete</Chip>;
}

const count = (value: number) => <span className="number">{value}</span>;

const runColumns: Column<Run>[] = [
  { key: 'started', title: 'Started', render: (run) => <DateTime at={run.startedAt} /> },
  {
    key: 'state',
    title: 'State',
    render: (run) => <RunState run={run} />,
  },
  { key: 'items', title: 'Items', align: 'right', render: (run) => count(run.items) },
  { key: 'orders', title: 'Registrar orders', align: 'right', render: (run) => count(run.registrarOrders) },
  { key: 'payments', title: 'Payments', align: 'right', render: (run) => count(run.payments) },
  { key: 'differences', title: 'Differences', align: 'right', render: (run) => count(run.differences) },
];
