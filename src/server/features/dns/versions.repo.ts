import type { ZoneVersionHead } from '#contracts/operations/dns.ts';
import { type DnsRecord, sortedRecords } from '#contracts/values/dns-records.ts';
import { flatRecords, groupRecords, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { type DifferenceSummary, differenceOf, summaryOf } from '#contracts/values/zone-difference.ts';
import type { Clock } from '#kernel/clock.ts';
import { later, sql, type Tx } from '#kernel/db/database.ts';
import { lockByName } from '#kernel/db/locks.ts';
import type { StoredZone, ZoneVersionsTable } from '#kernel/db/schema.ts';
import { leftMsOf, sharedNow } from '#kernel/db/time.ts';
import { hashOf } from '#kernel/ids.ts';
import { reaches, type Scope, withinReach } from '#kernel/scope.ts';
import { dropCopy } from './copies.repo.ts';

export type VersionState = ZoneVersionsTable['state'];

/** Whose zone: of the domain's present life only, since a name may have been somebody else's before. */
export interface ZonePlace {
  organisationId: string;
  domainId: string;
  address: string;
  /** The domain's delegation as the portal knows it. */
  nameservers: string[];
}

export interface NewVersion {
  id: string;
  records: readonly DnsRecord[];
  state: VersionState;
  author: { id: string | null; name: string };
  reason: string;
  /** As `versionOf` says of the records. */
  hash: string;
  /** From the records before it; null when nobody knows them. */
  changes: readonly ZoneChange[] | null;
  /** The item of a change of many domains that writes it. */
  itemId?: string | undefined;
  /** Whose the domain was when its writer was let in; left out: whose it is now. */
  customerId?: string | null | undefined;
  /** One that is there already stays as it is. */
  unlessThere?: boolean;
}

/** Who looks at a history: of a zone that had other owners, each customer reads what was written while it was theirs. */
type Reader = Pick<Scope, 'reach'>;

export interface NewestVersion {
  id: string;
  state: VersionState;
  hash: string;
  /** Since it was written down, by the database's clock. */
  ageMs: number;
}

/** More records than a zone may have. */
const mostRecords = 10_000;
/** Most versions that are listed; older ones stay. */
const listed = 500;

/** Of the records as such, whatever order the registrar keeps. */
export function versionOf(records: readonly DnsRecord[]): string {
  return hashOf(groupRecords(sortedRecords(records))).slice(0, 32);
}

export const emptyVersion = versionOf([]);

export async function insertVersion(
  tx: Tx,
  clock: Clock,
  place: ZonePlace,
  version: NewVersion,
): Promise<void> {
  const records = sortedRecords(version.records);
  const { changes } = version;
  const those = (wanted: ZoneChange['action']) =>
    sortedRecords((changes ?? []).filter(({ action }) => action === wanted).map(({ record }) => record));
  const difference = changes && differenceOf(those('remove'), those('add'));
  const presentCustomer = sql<string | null>`(SELECT customer_id FROM domains WHERE id = ${place.domainId})`;
  await dropCopy(tx, place);
  const insertion = tx.insertInto('zone_versions').values({
    id: version.id,
    organisation_id: place.organisationId,
    domain_id: place.domainId,
    records: JSON.stringify(groupRecords(records)),
    record_count: records.length,
    hash: version.hash,
    state: version.state,
    author_id: version.author.id,
    author: version.author.name,
    reason: version.reason,
    changes: difference && JSON.stringify(difference),
    change_summary: difference && JSON.stringify(summaryOf(difference)),
    created_at: sharedNow(clock),
    change_item_id: version.itemId ?? null,
    customer_id: version.customerId === undefined ? presentCustomer : version.customerId,
  });
  const unlessThere = () => insertion.onConflict((conflict) => conflict.column('id').doNothing());
  await later(tx, version.unlessThere ? unlessThere() : insertion);
}

/** Only what is still open is concluded: an end that was told stays. */
export async function concludeVersion(
  tx: Tx,
  place: ZonePlace,
  id: string,
  state: VersionState,
): Promise<void> {
  await later(
    tx,
    tx
      .updateTable('zone_versions')
      .set({ state })
      .where('organisation_id', '=', place.organisationId)
      .where('id', '=', id)
      .where('state', 'in', ['writing', 'unknown', 'staged']),
  );
}

/** Nobody has answered for as long as a call may take: it counts as refused, and is known again should it strike late. */
export async function giveUpVersion(tx: Tx, place: ZonePlace, id: string): Promise<void> {
  await tx
    .updateTable('zone_versions')
    .set({ state: 'refused', given_up: true })
    .where('organisation_id', '=', place.organisationId)
    .where('id', '=', id)
    .where('state', 'in', ['writing', 'unknown'])
    .execute();
}

/** Whether the item of a change has been written already: in force, or kept for the end of a transfer. */
export async function isWrittenBy(tx: Tx, place: ZonePlace, itemId: string): Promise<boolean> {
  const row = await select(tx, place)
    .select('id')
    .where('change_item_id', '=', itemId)
    .where('state', 'in', ['applied', 'staged'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The write that was given up and has these records; null when there is none. */
export async function givenUpWith(tx: Tx, place: ZonePlace, hash: string): Promise<string | null> {
  const row = await select(tx, place)
    .select('id')
    .where('hash', '=', hash)
    .where('given_up', '=', true)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** For the transaction: nobody else records readings of this zone meanwhile. */
export async function lockVersions(tx: Tx, place: ZonePlace): Promise<void> {
  await lockByName(tx, `zone:${place.domainId}`);
}

const heads = [
  ...(['id', 'created_at', 'author', 'reason', 'state', 'record_count', 'hash'] as const),
  'change_summary' as const,
];

function select(tx: Tx, place: ZonePlace) {
  return tx
    .selectFrom('zone_versions')
    .where('organisation_id', '=', place.organisationId)
    .where('domain_id', '=', place.domainId);
}

/** What became of the last write of ours, or of what was prepared last; null: there is none. */
export async function lastWritten(tx: Tx, place: ZonePlace): Promise<VersionState | null> {
  const row = await select(tx, place)
    .select('state')
    .where('state', '<>', 'found')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.state ?? null;
}

/** The newest version that may be what the registrar holds, or what waits for the end of a transfer. */
export async function newestVersion(tx: Tx, clock: Clock, place: ZonePlace): Promise<NewestVersion | null> {
  const row = await select(tx, place)
    .select(['id', 'state', 'hash', leftMsOf(clock, sql.ref('created_at'), 0).as('left')])
    .where('state', '<>', 'refused')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? { id: row.id, state: row.state, hash: row.hash, ageMs: -row.left } : null;
}

/** A change of a zone: at most how long ago it came, and by which item of a change of many domains. */
export interface LastChanged {
  ageMs: number;
  itemId: string | null;
}

/**
 * The last change of a zone that may be in force. One that was made past the portal came after the version that it followed;
 * when exactly, nobody knows. What was there when the portal first read the zone is no change.
 */
export async function lastChanged(tx: Tx, clock: Clock, place: ZonePlace): Promise<LastChanged | null> {
  const [newest, before] = await select(tx, place)
    .select(['state', 'change_item_id', leftMsOf(clock, sql.ref('created_at'), 0).as('left')])
    .where('state', '<>', 'refused')
    .orderBy('sequence', 'desc')
    .limit(2)
    .execute();
  if (newest?.state === 'found') return before ? { ageMs: -before.left, itemId: null } : null;
  return newest ? { ageMs: -newest.left, itemId: newest.change_item_id } : null;
}

/** Of a version `v`: none that may be in force came after it. What one has followed, no reading can tell the end of. */
export const isUnfollowed = sql<boolean>`NOT EXISTS (SELECT FROM zone_versions n WHERE n.organisation_id = v.organisation_id
  AND n.domain_id = v.domain_id AND n.sequence > v.sequence AND n.state <> 'refused')`;

/**
 * Whether a zone may have no records, for all that is known: what was last in force had none, or a write that left none may have
 * struck since, be it one that was given up.
 */
export async function mayBeEmpty(tx: Tx, place: ZonePlace): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM zone_versions v
    WHERE v.organisation_id = ${place.organisationId} AND v.domain_id = ${place.domainId}
      AND v.state IN ('applied', 'found') AND v.record_count > 0
      AND NOT EXISTS (SELECT FROM zone_versions n WHERE n.organisation_id = v.organisation_id AND n.domain_id = v.domain_id
        AND n.sequence > v.sequence AND n.record_count = 0
        AND (n.state IN ('applied', 'found', 'writing', 'unknown') OR n.given_up))
    LIMIT 1`.execute(tx);
  return rows.length === 0;
}

export async function listVersions(tx: Tx, place: ZonePlace, reader: Reader): Promise<ZoneVersionHead[]> {
  const rows = await select(tx, place)
    .select(heads)
    .where(withinReach(reader, 'customer_id'))
    .orderBy('sequence', 'desc')
    .limit(listed)
    .execute();
  return rows.map(headOf);
}

/** For the portal's own work. What is shown to somebody goes through `reaches` with its `customerId` first. */
export async function findVersion(
  tx: Tx,
  place: ZonePlace,
  id: string,
): Promise<{ head: ZoneVersionHead; records: DnsRecord[]; customerId: string | null } | null> {
  const row = await select(tx, place).selectAll().where('id', '=', id).executeTakeFirst();
  return row ? { head: headOf(row), records: flatRecords(row.records), customerId: row.customer_id } : null;
}

/** The records that were handed out under this hash; null when no such version is known. */
export async function recordsOfHash(tx: Tx, place: ZonePlace, hash: string): Promise<DnsRecord[] | null> {
  if (hash === emptyVersion) return [];
  const row = await select(tx, place).select('records').where('hash', '=', hash).limit(1).executeTakeFirst();
  return row ? flatRecords(row.records) : null;
}

/** A change that somebody was told is in force: the zone as it was found for it, and as it was left. */
export interface AcknowledgedVersion {
  before: DnsRecord[];
  after: DnsRecord[];
}

/** Changes acknowledged after a version was begun, oldest first. */
export async function acknowledgedSince(
  tx: Tx,
  place: ZonePlace,
  id: string,
): Promise<AcknowledgedVersion[]> {
  const { rows } = await sql<{
    state: VersionState;
    later: boolean;
    records: StoredZone;
    before: StoredZone;
  }>`
    SELECT state, records, before, sequence > (SELECT sequence FROM zone_versions WHERE id = ${id}) AS later FROM (
      SELECT state, sequence, records, lag(records) OVER (ORDER BY sequence) AS before FROM zone_versions
      WHERE organisation_id = ${place.organisationId} AND domain_id = ${place.domainId}
        AND state IN ('applied', 'found')
    ) known ORDER BY sequence`.execute(tx);
  return rows
    .filter(({ state, later }) => later && state === 'applied')
    .map(({ records, before }) => ({
      before: before ? flatRecords(before) : [],
      after: flatRecords(records),
    }));
}

export interface LastDifference {
  record: DnsRecord;
  old: DnsRecord | null;
  at: string;
  author: string;
  reason: string;
  versionId: string;
}

/**
 * Who gave records of a zone their present form last, where this reader may know it. Of versions that are in force, or prepared for a
 * transfer.
 */
export async function lastDifferences(tx: Tx, place: ZonePlace, reader: Reader): Promise<LastDifference[]> {
  const { rows } = await sql<{
    record: DnsRecord;
    old: DnsRecord | null;
    id: string;
    author: string;
    reason: string;
    created_at: Date;
    customer_id: string | null;
  }>`
    SELECT DISTINCT ON (c -> 'record') c -> 'record' AS record, nullif(c -> 'old', 'null') AS old,
      v.id, v.author, v.reason, v.created_at, v.customer_id
    FROM (
      SELECT id, sequence, author, reason, created_at, changes, customer_id FROM zone_versions
      WHERE organisation_id = ${place.organisationId} AND domain_id = ${place.domainId}
        AND state IN ('applied', 'found', 'staged') AND changes IS NOT NULL
      ORDER BY sequence DESC LIMIT ${listed}
    ) v CROSS JOIN LATERAL jsonb_array_elements(v.changes) c
    WHERE c ->> 'action' <> 'remove'
    ORDER BY c -> 'record', v.sequence DESC
    LIMIT ${mostRecords}`.execute(tx);
  // Left out here and not above: an older change by the reader would be told as the last.
  const told = rows.filter(({ customer_id }) => reaches(reader, customer_id));
  return told.map(({ record, old, id, author, reason, created_at }) => ({
    ...{ record, old, author, reason },
    ...{ at: created_at.toISOString(), versionId: id },
  }));
}

interface HeadRow {
  id: string;
  created_at: Date;
  author: string;
  reason: string;
  state: VersionState;
  record_count: number;
  hash: string;
  change_summary: unknown;
}

function headOf(row: HeadRow): ZoneVersionHead {
  return {
    id: row.id,
    at: row.created_at.toISOString(),
    author: row.author,
    reason: row.reason,
    state: row.state,
    records: row.record_count,
    version: row.hash,
    changes: row.change_summary as DifferenceSummary | null,
  };
}
