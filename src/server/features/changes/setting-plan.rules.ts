import {
  type ChangeRequest,
  type ContactRole,
  kindOf,
  type SettingRequest,
} from '#contracts/values/changes.ts';
import { startsRegistrantLock } from '#contracts/values/contact.ts';
import { type DomainSettings, isSameSetting } from '#contracts/values/domain-settings.ts';
import { usdText, utcDayText } from '#contracts/values/format.ts';
import type { SettingsNow } from '../domains/index.ts';

/** What a change of many domains does to a setting of one of them. */

export type SettingVerdict =
  | { kind: 'change'; before: DomainSettings; after: DomainSettings; note: string; warnings: string[] }
  | { kind: 'same'; note: string }
  | { kind: 'barred'; note: string };

/** What was done to a setting, of which the undoing is asked. */
export interface SettingDone {
  before: DomainSettings;
  after: DomainSettings;
}

const parts = {
  ...{ lock: 'locked', 'auto-renew': 'autoRenew', privacy: 'privacy', nameservers: 'nameservers' },
  ...{ contacts: 'contacts', customer: 'customerId' },
} as const satisfies Record<SettingRequest['kind'], keyof DomainSettings>;

/** The setting that a change is about. */
export function partOf(request: ChangeRequest): keyof DomainSettings {
  return parts[kindOf(request) as SettingRequest['kind']];
}

/** What the request makes of a setting. `yearCents`: what a year costs, where that is known. */
export function planSetting(
  request: SettingRequest | { kind: 'undo'; done: SettingDone },
  now: SettingsNow,
  yearCents: number | null = null,
): SettingVerdict {
  const wanted = request.kind === 'undo' ? undone(now.settings, request.done) : wantedSetting(request, now);
  if ('problem' in wanted) return { kind: 'barred', note: wanted.problem };
  const { before, after, note } = reduced(now.settings, wanted.after, wanted.note);
  if (isSameSetting(before, after)) return { kind: 'same', note };
  const cost = costNote(after, now, yearCents);
  return { kind: 'change', before, after, note: note || cost, warnings: warningsOf(before, after, now) };
}

type Wanted = { after: DomainSettings; note: string } | { problem: string };
const all = (after: DomainSettings): Wanted => ({ after, note: '' });

function wantedSetting(request: SettingRequest, now: SettingsNow): Wanted {
  switch (request.kind) {
    case 'lock':
      return all({ locked: request.locked });
    case 'auto-renew':
      return all({ autoRenew: request.enabled });
    case 'privacy':
      if (now.settings.privacy === null) return { problem: 'There is no WHOIS privacy for this domain.' };
      return all({ privacy: request.enabled });
    case 'nameservers':
      return wantedNameservers(request.nameservers, now);
    case 'contacts':
      return wantedContacts(request, now);
    case 'customer':
      return all({ customerId: request.customerId });
  }
}

function wantedNameservers(
  nameservers: string[],
  { settings, signed, providerNameservers }: SettingsNow,
): Wanted {
  const isChange = !isSameSetting(settings, { nameservers });
  if (isChange && signed) {
    return {
      problem: 'It is signed (DNSSEC). Change its nameservers on the domain itself, where that is asked.',
    };
  }
  if (isChange && nameservers.every((name) => providerNameservers.includes(name))) {
    return { problem: 'Activate managed DNS on the domain itself: its zone has to be there first.' };
  }
  return all({ nameservers });
}

function wantedContacts(
  { roles, contact }: Extract<SettingRequest, { kind: 'contacts' }>,
  { customerContacts }: SettingsNow,
): Wanted {
  if (contact) return all({ contacts: Object.fromEntries(roles.map((role) => [role, contact])) });
  if (customerContacts) {
    return all({ contacts: Object.fromEntries(roles.map((role) => [role, customerContacts[role]])) });
  }
  return roles.length > 0 ? { problem: 'It belongs to no customer.' } : all({ contacts: {} });
}

/** Only what becomes different: of the contacts, those roles. */
function reduced(now: DomainSettings, after: DomainSettings, note: string) {
  const { contacts } = after;
  if (!contacts) return { before: now, after, note };
  const differing = (Object.keys(contacts) as ContactRole[]).filter(
    (role) => contacts[role] && !isSameSetting(ofRole(now, role), ofRole(after, role)),
  );
  return { before: ofRoles(now, differing), after: ofRoles(after, differing), note };
}

