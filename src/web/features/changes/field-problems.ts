import { ApiError } from '../../lib/api-error.ts';
import type { ChangeValues, ContactValues } from './change-form.ts';

/** What the server found wrong, by its place in what was sent. */
export type Problems = ReadonlyMap<string, string>;

/** What an answer says of the fields of the form. */
export function problemsOf(error: Error | null): Problems {
  if (!(error instanceof ApiError)) return new Map();
  return new Map(error.details.map(({ path, message }) => [path, message]));
}

/** Whether a field of the form shows one of them. */
export function isPlaced(problems: Problems): boolean {
  const shown = new Set(['title', 'reason', 'targets.names']);
  return [...problems.keys()].some((path) => shown.has(path) || path.startsWith('request'));
}

/** Where the server speaks of what is typed into a field. A place stands for those below it, too. */
const places: Partial<Record<keyof ChangeValues, readonly string[]>> = {
  ...{ title: ['title'], reason: ['reason'], from: ['targets'], names: ['targets'], view: ['targets'] },
  // Another kind has other fields under the same places.
  kind: ['request'],
  ...{ find: ['request.find'], replacement: ['request.replacement'], value: ['request.value'] },
  // Another type has other fields.
  type: ['request.type', 'request.record'],
  subdomain: ['request.subdomain', 'request.record.subdomain'],
  ...{ spf: ['request.text'], dmarc: ['request.text'], hosts: ['request.hosts'] },
  ...{ nameservers: ['request.nameservers'], customerId: ['request.customerId'], roles: ['request.roles'] },
  // A customer has no tech contact, and one for all has.
  contactOf: ['request.contact', 'request.roles'],
  templateId: ['request.templateId', 'request.values'],
};

/** What is still wrong after a person has changed something: nothing is known of what was typed since. */
export function leftAfter(problems: Problems, before: ChangeValues, change: Partial<ChangeValues>): Problems {
  const touched = placesOf(before, change);
  const isTouched = (path: string) => touched.some((place) => path === place || path.startsWith(`${place}.`));
  return new Map([...problems].filter(([path]) => !isTouched(path)));
}

function placesOf(before: ChangeValues, change: Partial<ChangeValues>): string[] {
  return [
    ...(Object.keys(change) as (keyof ChangeValues)[]).flatMap((field) => places[field] ?? []),
    ...changedKeys(before.fields, change.fields).map((field) => `request.record.${field}`),
    ...changedKeys(before.filled, change.filled).map((key) => `request.values.${key}`),
    ...changedKeys<keyof ContactValues>(before.contact, change.contact).map(
      (field) => `request.contact.${field}`,
    ),
  ];
}

function changedKeys<Key extends string>(
  before: Readonly<Record<Key, string>>,
  after: Readonly<Record<Key, string>> | undefined,
): Key[] {
  return (Object.keys(after ?? {}) as Key[]).filter((key) => after?.[key] !== before[key]);
}
