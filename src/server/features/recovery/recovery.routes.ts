import * as op from '#contracts/operations/recovery.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { RecoveryApi } from './recovery.service.ts';

export function recoveryRoutes(recovery: RecoveryApi): Binding[] {
  return [
    bind(op.getRecovery, () => recovery.read()),
    bind(op.beginRecovery, async ({ body }) => {
      await recovery.begin(new Date(body.since));
      return {};
    }),
    bind(op.settleRecoveryFinding, async ({ params }) => {
      await recovery.settle(params.id);
      return {};
    }),
  ];
}
