import * as operations from '#contracts/operations/changes.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { ChangesApi } from './changes.service.ts';

export function changeRoutes(changes: ChangesApi): Binding[] {
  return [
    bind(operations.createChange, ({ scope, body }) => changes.create(scope, body)),
    bind(operations.listChanges, ({ scope, query }) => changes.list(scope, query)),
    bind(operations.getChange, ({ scope, params }) => changes.get(scope, params.id)),
    bind(operations.listChangeItems, ({ scope, params, query }) => changes.items(scope, params.id, query)),
    bind(operations.describeChange, ({ scope, params, body }) => changes.describe(scope, params.id, body)),
    bind(operations.chooseChangeItems, ({ scope, params, body }) => changes.choose(scope, params.id, body)),
    bind(operations.lookAtChange, ({ scope, params }) => changes.look(scope, params.id)),
    bind(operations.applyChange, ({ scope, params, body, requireFreshSignIn }) =>
      changes.start(scope, params.id, { act: 'apply', ...body }, requireFreshSignIn),
    ),
    bind(operations.pauseChange, ({ scope, params }) => changes.pause(scope, params.id)),
    bind(operations.resumeChange, ({ scope, params, requireFreshSignIn }) =>
      changes.resume(scope, params.id, requireFreshSignIn),
    ),
    bind(operations.cancelChange, ({ scope, params }) => changes.cancel(scope, params.id)),
    bind(operations.retryChange, ({ scope, params, body, requireFreshSignIn }) =>
      changes.start(scope, params.id, { act: 'retry', ...body }, requireFreshSignIn),
    ),
    bind(operations.undoChange, ({ scope, params }) => changes.undo(scope, params.id)),
    bind(operations.discardChange, async ({ scope, params }) => {
      await changes.discard(scope, params.id);
      return {};
    }),
  ];
}
