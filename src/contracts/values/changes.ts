import { type DnsRecord, type RecordType, recordData } from './dns-records.ts';

/** Changes of many domains at once: their states, what may be done in each, and their words. */

/**
 * `draft`: the domains are being looked at. `ready`: it waits for a person. `partly`: it has ended, and something of it was
 * not done. `cancelled`: a person ended it. `undone`: another change has taken it back.
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
  | { kind: 'delete-host'; subdomain: string; below: boolean };

/** `missing`: only where there is none. */
export type WhereSet = 'missing' | 'everywhere';

export type ChangeRequest = ZoneRequest | { kind: 'undo'; changeId: string; title: string };

/** In texts of records: the domain that is being changed. */
export const domainMark = '{domain}';

const atText = (subdomain: string) => (subdomain === '' ? 'the domain itself' : `“${subdomain}”`);
const whereText = (where: WhereSet) => (where === 'missing' ? 'where it is missing' : 'everywhere');

/** What is asked, in a sentence without its full stop. */
export function requestText(request: ChangeRequest): string {
  switch (request.kind) {
    case 'replace-value':
      return `Replace ${request.find} by ${request.replacement} in every zone that has it`;
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
    case 'undo':
      return `Undo “${request.title}”`;
  }
}

/** Most domains of one change. */
export const mostChangeItems = 2_000;

/** Of a zone with `of` records, `removed` go: more than 30 % of them needs a person’s explicit word. */
export function removesMuch(removed: number, of: number): boolean {
  return removed * 10 > of * 3;
}
