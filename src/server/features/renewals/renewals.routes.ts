import { listDueRenewals } from '#contracts/operations/renewals.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { RenewalsApi } from './renewals.service.ts';

export function renewalRoutes(renewals: RenewalsApi): Binding[] {
  return [bind(listDueRenewals, ({ scope, query }) => renewals.due(scope, query.days))];
}
