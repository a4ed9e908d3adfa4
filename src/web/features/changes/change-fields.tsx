import { Checkbox, SegmentedControl, Select, Text, Textarea, TextInput } from '@mantine/core';
import { isKindOfSettings } from '#contracts/values/changes.ts';
import { type RecordType, recordTypes } from '#contracts/values/dns-records.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { LongSelect } from '../../ui/long-select.tsx';
import { type ChangeValues, kindChoices, type TemplateChoice, typeOf } from './change-form.ts';
import { ticketText } from './change-words.ts';
import { SettingFields } from './setting-fields.tsx';

/** What a record of a type asks for. */
export type FieldsOf = (type: RecordType) => { field: string; label: string; placeholder: string }[];
export type CustomerOptions = readonly { value: string; label: string }[];

export interface FormPart {
  fieldsOf: FieldsOf;
  customers: CustomerOptions;
  templates: readonly TemplateChoice[];
  values: ChangeValues;
  set: (change: Partial<ChangeValues>) => void;
  /** What is wrong with a field, by its place in what is sent. */
  wrong: (path: string) => string | null;
}

/** What to do in each domain, and what the change is called. */
export function ChangeFields(part: FormPart) {
  const { values, set, wrong } = part;
  return (
    <>
      <Select
        label="What to do"
        allowDeselect={false}
        data={kindChoices}
        value={values.kind}
        maxDropdownHeight={360}
        onChange={(kind) => set({ kind: (kind ?? 'replace-value') as ChangeValues['kind'] })}
      />
      <KindFields {...part} />
      <TextInput
        label="Name of the change"
        placeholder="Move mail to the new filter"
        required
        value={values.title}
        maxLength={mostCharacters.changeTitle}
        error={wrong('title')}
        autoComplete="off"
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <TextInput
        label="Ticket"
        description={ticketText(isKindOfSettings(values.kind))}
        value={values.reason}
        maxLength={mostCharacters.ticket}
        error={wrong('reason')}
        autoComplete="off"
        onChange={(event) => set({ reason: event.currentTarget.value })}
      />
    </>
  );
}

function KindFields(part: FormPart) {
  const { values, set, wrong } = part;
  switch (values.kind) {
    case 'replace-value':
      return (
        <>
          <TextField {...part} label="Find" field="find" placeholder="mx1.oldfilter.example" />
          <TextField {...part} label="Replace with" field="replacement" placeholder="in.newfilter.example" />
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
    case 'remove-aliases':
      return (
        <Textarea
          label="Hosts"
          description="Aliases (CNAME) to these hosts are removed, one host per line. Names that begin with _ stay."
          placeholder="old-shop.example.net"
          autosize
          minRows={2}
          maxRows={8}
          value={values.hosts}
          error={wrong('request.hosts')}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ hosts: event.currentTarget.value })}
        />
      );
    case 'keep-dmarc':
      return (
        <Text size="sm">
          Receivers ignore several DMARC records. The mildest policy stays; the other records are removed.
        </Text>
      );
    case 'apply-template':
      return <TemplateFields {...part} />;
    default:
      return <SettingFields {...part} kind={values.kind} />;
  }
}

function TemplateFields({ values, set, wrong, templates }: FormPart) {
  const { templateId, filled } = values;
  const template = templates.find(({ id }) => id === templateId);
  return (
    <>
      <LongSelect
        label="Template"
        placeholder="Choose a template"
        description="Records that conflict with it are replaced. From then on the portal shows where a zone differs from it."
        searchable
        allowDeselect={false}
        data={templates.map(({ id, name, version }) => ({ value: id, label: `${name}, version ${version}` }))}
        value={template ? templateId : null}
        error={wrong('request.templateId')}
        onChange={(id) => set({ templateId: id })}
      />
      {template?.variables.map(({ key, label }) => (
        <TextInput
          key={key}
          label={label}
          description="Leave empty to keep what each domain has."
          value={filled[key] ?? ''}
          error={wrong(`request.values.${key}`)}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ filled: { ...filled, [key]: event.currentTarget.value } })}
        />
      ))}
    </>
  );
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
