import type { ContactRole } from './changes.ts';
import type { Contact } from './contact.ts';

/** What can be set of a domain; one part of it is set at a time. */
export interface DomainSettings {
  locked?: boolean;
  autoRenew?: boolean;
  /** Null: there is no such thing for its suffix. */
  privacy?: boolean | null;
  nameservers?: string[];
  contacts?: Partial<Record<ContactRole, Contact>>;
  /** Null: it belongs to no customer. */
  customerId?: string | null;
}

/** Whether two settings are the same: nameservers in any order, contacts without regard to case and empty lines. */
export function isSameSetting(one: DomainSettings, other: DomainSettings): boolean {
  return textOf(one) === textOf(other);
}

/** Of what is there: the parts that `like` names, and of its contacts those roles. */
export function partsLike(present: DomainSettings, like: DomainSettings): DomainSettings {
  const keys = Object.keys(like) as (keyof DomainSettings)[];
  const parts = Object.fromEntries(keys.map((key) => [key, present[key]])) as DomainSettings;
  if (!like.contacts) return parts;
  const roles = Object.keys(like.contacts) as (keyof typeof like.contacts)[];
  return { contacts: Object.fromEntries(roles.map((role) => [role, present.contacts?.[role]])) };
}

function textOf({ nameservers, contacts, ...plain }: DomainSettings): string {
  const names = nameservers?.map((name) => name.toLowerCase()).sort();
  const people = sorted(contacts ?? {}).map(([role, contact]) => [role, contactText(contact)]);
  return JSON.stringify([sorted(plain), names ?? null, people]);
}

function sorted<T>(parts: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .sort();
}

function contactText(contact: object | undefined) {
  return sorted({ ...contact })
    .map(([field, value]) => [field, String(value).trim().toLowerCase()])
    .filter(([, value]) => value !== '');
}
