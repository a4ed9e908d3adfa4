import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { actReason } from '#contracts/operations/operator.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** A question that is answered with a reason: the act cannot be undone, and the reason is kept with it. */
export function ReasonDialog(props: {
  title: string;
  /** What will happen. */
  children: ReactNode;
  submitLabel: string;
  runningLabel: string;
  act: { isPending: boolean; error: Error | null };
  onSubmit: (reason: string) => void;
  onClose: () => void;
}) {
  const { act, onSubmit, children, ...shown } = props;
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  return (
    <FormDialog
      {...shown}
      running={act.isPending}
      error={act.error}
      onSubmit={(event) => {
        event.preventDefault();
        const { data, error } = actReason.safeParse(reason);
        setFault(error?.issues[0]?.message ?? null);
        if (data !== undefined) onSubmit(data);
      }}
    >
      {children}
      <TextInput
        label="Reason"
        required
        maxLength={mostCharacters.reason}
        value={reason}
        error={fault}
        onChange={(event) => {
          setReason(event.currentTarget.value);
          setFault(null);
        }}
      />
    </FormDialog>
  );
}
