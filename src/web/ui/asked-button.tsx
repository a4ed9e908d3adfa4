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
  // What went wrong before it was closed is not said of the next try.
  const [earlier, setEarlier] = useState(question.error);
  const close = () => setAsked(false);
  const ask = () => {
    setEarlier(question.error);
    setAsked(true);
  };
  return (
    <>
      <Button variant="default" {...button} onClick={ask}>
        {label}
      </Button>
      <ConfirmDialog
        confirmLabel={label}
        {...question}
        error={question.error === earlier ? null : question.error}
        opened={asked}
        onClose={close}
        onConfirm={() => onConfirm(close)}
      />
    </>
  );
}
