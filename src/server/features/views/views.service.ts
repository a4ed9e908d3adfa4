import { AppError } from '#contracts/errors.ts';
import type { SavedView, ViewScreen } from '#contracts/operations/views.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import { requireRoom } from '#kernel/room.ts';
import { holds, type Scope } from '#kernel/scope.ts';
import {
  countViews,
  deleteView,
  findView,
  insertView,
  type KeptView,
  listViews,
  renameView,
} from './views.repo.ts';

export type ViewsApi = ReturnType<typeof createViews>;

/** Lists kept under a name: each person's own, and those that they share with their colleagues. */
export function createViews(deps: { db: Db; clock: Clock; newId: (nowMs: number) => string }) {
  const { db, clock } = deps;
  return {
    list: (scope: Scope, screen: ViewScreen | undefined): Promise<SavedView[]> =>
      inReading(db, scope, (tx) => listViews(tx, scope, screen)),

    async save(
      scope: Scope,
      given: { screen: ViewScreen; name: string; query: string; shared: boolean },
    ): Promise<SavedView> {
      const at = clock.now();
      const view = { id: deps.newId(at.getTime()), ...given };
      await withFreeName(() =>
        inTransaction(db, scope, async (tx) => {
          await requireRoom(tx, 'savedViews', scope.userId, () => countViews(tx, scope));
          await insertView(tx, scope, view, at);
          await audit(tx, scope, {
            ...{ at, action: 'views.save', objectKind: 'saved view', object: view.id },
            // People name views after customers and colleagues, and after themselves.
            ...{ customerId: null, subject: scope.userId, after: view },
          });
        }),
      );
      return { ...view, own: true };
    },

    rename: (scope: Scope, id: string, given: { name: string; shown: string }): Promise<SavedView> =>
      withFreeName(() =>
        inTransaction(db, scope, async (tx) => {
          const ofOthers = holds(scope, 'users.manage');
          const seen = ({ user_id, screen, ...rest }: KeptView): SavedView => ({
            ...{ id, screen: screen as ViewScreen, ...rest, own: user_id === scope.userId },
          });
          const renamed = await renameView(tx, scope, id, given, ofOthers);
          if (!renamed) {
            const present = await findView(tx, scope, id, ofOthers);
            throw present ? new AppError('conflict', { data: seen(present) }) : new AppError('not_found');
          }
          if (given.name !== given.shown) {
            await audit(tx, scope, {
              ...{ at: clock.now(), action: 'views.rename', objectKind: 'saved view', object: id },
              ...{ customerId: null, subject: renamed.user_id },
              ...{ before: { name: given.shown }, after: { name: given.name } },
            });
          }
          return seen(renamed);
        }),
      ),

    async remove(scope: Scope, id: string): Promise<void> {
      await inTransaction(db, scope, async (tx) => {
        const removed = await deleteView(tx, scope, id, holds(scope, 'users.manage'));
        if (!removed) throw new AppError('not_found');
        const { user_id: subject, ...before } = removed;
        await audit(tx, scope, {
          ...{ at: clock.now(), action: 'views.delete', objectKind: 'saved view', object: id },
          ...{ customerId: null, subject, before },
        });
      });
    },
  };
}

async function withFreeName<T>(does: () => Promise<T>): Promise<T> {
  try {
    return await does();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = 'A view with this name already exists.';
    throw new AppError('already_exists', { message, details: [{ path: 'name', message }] });
  }
}
