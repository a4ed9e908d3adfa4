import { Button, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { FailureText } from './failure.tsx';
import { LongSelect } from './long-select.tsx';

/** Filters that the tables with a history share: one of several, a first and a last day, and the file of what fits. */

/** On a phone two stand side by side, with the gap of the list's tools between them. */
const halfWidth = 'calc(50% - 0.375rem)';

export function ChoiceFilter(props: {
  label: string;
  /** The text when nothing is selected. */
  all: string;
  data: readonly { value: string; label: string }[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  width?: number;
  searchable?: boolean;
}) {
  return (
    <LongSelect
      likely
      aria-label={props.label}
      placeholder={props.all}
      clearable
      searchable={props.searchable ?? true}
      nothingFoundMessage="Nothing found"
      w={{ base: halfWidth, xs: props.width ?? 150 }}
      data={props.data}
      value={props.value ?? null}
      onChange={(value) => props.onChange(value ?? undefined)}
    />
  );
}

export interface Days {
  from?: string | undefined;
  to?: string | undefined;
}

export function DayFilter({ from, to, onChange }: Days & { onChange: (change: Days) => void }) {
  return (
    <>
      <DayField label="From" value={from} onChange={(day) => onChange({ from: day })} />
      <DayField label="To" value={to} onChange={(day) => onChange({ to: day })} />
    </>
  );
}

function DayField(props: {
  label: string;
  value: string | undefined;
  onChange: (day: string | undefined) => void;
}) {
  return (
    <TextInput
      type="date"
      aria-label={props.label}
      leftSection={<span aria-hidden>{props.label}</span>}
      leftSectionWidth={46}
      w={{ base: halfWidth, xs: 166 }}
      min="2000-01-01"
      max="2099-12-31"
      value={props.value ?? ''}
      onChange={(event) => props.onChange(event.currentTarget.value || undefined)}
    />
  );
}

/** A day of the address as it is typed; nothing for anything else. */
export const dayOf = (text: string | undefined) =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : undefined;

export function ExportCsv(props: { saving: boolean; error: Error | null; onSave: () => void }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        disabled={props.saving}
        onClick={props.onSave}
      >
        {props.saving ? 'Preparing...' : 'Export CSV'}
      </Button>
      <FailureText error={props.error} />
    </>
  );
}
