import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ActionBar } from '../../ui/action-bar.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { useAssignWatched, useUnwatch } from './watched-api.ts';

const count = (names: readonly string[]) => (names.length === 1 ? '1 domain' : `${names.length} domains`);

const leftOutText = (count: number) =>
  count === 1 ? '1 is not offered for transfer here' : `${count} are not offered for transfer here`;

/** What can be done with the chosen watched domains. */
export function WatchedBar(props: {
  names: readonly string[];
  customers: { value: string; label: string }[];
  /** Null: none of them can come here, or this person may not buy. */
  onTransfer: { begin: () => void /** How many of them are not offered here. */; leftOut: number } | null;
  onClear: () => void;
}) {
  const { names, onClear } = props;
  const [open, setOpen] = useState<'assign' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const done = () => {
    close();
    onClear();
  };
  if (names.length === 0) return null;
  return (
    <ActionBar label="Selected domains">
      <Group gap="xs">
        <Text size="sm" fw={600} role="status" mr="xs">
          {count(names)} selected
          {props.onTransfer && props.onTransfer.leftOut > 0 && `, ${leftOutText(props.onTransfer.leftOut)}`}
        </Text>
        {props.onTransfer && (
          <Button size="xs" onClick={props.onTransfer.begin}>
            Transfer here
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => setOpen('assign')}>
          Assign to customer
        </Button>
        <Button size="xs" variant="default" onClick={() => setOpen('remove')}>
          Stop watching
        </Button>
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear selection
        </Button>
      </Group>
      {open === 'assign' && (
        <AssignDialog names={names} customers={props.customers} onDone={done} onClose={close} />
      )}
      {open === 'remove' && <RemoveDialog names={names} onDone={done} onClose={close} />}
    </ActionBar>
  );
}

interface DialogProps {
  names: readonly string[];
  onDone: () => void;
  onClose: () => void;
}

export function AssignDialog(props: DialogProps & { customers: { value: string; label: string }[] }) {
  const assign = useAssignWatched();
  const [customerId, setCustomerId] = useState<string | null>(null);
  return (
    <FormDialog
      title={`Assign ${count(props.names)}`}
      submitLabel="Assign"
      runningLabel="Assigning..."
      running={assign.isPending}
      error={assign.error}
      onSubmit={(event) => {
        event.preventDefault();
        assign.mutate({ domains: [...props.names], customerId }, { onSuccess: props.onDone });
      }}
      onClose={props.onClose}
    >
      <LongSelect
        label="Customer"
        description="Its own users see these domains and what is wrong with them."
        placeholder="No customer"
        searchable
        clearable
        nothingFoundMessage="No customers found"
        data={props.customers}
        value={customerId}
        onChange={setCustomerId}
      />
    </FormDialog>
  );
}

export function RemoveDialog({ names, onDone, onClose }: DialogProps) {
  const unwatch = useUnwatch();
  return (
    <ConfirmDialog
      opened
      title={`Stop watching ${count(names)}?`}
      confirmLabel="Stop watching"
      runningLabel="Removing..."
      running={unwatch.isPending}
      error={unwatch.error}
      onConfirm={() => unwatch.mutate([...names], { onSuccess: onDone })}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text style={{ overflowWrap: 'anywhere' }}>
          {names.slice(0, 5).join(', ')}
          {names.length > 5 && ` and ${names.length - 5} more`}
        </Text>
        <Text size="sm" c="dimmed">
          What was found about them is deleted. Nothing changes where they are held.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
