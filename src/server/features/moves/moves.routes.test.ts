import { expect, test } from 'vitest';
import type { Paged } from '#kernel/binding.ts';
import { routed, scope } from '../../../../tests/support/routed.ts';
import { moveRoutes } from './moves.routes.ts';

const [id, lineId, lineIds] = ['a-move', 'a-line', ['a-line']];
const params = { id };
const [made, changed, ordered] = [{ text: 'a' }, { lineIds, leftOut: true }, { lineIds, price: 10 }];

test.each<[string, object, unknown[]]>([
  ['moves.create', { body: made }, ['create', scope, made]],
  ['moves.get', { params }, ['get', scope, id]],
  ['moves.zone', { params: { id, lineId } }, ['zone', scope, id, lineId]],
  ['moves.change', { params, body: changed }, ['change', scope, id, changed]],
  [
    ...(['moves.setCode', { params: { id, lineId }, body: { code: 'Code-1' } }] as const),
    ['setCode', scope, id, lineId, 'Code-1'],
  ],
  ['moves.look', { params, body: { lineIds } }, ['look', scope, id, lineIds]],
  [
    ...(['moves.order', { params, body: ordered, headers: { idempotencyKey: 'a-key' } }] as const),
    ['order', scope, id, ordered, 'a-key'],
  ],
  ['moves.drop', { params }, ['drop', scope, id]],
])('%s calls its own function', async (operation, context, call) => {
  expect((await routed(moveRoutes, operation, context)).call).toEqual(call);
});

test('lists have their page with the total; without one it is the first', async () => {
  const page = async (query: object) => {
    const { call, reply } = await routed(moveRoutes, 'moves.list', { query });
    return [call, (reply as Paged<unknown>).meta];
  };
  const second = { page: 2, pageSize: 50 };
  expect(await page(second)).toEqual([['list', scope, second], { total: 3, ...second }]);
  expect(await page({ pageSize: 50 })).toEqual([
    ['list', scope, { page: 1, pageSize: 50 }],
    { total: 3, page: 1, pageSize: 50 },
  ]);
});
