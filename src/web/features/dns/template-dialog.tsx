import { ActionIcon, Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Zone } from '#contracts/operations/dns.ts';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import {
  builtInTemplates,
  domainValues,
  filledTemplate,
  generalised,
  type TemplateInput,
  templateChanges,
} from '#contracts/values/dns-templates.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { flatRecords, groupRecords, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { recordsIn, useDeleteTemplate, useSaveTemplate, useTemplates } from './api.ts';
import { ChangeReview } from './change-review.tsx';
import type { ZoneEditor } from './use-zone-editor.ts';

interface TemplateProps {
  domain: string;
  zone: Zone;
  /** Own templates are the provider's. */
  mayTemplate: boolean;
  /** Collects instead of saving, where changes are collected. */
  onCollect: ((changes: readonly ZoneChange[]) => void) | null;
  onSaved: ZoneEditor['saved'];
  onClose: () => void;
}

interface Choice {
  id: string;
  name: string;
  own: boolean;
  inputs: readonly TemplateInput[];
  records: readonly Readonly<Record<string, unknown>>[];
}

const purposes = { mail: 'Mail', web: 'Web' };

/** Records of the usual mail and web providers, and own ones, through the same preview as every other change. */
export default function TemplateDialog(props: TemplateProps) {
  const { domain, zone } = props;
  const own = useTemplates(props.mayTemplate);
  const [chosen, setChosen] = useState<string | null>(null);
  const [values, setValues] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [applied, setApplied] = useState<DnsRecord[] | null>(null);
  const choices = choicesOf(own.data ?? []);
  const choice = choices.find(({ id }) => id === chosen);
  if (applied && choice) {
    return (
      <ChangeReview
        {...{ domain, onCollect: props.onCollect, onSaved: props.onSaved, onClose: () => setApplied(null) }}
        title={`Apply ${choice.name}`}
        base={zone}
        changes={templateChanges(recordsIn(zone), applied)}
        reason={`Template ${choice.name}`}
        intro={<Text size="sm">Records that conflict with the template are deleted. All others stay.</Text>}
      />
    );
  }
  const preview = () => {
    if (!choice) return setProblem('Please choose a template');
    const filled = filledTemplate(choice.records, { ...domainValues(domain), ...values });
    if (filled.ok) return setApplied(filled.records);
    setProblem(filled.problems[0]?.message ?? null);
  };
  return (
    <Dialog opened onClose={props.onClose} title="Templates" size="lg" closeOnClickOutside={false}>
      <Stack gap="sm">
        <LongSelect
          label="Template"
          placeholder="Choose a template"
          searchable
          data={groupsOf(choices)}
          value={chosen}
          error={choice ? null : problem}
          onChange={(id) => {
            setChosen(id);
            setProblem(null);
          }}
        />
        {choice?.inputs.map((input) => (
          <TextInput
            key={input.key}
            label={input.label}
            placeholder={input.placeholder}
            value={values[input.key] ?? ''}
            error={problem}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            onChange={(event) => {
              const text = event.currentTarget.value;
              setProblem(null);
              setValues((before) => ({ ...before, [input.key]: text }));
            }}
          />
        ))}
        {choice && choice.inputs.length === 0 && problem && (
          <Alert color="red" variant="light" role="alert">
            {problem}
          </Alert>
        )}
        {choice?.own && (
          <Text size="sm" c="dimmed">
            Applied here it is not remembered.{' '}
            <Link to="/changes/templates/$templateId" params={{ templateId: choice.id }}>
              Apply it as a change
            </Link>{' '}
            to be shown later where a zone differs from it.
          </Text>
        )}
        {own.error && (
          <Text size="sm" c="var(--bad)" role="alert">
            Your own templates could not be loaded: {own.error.message}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button onClick={preview}>Preview</Button>
        </Group>
        {choice?.own && (
          <DeleteTemplate id={choice.id} name={choice.name} onDeleted={() => setChosen(null)} />
        )}
        {props.mayTemplate && zone.version !== '' && <SaveTemplate domain={domain} zone={zone} />}
      </Stack>
    </Dialog>
  );
}

function choicesOf(own: readonly OwnTemplate[]): (Choice & { group: string })[] {
  return [
    ...own.map(({ id, name, records, variables }) => {
      const flat = flatRecords(records).map((record) => ({ ...record }));
      const inputs = variables.map((variable) => ({ ...variable, placeholder: '' }));
      return { id, name, own: true, inputs, records: flat, group: 'Your own' };
    }),
    ...builtInTemplates.map(({ purpose, ...template }) => ({
      ...{ ...template, own: false, group: purposes[purpose] },
    })),
  ];
}

function groupsOf(choices: readonly (Choice & { group: string })[]) {
  return [...Map.groupBy(choices, ({ group }) => group)].map(([group, items]) => ({
    group,
    items: items.map(({ id, name }) => ({ value: id, label: name })),
  }));
}

function DeleteTemplate(props: { id: string; name: string; onDeleted: () => void }) {
  const remove = useDeleteTemplate();
  const [asked, setAsked] = useState(false);
  return (
    <Group>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Delete template ${props.name}`}
        onClick={() => setAsked(true)}
      >
        <IconTrash size={16} />
      </ActionIcon>
      <ConfirmDialog
        opened={asked}
        title="Delete this template?"
        confirmLabel="Delete"
        runningLabel="Deleting..."
        running={remove.isPending}
        error={remove.error}
        danger
        onConfirm={() => remove.mutate(props.id, { onSuccess: props.onDeleted })}
        onClose={() => setAsked(false)}
      >
        The template {props.name} will be deleted. Zones that already use it do not change.
      </ConfirmDialog>
    </Group>
  );
}

/** The records of this domain as a template for others: its name gives way to theirs. */
function SaveTemplate({ domain, zone }: { domain: string; zone: Zone }) {
  const save = useSaveTemplate();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const records = recordsIn(zone).map((record) => generalised(record, domain));
  if (records.length === 0) return null;
  const submit = () => {
    if (name.trim() === '') return setProblem('Please enter a name for the template');
    save.mutate(
      { name, records: groupRecords(records) },
      { onSuccess: () => setName(''), onError: (error) => setProblem(error.message) },
    );
  };
  return (
    <Stack gap="xs" pt="sm" style={{ borderTop: '1px solid var(--line)' }}>
      <TextInput
        label="Save these records as a template"
        description={`All ${records.length} records of ${domain}; in host names, ${domain} becomes the other domain.`}
        placeholder="Name of the template"
        value={name}
        error={problem}
        maxLength={mostCharacters.name}
        autoComplete="off"
        onChange={(event) => {
          setName(event.currentTarget.value);
          setProblem(null);
          save.reset();
        }}
      />
      <Group gap="xs">
        <Button size="xs" variant="default" disabled={save.isPending} onClick={submit}>
          {save.isPending ? 'Saving template...' : 'Save template'}
        </Button>
        {save.isSuccess && (
          <Text size="sm" role="status">
            Saved.
          </Text>
        )}
      </Group>
    </Stack>
  );
}
