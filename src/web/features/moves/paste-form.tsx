import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { authCodeProblem, mostMoveLines, moveTextMost, readMoveLines } from '#contracts/values/move-lines.ts';
import { FailureText } from '../../ui/failure.tsx';
import { Faults } from '../../ui/faults.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useCreateMove } from './api.ts';
import { keepNamesOf, keepNamesToMove, namesToMove } from './names-to-move.ts';
import { names } from './texts.ts';

/** Names with their codes, pasted or from a file; how they are read is said while they are typed. */
export function PasteForm(props: {
  customerId: string | null;
  /** `missing`: nothing else is. */
  customerChoice: (missing: boolean) => ReactNode;
  onMade: (id: string) => void;
}) {
  const create = useCreateMove();
  // Names that were chosen elsewhere wait for their codes.
  const [text, setText] = useState(namesToMove);
  useEffect(() => keepNamesOf(text.slice(0, moveTextMost)), [text]);
  // A reload does not come by here, and finds them.
  useEffect(() => () => keepNamesToMove([]), []);
  const [problem, setProblem] = useState<string | null>(null);
  // Once the guard knows that nothing can be lost any more.
  const made = create.data?.id;
  const leave = useEffectEvent((id: string) => props.onMade(id));
  useEffect(() => {
    if (made !== undefined) leave(made);
  }, [made]);
  const change = (next: string) => {
    setText(next);
    setProblem(next.length > moveTextMost ? 'This is too much text for one list' : null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemOf(text);
    setProblem(found);
    if (found !== null || props.customerId === null) return;
    create.mutate({ customerId: props.customerId, text });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {props.customerChoice(text.trim() !== '')}
        <Textarea
          label="Names with their codes"
          description="One domain per line: the name, then its AuthInfo / EPP code, separated by a comma, semicolon, tab or space."
          placeholder={'example.com, a-Code-123\nexample.net; another-Code'}
          autosize
          minRows={6}
          maxRows={16}
          value={text}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => change(event.currentTarget.value)}
        />
        <Reading text={text} />
        <FailureText error={create.error} />
        <Group>
          <Button type="submit" disabled={create.isPending || create.isSuccess || props.customerId === null}>
            {create.isPending ? 'Sending...' : 'Check the list'}
          </Button>
          <FileButton
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(file) => {
              if (!file) return;
              if (file.size > moveTextMost * 2) return setProblem('This file is too large for one list');
              void file.text().then(change);
            }}
          >
            {(button) => (
              <Button variant="default" {...button}>
                Choose a file
              </Button>
            )}
          </FileButton>
        </Group>
      </Stack>
      <UnsavedGuard dirty={text !== '' && !create.isSuccess} question="Leave without checking this list?" />
    </form>
  );
}

function problemOf(text: string): string | null {
  const lines = readMoveLines(text);
  if (text.length > moveTextMost) return 'This is too much text for one list';
  if (lines.length === 0) return 'Please paste names with their codes';
  return lines.length > mostMoveLines
    ? `A list has at most ${mostMoveLines} names; this one has ${lines.length}`
    : null;
}

/** What is wrong with lines, before anything is sent. They may be sent all the same: nothing is lost. */
function Reading({ text }: { text: string }) {
  const lines = readMoveLines(text.slice(0, moveTextMost));
  const faults = lines.flatMap(({ number, problem, code }) => {
    const what = problem ?? authCodeProblem(code);
    return what === null ? [] : [{ about: `Line ${number}`, text: what }];
  });
  return (
    <div aria-live="polite">
      {lines.length > 0 && (
        <Text size="sm">
          {names(lines.length)}
          {faults.length > 0 && `, ${faults.length} with something wrong`}
        </Text>
      )}
      <Faults faults={faults} />
    </div>
  );
}
