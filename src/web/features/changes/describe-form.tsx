import { Alert, Button, Group, SegmentedControl, Select, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Change } from '#contracts/operations/changes.ts';
import { Card } from '../../ui/card.tsx';
import { focusFault } from '../../ui/first-fault.ts';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useCreateChange } from './api.ts';
import { ChangeFields, type CustomerOptions, type FieldsOf, type FormPart } from './change-fields.tsx';
import {
  bodyOf,
  type ChangeValues,
  emptyValues,
  namesIn,
  type TargetView,
  type TemplateChoice,
} from './change-form.ts';
import { domainsText } from './change-words.ts';
import { isPlaced, problemsOf } from './field-problems.ts';
import { useProblems } from './use-problems.ts';

/** Choose and describe. Looking comes next; nothing is changed before a person has seen every difference. */
export function DescribeForm(props: {
  names: string;
  views: readonly TargetView[];
  fieldsOf: FieldsOf;
  customers: CustomerOptions;
  templates: readonly TemplateChoice[];
  /** Chosen on another screen. */
  template: string | null;
  onMade: (change: Change) => void;
}) {
  const [first] = useState<ChangeValues>(() => ({
    ...{ ...emptyValues, names: props.names },
    ...(props.template ? { kind: 'apply-template', templateId: props.template } : {}),
  }));
  const [values, setValues] = useState(first);
  const { views, fieldsOf, customers, templates } = props;
  const create = useCreateChange();
  const form = useRef<HTMLFormElement>(null);
  const { wrong, changed } = useProblems(create.error);
  const part: FormPart = {
    ...{ values, fieldsOf, customers, templates },
    set: (change) => {
      changed(values, change);
      setValues((before) => ({ ...before, ...change }));
    },
    wrong,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(bodyOf(values, views, templates));
  };
  // Once the guard knows that nothing can be lost any more.
  const made = create.data;
  const leave = useEffectEvent((change: Change) => props.onMade(change));
  useEffect(() => {
    if (made) leave(made);
  }, [made]);
  // Once the form shows them.
  useEffect(() => {
    if (create.error) focusFault(form.current);
  }, [create.error]);
  const unplaced = create.error && !isPlaced(problemsOf(create.error));
  const dirty = JSON.stringify(values) !== JSON.stringify(first);
  return (
    <form ref={form} noValidate aria-label="Describe a change" onSubmit={submit}>
      <UnsavedGuard dirty={dirty && !create.isSuccess} question="Leave without making this change?" />
      <Stack gap="md">
        <Card title="Domains">
          <Targets {...part} views={views} />
        </Card>
        <Card title="Change">
          <Stack gap="sm">
            <ChangeFields {...part} />
          </Stack>
        </Card>
        {unplaced && (
          <Alert color="red" variant="light" role="alert">
            {create.error?.message}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" disabled={create.isPending}>
            {create.isPending ? 'Preparing...' : 'Review the differences'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Targets({ values, set, wrong, views }: FormPart & { views: readonly TargetView[] }) {
  const count = namesIn(values.names).length;
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Which domains"
        value={values.from}
        onChange={(from) => set({ from: from === 'view' ? 'view' : 'names' })}
        data={[
          { value: 'names', label: 'These names' },
          { value: 'view', label: 'A saved view' },
        ]}
      />
      {values.from === 'names' ? (
        <Textarea
          label="Names"
          description={count === 0 ? 'One per line, or pasted from a table.' : domainsText(count)}
          value={values.names}
          error={wrong('targets.names')}
          autosize
          minRows={4}
          maxRows={12}
          spellCheck={false}
          onChange={(event) => set({ names: event.currentTarget.value })}
        />
      ) : (
        <Select
          label="View"
          description="Saved views of the list of domains."
          allowDeselect={false}
          data={[
            { value: '', label: 'All domains' },
            ...views.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={values.view}
          onChange={(view) => set({ view: view ?? '' })}
        />
      )}
    </Stack>
  );
}
