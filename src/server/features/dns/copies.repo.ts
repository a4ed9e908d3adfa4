import { sql, type Tx } from '#kernel/db/database.ts';
import { customerLimit, type Scope } from '#kernel/scope.ts';
import type { ZonePlace } from './versions.repo.ts';

/**
 * The reply as it was sent when the registrar was last asked, if that was after `since`; of a domain in reach that is
 * not on its way here.
 */
export async function findCopy(tx: Tx, scope: Scope, address: string, since: Date): Promise<string | null> {
  const own = customerLimit(scope);
  const row = await tx
    .selectFrom('domains as d')
    .innerJoin('zone_copies as c', 'c.domain_id', 'd.id')
    .select('c.body')
    .where('d.organisation_id', '=', scope.organisationId)
    .where('d.address', '=', address)
    .where('d.status', 'in', ['active', 'expired'])
    .where(sql<boolean>`c.nameservers = d.nameservers`)
    .where('c.checked_at', '>', since)
    .$if(own !== null, (select) => select.where('d.customer_id', '=', own))
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
