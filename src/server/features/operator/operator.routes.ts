import * as op from '#contracts/operations/operator.ts';
import { type Binding, bind } from '#kernel/binding.ts';
import type { KeysApi } from './keys.service.ts';
import type { OperatorApi } from './operator.service.ts';

export function operatorRoutes(operator: OperatorApi, keys: KeysApi): Binding[] {
  return [
    bind(op.getFigures, () => operator.figures()),
    bind(op.getQueue, () => operator.queue.list()),
    bind(op.retryEntry, ({ params }) => operator.queue.retry(params.kind, params.id)),
    bind(op.getReconciliation, () => operator.reconciliation()),
    bind(op.startReconciliation, async () => {
      await operator.startReconciliation();
      return {};
    }),
    bind(op.getRegistrarAccount, () => operator.registrarAccount()),
    bind(op.getPrices, () => operator.prices.read()),
    bind(op.setPrices, ({ body }) => operator.prices.set(body)),
    bind(op.correctBalance, ({ body }) => operator.corrections.correct(body)),
    bind(op.getKeyUse, () => keys.use()),
    bind(op.reseal, () => keys.reseal()),
  ];
}
