import * as earned from '#contracts/operations/earnings.ts';
import * as op from '#contracts/operations/statement.ts';
import { type Binding, bind, FileReply, paged } from '#kernel/binding.ts';
import type { StatementApi } from './statement.service.ts';

export function statementRoutes(statement: StatementApi): Binding[] {
  const { earnings } = statement;
  return [
    bind(earned.getEarnings, (c) => earnings.list(c.scope, c.query)),
    bind(
      earned.getEarningsCsv,
      async (c) =>
        new FileReply(await earnings.csv(c.scope, c.query), 'text/csv; charset=utf-8', 'earnings.csv'),
    ),
    bind(earned.getBillingAddress, (c) => earnings.address(c.scope)),
    bind(earned.setBillingAddress, async (c) => {
      await earnings.setAddress(c.scope, c.body);
      return {};
    }),
    bind(op.getStatement, async (c) => {
      const { rows, total } = await statement.list(c.scope, c.query);
      return paged(rows, total, c.query);
    }),
    bind(op.getStatementMonths, (c) => statement.months(c.scope)),
    bind(
      op.getStatementCsv,
      async (c) => new FileReply(statement.csv(c.scope, c.query), 'text/csv; charset=utf-8', 'statement.csv'),
    ),
    bind(
      op.getStatementPdf,
      async (c) =>
        new FileReply(
          await statement.monthPdf(c.scope, c.params.month),
          'application/pdf',
          `statement-${c.params.month}.pdf`,
        ),
    ),
    bind(
      op.getReceipt,
      async (c) =>
        new FileReply(
          await statement.receipt(c.scope, c.params.id),
          'application/pdf',
          `receipt-${c.params.id}.pdf`,
        ),
    ),
  ];
}
