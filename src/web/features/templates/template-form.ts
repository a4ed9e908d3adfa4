import { changeDnsTemplate, type OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { marksIn } from '#contracts/values/dns-templates.ts';
import { looksLikeConnect, readDomainConnect } from '#contracts/values/domain-connect.ts';
import { readTemplateText, templateText } from '#contracts/values/template-text.ts';
import { flatRecords, groupRecords } from '#contracts/values/zone-changes.ts';
import { ApiError } from '../../lib/api-error.ts';
import type { CallBody } from '../../lib/operations.ts';

/** What is typed to make or change a template. */
export interface TemplateValues {
  name: string;
  /** One record per line, or a public template as it was copied. */
  text: string;
  labels: Record<string, string>;
  /** Of the template whose text this is: while the form is open a later one may be read behind it. */
  version: number;
}

export function valuesOf(template: OwnTemplate | null): TemplateValues {
  if (!template) return { name: '', text: '', labels: {}, version: 1 };
  const { name, records, variables, version } = template;
  const labels = Object.fromEntries(variables.map(({ key, label }) => [key, label]));
  return { name, text: templateText(flatRecords(records)), labels, version };
}

/** The template of an address; one that was deleted only while it is being changed, since what was typed is in its editor. */
export function templateShown<T extends { id: string }>(
  list: readonly T[],
  id: string,
  edited: T | null,
): T | null {
  return list.find((template) => template.id === id) ?? (edited?.id === id ? edited : null);
}

/** Why a template was not saved. */
export function failureText(error: Error): string {
  return error instanceof ApiError && error.code === 'not_found'
    ? 'Somebody has deleted this template. Copy what you want to keep.'
    : error.message;
}

/** What somebody else has made of it meanwhile, as it comes with a conflict. */
export function theirsOf(error: Error): OwnTemplate | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  return changeDnsTemplate.reply.safeParse(error.data).data ?? null;
}

/** The variables that the text has by now, in their order. */
export function variablesIn({ text, labels }: TemplateValues): { key: string; label: string }[] {
  const reading = readTemplateText(text);
  const records = reading.ok ? reading.records : [];
  const keys = marksIn(records.map((record) => ({ ...record })));
  return keys.map((key) => ({ key, label: labels[key] ?? key }));
}

/** What is sent, or what is wrong with the text. */
export function bodyOf(
  values: TemplateValues,
): { ok: true; body: CallBody<'PUT /dns/templates/:id'> } | { ok: false; message: string } {
  const reading = readTemplateText(values.text);
  if (!reading.ok) return { ok: false, message: `Line ${reading.line}: ${reading.message}` };
  if (reading.records.length === 0) return { ok: false, message: 'Please enter at least one record' };
  const { name, version } = values;
  return {
    ok: true,
    body: { name, version, records: groupRecords(reading.records), variables: variablesIn(values) },
  };
}

/** A public template that was pasted, as lines; null: the text is none. */
export function pasted(
  values: TemplateValues,
  text: string,
): { values: TemplateValues; notes: readonly string[] } | null {
  if (!looksLikeConnect(text)) return null;
  const reading = readDomainConnect(text);
  if (!reading.ok) return { values: { ...values, text }, notes: [reading.message] };
  const { name, records, variables, notes } = reading.template;
  const labels = Object.fromEntries(variables.map(({ key, label }) => [key, label]));
  const { version } = values;
  return { values: { name: values.name || name, text: templateText(records), labels, version }, notes };
}
