import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { countText } from '#contracts/values/format.ts';
import { recoverySteps, recoveryStepText } from '#contracts/values/recovery-steps.ts';
import type { CallReply } from '../../lib/operations.ts';
import { Card } from '../../ui/card.tsx';
import { Chip } from '../../ui/chip.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FoldedText } from '../../ui/folded-text.tsx';
import type { Tone } from '../../ui/tone.ts';
import { useRecovery, useSettleFinding } from './api.ts';
import { useGiving } from './give-domain.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

type Reply = CallReply<'GET /operator/recovery'>;
type Recovery = NonNullable<Reply['recovery']>;
type Finding = Reply['findings'][number];

const states: Record<Recovery['state'], { tone: Tone; text: string }> = {
  running: { tone: 'info', text: 'Comparing' },
  waiting: { tone: 'bad', text: 'Waits for you' },
  ended: { tone: 'good', text: 'Ended' },
};
const reasons: Record<Recovery['reason'], string> = {
  elsewhere: 'The portal found another database than before, as after a restore.',
  promoted: 'A standby took over as the database server. It may lack the last commits.',
  asked: 'Somebody began it, for a machine that was set back.',
};

/** Above every tab while changes are refused: who opens the screen then has come because of it. */
export function RecoveryNotice({ onOpen }: { onOpen: () => void }) {
  const { data } = useRecovery();
  const state = data?.recovery?.state;
  if (!state || state === 'ended') return null;
  return (
    <Alert color={state === 'waiting' ? 'red' : 'yellow'} variant="light" role="status" mb="md">
      <Group justify="space-between">
        <Text size="sm">
          {state === 'waiting'
            ? 'A recovery waits for your decisions. Until then nothing is sent and no change is accepted.'
            : 'A recovery is running. Until it ends, nothing is sent and no change is accepted.'}
        </Text>
        <Button size="xs" variant="default" onClick={onOpen}>
          Open recovery
        </Button>
      </Group>
    </Alert>
  );
}

/** After a restore or a failover: how far the comparison is, and each difference with what was done about it (decision 251). */
export function RecoveryTab() {
  const found = useRecovery();
  const recovery = found.data?.recovery ?? null;
  const findings = found.data?.findings;
  const giving = useGiving();
  const settle = useSettleFinding();
  const [deciding, setDeciding] = useState<Finding | null>(null);
  const decide = (finding: Finding) => {
    settle.reset();
    setDeciding(finding);
  };
  const waiting = findings?.filter(isWaiting).length ?? 0;
  if (found.data && !recovery) {
    return (
      <EmptyState
        title="There was no recovery"
        text="After a restore or a failover, the portal compares everything with the registrar and the payment provider before it sends anything. The result shows here."
      />
    );
  }
  return (
    <Stack gap="md">
      {giving.done}
      {recovery && <How recovery={recovery} />}
      <Card flush title="Differences" beside={waiting > 0 && <Chip tone="bad">{waiting} to decide</Chip>}>
        <DataTable
          label="Differences of the recovery"
          columns={columnsWith(recovery?.state === 'ended' ? giving.button : null, decide)}
          rows={findings}
          rowKey={(row) => row.id}
          loading={found.isFetching && !found.data}
          error={found.error}
          onRetry={found.refetch}
          loadingText="Loading the recovery..."
          empty={<EmptyState title="No differences" />}
        />
      </Card>
      {giving.dialog}
      {deciding && (
        <ReasonDialog
          title="Have you decided about this?"
          submitLabel="It is decided"
          runningLabel="Saving..."
          act={settle}
          onSubmit={(reason) =>
            settle.mutate({ id: deciding.id, reason }, { onSuccess: () => setDeciding(null) })
          }
          onClose={() => setDeciding(null)}
        >
          <Text style={{ overflowWrap: 'anywhere' }}>{deciding.text}</Text>
          <Text size="sm">
            The portal does nothing about it. Act on it first, at the registrar or the payment provider. After
            the last decision everything is sent again. Your reason is kept in the operators’ log.
          </Text>
        </ReasonDialog>
      )}
    </Stack>
  );
}

function How({ recovery }: { recovery: Recovery }) {
  const { state, reason, step, done, total, hindrance, since, startedAt, endedAt } = recovery;
  const { tone, text } = states[state];
  return (
    <Card title="Recovery" beside={<Chip tone={tone}>{text}</Chip>}>
      <Stack gap="xs">
        <Text size="sm">
          {reasons[reason]} Everything since <DateTime at={since} /> is compared.
        </Text>
        <Text size="sm" c="dimmed">
          Started <DateTime at={startedAt} />
          {endedAt && (
            <>
              , ended <DateTime at={endedAt} />
            </>
          )}
        </Text>
        {state === 'running' && (
          <>
            <Text role="status" size="sm" className="number">
              {recoveryStepText(step, countText(done), total === null ? null : countText(total))}
            </Text>
            {total !== null && total > 0 && (
              <Progress
                value={(done / total) * 100}
                animated
                aria-label={`Progress: ${recoverySteps[step]}`}
              />
            )}
          </>
        )}
        {hindrance && (
          <Alert color="yellow" variant="light">
            It cannot go on at the moment and tries again: {hindrance}
          </Alert>
        )}
      </Stack>
    </Card>
  );
}

const isWaiting = ({ needsPerson, settledAt }: Finding) => needsPerson && settledAt === null;

/** Held back by nothing, but nobody's until a person says whose it is. */
const isNobodys = ({ kind, settledAt }: Finding) => kind === 'name-unknown' && settledAt === null;

/** `give`: null while no change is taken. */
const columnsWith = (
  give: ((domain: string) => ReactNode) | null,
  onDecide: (finding: Finding) => void,
): Column<Finding>[] => [
  { key: 'what', title: 'Difference', width: '70%', render: (row) => <What row={row} /> },
  { key: 'state', title: 'State', render: (row) => <State row={row} /> },
  {
    key: 'act',
    title: 'Action',
    hideTitle: true,
    align: 'right',
    render: (row) =>
      isNobodys(row)
        ? give?.(row.subject)
        : isWaiting(row) && (
            <Button size="xs" onClick={() => onDecide(row)}>
              Decided
            </Button>
          ),
  },
];

function What({ row }: { row: Finding }) {
  return (
    <Stack gap={2} py={4} style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
      <Text size="sm">
        <FoldedText about={row.subject}>{row.text}</FoldedText>
      </Text>
      {!row.text.includes(row.subject) && (
        <Text size="xs" c="dimmed" className="number">
          {row.subject}
        </Text>
      )}
    </Stack>
  );
}

function State({ row }: { row: Finding }) {
  if (isNobodys(row)) return <Chip tone="warn">No owner</Chip>;
  if (isWaiting(row)) return <Chip tone="bad">To decide</Chip>;
  return row.needsPerson ? <Chip tone="good">Decided</Chip> : <Chip tone="plain">Done</Chip>;
}
