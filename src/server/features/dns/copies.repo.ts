import { sql, type Tx } from '#kernel/db/database.ts';
import type { ZonePlace } from './versions.repo.ts';

/** The reply as it was sent when the registrar was last asked, if that was after `since`. */
export async function findCopy(tx: Tx, place: ZonePlace, since: Date): Promise<string | null> {
  const row = await tx
    .selectFrom('zone_copies')
    .select('body')
    .where('organisation_id', '=', place.organisationId)
    .where('domain_id', '=', place.domainId)
    .where(sql<boolean>`nameservers = ${place.nameservers}::text[]`)
    .where('checked_at', '>', since)
    .executeTakeFirst();
  return row?.body ?? null;
}

/** Keeps what the registrar said at `checkedAt`; an older word never covers a newer one. */
export async function saveCopy(tx: Tx, place: ZonePlace, body: string, checkedAt: Date): Promise<void> {
  await tx
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
    )
    .execute();
}

/** From now on the registrar is asked again. */
export async function dropCopy(tx: Tx, place: ZonePlace): Promise<void> {
  await tx
    .deleteFrom('zone_copies')
    .where('organisation_id', '=', place.organisationId)
    .where('domain_id', '=', place.domainId)
    .execute();
}
