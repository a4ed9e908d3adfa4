import type { ChangeRequest, ContactRole, SettingRequest } from '#contracts/values/changes.ts';
import type { Contact } from '#contracts/values/contact.ts';
import { type DnsRecord, type RecordType, recordTypes } from '#contracts/values/dns-records.ts';
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
  /** Of aliases that are removed. */
  hosts: string;
  /** Locked, or on. */
  on: boolean;
  nameservers: string;
  roles: ContactRole[];
  /** `customer`: those of the customer that each domain belongs to. */
  contactOf: 'customer' | 'typed';
  contact: ContactValues;
  customerId: string | null;
  templateId: string | null;
  /** For the variables of the template. */
  filled: Record<string, string>;
}
export type ContactValues = Record<keyof Contact, string>;

type Body = CallBody<'POST /changes'>;
export type Targets = Body['targets'];

/** A template of the organization as far as it takes to apply it. */
export interface TemplateChoice {
  id: string;
  name: string;
  version: number;
  variables: readonly { key: string; label: string }[];
}

/** A saved view of the list of domains, as the domains that it shows. */
export interface TargetView {
  id: string;
  name: string;
  targets: Targets;
}

export const kindChoices: { group: string; items: { value: ChangeValues['kind']; label: string }[] }[] = [
  {
    group: 'DNS',
    items: [
      { value: 'replace-value', label: 'Replace a value' },
      { value: 'add-record', label: 'Add a record' },
      { value: 'change-record', label: 'Change a record' },
      { value: 'remove-record', label: 'Remove records' },
      { value: 'set-spf', label: 'Set SPF' },
      { value: 'set-dmarc', label: 'Set DMARC' },
      { value: 'keep-dmarc', label: 'Keep one DMARC record' },
      { value: 'delete-host', label: 'Delete a host' },
      { value: 'remove-aliases', label: 'Remove aliases' },
      { value: 'apply-template', label: 'Apply a template' },
    ],
  },
  {
    group: 'Domains',
    items: [
      { value: 'lock', label: 'Lock or unlock' },
      { value: 'auto-renew', label: 'Auto renew' },
      { value: 'privacy', label: 'WHOIS privacy' },
      { value: 'nameservers', label: 'Nameservers' },
      { value: 'contacts', label: 'Contacts' },
      { value: 'customer', label: 'Customer' },
    ],
  },
];

const emptyContact: ContactValues = {
  ...{ organization: '', firstName: '', lastName: '', email: '', phone: '', address1: '', address2: '' },
  ...{ address3: '', city: '', state: '', postalCode: '', country: '' },
};

export const emptyValues: ChangeValues = {
  ...{ title: '', reason: '', from: 'names', names: '', view: '' },
  ...{ kind: 'replace-value', find: '', replacement: '', part: true },
  ...{ type: 'A', subdomain: '', value: '', fields: {} },
  ...{ spf: 'v=spf1 -all', dmarc: 'v=DMARC1; p=quarantine', where: 'missing', below: false, hosts: '' },
  ...{ on: true, nameservers: '', roles: [], contactOf: 'customer', contact: emptyContact, customerId: null },
  ...{ templateId: null, filled: {} },
};

/** The form as it was filled in to describe a change; null: an undo, which nobody describes. */
export function valuesOf(change: { title: string; reason: string; request: object }): ChangeValues | null {
  const request = change.request as ChangeRequest;
  if (request.kind === 'undo') return null;
  const { title, reason } = change;
  return { ...emptyValues, title, reason, kind: request.kind, ...typedIn(request) };
}

