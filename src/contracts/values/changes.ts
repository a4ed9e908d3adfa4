import type { Permission } from '../permissions.ts';
import type { Contact } from './contact.ts';
import { type DnsRecord, type RecordType, recordData } from './dns-records.ts';

/** Changes of many domains at once: their states, what may be done in each, and their words. */

/**
 * `draft`: the domains are being looked at. `ready`: it waits for a person. `partly`: it has ended, and something of it was
 * not done. `cancelled`: a person ended it. `undone`: another change has taken all of it back; one that left domains as they
 * were does not count, and another can follow it.
 */
export const changeStates = [
  'draft',
  'ready',
  'running',
  'paused',
  'done',
  'partly',
  'cancelled',
  'undone',
] as const;
export type ChangeState = (typeof changeStates)[number];

/**
 * `same`: there is nothing to change. `barred`: it cannot be changed; its note says why. `moved`: somebody changed the same
 * in between, and a person has to look again.
 */
export const changeItemStates = [
  ...(['waiting', 'ready', 'left-out', 'same', 'barred'] as const),
  ...(['queued', 'applying', 'done', 'failed', 'moved', 'cancelled'] as const),
];
export type ChangeItemState = (typeof changeItemStates)[number];

export type ChangeAct =
  | ('describe' | 'choose' | 'look' | 'apply' | 'discard')
  | ('pause' | 'resume' | 'cancel' | 'retry' | 'undo');

const actsIn: Readonly<Record<ChangeState, readonly ChangeAct[]>> = {
  draft: ['describe', 'discard'],
  ready: ['describe', 'choose', 'look', 'apply', 'discard'],
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  partly: ['choose', 'retry', 'cancel', 'undo'],
  done: ['undo'],
  cancelled: ['undo'],
  undone: [],
};

/** Whether an act is possible in this state. */
export function mayAct(state: ChangeState, act: ChangeAct): boolean {
  return actsIn[state].includes(act);
}

/** States in which something happens without a person: screens ask again. */
export function isUnderWay(state: ChangeState): boolean {
  return state === 'draft' || state === 'running';
}

/** What is asked of each zone. */
export type ZoneRequest =
  /** `part`: also within longer values, as whole words. */
  | { kind: 'replace-value'; find: string; replacement: string; part: boolean }
  | { kind: 'add-record'; record: DnsRecord }
  /** The record of this type and name, or the one with this value, becomes another. */
  | { kind: 'change-record'; record: DnsRecord; value: string | null }
  | { kind: 'remove-record'; type: RecordType; subdomain: string; value: string | null }
  | { kind: 'set-spf'; text: string; where: WhereSet }
  | { kind: 'set-dmarc'; text: string; where: WhereSet }
  | { kind: 'delete-host'; subdomain: string; below: boolean }
  /** Aliases to these hosts go, but for those of names that begin with "_": behind them is no website. */
  | { kind: 'remove-aliases'; hosts: string[] }
  /** Of several DMARC records the mildest that can be read stays. */
  | { kind: 'keep-dmarc' };

/** Hosts of one request to remove aliases. */
export const mostAliasHosts = 200;

/** `values`: for its variables; where it was applied before, those of then count for what is not given. */
export type TemplateRequest = {
  kind: 'apply-template';
  templateId: string;
  version: number;
  values: Record<string, string>;
};

/** `missing`: only where there is none. */
export type WhereSet = 'missing' | 'everywhere';

export const contactRoles = ['owner', 'admin', 'billing', 'tech'] as const;
export type ContactRole = (typeof contactRoles)[number];

/** What is asked of each domain's settings. */
export type SettingRequest =
  | { kind: 'lock'; locked: boolean }
  | { kind: 'auto-renew'; enabled: boolean }
  | { kind: 'privacy'; enabled: boolean }
  | { kind: 'nameservers'; nameservers: string[] }
  /** Null: each domain gets those of the customer it belongs to. No roles: the contact was of a person who is forgotten. */
  | { kind: 'contacts'; roles: ContactRole[]; contact: Contact | null }
  /** Null: it belongs to no customer. */
  | { kind: 'customer'; customerId: string | null };

type ChangeKind = (ZoneRequest | TemplateRequest | SettingRequest)['kind'];

/** `of`: what the change was that is taken back; absent in those that were made when all changes were of zones. */
export type UndoRequest = {
  kind: 'undo';
  changeId: string;
  title: string;
  of?: ChangeKind;
};

export type ChangeRequest = ZoneRequest | TemplateRequest | SettingRequest | UndoRequest;

const settingKinds: ReadonlySet<string> = new Set<SettingRequest['kind']>([
  ...(['lock', 'auto-renew', 'privacy', 'nameservers', 'contacts', 'customer'] as const),
]);

