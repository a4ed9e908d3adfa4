import * as op from '#contracts/operations/privacy.ts';
import { type Binding, bind, FileReply, paged } from '#kernel/binding.ts';
import type { PrivacyApi } from './privacy.service.ts';

type Format = 'json' | 'csv';
const types: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

export function privacyRoutes(privacy: PrivacyApi): Binding[] {
  const file = async (format: Format, content: Promise<Buffer>) =>
    new FileReply(await content, types[format], `personal-data.${format}`);
  return [
    bind(op.exportCustomerData, ({ scope, params, query }) =>
      file(query.format, privacy.exportCustomer(scope, params.id, query.format)),
    ),
    bind(op.exportUserData, ({ scope, params, query }) =>
      file(query.format, privacy.exportUser(scope, params.id, query.format)),
    ),
    bind(op.exportOwnData, ({ scope, query }) =>
      file(query.format, privacy.exportUser(scope, scope.userId, query.format)),
    ),
    bind(op.listFormerCustomers, async ({ scope, query }) => {
      const page = { ...query, page: query.page ?? 1 };
      const { rows, total } = await privacy.formerCustomers(scope, page);
      return paged(rows, total, page);
    }),
    bind(op.listFormerUsers, async ({ scope, query }) => {
      const page = { ...query, page: query.page ?? 1 };
      const { rows, total } = await privacy.formerUsers(scope, page);
      return paged(rows, total, page);
    }),
    bind(op.planErasure, (c) => privacy.plan(c.scope, c.params.id)),
    bind(op.eraseCustomer, (c) => privacy.eraseCustomer(c.scope, c.params.id)),
    bind(op.eraseUser, async (c) => {
      await privacy.eraseUser(c.scope, c.params.id);
      return {};
    }),
    bind(op.readHold, (c) => privacy.readHold(c.scope, c.params.domain)),
  ];
}
