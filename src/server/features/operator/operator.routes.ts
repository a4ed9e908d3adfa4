import * as op from '#contracts/operations/operator.ts';
import * as people from '#contracts/operations/operators.ts';
import { type Binding, bind, paged } from '#kernel/binding.ts';
import type { KeysApi } from './keys.service.ts';
import type { OperatorApi } from './operator.service.ts';

export function operatorRoutes(operator: OperatorApi, keys: KeysApi): Binding[] {
  const { corrections, operators } = operator;
  return [
    bind(op.getFigures, () => operator.figures()),
    bind(op.getQueue, () => operator.queue.list()),
    bind(op.retryEntry, (c) => operator.queue.retry(c.operator, c.params.kind, c.params.id)),
    bind(op.endDomain, (c) => operator.missing.end(c.operator, c.params.id, c.body.reason)),
    bind(op.getOrganization, (c) => operator.organisation(c.operator, c.params.id)),
    bind(op.listOrganizationCustomers, async (c) => {
      const page = { ...c.query, page: c.query.page ?? 1 };
      const { rows, total } = await operator.customers(c.params.id, page);
      return paged(rows, total, page);
    }),
    bind(op.giveDomain, (c) => operator.giving.give(c.operator, c.body)),
    bind(op.getReconciliation, () => operator.reconciliation()),
    bind(op.startReconciliation, async () => {
      await operator.startReconciliation();
      return {};
    }),
    bind(op.getRegistrarAccount, () => operator.registrarAccount()),
    bind(op.getPrices, () => operator.prices.read()),
    bind(op.setPrices, ({ body }) => operator.prices.set(body)),
    bind(op.correctBalance, (c) => corrections.correct(c.operator, c.body)),
    bind(people.listCorrections, () => corrections.list()),
    bind(people.confirmCorrection, (c) => corrections.confirm(c.operator, c.params.id)),
    bind(people.declineCorrection, (c) => corrections.decline(c.operator, c.params.id)),
    bind(people.withdrawCorrection, (c) => corrections.withdraw(c.operator, c.params.id)),
    bind(people.listOperators, () => operators.list()),
    bind(people.makeOperator, (c) => operators.make(c.body.name)),
    bind(people.endOperator, (c) => operators.end(c.params.id)),
    bind(people.whoAmI, async (c) => ({ id: c.operator.id ?? '', name: c.operator.name })),
    bind(people.listOperatorActs, () => operators.acts()),
    bind(op.getKeyUse, () => keys.use()),
    bind(op.reseal, () => keys.reseal()),
  ];
}
