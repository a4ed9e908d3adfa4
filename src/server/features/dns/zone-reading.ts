import { AppError } from '#contracts/errors.ts';
import { getZone, type Zone } from '#contracts/operations/dns.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { changesBetween, flatRecords, groupRecords } from '#contracts/values/zone-changes.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarZone, RegistrarZones } from '../../ports/registrar.ts';
import { fromRegistrar } from '../domains/index.ts';
import { saveCopy } from './copies.repo.ts';
import {
  concludeVersion,
  findVersion,
  givenUpWith,
  giveUpVersion,
  insertVersion,
  lockVersions,
  mayBeEmpty,
  type NewestVersion,
  newestVersion,
  versionOf,
  type ZonePlace,
} from './versions.repo.ts';

export interface ReadingDeps {
  db: Db;
  registrar: Pick<RegistrarZones, 'zone'>;
  clock: Clock;
  newId: (nowMs: number) => string;
  /** How long a write that was not answered may still strike. */
  settleMs: number;
  /** How long a zone that was read is shown without asking again; 0: no copies are kept. */
  copyMs: number;
}

/** A zone as it is now, at the registrar or kept for the end of a transfer. */
export interface PresentZone {
  records: DnsRecord[];
  version: string;
  delegated: boolean;
  /** The registrar serves a zone of this name. */
  exists: boolean;
  staged: boolean;
}

const outside = { id: null, name: 'Outside this portal' };

/**
 * Reads a zone from the registrar. What differs from the newest version was written by somebody else and becomes a
 * version too, so that every state that was ever handed out can be compared and restored.
 */
export async function readZone(deps: ReadingDeps, place: ZonePlace): Promise<PresentZone> {
  const before = await inReading(deps.db, place, (tx) => newestVersion(tx, deps.clock, place));
  const askedAt = deps.clock.now();
  const zone = await askRegistrar(deps, place);
  await noteReading(deps, place, before, zone, deps.copyMs > 0 ? askedAt : null);
  return zone;
}

/** As `readZone`, for the one who holds the lease: no write of ours is left whose end is open. */
export async function readSettledZone(
  deps: ReadingDeps,
  place: ZonePlace,
  /** The newest version, read under the lease too. */
  before: NewestVersion | null,
): Promise<PresentZone> {
  const zone = await askRegistrar(deps, place);
  if (before && isOpen(before) && before.hash !== zone.version) {
    const waitMs = deps.settleMs - before.ageMs;
    // It may reach the registrar yet, and would then cover what is written now.
    if (waitMs > 0) throw unsettled(waitMs);
  }
  // What is written next voids a copy.
  await noteReading(deps, place, before, zone, null);
  return zone;
}

export function askRegistrar(
  { db, registrar }: Pick<ReadingDeps, 'db' | 'registrar'>,
  place: ZonePlace,
): Promise<PresentZone> {
  return fromRegistrar(async () => {
    const read = await withFairnessKey(place.organisationId, () => registrar.zone(place.address));
    // Taken for an empty zone, it would have the next change replace all of its records.
    if (read?.records === null && !(await inReading(db, place, (tx) => mayBeEmpty(tx, place)))) {
      throw new UpstreamUnavailable(`registrar: no records of ${place.address}, which had some`);
    }
    return presentOf(read);
  });
}

/** null: the registrar serves no such zone. */
export function presentOf(read: RegistrarZone | null): PresentZone {
  const records = read?.records ? flatRecords(read.records) : [];
  const [delegated, exists] = [read?.delegated ?? false, read !== null];
  return { records, version: versionOf(records), delegated, exists, staged: false };
}

/** The whole reply, checked against its contract. */
export function bodyOf(zone: PresentZone): string {
  return JSON.stringify({ data: getZone.reply.parse(replyOf(zone)) });
}

/** As the zone call answers (P2 §3). */
export function replyOf(zone: PresentZone): Zone {
  return {
    records: groupRecords(zone.records),
    nameservers_ok: zone.delegated ? 1 : 0,
    version: zone.version,
    staged: zone.staged,
  };
}

async function noteReading(
  deps: ReadingDeps,
  place: ZonePlace,
  before: NewestVersion | null,
  zone: PresentZone,
  /** When the registrar was asked, if a copy is to be kept. */
  askedAt: Date | null,
): Promise<void> {
  if (before === null && !zone.exists) return;
  if (!askedAt && before && before.hash === zone.version && !isOpen(before)) return;
  await inTransaction(deps.db, place, async (tx) => {
    await lockVersions(tx, place);
    const newest = await newestVersion(tx, deps.clock, place);
    // Written since the registrar was asked: this reading is older than what is known.
    if (!isAsBefore(newest, before)) return;
    const known = await closed(deps, tx, place, zone, newest);
    if (known === 'open' || known?.state === 'staged') return;
    if (known?.hash !== zone.version) {
      const before = known && ((await findVersion(tx, place, known.id))?.records ?? null);
      const late = known && (await givenUpWith(tx, place, zone.version));
      await insertVersion(tx, deps.clock, place, {
        id: deps.newId(deps.clock.now().getTime()),
        records: zone.records,
        hash: zone.version,
        state: 'found',
        author: outside,
        reason: foundBecause(known !== null, late !== null),
        changes: before && changesBetween(before, zone.records),
      });
      // Its own process may not live any more to say so.
      if (late) await repairLater(tx, place, late);
    }
    if (askedAt) await saveCopy(tx, place, bodyOf(zone), askedAt);
  });
}

/** Concludes writes whose end is open by what was read; `open` while they may still strike. */
async function closed(
  deps: ReadingDeps,
  tx: Tx,
  place: ZonePlace,
  zone: PresentZone,
  newest: NewestVersion | null,
): Promise<NewestVersion | null | 'open'> {
  if (!newest || !isOpen(newest)) return newest;
  if (newest.hash === zone.version) {
    await concludeVersion(tx, place, newest.id, 'applied');
    return { ...newest, state: 'applied' };
  }
  if (newest.ageMs < deps.settleMs) return 'open';
  await giveUpVersion(tx, place, newest.id);
  return closed(deps, tx, place, zone, await newestVersion(tx, deps.clock, place));
}

function foundBecause(known: boolean, late: boolean): string {
  if (!known) return 'As found at the registrar';
  return late ? 'A delayed change took effect' : 'Changed at the registrar';
}

/** A job applies again what others were told is in force (`zone-repair.ts`). */
export function repairLater(
  tx: Tx,
  { organisationId, address }: ZonePlace,
  versionId: string,
): Promise<void> {
  return enqueueJob(tx, 'dns.repair-zone', { organisationId, address, versionId });
}

/** Its writer may have said meanwhile that the end is not known: the version is as open as it was. */
function isAsBefore(newest: NewestVersion | null, before: NewestVersion | null): boolean {
  if (newest?.id !== before?.id) return false;
  return newest?.state === before?.state || [newest, before].every((one) => one !== null && isOpen(one));
}

function isOpen({ state }: NewestVersion): boolean {
  return state === 'writing' || state === 'unknown';
}

function unsettled(waitMs: number): AppError {
  return new AppError('in_progress', {
    message:
      'The registrar has not confirmed the last change of this zone yet. Nothing was changed. Please try again in a minute.',
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });
}
