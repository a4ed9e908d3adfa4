import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { FailureAlert } from './failure.tsx';
import { focusFault } from './first-fault.ts';

export interface FormDialogProps {
  title: string;
  /** The fields, and what else there is to be said. */
  children: ReactNode;
  submitLabel: string;
  /** What the button says while it is happening, e.g. 'Saving...' */
  runningLabel: string;
  running: boolean;
  /** What its fields need has not been read: there is nothing to send yet. */
  unread?: boolean;
  /** Why it did not happen; the dialog stays, with all that was typed. No default: it would hide a refusal. */
  error: Error | null | undefined;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
}

/** A form in a dialog. A click beside it does not close it: what was typed would be gone. Escape is Cancel. */
export function FormDialog(props: FormDialogProps) {
  return (
    <Dialog
      opened
      onClose={props.onClose}
      title={props.title}
      running={props.running}
      closeOnClickOutside={false}
      centered
    >
      <form
        noValidate
        onSubmit={(event) => {
          props.onSubmit(event);
          // What was not even sent has its fault in a field.
          focusFault(event.currentTarget);
        }}
      >
        <Stack>
          {props.children}
          <FailureAlert error={props.error} />
          <Group justify="flex-end">
            <Button variant="default" disabled={props.running} onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={props.running || props.unread === true}>
              {props.running ? props.runningLabel : props.submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
