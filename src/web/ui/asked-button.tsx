import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx';

type Question = Omit<ConfirmDialogProps, 'opened' | 'onClose' | 'onConfirm' | 'confirmLabel'>;

interface AskedButtonProps extends Question {
  label: string;
  /** How it differs from a plain button. */
  button?: Pick<ButtonProps, 'size' | 'c'>;
  /** What the dialog's button says; the label, where nothing else fits better. */
  confirmLabel?: string;
  onConfirm: (close: () => void) => void;
}

/** What is asked about once before it happens. */
export function AskedButton({ label, button, onConfirm, ...question }: AskedButtonProps) {
  const [asked, setAsked] = useState(false);
  const close = () => setAsked(false);
  return (
    <>
      <Button variant="default" {...button} onClick={() => setAsked(true)}>
        {label}
      </Button>
      <ConfirmDialog
        confirmLabel={label}
        {...question}
        opened={asked}
        onClose={close}
        onConfirm={() => onConfirm(close)}
      />
    </>
  );
}
