import * as op from '#contracts/operations/health.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { HealthApi } from './health.service.ts';

export function healthRoutes(health: HealthApi): Binding[] {
  return [
    bind(op.getDomainHealth, (c) => health.get(c.scope, c.params.domain)),
    bind(op.checkDomainHealth, async (c) => {
      await health.askFor(c.scope, c.params.domain);
      return {};
    }),
    bind(op.healthBoard, (c) => health.board(c.scope, c.query)),
    bind(op.customerHealth, (c) => health.report(c.scope, c.params.id)),
    bind(op.muteFinding, (c) => health.mute(c.scope, c.params.id, c.body.muted)),
    bind(op.listWatched, async ({ scope, query }) => {
      const found = await health.watched.list(scope, query);
      return paged(found.rows, found.total, query);
    }),
    bind(op.watchNames, (c) => health.watched.watch(c.scope, c.body)),
    bind(op.assignWatched, (c) => health.watched.assign(c.scope, c.body)),
    bind(op.unwatchNames, (c) => health.watched.unwatch(c.scope, c.body)),
  ];
}
