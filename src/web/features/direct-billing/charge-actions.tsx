import { Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { usdText } from '#contracts/values/format.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useChargesAgain, useRetryCharge, useSettleCharge } from './api.ts';

const amountOf = (charge: DirectCharge) => usdText(charge.amount);

/** What a person can do about an open charge. */
export function ChargeActions({ charge }: { charge: DirectCharge }) {
  const retry = useRetryCharge();
  const [asking, setAsking] = useState<'retry' | 'settle' | null>(null);
  const lookAgain = useChargesAgain();
  const close = () => {
    setAsking(null);
    if (!retry.error) return;
    retry.reset();
    lookAgain();
  };
  if (charge.state !== 'failed') return null;
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Try again: ${charge.customer}`}
        onClick={() => setAsking('retry')}
      >
        Try again
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`Settle: ${charge.customer}`}
        onClick={() => setAsking('settle')}
      >
        Settle
      </Button>
      <ConfirmDialog
        opened={asking === 'retry'}
        title="Charge again"
        confirmLabel="Charge"
        running={retry.isPending}
        error={retry.error}
        onConfirm={() => retry.mutate(charge.chargeId, { onSuccess: () => setAsking(null) })}
        onClose={close}
      >
        {charge.customer}'s payment method is charged {amountOf(charge)} now.
      </ConfirmDialog>
      {asking === 'settle' && <SettleDialog charge={charge} onClose={() => setAsking(null)} />}
    </Group>
  );
}

function SettleDialog({ charge, onClose }: { charge: DirectCharge; onClose: () => void }) {
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
