import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { faultHasFocus, openScreen, screen } from '../../../tests/support/screen.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { FormDialog } from './form-dialog.tsx';

/** Where the focus is when what a dialog asked for did not happen. */

type Outcome = 'unsent' | 'refused' | 'failed' | 'done';
let answer: (outcome: Outcome) => void;

function useAct() {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [running, setRunning] = useState(false);
  answer = (now) => {
    setOutcome(now);
    setRunning(false);
  };
  const begin = () => {
    setRunning(true);
    // A browser takes the focus from what is disabled with the next frame. The environment of tests does not.
    requestAnimationFrame(() => {
      const elsewhere = document.body.appendChild(document.createElement('input'));
      elsewhere.focus();
      elsewhere.remove();
    });
  };
  const error = outcome === 'failed' ? new Error('Not now.') : null;
  return { outcome, setOutcome, running, begin, error };
}

function Form() {
  const { outcome, setOutcome, running, begin, error } = useAct();
  const [first, setFirst] = useState('');
  if (outcome === 'done') return <Button autoFocus>Next</Button>;
  return (
    <FormDialog
      title="Question"
      submitLabel="Save"
      runningLabel="Saving..."
      running={running}
      error={error}
      onClose={() => undefined}
      onSubmit={(event) => {
        event.preventDefault();
        if (first === 'bad') return setOutcome('unsent');
        begin();
      }}
    >
      <TextInput label="First" value={first} onChange={(event) => setFirst(event.currentTarget.value)} />
      <TextInput
        label="Second"
        error={(outcome === 'unsent' || (outcome === 'refused' && !running)) && 'Taken'}
      />
    </FormDialog>
  );
}

function Question() {
  const { running, begin, error } = useAct();
  return (
    <ConfirmDialog
      opened
      title="Sure?"
      confirmLabel="Save"
      {...{ running, error }}
      onConfirm={begin}
      onClose={() => undefined}
    >
      It costs nothing.
    </ConfirmDialog>
  );
}

const button = (name: string) => screen.getByRole('button', { name });
const isLost = () => eventually(() => expect(document.activeElement === document.body).toBe(true));

async function sent(Shown: () => React.JSX.Element, outcome: Outcome) {
  const opened = await openScreen(Shown);
  await opened.user.click(button('Save'));
  await isLost();
  answer(outcome);
  return opened;
}

describe('the focus', () => {
  test('is in the first field that was refused, and in one that was not even sent', async () => {
    const { user } = await sent(Form, 'refused');
    await faultHasFocus();
    expect(document.activeElement).toBe(screen.getByLabelText('Second'));
    await user.type(screen.getByLabelText('First'), 'bad');
    await user.click(button('Save'));
    await faultHasFocus();
    expect(document.activeElement).toBe(screen.getByLabelText('Second'));
  });

  test.each([
    ['a form', Form],
    ['a question', Question],
  ])(
    'is where it was in %s when all of it failed, and the next try leads there again',
    async (_what, Shown) => {
      const { user } = await sent(Shown, 'failed');
      await eventually(() => expect(document.activeElement).toBe(button('Save')));
      expect(screen.getByRole('alert').textContent).toBe('Not now.');
      await user.click(button('Save'));
      await isLost();
      answer('failed');
      await eventually(() => expect(document.activeElement).toBe(button('Save')));
    },
  );

  test('stays with what comes after a dialog that did what was asked', async () => {
    await sent(Form, 'done');
    await eventually(() => expect(document.activeElement).toBe(button('Next')));
  });
});
