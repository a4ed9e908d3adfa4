import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { CorrectionRow } from '#contracts/operations/operators.ts';
import { organizationText } from '#contracts/values/closing.ts';
import { signedMoneyText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useCorrections, useDecideCorrection, useMe, type Verdict } from './api.ts';

type Choice = { row: CorrectionRow; verdict: Verdict };
const titles: Record<Verdict, string> = {
  confirm: 'Confirm correction',
  decline: 'Decline correction',
  withdraw: 'Withdraw correction',
};

/** Corrections of balances: what waits for a second person comes first. */
export function CorrectionsTab() {
  const corrections = useCorrections();
  const me = useMe();
  const decide = useDecideCorrection();
  const [chosen, setChosen] = useState<Choice | null>(null);
  const close = () => setChosen(null);
  const choose = (choice: Choice) => {
    decide.reset();
    setChosen(choice);
  };
  return (
    <Stack>
      <div aria-live="polite">
        {decide.data && !chosen && (
          <Alert color="teal" variant="light">
            The correction was {decide.data.state}.
          </Alert>
        )}
      </div>
      <DataTable
        label="Corrections"
        columns={columnsWith(me.data?.id ?? null, choose)}
        rows={corrections.data}
        rowKey={(row) => row.id}
        loading={corrections.isFetching}
        error={corrections.error}
        onRetry={corrections.refetch}
        loadingText="Loading corrections..."
        empty={<EmptyState title="No corrections" text="Corrections of balances are listed here." />}
      />
      <ConfirmDialog
        opened={chosen !== null}
        title={titles[chosen?.verdict ?? 'confirm']}
        confirmLabel={titles[chosen?.verdict ?? 'confirm']}
        danger={chosen !== null && chosen.verdict !== 'confirm'}
        running={decide.isPending}
        error={decide.error}
        onClose={close}
        onConfirm={() =>
          chosen &&
          void decide.mutateAsync({ id: chosen.row.id, verdict: chosen.verdict }).then(close, () => undefined)
        }
      >
        {chosen && <Question choice={chosen} />}
      </ConfirmDialog>
    </Stack>
  );
}

export function Question({ choice: { row, verdict } }: { choice: Choice }) {
  return (
    <Stack gap="xs">
      <Text fw={600}>
        {signedMoneyText(usdToCents(row.amount))} ·{' '}
        {organizationText(row.organization, row.organizationClosedAt)}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {row.reason} ({row.reference})
      </Text>
      <Text size="sm">
        {verdict === 'confirm'
          ? 'This changes the balance of the organization at once. Please check the reason first.'
          : 'Nothing is entered. You can use the reference again.'}
      </Text>
    </Stack>
  );
}

const states: Record<CorrectionRow['state'], { text: string; color: string }> = {
  waiting: { text: 'Waiting for a second person', color: 'yellow' },
  entered: { text: 'Entered', color: 'teal' },
  declined: { text: 'Declined', color: 'gray' },
  withdrawn: { text: 'Withdrawn', color: 'gray' },
};

export function columnsWith(me: string | null, onChoose: (choice: Choice) => void): Column<CorrectionRow>[] {
  return [
    { key: 'organization', title: 'Organization', width: '60%', render: (row) => <What row={row} /> },
    {
      key: 'amount',
      title: 'Amount',
      align: 'right',
      render: (row) => <span className="number">{signedMoneyText(usdToCents(row.amount))}</span>,
    },
    {
      key: 'state',
      title: 'State',
      render: (row) => (
        <Badge variant="light" color={states[row.state].color}>
          {states[row.state].text}
        </Badge>
      ),
    },
    { key: 'people', title: 'People', width: '40%', gives: 2, render: (row) => <People row={row} /> },
    { key: 'askedAt', title: 'Requested', render: (row) => <DateTime at={row.askedAt} /> },
    {
      key: 'decide',
      title: 'Decide',
      hideTitle: true,
      align: 'right',
      render: (row) => <Decision row={row} me={me} onChoose={onChoose} />,
    },
  ];
}

function What({ row }: { row: CorrectionRow }) {
  return (
    <Stack gap={0} py={4}>
      <Text size="sm" fw={600} truncate>
        {organizationText(row.organization, row.organizationClosedAt)}
      </Text>
      <Text size="xs" c="dimmed" truncate title={`${row.reason} (${row.reference})`}>
        {row.reason} ({row.reference})
      </Text>
    </Stack>
  );
}

function People({ row }: { row: CorrectionRow }) {
  return (
    <Text size="sm">
      {row.askedBy?.name ?? 'An unnamed operator'}
      {row.decidedBy && `, ${row.decidedBy}`}
    </Text>
  );
}

/** The operator who asked may withdraw it. Another operator may confirm or decline it. */
function Decision(props: { row: CorrectionRow; me: string | null; onChoose: (choice: Choice) => void }) {
  const { row, me, onChoose } = props;
  if (row.state !== 'waiting' || me === null) return null;
  const own = row.askedBy?.id === me;
  const no = own ? 'withdraw' : 'decline';
  const label = own ? 'Withdraw' : 'Decline';
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {!own && (
        <Button
          size="xs"
          aria-label={`Confirm ${row.reference}`}
          onClick={() => onChoose({ row, verdict: 'confirm' })}
        >
          Confirm
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        aria-label={`${label} ${row.reference}`}
        onClick={() => onChoose({ row, verdict: no })}
      >
        {label}
      </Button>
    </Group>
  );
}
