import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Watching } from '#contracts/operations/health.ts';
import { mostWatchedAtOnce, readWatchedNames, watchedTextMost } from '#contracts/values/watched-names.ts';
import { faultAt } from '../../lib/api-error.ts';
import { FailureText } from '../../ui/failure.tsx';
import { Faults } from '../../ui/faults.tsx';
import { focusFault } from '../../ui/first-fault.ts';
import { LongSelect } from '../../ui/long-select.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useWatch } from './watched-api.ts';

/** Names that are to be watched, typed or pasted; what is not watched is said with its reason, and stays in the field. */
export function WatchForm(props: {
  /** Undefined until they are read. */
  customers: { value: string; label: string }[] | undefined;
  /** Says where they could not be read. */
  unread: ReactNode;
}) {
  const { customers, unread } = props;
  const watch = useWatch();
  const [text, setText] = useState('');
  const [customerId, setCustomerId] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = problemOf(text);
    setProblem(found);
    focusFault(event.currentTarget);
    if (found !== null) return;
    watch.mutate(
      { text, customerId },
      { onSuccess: ({ left }) => setText(left.map(({ name }) => name).join('\n')) },
    );
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Textarea
          label="Domain names"
          description="One or many, with spaces, commas or line breaks between them."
          placeholder={'example.com\nexample.net'}
          autosize
          minRows={2}
          maxRows={12}
          value={text}
          error={problem ?? faultAt(watch.error, 'text')}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(null);
            watch.reset();
          }}
        />
        {unread}
        <Group align="end">
          <LongSelect
            label="Customer"
            placeholder="No customer"
            searchable
            clearable
            nothingFoundMessage={customers && 'No customers found'}
            data={customers ?? []}
            value={customerId}
            onChange={setCustomerId}
          />
          <Button type="submit" disabled={watch.isPending}>
            {watch.isPending ? 'Adding...' : 'Watch'}
          </Button>
        </Group>
        <FailureText error={watch.error} />
        <div role="status">{watch.data && <Outcome {...watch.data} />}</div>
      </Stack>
      <UnsavedGuard dirty={text.trim() !== '' && !watch.data} question="Leave without adding these names?" />
    </form>
  );
}

export function problemOf(text: string): string | null {
  if (text.length > watchedTextMost) return 'This is too much text for one list';
  const names = readWatchedNames(text).length;
  if (names === 0) return 'Please enter at least one name';
  return names > mostWatchedAtOnce
    ? `At most ${mostWatchedAtOnce} names are added at once; these are ${names}`
    : null;
}

function Outcome({ added, left }: Watching) {
  return (
    <>
      <Text size="sm">
        {added === 1 ? '1 domain is' : `${added} domains are`} watched from now on
        {added > 0 && '. The first check takes a few minutes'}
        {left.length > 0 && `. Not added: ${left.length}`}.
      </Text>
      <Faults faults={left.map(({ name, reason }) => ({ about: name, text: reason }))} />
    </>
  );
}
