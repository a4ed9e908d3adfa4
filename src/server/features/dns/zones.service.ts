import type { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import type { changeZone, LastChange, Zone, ZoneVersionHead } from '#contracts/operations/dns.ts';
import { type DnsRecord, hostOf, recordKey } from '#contracts/values/dns-records.ts';
import {
  type ChangeProblem,
  changing,
  groupRecords,
  type RecordsByType,
  type ZoneChange,
} from '#contracts/values/zone-changes.ts';
import { type ChangeWarning, changeWarnings, recordWarnings } from '#contracts/values/zone-warnings.ts';
import { type AuditActor, audit } from '#kernel/audit.ts';
import { StoredReply } from '#kernel/binding.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { inSlices } from '#kernel/give-way.ts';
import type { Lease, Leases } from '#kernel/leases.ts';
import type { Scope } from '#kernel/scope.ts';
import { type DomainRecord, requireDomain } from '../domains/index.ts';
import { bodyOfCopy, findCopy } from './copies.repo.ts';
import { createCopyCache } from './copy-cache.ts';
import { zoneTextOf } from './pasted-records.ts';
import { servedDomain } from './places.repo.ts';
import {
  concludeVersion,
  emptyVersion,
  findVersion,
  insertVersion,
  isWrittenBy,
  lastDifferences,
  listVersions,
  type NewestVersion,
  newestVersion,
  newestVersionAt,
  recordsOfHash,
  versionOf,
  type ZonePlace,
} from './versions.repo.ts';
import { toZoneFile } from './zone-file.ts';
import { readZoneFile, type ZoneFileReading } from './zone-file-reader.ts';
import { mergeVerdict, type SeenZone } from './zone-merge.rules.ts';
import { type PresentZone, readSettledZone, readZone, replyOf } from './zone-reading.ts';
import { type WritingDeps, writeZone } from './zone-writing.ts';

export interface ZonesDeps extends WritingDeps {
  systemDb: WritingDeps['db'];
  leases: Leases;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
}

type ChangeBody = z.output<(typeof changeZone)['body']>;

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
/** Who published what waited for the end of a transfer. */
const publisher = 'Nameward';

/** The records of domains: read, changed as a whole by one writer at a time, with every state kept. */
export function createZones(deps: ZonesDeps) {
  const { db, clock, leases } = deps;
  const cache = createCopyCache(cacheBytes);

  /** For looking at: the copy while it is new enough, else the registrar's word. */
  async function show(scope: Scope, domain: string): Promise<Zone | StoredReply> {
    const since = new Date(clock.now().getTime() - deps.copyMs);
    const body = await inReading(db, scope, async (tx) => {
      const copy = await findCopy(tx, scope, domain, since);
      if (!copy) return null;
      const sent = cache.get(copy.mark) ?? (await bodyOfCopy(tx, scope, copy.domainId));
      cache.put(copy.mark, sent);
      return sent;
    });
    return body === null ? replyOf(await present(scope, domain)) : new StoredReply(body);
  }

  async function present(scope: Scope, domain: string): Promise<PresentZone> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    return row.status === 'transferring' ? stagedZone(db, clock, placeOf(row)) : readZone(deps, placeOf(row));
  }

  /** `itemId`: of a change of many domains; asked for again, what was written already is not written twice. */
  async function change(
    scope: Scope,
    domain: string,
    body: ChangeBody,
    itemId?: string,
  ): Promise<Zone & { warnings: ChangeWarning[] }> {
    return leases.run(scope, domain, async (lease) => {
      const [row, before] = await inReading(db, scope, (tx) =>
        Promise.all([requireDomain(tx, scope, domain), newestVersionAt(tx, clock, scope, domain)]),
      );
      const place = placeOf(row);
      const isStaged = row.status === 'transferring';
      const now = isStaged ? await stagedZone(db, clock, place) : await settled(scope, row, before, lease);
      if (itemId && (await inReading(db, place, (tx) => isWrittenBy(tx, place, itemId)))) {
        return { ...replyOf(now), warnings: [] };
      }
      const { records, warnings } = await merged(place, now, body);
      if (versionOf(records) === now.version) return { ...replyOf(now), warnings };
      if (isStaged) {
        await stage(scope, row, { now, records, reason: body.reason ?? '', itemId });
        return { ...replyOf({ ...now, records, version: versionOf(records) }), warnings };
      }
      const reason = body.reason ?? '';
      const write = { place, actor: scope, customerId: row.customer_id, now, records, reason, lease, itemId };
      return { ...replyOf(await writeZone(deps, { ...write, endsLease: true })), warnings };
    });
  }

  async function stage(
    scope: Scope,
    row: DomainRecord,
    write: { now: PresentZone; records: DnsRecord[]; reason: string; itemId: string | undefined },
  ): Promise<void> {
    const { now, records, reason, itemId } = write;
    const place = placeOf(row);
    const at = clock.now();
    await inTransaction(db, scope, async (tx) => {
      await insertVersion(tx, clock, place, {
        ...{ id: deps.newId(at.getTime()), records, state: 'staged', reason, before: now.records, itemId },
        author: { id: scope.userId, name: scope.email },
      });
      await audit(tx, scope, {
        ...{ at, action: 'dns.changeZone', objectKind: 'zone', object: place.address },
        customerId: row.customer_id,
        before: { records: now.records.length },
        after: { records: records.length, staged: true },
      });
    });
  }

  /** The zone as it is now, after what waited for the end of a transfer was published. Under the lease. */
  async function settled(
    actor: AuditActor,
    row: Pick<DomainRecord, 'id' | 'organisation_id' | 'address' | 'customer_id' | 'nameservers'>,
    before: NewestVersion | null,
    lease: Lease,
  ): Promise<PresentZone> {
    const place = placeOf(row);
    const now = await readSettledZone(deps, place, before);
    if (before?.state !== 'staged') return now;
    const waiting = await inReading(db, place, (tx) => findVersion(tx, place, before.id));
    if (!waiting) return now;
    const { head, records } = waiting;
    const reason = 'Prepared during the transfer';
    const write = { place, actor, customerId: row.customer_id, now, records, reason, lease };
    try {
      return await writeZone(deps, write);
    } catch (error) {
      if (error instanceof AppError && error.code === 'registrar_refused') {
        await inTransaction(db, place, (tx) => concludeVersion(tx, place, head.id, 'refused'));
      }
      throw error;
    }
  }

  /** The records after the changes, or why they cannot be made: the caller's fault, or somebody else's change. */
  async function merged(place: ZonePlace, now: PresentZone, body: ChangeBody) {
    const { address } = place;
    const result = await inSlices(changing(address, now.records, body.records));
    const done = () => ({
      records: result.records,
      warnings: changeWarnings(address, body.records, result),
    });
    const { version } = body;
    const seen =
      version === undefined || version === now.version ? 'as it is' : await seenBefore(place, version, body);
    const verdict = mergeVerdict({
      seen,
      now: now.records,
      changes: body.records,
      problems: result.problems,
    });
    if (verdict.kind === 'merge') return done();
    if (verdict.kind === 'invalid') throw invalid(verdict.problems);
    const touched = messagesOf(address, body.records, verdict.touched, result.problems);
    throw new AppError('zone_changed', { data: { theirs: replyOf(now), touched } });
  }

  /** The zone that a change was made on, when it is another by now; null when nobody knows it any more. */
  async function seenBefore(
    place: ZonePlace,
    version: string,
    { records }: ChangeBody,
  ): Promise<SeenZone | null> {
    const base = await inReading(db, place, (tx) => recordsOfHash(tx, place, version));
    return (
      base && { records: base, problems: (await inSlices(changing(place.address, base, records))).problems }
    );
  }

  /** A transfer has ended: what was prepared is served from now on. Called by a job; may run twice. */
  async function publishStaged(given: { organisationId: string; address: string }): Promise<void> {
    const row = await systemTransaction(deps.systemDb, (tx) => servedDomain(tx, given));
    if (!row) return;
    const place = placeOf(row);
    const newest = () => inReading(db, given, (tx) => newestVersion(tx, clock, place));
    if ((await newest())?.state !== 'staged') return;
    const actor = { organisationId: given.organisationId, userId: null, email: publisher, ip: null };
    await leases.run(given, row.address, async (lease) => settled(actor, row, await newest(), lease));
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
      if (!found) throw new AppError('not_found');
      return found;
    });
  }

  /** Of the records that are there now. What is not named has been so since before the portal kept what changed. */
  function lastChanges(scope: Scope, domain: string): Promise<LastChange[]> {
    return inReading(db, scope, async (tx) => {
      const place = placeOf(await requireDomain(tx, scope, domain));
      const newest = await newestVersion(tx, clock, place);
      const known = newest && (await findVersion(tx, place, newest.id));
      const present = new Set((known?.records ?? []).map(recordKey));
      return (await lastDifferences(tx, place)).filter(({ record }) => present.has(recordKey(record)));
    });
  }

  /** For a change of many domains: the zone as it is now, and how long ago somebody changed it here. */
  async function look(scope: Scope, domain: string): Promise<PresentZone & { changedMs: number | null }> {
    const newest = await inTransaction(db, scope, async (tx) =>
      newestVersion(tx, clock, placeOf(await requireDomain(tx, scope, domain))),
    );
    const changedMs = newest?.state === 'applied' ? newest.ageMs : null;
    return { ...(await present(scope, domain)), changedMs };
  }

  return {
    ...{ publishStaged, lastChanges, look },
    show,
    change,
    version,
    read: async (scope: Scope, domain: string): Promise<Zone> => replyOf(await present(scope, domain)),
    versions: (scope: Scope, domain: string): Promise<ZoneVersionHead[]> =>
      inReading(db, scope, async (tx) => listVersions(tx, placeOf(await requireDomain(tx, scope, domain)))),
    export: async (scope: Scope, domain: string, id: string | undefined): Promise<string> => {
      const { records } = id ? await requireVersion(scope, domain, id) : await present(scope, domain);
      return toZoneFile(domain, records, deps.nameservers);
    },
    preview: async (scope: Scope, domain: string, text: string): Promise<ImportPreview> =>
      previewOf(domain, await present(scope, domain), await readZoneFile(domain, zoneTextOf(domain, text))),
  };
}

