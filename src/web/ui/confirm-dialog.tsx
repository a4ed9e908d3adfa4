import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { FailureText } from './failure.tsx';

export interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** What will happen: the name, the price, the consequence. */
  children: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** What the button says while it is happening, e.g. 'Deleting...' */
  runningLabel?: string;
  /** Whether it is happening. No default: a dialog that forgot it could be confirmed twice. */
  running: boolean;
  /** Why it did not happen; the dialog stays. No default: a dialog that forgot it would hide a refusal. */
  error: Error | null | undefined;
  /** Cannot be undone. */
  danger?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** One question before what costs money or cannot be undone. Cancel has the focus; Escape is Cancel. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { running } = props;
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title} running={running} centered>
      <Stack>
        <div>{props.children}</div>
        <FailureText error={props.error} size="md" />
        <Group justify="flex-end">
          <Button variant="default" disabled={running} onClick={props.onClose} data-autofocus>
            {props.cancelLabel ?? 'Cancel'}
          </Button>
          <Button {...(props.danger ? { color: 'red' } : {})} disabled={running} onClick={props.onConfirm}>
            {running ? (props.runningLabel ?? 'Processing...') : props.confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
