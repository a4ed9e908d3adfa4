import {
  Alert,
  Button,
  Checkbox,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import type { Change } from '#contracts/operations/changes.ts';
import { type RecordType, recordTypes } from '#contracts/values/dns-records.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { ApiError } from '../../lib/api-error.ts';
import { Card } from '../../ui/card.tsx';
import { useCreateChange } from './api.ts';
import {
  bodyOf,
  type ChangeValues,
  emptyValues,
  kindChoices,
  namesIn,
  type TargetView,
  typeOf,
} from './change-form.ts';
import { domainsText } from './change-words.ts';

/** What a record of a type asks for. */
export type FieldsOf = (type: RecordType) => { field: string; label: string; placeholder: string }[];

interface FormPart {
  fieldsOf: FieldsOf;
  values: ChangeValues;
  set: (change: Partial<ChangeValues>) => void;
  /** What is wrong with a field, by its place in what is sent. */
  wrong: (path: string) => string | null;
}

/** Choose and describe. Looking comes next; nothing is changed before a person has seen every difference. */
export function DescribeForm(props: {
  names: string;
  views: readonly TargetView[];
  fieldsOf: FieldsOf;
  onMade: (change: Change) => void;
}) {
  const [values, setValues] = useState<ChangeValues>({ ...emptyValues, names: props.names });
  const { views, fieldsOf } = props;
  const create = useCreateChange();
  const form = useRef<HTMLFormElement>(null);
  const problems = new Map(
    create.error instanceof ApiError ? create.error.details.map(({ path, message }) => [path, message]) : [],
  );
  const part: FormPart = {
    ...{ values, fieldsOf },
    set: (change) => setValues((before) => ({ ...before, ...change })),
    wrong: (path) => problems.get(path) ?? null,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(bodyOf(values, views), {
      onSuccess: props.onMade,
      onError: () =>
        requestAnimationFrame(() =>
          form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
        ),
    });
  };
  const shown = new Set(['title', 'reason', 'targets.names']);
  const unplaced =
    create.error && ![...problems.keys()].some((path) => shown.has(path) || path.startsWith('request'));
  return (
    <form ref={form} noValidate aria-label="Describe a change" onSubmit={submit}>
      <Stack gap="md">
        <Card title="Domains">
          <Targets {...part} views={views} />
        </Card>
        <Card title="Change">
          <Stack gap="sm">
            <Select
              label="What to do in each zone"
              allowDeselect={false}
              data={kindChoices}
              value={values.kind}
              onChange={(kind) => part.set({ kind: (kind ?? 'replace-value') as ChangeValues['kind'] })}
            />
            <KindFields {...part} />
            <TextInput
              label="Name of the change"
              placeholder="Move mail to the new filter"
              required
              value={values.title}
              maxLength={mostCharacters.changeTitle}
              error={part.wrong('title')}
              autoComplete="off"
              onChange={(event) => part.set({ title: event.currentTarget.value })}
            />
            <TextInput
              label="Ticket"
              description="Optional. Kept with the change and in the history of each zone."
              value={values.reason}
              maxLength={mostCharacters.ticket}
              error={part.wrong('reason')}
              autoComplete="off"
              onChange={(event) => part.set({ reason: event.currentTarget.value })}
            />
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

function KindFields(part: FormPart) {
  const { values, set, wrong } = part;
  switch (values.kind) {
    case 'replace-value':
      return (
        <>
          <TextField {...part} label="Find" field="find" placeholder="mx1.oldfilter.example" />
          <TextField {...part} label="Replace by" field="replacement" placeholder="in.newfilter.example" />
          <Checkbox
            label="Also within longer values, such as SPF"
            description="Only where it is a whole word or name."
            checked={values.part}
            onChange={(event) => set({ part: event.currentTarget.checked })}
          />
        </>
      );
    case 'add-record':
      return <RecordFields {...part} at="request.record" withData />;
    case 'change-record':
      return (
        <>
          <RecordFields {...part} at="request.record" withData />
          <OnlyValue {...part} />
        </>
      );
    case 'remove-record':
      return (
        <>
          <RecordFields {...part} at="request" />
          <OnlyValue {...part} />
        </>
      );
    case 'set-spf':
      return <Policy {...part} label="SPF record" field="spf" />;
    case 'set-dmarc':
      return <Policy {...part} label="DMARC record" field="dmarc" />;
    case 'delete-host':
      return (
        <>
          <TextInput
            label="Host"
            description="Below each domain, for example old-server."
            value={values.subdomain}
            error={wrong('request.subdomain')}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ subdomain: event.currentTarget.value })}
          />
          <Checkbox
            label="With everything below it"
            checked={values.below}
            onChange={(event) => set({ below: event.currentTarget.checked })}
          />
        </>
      );
  }
}

function TextField(props: FormPart & { label: string; field: 'find' | 'replacement'; placeholder: string }) {
  const { values, set, wrong, label, field, placeholder } = props;
  return (
    <TextInput
      {...{ label, placeholder }}
      value={values[field]}
      error={wrong(`request.${field}`)}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
    />
  );
}

function RecordFields(props: FormPart & { at: string; withData?: boolean }) {
  const { values, set, wrong, at } = props;
  return (
    <>
      <Select
        label="Type"
        allowDeselect={false}
        data={[...recordTypes]}
        value={values.type}
        error={wrong(`${at}.type`)}
        onChange={(type) => set({ type: typeOf(type) })}
      />
      <TextInput
        label="Subdomain"
        placeholder="@"
        description="Leave empty or enter @ for each domain itself."
        value={values.subdomain}
        error={wrong(`${at}.subdomain`)}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set({ subdomain: event.currentTarget.value })}
      />
      {props.withData &&
        props.fieldsOf(values.type).map(({ field, label, placeholder }) => {
          return (
            <TextInput
              key={field}
              {...{ label, placeholder }}
              {...(field === 'text' ? { description: '{domain} stands for the name of each domain.' } : {})}
              value={values.fields[field] ?? ''}
              error={wrong(`${at}.${field}`)}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => set({ fields: { ...values.fields, [field]: event.currentTarget.value } })}
            />
          );
        })}
    </>
  );
}

function OnlyValue({ values, set, wrong }: FormPart) {
  return (
    <TextInput
      label="Only the record with this value"
      description="Leave empty for all records of this type and name."
      value={values.value}
      error={wrong('request.value')}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => set({ value: event.currentTarget.value })}
    />
  );
}

function Policy({ values, set, wrong, label, field }: FormPart & { label: string; field: 'spf' | 'dmarc' }) {
  return (
    <>
      <TextInput
        label={label}
        description="{domain} stands for the name of each domain."
        value={values[field]}
        error={wrong('request.text')}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set({ [field]: event.currentTarget.value })}
      />
      <SegmentedControl
        aria-label="Where"
        value={values.where}
        onChange={(where) => set({ where: where === 'everywhere' ? 'everywhere' : 'missing' })}
        data={[
          { value: 'missing', label: 'Where it is missing' },
          { value: 'everywhere', label: 'Everywhere' },
        ]}
      />
      {values.where === 'everywhere' && (
        <Text size="sm" c="var(--warn)">
          Existing records are replaced in every zone.
        </Text>
      )}
    </>
  );
}
