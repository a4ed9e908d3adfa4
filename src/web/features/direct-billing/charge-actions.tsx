import { Button, Group, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { type ChargesStopped, disputesOf } from '#contracts/values/direct-billing.ts';
import { usdText } from '#contracts/values/format.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Day } from '../../ui/date-time.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useChargesAgain, useReleaseCharge, useRetryCharge, useSettleCharge } from './api.ts';
import { whatFor } from './charge-texts.ts';

const amountOf = (charge: DirectCharge) => usdText(charge.amount);

/** What a person is asked about, and the charge as it was then. */
export interface AskedCharge {
  act: 'retry' | 'settle' | 'release';
  charge: DirectCharge;
}

/** What a person can do about an open charge, or one whose dispute stops others. */
export function ChargeActions(props: { charge: DirectCharge; onAsk: (asked: AskedCharge) => void }) {
  const { charge, onAsk } = props;
  if (charge.stopsCharges) {
    return (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Allow charges: ${charge.customer}`}
        onClick={() => onAsk({ act: 'release', charge })}
      >
        Allow charges
      </Button>
    );
  }
  if (charge.state !== 'failed') return null;
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {charge.chargesStopped ? (
        <ReviewDispute {...{ charge, stopped: charge.chargesStopped }} />
      ) : (
        <TryAgain {...props} />
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`Settle: ${charge.customer}`}
        onClick={() => onAsk({ act: 'settle', charge })}
      >
        Settle
      </Button>
    </Group>
  );
}

function TryAgain({ charge, onAsk }: Parameters<typeof ChargeActions>[0]) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`Try again: ${charge.customer}`}
      onClick={() => onAsk({ act: 'retry', charge })}
    >
      Try again
    </Button>
  );
}

/** It is allowed where it is disputed: each dispute for itself, with its amount. */
function ReviewDispute({ charge, stopped }: { charge: DirectCharge; stopped: ChargesStopped }) {
  const label = stopped.disputes === 1 ? 'Review dispute' : 'Review disputes';
  return (
    <Button
      size="compact-sm"
      variant="default"
      component={Link}
      to="/direct-billing"
      search={disputesOf(charge.customerId, stopped) as never}
      aria-label={`${label}: ${charge.customer}`}
    >
      {label}
    </Button>
  );
}

/**
 * The question about a charge. It is the list's, not its row's: the list is read again while it is open, and a charge that was
 * paid meanwhile would take the dialog with it, and the reason that is being typed.
 */
export function ChargeDialog({ asked, onClose }: { asked: AskedCharge | null; onClose: () => void }) {
  if (asked?.act === 'retry') return <RetryDialog charge={asked.charge} onClose={onClose} />;
  if (asked?.act === 'release') return <ReleaseDialog charge={asked.charge} onClose={onClose} />;
  return asked && <SettleDialog charge={asked.charge} onClose={onClose} />;
}

interface DialogProps {
  charge: DirectCharge;
  onClose: () => void;
}

function RetryDialog({ charge, onClose }: DialogProps) {
  const retry = useRetryCharge();
  const lookAgain = useChargesAgain();
  const close = () => {
    onClose();
    if (retry.error) lookAgain();
  };
  return (
    <ConfirmDialog
      opened
      title="Charge again"
      confirmLabel="Charge"
      runningLabel="Charging..."
      running={retry.isPending}
      error={retry.error}
      onConfirm={() => retry.mutate(charge.chargeId, { onSuccess: onClose })}
      onClose={close}
    >
      {charge.customer}'s payment method is charged {amountOf(charge)} now.
    </ConfirmDialog>
  );
}

function ReleaseDialog({ charge, onClose }: DialogProps) {
  const others = (charge.chargesStopped?.disputes ?? 1) - 1;
  const release = useReleaseCharge();
  const lookAgain = useChargesAgain();
  const close = () => {
    onClose();
    if (release.error) lookAgain();
  };
  return (
    <ConfirmDialog
      opened
      title="Allow charges again"
      confirmLabel="Allow charges"
      running={release.isPending}
      error={release.error}
      onConfirm={() => release.mutate(charge, { onSuccess: onClose })}
      onClose={close}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>
        {charge.customer} disputed {usdText(charge.disputed)} of a charge of {amountOf(charge)} on{' '}
        <Day at={charge.createdAt} /> for {whatFor(charge)}.{' '}
        {charge.disputedAt && (
          <>
            The dispute began on <Day at={charge.disputedAt} />.{' '}
          </>
        )}
        {others > 0
          ? `${others === 1 ? 'Another dispute stops' : `${others} other disputes stop`} their charges until you allow charges there as well.`
          : 'Their payment method is charged again from now on, for everything that is open as well. A customer who did not want that may dispute it again.'}
      </Text>
    </ConfirmDialog>
  );
}

function SettleDialog({ charge, onClose }: DialogProps) {
  const settle = useSettleCharge();
  const lookAgain = useChargesAgain();
  const close = () => {
    onClose();
    if (settle.error) lookAgain();
  };
  const [note, setNote] = useState('');
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(note.trim() === '');
    if (note.trim() !== '') settle.mutate({ id: charge.chargeId, note }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Settle without charging"
      submitLabel="Settle"
      runningLabel="Processing..."
      running={settle.isPending}
      error={settle.error}
      onSubmit={submit}
      onClose={close}
    >
      <Text size="sm">
        {charge.customer} owes {amountOf(charge)}. Once you settle this charge, it is not charged again.
      </Text>
      <TextInput
        label="Reason"
        placeholder="Paid by bank transfer"
        withAsterisk
        data-autofocus
        maxLength={mostCharacters.chargeNote}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={missing && note.trim() === '' ? 'This field is required' : null}
      />
    </FormDialog>
  );
}
