import * as op from '#contracts/operations/overview.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { OverviewApi } from './overview.service.ts';

export function overviewRoutes(overview: OverviewApi): Binding[] {
  return [bind(op.getOverview, (c) => overview.get(c.scope))];
}
