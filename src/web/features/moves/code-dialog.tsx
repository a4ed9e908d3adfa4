import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { MoveLine } from '#contracts/operations/moves.ts';
import { authCodeMost, authCodeProblem } from '#contracts/values/move-lines.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useSetCode } from './api.ts';

/** Another auth code for a line. The line is checked again; nothing is ordered by it. */
export function CodeDialog(props: { moveId: string; line: MoveLine; onClose: () => void }) {
  const { line, onClose } = props;
  const put = useSetCode(props.moveId);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <FormDialog
      title={`New code for ${line.domain}`}
      submitLabel="Check with this code"
      runningLabel="Saving..."
      running={put.isPending}
      error={put.error}
      onSubmit={(event) => {
        event.preventDefault();
        const wrong = authCodeProblem(code);
        setProblem(wrong);
        if (wrong === null) put.mutate({ lineId: line.id, code }, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <TextInput
        label="AuthInfo / EPP code"
        description="It is typically found in your current provider's panel. It is stored encrypted and not shown again."
        value={code}
        error={problem}
        maxLength={authCodeMost + 10}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        onChange={(event) => {
          setCode(event.currentTarget.value.trim());
          setProblem(null);
        }}
      />
    </FormDialog>
  );
}
