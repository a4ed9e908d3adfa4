import * as op from '#contracts/operations/moves.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { MovesApi } from './moves.service.ts';

export function moveRoutes(moves: MovesApi): Binding[] {
  return [
    bind(op.createMove, (c) => moves.create(c.scope, c.body)),
    bind(op.listMoves, async ({ scope, query }) => {
      const page = { ...query, page: query.page ?? 1 };
      const { rows, total } = await moves.list(scope, page);
      return paged(rows, total, page);
    }),
    bind(op.getMove, (c) => moves.get(c.scope, c.params.id)),
    bind(op.getMoveZone, (c) => moves.zone(c.scope, c.params.id, c.params.lineId)),
    bind(op.changeMove, (c) => moves.change(c.scope, c.params.id, c.body)),
    bind(op.setMoveCode, (c) => moves.setCode(c.scope, c.params.id, c.params.lineId, c.body.code)),
    bind(op.lookAtMove, (c) => moves.look(c.scope, c.params.id, c.body.lineIds)),
    bind(op.orderMove, (c) => moves.order(c.scope, c.params.id, c.body, c.headers.idempotencyKey)),
    bind(op.dropMove, async (c) => {
      await moves.drop(c.scope, c.params.id);
      return {};
    }),
  ];
}
