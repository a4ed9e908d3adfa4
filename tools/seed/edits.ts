import type { DnsRecord } from '../../src/contracts/values/dns-records.ts';
import { isDmarc, isSpf } from '../../src/contracts/values/mail-records.ts';
import { type DemoDomain, demoCompanies, halves } from './companies.ts';
import { each, type Seeding, type Who } from './seeding.ts';
import { serverOf, txt, zoneOf } from './zones.ts';

/** What people changed about zones over the months, each for a reason, so that records have a history. */

type Zones = Map<string, DnsRecord[]>;
type Change =
  | { action: 'add' | 'remove'; record: DnsRecord }
  | { action: 'update'; record: DnsRecord; old: DnsRecord };

interface Kind {
  who: Who;
  reason: string;
  change(zone: readonly DnsRecord[], company: number): Change | null;
}

const kinds: readonly Kind[] = [
  { who: 'employee', reason: 'New line in the office', change: moveVpn },
  { who: 'owner', reason: 'The newsletter tool sends in their name', change: allowNewsletter },
  { who: 'admin', reason: 'DMARC one step up after a month of reports', change: raisePolicy },
  { who: 'employee', reason: 'Asked for by their web agency', change: proveToAgency },
  { who: 'owner', reason: 'Customer survey', change: addSurvey },
];

/** The first name of this company is edited in these half months whatever else happens: it is the one that is shown. */
const shown = { company: 1, halves: [7, 15, 22, 28, 33] };

export interface Edit {
  half: number;
  company: number;
  kind: Kind;
}

export const edits: readonly Edit[] = Array.from({ length: halves }, (_, half) => half).flatMap((half) => {
  const joined = demoCompanies.flatMap(({ joins }, company) => (joins < half ? [company] : []));
  const company = shown.halves.includes(half) ? shown.company : joined[(half * 7) % (joined.length || 1)];
  const kind = kinds[half % kinds.length];
  return company === undefined || !kind ? [] : [{ half, company, kind }];
});

/** The zones of names that have just been bought. */
export async function writeZones(
  seeding: Seeding,
  zones: Zones,
  bought: readonly DemoDomain[],
): Promise<void> {
  await each(bought, async (domain) => {
    const zone = zoneOf(domain);
    const changes = zone.map((record): Change => ({ action: 'add', record }));
    await write(seeding, 'employee', domain.address, { reason: '', changes });
    zones.set(domain.address, zone);
  });
}

export async function edit(seeding: Seeding, zones: Zones, { company, kind }: Edit): Promise<void> {
  const address = `${demoCompanies[company]?.word}.com`;
  const zone = zones.get(address) ?? [];
  const change = kind.change(zone, company);
  if (!change) return;
  await write(seeding, kind.who, address, { reason: kind.reason, changes: [change] });
  zones.set(address, changed(zone, change));
}

/** A zone after one change. */
export function changed(zone: readonly DnsRecord[], change: Change): DnsRecord[] {
  const rest = zone.filter(
    (record) => change.action === 'add' || record !== ('old' in change ? change.old : change.record),
  );
  return change.action === 'remove' ? rest : [...rest, change.record];
}

async function write(
  seeding: Seeding,
  who: Who,
  address: string,
  { reason, changes }: { reason: string; changes: readonly Change[] },
): Promise<void> {
  const records = changes.map((change) => {
    const { type: _, subdomain: __, ...old } = 'old' in change ? change.old : change.record;
    return { action: change.action, ...change.record, ...('old' in change ? { old } : {}) };
  });
  await seeding.call(who, 'PUT', `${address}/zone`, { records, ...(reason ? { reason } : {}) });
}

const addOrUpdate = (old: DnsRecord | undefined, record: DnsRecord): Change =>
  old ? { action: 'update', record, old } : { action: 'add', record };

function moveVpn(zone: readonly DnsRecord[], company: number): Change {
  const old = zone.find(({ type, subdomain }) => type === 'A' && subdomain === 'vpn');
  const hosts = [180, 200, 210];
  const next = hosts
    .map((host) => serverOf(company, host))
    .find((ip) => old?.type !== 'A' || ip > old.ip_address);
  return addOrUpdate(old, { type: 'A', subdomain: 'vpn', ip_address: next ?? serverOf(company, 160) });
}

function allowNewsletter(zone: readonly DnsRecord[]): Change | null {
  const sender = 'include:send.letterbird.example';
  const old = zone.find((record) => record.type === 'TXT' && isSpf(record.text));
  if (old?.type !== 'TXT' || old.text.includes(sender)) return null;
  return { action: 'update', old, record: txt('', old.text.replace(/ (\S?all)$/, ` ${sender} $1`)) };
}

function raisePolicy(zone: readonly DnsRecord[]): Change | null {
  const old = zone.find((record) => record.type === 'TXT' && isDmarc(record.text));
  if (old?.type !== 'TXT') return { action: 'add', record: txt('_dmarc', 'v=DMARC1; p=none') };
  const raised = raisedPolicy(old.text);
  return raised === null ? null : { action: 'update', old, record: txt('_dmarc', raised) };
}

/** One step up; null when there is none left. */
function raisedPolicy(text: string): string | null {
  if (text.includes('p=none')) return text.replace('p=none', 'p=quarantine');
  if (text.includes('p=quarantine')) return text.replace('p=quarantine', 'p=reject');
  return text.includes('aspf=') ? null : `${text}; aspf=s`;
}

function proveToAgency(zone: readonly DnsRecord[], company: number): Change {
  const begins = 'studio-verification=';
  const old = zone.find((record) => record.type === 'TXT' && record.text.startsWith(begins));
  return addOrUpdate(old, txt('', `${begins}${company}a7f${zone.length}c94e`));
}

function addSurvey(zone: readonly DnsRecord[]): Change {
  const old = zone.find(({ subdomain }) => subdomain === 'survey');
  const record: DnsRecord = { type: 'CNAME', subdomain: 'survey', hostname: 'forms.letterbird.example' };
  return old ? { action: 'remove', record: old } : { action: 'add', record };
}