function typedIn(request: Exclude<ChangeRequest, { kind: 'undo' }>): Partial<ChangeValues> {
  switch (request.kind) {
    case 'replace-value': {
      const { find, replacement, part } = request;
      return { find, replacement, part };
    }
    case 'add-record':
      return recordIn(request.record);
    case 'change-record':
      return { ...recordIn(request.record), value: request.value ?? '' };
    case 'remove-record':
      return { type: request.type, subdomain: request.subdomain, value: request.value ?? '' };
    case 'set-spf':
      return { spf: request.text, where: request.where };
    case 'set-dmarc':
      return { dmarc: request.text, where: request.where };
    case 'delete-host':
      return { subdomain: request.subdomain, below: request.below };
    case 'remove-aliases':
      return { hosts: request.hosts.join('\n') };
    case 'keep-dmarc':
      return {};
    case 'apply-template':
      return { templateId: request.templateId, filled: request.values };
    default:
      return settingIn(request);
  }
}

function settingIn(request: SettingRequest): Partial<ChangeValues> {
  switch (request.kind) {
    case 'lock':
      return { on: request.locked };
    case 'auto-renew':
    case 'privacy':
      return { on: request.enabled };
    case 'nameservers':
      return { nameservers: request.nameservers.join('\n') };
    case 'contacts': {
      const { roles, contact } = request;
      if (!contact) return { roles };
      const { address2 = '', address3 = '', ...others } = contact;
      return { roles, contactOf: 'typed', contact: { ...others, address2, address3 } };
    }
    case 'customer':
      return { customerId: request.customerId };
  }
}

function recordIn({ type, subdomain, ...fields }: DnsRecord): Partial<ChangeValues> {
  const texts = Object.entries(fields).map(([field, value]) => [field, String(value)]);
  return { type, subdomain, fields: Object.fromEntries(texts) };
}

/** Names as people paste them: lines, commas, blanks; the first column of a table. */
export function namesIn(text: string): string[] {
  const names = text
    .split(/\r?\n/)
    .flatMap((line) => (line.includes('\t') ? [line.split('\t', 1)[0] ?? ''] : line.split(/[\s,;]+/)));
  return [...new Set(names.map((name) => name.trim()).filter(Boolean))];
}

/** What is sent; the server's rules say what is wrong with it. */
export function bodyOf(
  values: ChangeValues,
  views: readonly TargetView[],
  templates: readonly TemplateChoice[],
): Body {
  const { title, reason } = values;
  return { title, reason, request: requestOf(values, templates), targets: targetsOf(values, views) };
}

/** What is sent to describe differently what was shown in this round. */
export function describedBy(
  values: ChangeValues,
  templates: readonly TemplateChoice[],
  round: number,
): CallBody<'PUT /changes/:id'> {
  const { title, reason } = values;
  return { title, reason, request: requestOf(values, templates), round };
}

function targetsOf({ from, names, view }: ChangeValues, views: readonly TargetView[]): Targets {
  if (from === 'names') return { kind: 'names', names: namesIn(names) };
  return views.find(({ id }) => id === view)?.targets ?? { kind: 'all' };
}

function requestOf(values: ChangeValues, templates: readonly TemplateChoice[]): Body['request'] {
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
    case 'remove-aliases':
      return { kind, hosts: namesIn(values.hosts) };
    case 'keep-dmarc':
      return { kind };
    case 'apply-template': {
      const template = templates.find(({ id }) => id === values.templateId);
      const { filled } = values;
      const given = (template?.variables ?? []).flatMap(({ key }) =>
        filled[key] ? [[key, filled[key]] as const] : [],
      );
      const { id = '', version = 1 } = template ?? {};
      return { kind, templateId: id, version, values: Object.fromEntries(given) };
    }
    default:
      return settingOf(kind, values);
  }
}

function settingOf(kind: SettingRequest['kind'], values: ChangeValues): Body['request'] {
  switch (kind) {
    case 'lock':
      return { kind, locked: values.on };
    case 'auto-renew':
    case 'privacy':
      return { kind, enabled: values.on };
    case 'nameservers':
      return { kind, nameservers: namesIn(values.nameservers) };
    case 'contacts': {
      const { roles, contactOf, contact } = values;
      return { kind, roles, contact: contactOf === 'customer' ? null : contact };
    }
    case 'customer':
      return { kind, customerId: values.customerId };
  }
}

/** The type that an address's text names, if any. */
export const typeOf = (text: string | null) => recordTypes.find((type) => type === text) ?? 'A';
