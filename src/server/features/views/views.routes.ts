import * as op from '#contracts/operations/views.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { ViewsApi } from './views.service.ts';

export function viewRoutes(views: ViewsApi): Binding[] {
  return [
    bind(op.listViews, (c) => views.list(c.scope, c.query.screen)),
    bind(op.saveView, (c) => views.save(c.scope, c.body)),
    bind(op.renameView, (c) => views.rename(c.scope, c.params.id, c.body)),
    bind(op.deleteView, async (c) => {
      await views.remove(c.scope, c.params.id);
      return {};
    }),
  ];
}