function placeOf(row: Pick<DomainRecord, 'id' | 'organisation_id' | 'address' | 'nameservers'>): ZonePlace {
  const { id, organisation_id, address, nameservers } = row;
  return { organisationId: organisation_id, domainId: id, address, nameservers };
}

/** P2 §2: during a transfer the managed DNS is prepared; it is published when the domain has come. */
async function stagedZone(db: Db, clock: Clock, place: ZonePlace): Promise<PresentZone> {
  const records = await inReading(db, place, async (tx) => {
    const newest = await newestVersion(tx, clock, place);
    return newest ? ((await findVersion(tx, place, newest.id))?.records ?? []) : [];
  });
  return { records, version: versionOf(records), delegated: false, exists: false, staged: true };
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

function invalid(problems: readonly ChangeProblem[]): AppError {
  const details = problems.map(({ index, message }) => ({ path: `records.${index}`, message }));
  return new AppError('validation_failed', { details });
}

function messagesOf(
  domain: string,
  changes: readonly ZoneChange[],
  touched: readonly number[],
  problems: readonly ChangeProblem[],
): { index: number; message: string }[] {
  const messages = new Map<number, string>();
  for (const index of touched) {
    const record = changes[index]?.record;
    if (record) messages.set(index, `The ${record.type} records of ${hostOf(record, domain)} were changed.`);
  }
  for (const { index, message } of problems) messages.set(index, message);
  return [...messages].sort(([a], [b]) => a - b).map(([index, message]) => ({ index, message }));
}