/** What a change is about, also where it takes another one back: a kind of request. */
export function kindOf(request: ChangeRequest): ChangeKind {
  return request.kind === 'undo' ? (request.of ?? 'replace-value') : request.kind;
}

/** Whether it changes settings of domains, and not their zones. */
export function isOfSettings(request: ChangeRequest): boolean {
  return isKindOfSettings(kindOf(request));
}

export const isKindOfSettings = (kind: ChangeKind): boolean => settingKinds.has(kind);

/** Whether domains may be open for transfers to others after it. */
export function mayUnlock(request: ChangeRequest): boolean {
  return request.kind === 'undo' ? request.of === 'lock' : request.kind === 'lock' && !request.locked;
}

/** What a person needs for it, beside the permission to change many domains. */
export function permissionFor(request: ChangeRequest): Permission {
  if (!isOfSettings(request)) return 'dns.write';
  if (kindOf(request) === 'customer') return 'customers.edit';
  return mayUnlock(request) ? 'domains.unlock' : 'domains.settings';
}

/** In texts of records: the domain that is being changed. */
export const domainMark = '{domain}';

const atText = (subdomain: string) => (subdomain === '' ? 'the domain itself' : `“${subdomain}”`);
const whereText = (where: WhereSet) => (where === 'missing' ? 'where it is missing' : 'everywhere');

const listText = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

const shownHosts = 3;
function hostsText(hosts: readonly string[]): string {
  const more = hosts.length - shownHosts;
  const rest = more > 0 ? [more === 1 ? '1 more host' : `${more} more hosts`] : [];
  return listText([...hosts.slice(0, shownHosts), ...rest]);
}

/** What is asked, in a sentence without its full stop. `name`: of the customer or the template of the request. */
export function requestText(request: ChangeRequest, name?: string): string {
  switch (request.kind) {
    case 'replace-value':
      return `Replace ${request.find} with ${request.replacement} in every zone that has it`;
    case 'add-record':
      return `Add the ${request.record.type} record ${recordData(request.record)} at ${atText(request.record.subdomain)}`;
    case 'change-record': {
      const which = request.value === null ? '' : ` ${request.value}`;
      const { type, subdomain } = request.record;
      return `Change the ${type} record${which} at ${atText(subdomain)} to ${recordData(request.record)}`;
    }
    case 'remove-record': {
      const which =
        request.value === null
          ? `all ${request.type} records`
          : `the ${request.type} record ${request.value}`;
      return `Remove ${which} at ${atText(request.subdomain)}`;
    }
    case 'set-spf':
      return `Set SPF to ${request.text} ${whereText(request.where)}`;
    case 'set-dmarc':
      return `Set DMARC to ${request.text} ${whereText(request.where)}`;
    case 'delete-host':
      return `Delete the host ${request.subdomain}${request.below ? ' and everything below it' : ''} in every zone that has it`;
    case 'remove-aliases':
      return `Remove aliases to ${hostsText(request.hosts)}`;
    case 'keep-dmarc':
      return 'Keep one DMARC record where there are several';
    case 'undo':
      return `Undo “${request.title}”`;
    case 'apply-template':
      return `Apply version ${request.version} of ${name ? `the template “${name}”` : 'a template'}`;
    default:
      return settingText(request, name ?? 'another customer');
  }
}

function settingText(request: SettingRequest, customer: string): string {
  switch (request.kind) {
    case 'lock':
      return request.locked ? 'Lock against transfers' : 'Unlock for transfers';
    case 'auto-renew':
      return `Turn auto renew ${request.enabled ? 'on' : 'off'}`;
    case 'privacy':
      return `Turn WHOIS privacy ${request.enabled ? 'on' : 'off'}`;
    case 'nameservers':
      return `Set the nameservers to ${listText(request.nameservers)}`;
    case 'contacts': {
      const { roles, contact } = request;
      const them = `the ${listText(roles)} ${roles.length === 1 ? 'contact' : 'contacts'}`;
      if (roles.length === 0) return 'Set contacts';
      if (!contact) return `Set ${them} to those of each domain’s customer`;
      return `Set ${them} to ${contact.firstName} ${contact.lastName}, ${contact.organization}`;
    }
    case 'customer':
      return request.customerId === null ? 'Assign to no customer' : `Assign to ${customer}`;
  }
}

/** Most domains of one change. */
export const mostChangeItems = 2_000;

/** Of a zone with `of` records, `removed` go: more than 30 % of them needs a person’s explicit word. */
export function removesMuch(removed: number, of: number): boolean {
  return removed * 10 > of * 3;
}
