import { Alert, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Zone } from '#contracts/operations/dns.ts';
import { type DnsRecord, hostOf, recordData, ttlText } from '#contracts/values/dns-records.ts';
import { applyChanges, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { changeWarnings } from '#contracts/values/zone-warnings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { conflictOf, recordsIn, textsOf, useChangeZone } from './api.ts';
import { collectedWith } from './collected-changes.ts';
import { ConflictNotice } from './conflict-notice.tsx';
import {
  fieldInfo,
  formFields,
  isTyped,
  type RecordField,
  type RecordValues,
  readValues,
  typeChoices,
  valuesOf,
} from './record-form.ts';
import { rebased } from './record-rows.ts';
import type { ZoneEditor } from './use-zone-editor.ts';

export interface RecordDialogProps {
  domain: string;
  zone: Zone;
  /** Collected so far: the record must stand beside them. */
  collected: readonly ZoneChange[];
  /** null: a new one. */
  edited: DnsRecord | null;
  /** Collects the change instead of saving it. */
  onCollect: ((change: ZoneChange) => void) | null;
  onSaved: ZoneEditor['saved'];
  /** Told whether something is typed that closing would lose. */
  onTyped?: (typed: boolean) => void;
  /** Told whether it is being saved: what closes it meanwhile would lose the word that it was, and Undo. */
  onSaving?: (saving: boolean) => void;
  /** In its row; a dialog closes by itself. */
  onEscape?: () => void;
  onClose: () => void;
}

/** Add a record. */
export function RecordDialog(props: RecordDialogProps) {
  const [saving, setSaving] = useState(false);
  return (
    <Dialog opened onClose={props.onClose} title="Add record" running={saving} closeOnClickOutside={false}>
      <RecordForm {...props} onSaving={setSaving} />
    </Dialog>
  );
}

/** Its type and subdomain cannot be changed on edit (P2 §5): the row names them. */
export function RecordForm(props: RecordDialogProps) {
  const { domain, edited, onTyped, onSaving } = props;
  const form = useRecordForm(props);
  const { values, save, change, conflict } = form;
  const typed = isTyped(values, edited);
  useEffect(() => {
    onTyped?.(typed);
  }, [onTyped, typed]);
  useEffect(() => {
    onSaving?.(save.isPending);
  }, [onSaving, save.isPending]);
  const element = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const faulty = form.submit();
    if (faulty) element.current?.querySelector<HTMLElement>(`[name="${faulty}"]`)?.focus();
  };
  return (
    <form
      ref={element}
      noValidate
      aria-label={edited ? 'Edit record' : 'Add record'}
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && props.onEscape?.()}
    >
      <Stack gap="sm">
        {edited ? (
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {edited.type} {hostOf(edited, domain)}
          </Text>
        ) : (
          <NameFields domain={domain} form={form} />
        )}
        {values.type !== '' &&
          formFields[values.type].map((field, index) => (
            <Field key={field} field={field} form={form} focused={edited !== null && index === 0} />
          ))}
        {form.difference && (
          <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
            <del>{form.difference.old}</del> becomes <ins>{form.difference.new}</ins>
          </Text>
        )}
        <Hints texts={form.warnings} />
        <Text size="sm" c="dimmed">
          TTL: {ttlText}
        </Text>
        {form.wrong && (
          <Alert color="red" variant="light" role="alert">
            {form.wrong}
          </Alert>
        )}
        {save.error && !conflict && <SaveFailure error={save.error} />}
        {conflict && change && (
          <ConflictNotice
            domain={domain}
            conflict={conflict}
            changes={[change]}
            saving={save.isPending}
            onSaveMine={form.saveMine}
            onTakeTheirs={props.onClose}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" disabled={save.isPending} onClick={props.onClose}>
            Cancel
          </Button>
          {!conflict && (
            <Button type="submit" disabled={save.isPending}>
              {save.isPending ? 'Saving record...' : props.onCollect ? 'Collect' : 'Save'}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function NameFields({ domain, form }: { domain: string; form: ReturnType<typeof useRecordForm> }) {
  const { values, problems } = form;
  return (
    <>
      <Select
        label="Type"
        name="type"
        data={typeChoices}
        value={values.type || null}
        error={problems.type}
        allowDeselect={false}
        data-autofocus
        onChange={(type) => form.set('type', type ?? '')}
      />
      <TextInput
        label="Subdomain"
        name="subdomain"
        placeholder="@"
        description={form.notes.subdomain ?? `Leave empty or enter @ for ${domain} itself.`}
        value={values.subdomain}
        error={problems.subdomain}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        maxLength={300}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => form.set('subdomain', event.currentTarget.value)}
        onBlur={form.check}
      />
    </>
  );
}

/** P2 §8: DNS save errors are a warning banner with the error's text. */
export function SaveFailure({ error }: { error: Error }) {
  const [message, ...more] = textsOf(error);
  return (
    <Alert color="yellow" variant="light" role="alert">
      {message}
      {more.map((text) => (
        <div key={text}>{text}</div>
      ))}
    </Alert>
  );
}

/** What is likely wrong, while it can still be mended. Saving is not hindered. */
function Hints({ texts }: { texts: readonly string[] }) {
  return (
    <div role="status">
      {texts.map((text) => (
        <Text key={text} size="sm" c="var(--warn)">
          {text}
        </Text>
      ))}
    </div>
  );
}

function useRecordForm(props: RecordDialogProps) {
  const { domain, edited, zone } = props;
  const [values, setValues] = useState(() => valuesOf(edited));
  const [checked, setChecked] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const [change, setChange] = useState<ZoneChange | null>(null);
  // The zone that was shown when this was opened: what others save meanwhile is a conflict, not a surprise.
  const [base] = useState(zone);
  const save = useChangeZone(domain);
  const read = readValues(values, domain);
  const conflict = conflictOf(save.error);

  const send = (from: Zone, changes: readonly ZoneChange[]) =>
    save.mutate({ base: from, changes }, { onSuccess: (after) => props.onSaved(from, after, changes) });

  const attempt = attemptOf(props, base, read.record);
  /** Saves or collects; returns the first field that is wrong. */
  const submit = (): keyof RecordValues | null => {
    setChecked(true);
    if (!attempt) return (Object.keys(read.problems)[0] as keyof RecordValues | undefined) ?? null;
    const { next, result } = attempt;
    const present = result.present.length > 0 ? 'This record already exists.' : null;
    const problem = result.problems.at(-1)?.message ?? present;
    setWrong(problem);
    if (problem) return null;
    setChange(next);
    if (props.onCollect) props.onCollect(next);
    else send(base, [next]);
    return null;
  };
  return {
    ...{ values, change, wrong, save, conflict, submit },
    problems: checked ? read.problems : {},
    notes: read.notes,
    warnings: attempt?.warnings ?? [],
    difference: differenceTo(edited, read.record),
    check: () =>
      setChecked((before) => before || Object.values(values).filter((text) => text !== '').length > 2),
    set: (field: keyof RecordValues, text: string) => {
      setWrong(null);
      setValues((before) => ({ ...before, [field]: text }));
    },
    saveMine: () => {
      if (!conflict || !change) return;
      const changes = rebased([change], recordsIn(conflict.theirs));
      if (changes.length === 0) props.onSaved(conflict.theirs, conflict.theirs, []);
      else send(conflict.theirs, changes);
    },
  };
}

/** What an edit changes, in sight before it is saved. */
function differenceTo(edited: DnsRecord | null, record: DnsRecord | null) {
  if (!edited || !record) return null;
  const [old, next] = [recordData(edited), recordData(record)];
  return old === next ? null : { old, new: next };
}

/** What would come of saving the record as it is typed now. */
function attemptOf(props: RecordDialogProps, base: Zone, record: DnsRecord | null) {
  if (!record) return null;
  const { domain, edited } = props;
  const next: ZoneChange = edited ? { action: 'update', record, old: edited } : { action: 'add', record };
  const changes = collectedWith(props.onCollect ? props.collected : [], edited, next);
  const result = applyChanges(domain, recordsIn(base), changes);
  // The new one is the last of the changes.
  const warnings = changeWarnings(domain, changes, { ...result, present: [] })
    .filter(({ index }) => index === changes.length - 1)
    .map(({ message }) => message);
  return { next, result, warnings };
}

function Field(props: { field: RecordField; form: ReturnType<typeof useRecordForm>; focused: boolean }) {
  const { field, form } = props;
  const { values, problems } = form;
  if (values.type === '') return null;
  const info = fieldInfo(values.type, field);
  const common = {
    ...info,
    name: field,
    // The row was opened to change this.
    autoFocus: props.focused,
    value: values[field],
    error: problems[field],
    description: form.notes[field],
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as (
      | 'label'
      | 'input'
      | 'description'
      | 'error'
    )[],
    autoComplete: 'off',
    spellCheck: false,
    onBlur: form.check,
  };
  if (field === 'text') {
    return (
      <Textarea
        {...common}
        rows={4}
        maxLength={4_200}
        onChange={(event) => form.set(field, event.currentTarget.value)}
      />
    );
  }
  const digits = field === 'priority' || field === 'weight' || field === 'port';
  return (
    <TextInput
      {...common}
      maxLength={300}
      {...(digits ? { inputMode: 'numeric', w: 160 } : {})}
      onChange={(event) => form.set(field, event.currentTarget.value)}
    />
  );
}
