import { AppError } from '#contracts/errors.ts';
import type { Zone } from '#contracts/operations/dns.ts';
import { changesBetween } from '#contracts/values/zone-changes.ts';
import type { ChangeWarning } from '#contracts/values/zone-warnings.ts';
import { type AuditActor, audit } from '#kernel/audit.ts';
import { inReading, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import type { Lease, Leases } from '#kernel/leases.ts';
import type { Scope } from '#kernel/scope.ts';
import { type DomainRecord, requireHere } from '../domains/index.ts';
import { servedDomain, zoneAt } from './places.repo.ts';
import {
  concludeVersion,
  findVersion,
  insertVersion,
  isWrittenBy,
  type NewestVersion,
  newestVersion,
  versionOf,
} from './versions.repo.ts';
import { createZoneLooks, placeOf, stagedZone } from './zone-looks.ts';
import { type ChangeBody, mergedRecords } from './zone-merging.ts';
import { type PresentZone, readSettledZone, replyOf } from './zone-reading.ts';
import { type WritingDeps, writeZone, type ZoneWrite } from './zone-writing.ts';

export interface ZonesDeps extends WritingDeps {
  systemDb: WritingDeps['db'];
  leases: Leases;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
}

/** Who published what waited for the end of a transfer. */
const publisher = 'Nameward';

/** The records of domains: read, changed as a whole by one writer at a time, with every state kept. */
export function createZones(deps: ZonesDeps) {
  const { db, clock, leases } = deps;

  /** `itemId`: of a change of many domains; asked for again, what was written already is not written twice. */
  async function change(
    scope: Scope,
    domain: string,
    body: ChangeBody,
    itemId?: string,
  ): Promise<Zone & { warnings: ChangeWarning[] }> {
    const read = (tx: Tx) => zoneAt(tx, clock, scope, domain);
    return leases.runWith(scope, domain, read, async (lease, seen) => {
      if (!seen) throw new AppError('not_found');
      const { domain: row, newest: before } = seen;
      requireHere(row);
      const place = placeOf(row);
      const isStaged = row.status === 'transferring';
      const now = isStaged ? await stagedZone(db, clock, place) : await settled(scope, row, before, lease);
      if (itemId && (await inReading(db, place, (tx) => isWrittenBy(tx, place, itemId)))) {
        return { ...replyOf(now), warnings: [] };
      }
      const { records, warnings } = await mergedRecords(db, place, now, body);
      const version = versionOf(records);
      if (version === now.version) return { ...replyOf(now), warnings };
      const wanted = { now, records, version, reason: body.reason ?? '', itemId };
      if (isStaged) {
        await stage(scope, row, wanted);
        return { ...replyOf({ ...now, records, version }), warnings };
      }
      const write = { place, actor: scope, customerId: row.customer_id, lease, ...wanted };
      return { ...replyOf(await writeZone(deps, { ...write, endsLease: true })), warnings };
    });
  }

  async function stage(
    scope: Scope,
    row: Parameters<typeof placeOf>[0] & Pick<DomainRecord, 'customer_id'>,
    write: Pick<ZoneWrite, 'now' | 'records' | 'version' | 'reason' | 'itemId'>,
  ): Promise<void> {
    const { now, records, version, reason, itemId } = write;
    const changes = changesBetween(now.records, records);
    const place = placeOf(row);
    const at = clock.now();
    await inTransaction(db, scope, async (tx) => {
      await insertVersion(tx, clock, place, {
        ...{ id: deps.newId(at.getTime()), records, hash: version, state: 'staged', reason, changes, itemId },
        author: { id: scope.userId, name: scope.email },
        customerId: row.customer_id,
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
    const { version } = head;
    const write = { place, actor, customerId: row.customer_id, now, records, version, reason, lease };
    try {
      return await writeZone(deps, write);
    } catch (error) {
      if (error instanceof AppError && error.code === 'registrar_refused') {
        await inTransaction(db, place, (tx) => concludeVersion(tx, place, head.id, 'refused'));
      }
      throw error;
    }
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

  return { ...createZoneLooks(deps), change, publishStaged };
}
