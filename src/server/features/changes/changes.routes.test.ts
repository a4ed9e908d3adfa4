import { expect, test } from 'vitest';
import { routed, scope } from '../../../../tests/support/routed.ts';
import { changeRoutes } from './changes.routes.ts';

const id = 'a-change';
const [params, query, body] = [{ id }, { limit: 50 }, { title: 'Mail', expected: 3, round: 7 }];
const requireFreshSignIn = () => undefined;

test.each<[string, unknown[]]>([
  ['changes.create', ['create', scope, body]],
  ['changes.list', ['list', scope, query]],
  ['changes.get', ['get', scope, id]],
  ['changes.items', ['items', scope, id, query]],
  ['changes.describe', ['describe', scope, id, body]],
  ['changes.choose', ['choose', scope, id, body]],
  ['changes.look', ['look', scope, id]],
  ['changes.apply', ['start', scope, id, { act: 'apply', ...body }, requireFreshSignIn]],
  ['changes.pause', ['pause', scope, id]],
  ['changes.resume', ['resume', scope, id, requireFreshSignIn]],
  ['changes.cancel', ['cancel', scope, id]],
  ['changes.retry', ['start', scope, id, { act: 'retry', ...body }, requireFreshSignIn]],
  ['changes.undo', ['undo', scope, id]],
  ['changes.discard', ['discard', scope, id]],
])('%s calls its own function', async (operation, call) => {
  const context = { params, query, body, requireFreshSignIn };
  expect((await routed(changeRoutes, operation, context)).call).toEqual(call);
});
