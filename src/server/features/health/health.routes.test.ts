import { expect, test } from 'vitest';
import { Paged } from '#kernel/binding.ts';
import { routed, scope } from '../../../../tests/support/routed.ts';
import { healthRoutes } from './health.routes.ts';

const [params, query, id] = [{ domain: 'fig.com' }, { limit: 50 }, 'an-id'];
const muted = { until: '2027-01-01T00:00:00.000Z', reason: 'x' };

test.each<[string, object, unknown[]]>([
  ['health.get', { params }, ['get', scope, 'fig.com']],
  ['health.check', { params }, ['askFor', scope, 'fig.com']],
  ['health.board', { query }, ['board', scope, query]],
  ['health.ofCustomer', { params: { id } }, ['report', scope, id]],
  ['health.mute', { params: { id }, body: { muted } }, ['mute', scope, id, muted]],
  ['health.mute', { params: { id }, body: { muted: null } }, ['mute', scope, id, null]],
  ['health.watch', { body: { text: 'a' } }, ['watched.watch', scope, { text: 'a' }]],
  ['health.assignWatched', { body: { domains: [] } }, ['watched.assign', scope, { domains: [] }]],
  ['health.unwatch', { body: { domains: [] } }, ['watched.unwatch', scope, { domains: [] }]],
])('%s with %j calls its own function', async (operation, context, call) => {
  expect((await routed(healthRoutes, operation, context)).call).toEqual(call);
});

test('watched names have their page with the total', async () => {
  const wanted = { page: 2, pageSize: 50 };
  const { call, reply } = await routed(healthRoutes, 'health.watched', { query: wanted });
  expect(call).toEqual(['watched.list', scope, wanted]);
  expect(reply).toEqual(new Paged(['row'], { total: 3, page: 2, pageSize: 50 }));
});
