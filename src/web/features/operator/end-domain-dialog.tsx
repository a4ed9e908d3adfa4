import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { endDomain, type QueueEntry } from '#contracts/operations/operator.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { useEndDomain } from './api.ts';

/** Strikes a domain off its organization's list, with the reason that people there read in their log. */
export function EndDomainDialog(props: {
  entry: QueueEntry;
  end: ReturnType<typeof useEndDomain>;
  onClose: () => void;
}) {
  const { entry, end, onClose } = props;
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  return (
    <FormDialog
      title="End domain"
      submitLabel="End domain"
      runningLabel="Asking the registrar..."
      running={end.isPending}
      error={end.error}
      onSubmit={(event) => {
        event.preventDefault();
        const [issue] = endDomain.body.safeParse({ reason }).error?.issues ?? [];
        setFault(issue?.message ?? null);
        if (!issue) end.mutate({ id: entry.id, reason }, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <Text fw={600}>
        {entry.subject} · {entry.organization}
      </Text>
      <Text size="sm">
        The portal asks the registrar once more. If the domain is not in the account, it leaves the list of
        the organization. It can then be registered or transferred here again, by anyone.
      </Text>
      <TextInput
        label="Reason"
        required
        maxLength={mostCharacters.reason}
        value={reason}
        error={fault}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
