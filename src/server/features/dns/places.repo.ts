import type { Clock } from '#kernel/clock.ts';
import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { DomainsTable } from '#kernel/db/schema.ts';
import { leftMsOf } from '#kernel/db/time.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import { isUnfollowed, type NewestVersion, type ZonePlace } from './versions.repo.ts';

type ZoneDomain = Pick<
  Selectable<DomainsTable>,
  'id' | 'organisation_id' | 'address' | 'status' | 'customer_id' | 'nameservers' | 'missing_since'
>;

/** A zone that somebody is about to change: its domain, within their reach, and its newest version as in `newestVersion`. */
export async function zoneAt(tx: Tx, clock: Clock, scope: Scope, address: string) {
  const { rows } = await sql<
    ZoneDomain & { versionId: string | null } & Omit<NewestVersion, 'id' | 'ageMs'> & { leftMs: number }
  >`
    SELECT d.id, d.organisation_id, d.address, d.status, d.customer_id, d.nameservers, d.missing_since,
      v.id AS "versionId", v.state, v.hash, v.left_ms AS "leftMs"
    FROM domains d LEFT JOIN LATERAL (
      SELECT id, state, hash, ${leftMsOf(clock, sql.ref('created_at'), 0)} AS left_ms FROM zone_versions
      WHERE organisation_id = d.organisation_id AND domain_id = d.id AND state <> 'refused'
      ORDER BY sequence DESC LIMIT 1
    ) v ON true
    WHERE d.organisation_id = ${scope.organisationId} AND d.address = ${address} AND d.status <> 'ended'
      AND ${withinReach(scope, 'd.customer_id')}`.execute(tx);
  const [row] = rows;
  if (!row) return null;
  const { versionId, state, hash, leftMs, ...domain } = row;
  const newest: NewestVersion | null = versionId ? { id: versionId, state, hash, ageMs: -leftMs } : null;
  return { domain, newest };
}

/** A domain of ours whose zone is served from now on: no transfer of it is under way. */
export function servedDomain(tx: Tx, given: { organisationId: string; address: string }) {
  return tx
    .selectFrom('domains')
    .select(['id', 'organisation_id', 'address', 'customer_id', 'nameservers'])
    .where('organisation_id', '=', given.organisationId)
    .where('address', '=', given.address)
    .where('status', 'in', ['active', 'expired'])
    .executeTakeFirst();
}

/** The registered name at or above a host name, of this organisation. */
export function domainAbove(tx: Tx, { organisationId, name }: { organisationId: string; name: string }) {
  const labels = name.split('.');
  const candidates = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  return tx
    .selectFrom('domains')
    .select(['id', 'address', 'customer_id', 'nameservers'])
    .where('organisation_id', '=', organisationId)
    .where('address', 'in', candidates)
    .where('status', '=', 'active')
    .orderBy((eb) => eb.fn('length', ['address']), 'desc')
    .executeTakeFirst();
}

/** The domain whose zone a version is of. */
export function placeOfVersion(tx: Tx, given: { organisationId: string; versionId: string }) {
  return tx
    .selectFrom('zone_versions as v')
    .innerJoin('domains as d', 'd.id', 'v.domain_id')
    .select(['d.id', 'd.address', 'd.customer_id', 'd.nameservers'])
    .where('v.organisation_id', '=', given.organisationId)
    .where('v.id', '=', given.versionId)
    .where('d.status', 'in', ['active', 'expired'])
    .executeTakeFirst();
}

/**
 * Zones whose newest version has an open outcome that can no longer change by a call under way, and those with a write that was
 * given up within `watchMs`. What a later version has followed is told by no reading any more. Runs across tenants.
 */
export async function openPlaces(
  tx: Tx,
  { clock, settleMs, watchMs }: { clock: Clock; settleMs: number; watchMs: number },
): Promise<ZonePlace[]> {
  const { rows } = await sql<ZonePlace>`
    SELECT d.organisation_id AS "organisationId", d.id AS "domainId", d.address, d.nameservers
    FROM zone_versions v JOIN domains d ON d.id = v.domain_id AND d.organisation_id = v.organisation_id
    WHERE (v.state IN ('writing', 'unknown') AND ${leftMsOf(clock, sql.ref('v.created_at'), settleMs)} <= 0
        AND ${isUnfollowed}
        OR v.given_up AND ${leftMsOf(clock, sql.ref('v.created_at'), watchMs)} > 0)
      AND d.status IN ('active', 'expired')
    GROUP BY d.organisation_id, d.id, d.address, d.nameservers
    ORDER BY min(v.created_at), d.id`.execute(tx);
  return rows;
}