const ofRole = (settings: DomainSettings, role: ContactRole) => ofRoles(settings, [role]);
function ofRoles({ contacts }: DomainSettings, roles: readonly ContactRole[]): DomainSettings {
  return { contacts: Object.fromEntries(roles.map((role) => [role, contacts?.[role]])) };
}

/** What still is as it was left becomes what it was before. */
function undone(now: DomainSettings, { before, after }: SettingDone): Wanted {
  const later = 'It was changed later and stays as it is.';
  if (!after.contacts) {
    return isSameSetting(now, after) ? all(before) : { after: now, note: later };
  }
  const roles = Object.keys(after.contacts) as ContactRole[];
  const standing = roles.filter((role) => isSameSetting(ofRole(now, role), ofRole(after, role)));
  const note =
    standing.length === roles.length
      ? ''
      : standing.length === 0
        ? 'Its contacts were changed later and stay as they are.'
        : 'Some of its contacts were changed later and stay as they are.';
  return { after: ofRoles(before, standing), note };
}

function costNote(
  { autoRenew }: DomainSettings,
  { expiresAt }: SettingsNow,
  yearCents: number | null,
): string {
  if (!autoRenew) return '';
  const price =
    yearCents === null ? 'at its price of that day' : `for about ${usdText(yearCents / 100)} a year`;
  return expiresAt ? `Renews before ${utcDayText(expiresAt)}, ${price}` : `Renews ${price}`;
}

function warningsOf(before: DomainSettings, after: DomainSettings, now: SettingsNow): string[] {
  const warnings: string[] = [];
  if (after.locked === false) warnings.push('Anyone who has its auth code can move it away.');
  if (after.autoRenew === false && now.expiresAt) {
    warnings.push(`It ends on ${utcDayText(now.expiresAt)} unless somebody renews it.`);
  }
  if (after.privacy === false) warnings.push('The data of its registrant becomes public.');
  if (after.nameservers && now.managed) warnings.push('Its records here are not served any more.');
  const [was, owner] = [before.contacts?.owner, after.contacts?.owner];
  if (owner && (!was || startsRegistrantLock(was, owner))) {
    const { registrantLockDays: days } = now;
    const lock = days > 0 ? `, and the domain cannot leave for ${days} days` : '';
    warnings.push(`The registrant must confirm this by email${lock}.`);
  }
  return warnings;
}

/** What becomes different, in words. `customerName`: what a customer is called. */
export function settingLines(
  before: DomainSettings,
  after: DomainSettings,
  customerName: (id: string) => string,
): { label: string; before: string; after: string }[] {
  const line = (label: string, text: (settings: DomainSettings) => string) => ({
    ...{ label, before: text(before), after: text(after) },
  });
  const onOff = (on: boolean | null | undefined) => (on ? 'On' : 'Off');
  if (after.locked !== undefined) {
    return [line('Lock', ({ locked }) => (locked ? 'Locked' : 'Unlocked'))];
  }
  if (after.autoRenew !== undefined) return [line('Auto renew', ({ autoRenew }) => onOff(autoRenew))];
  if (after.privacy !== undefined) return [line('WHOIS privacy', ({ privacy }) => onOff(privacy))];
  if (after.nameservers) return [line('Nameservers', ({ nameservers }) => (nameservers ?? []).join(', '))];
  if (after.customerId !== undefined) {
    const name = (id: string | null | undefined) => (id ? customerName(id) : 'No customer');
    return [line('Customer', ({ customerId }) => name(customerId))];
  }
  return (Object.keys(after.contacts ?? {}) as ContactRole[]).flatMap((role) =>
    contactFields.flatMap(([field, label]) => {
      const textIn = ({ contacts }: DomainSettings) => contacts?.[role]?.[field]?.trim() ?? '';
      const [was, is] = [textIn(before), textIn(after)];
      if (was.toLowerCase() === is.toLowerCase()) return [];
      return [{ label: `${roleTitles[role]}: ${label}`, before: was, after: is }];
    }),
  );
}

const roleTitles: Readonly<Record<ContactRole, string>> = {
  ...{ owner: 'Owner', admin: 'Admin', billing: 'Billing', tech: 'Tech' },
};
const contactFields = [
  ['organization', 'company'],
  ['firstName', 'first name'],
  ['lastName', 'last name'],
  ['email', 'email'],
  ['phone', 'phone'],
  ['address1', 'address'],
  ['address2', 'address line 2'],
  ['address3', 'address line 3'],
  ['city', 'city'],
  ['state', 'state'],
  ['postalCode', 'postal code'],
  ['country', 'country'],
] as const;
