import { later, sql, type Tx } from '#kernel/db/database.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';
import type { ZonePlace } from './versions.repo.ts';

/**
 * The copy of when the registrar was last asked, if that was after `since`; of a domain in reach that is not on its way
 * here. Its mark is another one whenever the row was written.
 */
export async function findCopy(
  tx: Tx,
  scope: Scope,
  address: string,
  since: Date,
): Promise<{ domainId: string; mark: string } | null> {
  const row = await tx
    .selectFrom('domains as d')
    .innerJoin('zone_copies as c', 'c.domain_id', 'd.id')
    .select(['c.domain_id', sql<string>`c.xmin::text || c.ctid::text`.as('version')])
    .where('d.organisation_id', '=', scope.organisationId)
    .where('d.address', '=', address)
    .where('d.status', 'in', ['active', 'expired'])
    .where(sql<boolean>`c.nameservers = d.nameservers`)
    .where('c.checked_at', '>', since)
    .where(withinReach(scope, 'd.customer_id'))
    .executeTakeFirst();
  return row ? { domainId: row.domain_id, mark: `${row.domain_id} ${row.version}` } : null;
}

/** The reply that a copy is of; null: somebody has just changed the zone, and the copy is gone. */
export async function bodyOfCopy(tx: Tx, scope: Scope, domainId: string): Promise<Buffer | null> {
  const row = await tx
    .selectFrom('zone_copies')
    .select('body')
    .where('organisation_id', '=', scope.organisationId)
    .where('domain_id', '=', domainId)
    .executeTakeFirst();
  return row ? Buffer.from(row.body, 'utf8') : null;
}

/** Keeps what the registrar said at `checkedAt`; an older word never covers a newer one. */
export async function saveCopy(tx: Tx, place: ZonePlace, body: string, checkedAt: Date): Promise<void> {
  await later(
    tx,
    tx
      .insertInto('zone_copies')
      .values({
        domain_id: place.domainId,
        organisation_id: place.organisationId,
        nameservers: place.nameservers,
        body,
        checked_at: checkedAt,
      })
      .onConflict((conflict) =>
        conflict
          .column('domain_id')
          .doUpdateSet({ nameservers: place.nameservers, body, checked_at: checkedAt })
          .where('zone_copies.checked_at', '<=', checkedAt),
      ),
  );
}

/** From now on the registrar is asked again. */
export async function dropCopy(tx: Tx, place: ZonePlace): Promise<void> {
  await later(
    tx,
    tx
      .deleteFrom('zone_copies')
      .where('organisation_id', '=', place.organisationId)
      .where('domain_id', '=', place.domainId),
  );
}
