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

/** One of their own, and with `ofOthers` one that somebody shares: what keeps a view to oneself no manager changes. */
const mayChange = (
  scope: Scope,
  id: string,
  ofOthers: boolean,
) => sql<boolean>`organisation_id = ${scope.organisationId}
  AND id = ${id} AND (user_id = ${scope.userId} OR ${ofOthers ? sql`shared` : sql`false`})`;

const columns = ['user_id', 'name', 'screen', 'query', 'shared'] as const;
export interface KeptView {
  user_id: string;
  name: string;
  screen: string;
  query: string;
  shared: boolean;
}

/** One that this person may rename and remove. */
export function findView(tx: Tx, scope: Scope, id: string, ofOthers: boolean): Promise<KeptView | undefined> {
  return tx
    .selectFrom('saved_views')
    .select(columns)
    .where(mayChange(scope, id, ofOthers))
    .executeTakeFirst();
}

/** The view under its new name; undefined: there is none that has the name that was shown and that this person may rename. */
export function renameView(
  tx: Tx,
  scope: Scope,
  id: string,
  { name, shown }: { name: string; shown: string },
  ofOthers: boolean,
): Promise<KeptView | undefined> {
  return tx
    .updateTable('saved_views')
    .set({ name })
    .where(mayChange(scope, id, ofOthers))
    .where('name', '=', shown)
    .returning(columns)
    .executeTakeFirst();
}

/** What was removed; undefined: there is none that this person may remove. */
export function deleteView(
  tx: Tx,
  scope: Scope,
  id: string,
  ofOthers: boolean,
): Promise<KeptView | undefined> {
  return tx
    .deleteFrom('saved_views')
    .where(mayChange(scope, id, ofOthers))
    .returning(columns)
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
