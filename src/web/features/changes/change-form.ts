import { type RecordType, recordTypes } from '#contracts/values/dns-records.ts';
import type { CallBody } from '../../lib/operations.ts';

/** What is typed to describe a change. One box for all kinds: choosing another kind loses nothing. */
export interface ChangeValues {
  title: string;
  reason: string;
  /** `names`: those in the box. `view`: of `view`; empty: all domains. */
  from: 'names' | 'view';
  names: string;
  view: string;
  kind: Body['request']['kind'];
  find: string;
  replacement: string;
  part: boolean;
  type: RecordType;
  subdomain: string;
  value: string;
  fields: Record<string, string>;
  spf: string;
  dmarc: string;
  where: 'missing' | 'everywhere';
  below: boolean;
}

type Body = CallBody<'POST /changes'>;
export type Targets = Body['targets'];

/** A saved view of the list of domains, as the domains that it shows. */
export interface TargetView {
  id: string;
  name: string;
  targets: Targets;
}

export const kindChoices: { value: ChangeValues['kind']; label: string }[] = [
  { value: 'replace-value', label: 'Replace a value' },
  { value: 'add-record', label: 'Add a record' },
  { value: 'change-record', label: 'Change a record' },
  { value: 'remove-record', label: 'Remove records' },
  { value: 'set-spf', label: 'Set SPF' },
  { value: 'set-dmarc', label: 'Set DMARC' },
  { value: 'delete-host', label: 'Delete a host' },
];

export const emptyValues: ChangeValues = {
  ...{ title: '', reason: '', from: 'names', names: '', view: '' },
  ...{ kind: 'replace-value', find: '', replacement: '', part: true },
  ...{ type: 'A', subdomain: '', value: '', fields: {} },
  ...{ spf: 'v=spf1 -all', dmarc: 'v=DMARC1; p=quarantine', where: 'missing', below: false },
};

/** Names as people paste them: lines, commas, blanks; the first column of a table. */
export function namesIn(text: string): string[] {
  const names = text
    .split(/\r?\n/)
    .flatMap((line) => (line.includes('\t') ? [line.split('\t', 1)[0] ?? ''] : line.split(/[\s,;]+/)));
  return [...new Set(names.map((name) => name.trim()).filter(Boolean))];
}

/** What is sent; the server's rules say what is wrong with it. */
export function bodyOf(values: ChangeValues, views: readonly TargetView[]): Body {
  const { title, reason } = values;
  return { title, reason, request: requestOf(values), targets: targetsOf(values, views) };
}

function targetsOf({ from, names, view }: ChangeValues, views: readonly TargetView[]): Targets {
  if (from === 'names') return { kind: 'names', names: namesIn(names) };
  return views.find(({ id }) => id === view)?.targets ?? { kind: 'all' };
}

function requestOf(values: ChangeValues): Body['request'] {
  const { kind, type, subdomain, where } = values;
  const value = values.value.trim() === '' ? null : values.value.trim();
  const record = { ...values.fields, type, subdomain };
  switch (kind) {
    case 'replace-value':
      return { kind, find: values.find, replacement: values.replacement, part: values.part };
    case 'add-record':
      return { kind, record };
    case 'change-record':
      return { kind, record, value };
    case 'remove-record':
      return { kind, type, subdomain, value };
    case 'set-spf':
      return { kind, text: values.spf, where };
    case 'set-dmarc':
      return { kind, text: values.dmarc, where };
    case 'delete-host':
      return { kind, subdomain, below: values.below };
  }
}

/** The type that an address's text names, if any. */
export const typeOf = (text: string | null) => recordTypes.find((type) => type === text) ?? 'A';
