import * as op from '#contracts/operations/acme.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { AccessApi } from './access.service.ts';

export function acmeRoutes(accesses: AccessApi): Binding[] {
  return [
    bind(op.listAccesses, async ({ scope, query }) => {
      const found = await accesses.list(scope, query);
      return paged(found.rows, found.total, query);
    }),
    bind(op.getAccess, (c) => accesses.get(c.scope, c.params.id)),
    bind(op.makeAccess, (c) => accesses.make(c.scope, c.body)),
    bind(op.changeAccess, (c) => accesses.change(c.scope, c.params.id, c.body, c.requireFreshSignIn)),
    bind(op.revokeAccess, async (c) => {
      await accesses.revoke(c.scope, c.params.id);
      return {};
    }),
    bind(op.accessLog, (c) => accesses.log(c.scope, c.params.id)),
    bind(op.getAllowance, (c) => accesses.allowance(c.scope, c.params.customerId)),
    bind(op.setAllowance, (c) => accesses.setAllowance(c.scope, c.params.customerId, c.body)),
  ];
}
