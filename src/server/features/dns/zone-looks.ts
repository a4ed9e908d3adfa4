import { AppError } from '#contracts/errors.ts';
import type { LastChange, Zone, ZoneVersionHead } from '#contracts/operations/dns.ts';
import { type DnsRecord, recordKey } from '#contracts/values/dns-records.ts';
import {
  changing,
  groupRecords,
  type RecordsByType,
  type ZoneChange,
} from '#contracts/values/zone-changes.ts';
import { recordWarnings } from '#contracts/values/zone-warnings.ts';
import { StoredReply } from '#kernel/binding.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, type Tx } from '#kernel/db/database.ts';
import { inSlices } from '#kernel/give-way.ts';
import { reaches, type Scope } from '#kernel/scope.ts';
import { type DomainRecord, requireDomain, requireHere } from '../domains/index.ts';
import { bodyOfCopy, findCopy } from './copies.repo.ts';
import { createCopyCache } from './copy-cache.ts';
import { zoneTextOf } from './pasted-records.ts';
import {
  emptyVersion,
  findVersion,
  type LastChanged,
  lastChanged,
  lastDifferences,
  listVersions,
  newestVersion,
  versionOf,
  type ZonePlace,
} from './versions.repo.ts';
import { toZoneFile } from './zone-file.ts';
import { readZoneFile, type ZoneFileReading } from './zone-file-reader.ts';
import { type PresentZone, type ReadingDeps, readZone, replyOf } from './zone-reading.ts';

export interface ImportPreview {
  records: {
    line: number;
    present: boolean;
    problem: string | null;
    note: string | null;
    warnings: string[];
    record: DnsRecord;
  }[];
  leftOut: ZoneFileReading['leftOut'];
  version: string;
}

/** Some dozens of large zones. */
const cacheBytes = 8_000_000;

/** Zones and their versions, as people look at them. Nothing here changes a zone. */
export function createZoneLooks(deps: ReadingDeps & { nameservers: readonly string[] }) {
  const { db, clock } = deps;
  const cache = createCopyCache(cacheBytes);

  /** For looking at: the copy while it is new enough, else the registrar's word. */
  async function show(scope: Scope, domain: string): Promise<Zone | StoredReply> {
    const since = new Date(clock.now().getTime() - deps.copyMs);
    const body = await inReading(db, scope, async (tx) => {
      const copy = await findCopy(tx, scope, domain, since);
      if (!copy) return null;
      const sent = cache.get(copy.mark) ?? (await bodyOfCopy(tx, scope, copy.domainId));
      if (sent) cache.put(copy.mark, sent);
      return sent;
    });
    return body === null ? replyOf(await present(scope, domain)) : new StoredReply(body);
  }

  async function present(scope: Scope, domain: string): Promise<PresentZone> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    requireHere(row);
    return row.status === 'transferring' ? stagedZone(db, clock, placeOf(row)) : readZone(deps, placeOf(row));
  }

  async function version(
    scope: Scope,
    domain: string,
    id: string,
  ): Promise<ZoneVersionHead & { content: RecordsByType }> {
    const { head, records } = await requireVersion(scope, domain, id);
    return { ...head, content: groupRecords(records) };
  }

  function requireVersion(scope: Scope, domain: string, id: string) {
    return inReading(db, scope, async (tx) => {
      const row = await requireDomain(tx, scope, domain);
      const found = await findVersion(tx, placeOf(row), id);
      if (!found || !reaches(scope, found.customerId)) throw new AppError('not_found');
      return found;
    });
  }

  /** Of the records that are there now. What is not named has been so since before the portal kept what changed. */
  function lastChanges(scope: Scope, domain: string): Promise<LastChange[]> {
    return inReading(db, scope, async (tx) => {
      const place = placeOf(await requireDomain(tx, scope, domain));
      const [records, differences] = await Promise.all([
        newestRecords(tx, clock, place),
        lastDifferences(tx, place, scope),
      ]);
      const present = new Set(records.map(recordKey));
      return differences.filter(({ record }) => present.has(recordKey(record)));
    });
  }

  /** For a change of many domains: the zone as it is now, and what changed it last. A change that comes meanwhile is told too. */
  async function look(
    scope: Scope,
    domain: string,
  ): Promise<PresentZone & { lastChanged: LastChanged | null }> {
    const zone = await present(scope, domain);
    const last = await inReading(db, scope, async (tx) =>
      lastChanged(tx, clock, placeOf(await requireDomain(tx, scope, domain))),
    );
    return { ...zone, lastChanged: last };
  }

  return {
    ...{ show, version, lastChanges, look },
    read: async (scope: Scope, domain: string): Promise<Zone> => replyOf(await present(scope, domain)),
    versions: (scope: Scope, domain: string): Promise<ZoneVersionHead[]> =>
      inReading(db, scope, async (tx) =>
        listVersions(tx, placeOf(await requireDomain(tx, scope, domain)), scope),
      ),
    export: async (scope: Scope, domain: string, id: string | undefined): Promise<string> => {
      const { records } = id ? await requireVersion(scope, domain, id) : await present(scope, domain);
      return toZoneFile(domain, records, deps.nameservers);
    },
    preview: async (scope: Scope, domain: string, text: string): Promise<ImportPreview> =>
      previewOf(domain, await present(scope, domain), await readZoneFile(domain, zoneTextOf(domain, text))),
  };
}

export function placeOf(
  row: Pick<DomainRecord, 'id' | 'organisation_id' | 'address' | 'nameservers'>,
): ZonePlace {
  const { id, organisation_id, address, nameservers } = row;
  return { organisationId: organisation_id, domainId: id, address, nameservers };
}

/** P2 §2: during a transfer the managed DNS is prepared; it is published when the domain has come. */
export async function stagedZone(db: Db, clock: Clock, place: ZonePlace): Promise<PresentZone> {
  const records = await inReading(db, place, (tx) => newestRecords(tx, clock, place));
  return { records, version: versionOf(records), delegated: false, exists: false, staged: true };
}

async function newestRecords(tx: Tx, clock: Clock, place: ZonePlace): Promise<DnsRecord[]> {
  const newest = await newestVersion(tx, clock, place);
  return newest ? ((await findVersion(tx, place, newest.id))?.records ?? []) : [];
}

async function previewOf(domain: string, now: PresentZone, reading: ZoneFileReading): Promise<ImportPreview> {
  const changes = reading.records.map(({ record }): ZoneChange => ({ action: 'add', record }));
  const result = await inSlices(changing(domain, now.records, changes));
  const messageAt = new Map(result.problems.map(({ index, message }) => [index, message]));
  const there = new Set(result.present);
  const warningsOf = recordWarnings(domain, result.records);
  return {
    version: now.version || emptyVersion,
    leftOut: reading.leftOut,
    records: reading.records.map(({ line, note, record }, index) => {
      const [present, problem] = [there.has(index), messageAt.get(index) ?? null];
      return { line, note, record, present, problem, warnings: present ? [] : warningsOf(record) };
    }),
  };
}
