import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { QueueEntry } from '#contracts/operations/operator.ts';
import { capitalised, moneyText } from '#contracts/values/format.ts';
import { Card } from '../../ui/card.tsx';
import { Chip } from '../../ui/chip.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { exactUtc } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { Tone } from '../../ui/tone.ts';
import { useEndDomain, useQueue, useRetry } from './api.ts';
import { ReasonDialog } from './reason-dialog.tsx';

const kinds = {
  review: 'In review',
  waiting: 'No answer',
  charge: 'Failed charge',
  renewal: 'Refused renewal',
  event: 'Stuck event',
  missing: 'Missing domain',
  debt: 'Below zero',
} as const;

const tones: Record<QueueEntry['kind'], Tone> = {
  review: 'warn',
  waiting: 'info',
  charge: 'bad',
  renewal: 'bad',
  event: 'warn',
  missing: 'warn',
  debt: 'bad',
};

/** What a retry of each kind does, so that nobody has to wonder whether it buys something. */
const consequences: Partial<Record<QueueEntry['kind'], string>> = {
  review:
    'The portal asks the registrar about this order. Nothing is ordered again. The registrar’s answer decides what happens to the money.',
  waiting:
    'The portal asks the registrar about this order. Nothing is ordered again. The registrar’s answer decides what happens to the money.',
  charge: 'The stored payment method is charged again, if the charge is still due.',
  renewal: 'The renewal is ordered again, if it is still due and there is money for it.',
  event: 'The portal reads the payment of this event again and applies it. It cannot be credited twice.',
  missing:
    'The portal asks the registrar about this domain. If it is in the account again, it leaves the queue.',
};

/** A domain is written as it is. */
const subjectOf = ({ kind, subject }: QueueEntry) => (kind === 'missing' ? subject : capitalised(subject));

/** What needs a person, oldest first. */
export function QueueTab() {
  const queue = useQueue();
  const retry = useRetry();
  const [chosen, setChosen] = useState<QueueEntry | null>(null);
  const end = useEndDomain();
  const [ending, setEnding] = useState<QueueEntry | null>(null);
  const close = () => setChosen(null);
  const opening = (open: (entry: QueueEntry) => void) => (entry: QueueEntry) => {
    retry.reset();
    end.reset();
    open(entry);
  };
  const columns = columnsWith({ onRetry: opening(setChosen), onEnd: opening(setEnding) });
  const done = end.data ?? retry.data;
  return (
    <Stack>
      <div aria-live="polite">
        {done && !chosen && !ending && (
          <Alert color="teal" variant="light">
            {done.message}
          </Alert>
        )}
      </div>
      <Card
        flush
        title="Needs a person"
        beside={queue.data && queue.data.length > 0 && <Chip tone="warn">{queue.data.length} waiting</Chip>}
        end="oldest first"
      >
        <DataTable
          label="Queue"
          columns={columns}
          rows={queue.data}
          rowKey={(entry) => `${entry.kind} ${entry.id}`}
          loading={queue.isFetching}
          error={queue.error}
          onRetry={queue.refetch}
          loadingText="Loading queue..."
          empty={
            <EmptyState
              title="Nothing needs attention"
              text="Orders, charges and renewals take care of themselves."
            />
          }
        />
      </Card>
      <ConfirmDialog
        opened={chosen !== null}
        title="Try again"
        confirmLabel="Try again"
        running={retry.isPending}
        error={retry.error}
        onClose={close}
        onConfirm={() => chosen && void retry.mutateAsync(chosen).then(close, () => undefined)}
      >
        {chosen && (
          <Stack gap="xs">
            <Text fw={600}>
              {subjectOf(chosen)}
              {chosen.organization && ` · ${chosen.organization}`}
            </Text>
            <Text size="sm">{consequences[chosen.kind]}</Text>
          </Stack>
        )}
      </ConfirmDialog>
      {ending && (
        <ReasonDialog
          title="End domain"
          submitLabel="End domain"
          runningLabel="Asking the registrar..."
          act={end}
          onSubmit={(reason) => end.mutate({ id: ending.id, reason }, { onSuccess: () => setEnding(null) })}
          onClose={() => setEnding(null)}
        >
          <Text fw={600}>
            {ending.subject} · {ending.organization}
          </Text>
          <Text size="sm">
            The portal asks the registrar once more. If the domain is not in the account, it leaves the list
            of the organization. It can then be registered or transferred here again, by anyone.
          </Text>
        </ReasonDialog>
      )}
    </Stack>
  );
}

interface Acts {
  onRetry: (entry: QueueEntry) => void;
  onEnd: (entry: QueueEntry) => void;
}

function columnsWith(acts: Acts): Column<QueueEntry>[] {
  return [
    { key: 'subject', title: 'Subject', width: '55%', render: (entry) => <Subject entry={entry} /> },
    {
      key: 'kind',
      title: 'Kind',
      render: (entry) => <Chip tone={tones[entry.kind]}>{kinds[entry.kind]}</Chip>,
    },
    {
      key: 'organization',
      title: 'Organization',
      width: '25%',
      gives: 2,
      render: (entry) => entry.organization,
    },
    { key: 'age', title: 'Age', render: (entry) => <Age entry={entry} /> },
    {
      key: 'amount',
      title: 'Amount',
      align: 'right',
      render: (entry) =>
        entry.amount > 0 ? <span className="number">{moneyText(entry.amount)}</span> : null,
    },
    {
      key: 'retry',
      title: 'Try again',
      hideTitle: true,
      align: 'right',
      render: (entry) => <EntryActs entry={entry} {...acts} />,
    },
  ];
}

function EntryActs({ entry, onRetry, onEnd }: Acts & { entry: QueueEntry }) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {entry.kind === 'missing' && (
        <Button size="xs" aria-label={`End domain: ${entry.subject}`} onClick={() => onEnd(entry)}>
          End domain
        </Button>
      )}
      {entry.retry && (
        <Button
          size="xs"
          variant="default"
          aria-label={`Try again: ${entry.subject}`}
          onClick={() => onRetry(entry)}
        >
          Try again
        </Button>
      )}
    </Group>
  );
}

function Subject({ entry }: { entry: QueueEntry }) {
  return (
    <Stack gap={0} py={4}>
      <Text size="sm" fw={600} truncate>
        {subjectOf(entry)}
      </Text>
      {entry.note && (
        <Text size="xs" c="dimmed" truncate title={entry.note}>
          {entry.note}
        </Text>
      )}
      <Text size="xs" c="var(--text-3)" className="number" truncate>
        {entry.registrarOrderId ? `${entry.registrarOrderId} · ` : ''}
        {entry.id}
      </Text>
    </Stack>
  );
}

const hour = 3_600;

function Age({ entry }: { entry: QueueEntry }) {
  const hours = Math.floor(entry.ageSeconds / hour);
  const text =
    hours >= 48
      ? `${Math.floor(hours / 24)} days`
      : hours >= 1
        ? `${hours} h`
        : `${Math.floor(entry.ageSeconds / 60)} min`;
  return (
    <time
      dateTime={entry.since}
      title={exactUtc(new Date(entry.since))}
      className="number"
      style={{ whiteSpace: 'nowrap' }}
    >
      {text}
    </time>
  );
}
