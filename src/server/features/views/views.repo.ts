import type { SavedView, ViewScreen } from '#contracts/operations/views.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';

/** Own views, and those that are shared; of other people's own ones nobody learns. */
function visible(tx: Tx, scope: Scope) {
  return tx
    .selectFrom('saved_views')
    .where('organisation_id', '=', scope.organisationId)
    .where((eb) => eb.or([eb('user_id', '=', scope.userId), eb('shared', '=', true)]));
}

export async function listViews(tx: Tx, scope: Scope, screen: ViewScreen | undefined): Promise<SavedView[]> {
  const rows = await visible(tx, scope)
    .$if(screen !== undefined, (select) => select.where('screen', '=', screen ?? ''))
    .select(['id', 'screen', 'name', 'query', 'shared', 'user_id'])
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute();
  return rows.map(({ user_id, ...view }) => ({
    ...view,
    screen: view.screen as ViewScreen,
    own: user_id === scope.userId,
  }));
}

/** How many this person has made. */
export async function countViews(tx: Tx, scope: Scope): Promise<number> {
  const { count } = await tx
    .selectFrom('saved_views')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organisation_id', '=', scope.organisationId)
    .where('user_id', '=', scope.userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertView(
  tx: Tx,
  scope: Scope,
  view: Omit<SavedView, 'own'>,
  at: Date,
): Promise<void> {
  const { organisationId, userId } = scope;
  await tx
    .insertInto('saved_views')
    .values({ ...view, organisation_id: organisationId, user_id: userId, created_at: at })
    .execute();
}

/** What was removed; undefined: there is none that this person may remove. */
export function deleteView(
  tx: Tx,
  scope: Scope,
  id: string,
  ofOthers: boolean,
): Promise<{ user_id: string; name: string; screen: string; query: string; shared: boolean } | undefined> {
  return tx
    .deleteFrom('saved_views')
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .where((eb) =>
      ofOthers
        ? eb.or([eb('user_id', '=', scope.userId), eb('shared', '=', true)])
        : eb('user_id', '=', scope.userId),
    )
    .returning(['user_id', 'name', 'screen', 'query', 'shared'])
    .executeTakeFirst();
}

/** Views that these people keep for themselves go with them; shared ones are the organization's. */
export async function eraseViews(
  tx: Tx,
  { organisationId }: { organisationId: string },
  userIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('saved_views')
    .where('organisation_id', '=', organisationId)
    .where(sql<boolean>`user_id = ANY (${userIds}::uuid[])`)
    .where('shared', '=', false)
    .execute();
}
