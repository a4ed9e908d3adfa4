import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { HealthFinding } from '#contracts/operations/health.ts';
import { dayMs } from '#contracts/values/time.ts';
import { faultAt } from '../../lib/api-error.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useMuteFinding } from './api.ts';

const spans = [
  { value: '7', label: 'For a week' },
  { value: '30', label: 'For a month' },
  { value: '180', label: 'For half a year' },
  { value: '365', label: 'For a year' },
];

/** A finding that is meant so is muted, with the reason that colleagues read later. */
export function MuteDialog({ finding, onClose }: { finding: HealthFinding; onClose: () => void }) {
  const mute = useMuteFinding();
  const [reason, setReason] = useState('');
  const [days, setDays] = useState('30');
  const [isEmpty, setEmpty] = useState(false);
  const send = () => {
    if (reason.trim() === '') return setEmpty(true);
    const until = new Date(Date.now() + Number(days) * dayMs).toISOString();
    mute.mutate({ id: finding.id, muted: { until, reason: reason.trim() } }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`Mute “${finding.title}”`}
      submitLabel="Mute"
      runningLabel="Muting..."
      running={mute.isPending}
      error={mute.error}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onClose={onClose}
    >
      <TextInput
        label="Reason"
        description="Colleagues and the customer’s users can read it."
        required
        data-autofocus
        maxLength={200}
        error={
          isEmpty && reason.trim() === '' ? 'Please enter a reason' : faultAt(mute.error, 'muted.reason')
        }
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Select
        label="How long"
        allowDeselect={false}
        data={spans}
        value={days}
        error={faultAt(mute.error, 'muted.until')}
        onChange={(value) => setDays(value ?? '30')}
      />
    </FormDialog>
  );
}
