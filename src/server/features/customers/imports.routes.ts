import * as op from '#contracts/operations/customer-import.ts';
import { type Binding, bind, FileReply, paged } from '#kernel/binding.ts';
import type { ExportApi } from './export.service.ts';
import type { ImportsApi } from './imports.service.ts';

const csv = 'text/csv; charset=utf-8';

/** The operations of customer files. */
export function importRoutes(imports: ImportsApi, exporting: ExportApi): Binding[] {
  return [
    bind(op.customerCsvSample, async () => new FileReply(exporting.sample(), csv, 'customers-sample.csv')),
    bind(
      op.customerCsvExport,
      async (c) => new FileReply(await exporting.all(c.scope), csv, 'customers.csv'),
    ),
    bind(op.customerCsvUploadUrl, (c) => imports.grant(c.scope)),
    bind(op.finishCustomerCsv, (c) => imports.finish(c.scope, c.body)),
    bind(op.lookAtCustomerCsv, (c) => imports.look(c.scope, c.body)),
    bind(op.listImportMappings, (c) => imports.mappings(c.scope)),
    bind(op.keepImportMapping, (c) => imports.keepMapping(c.scope, c.body)),
    bind(op.dropImportMapping, async (c) => {
      await imports.dropMapping(c.scope, c.params.id);
      return {};
    }),
    bind(op.applyImportSuggestions, (c) =>
      imports.applySuggestions(c.scope, c.params.id, c.body.rows ?? null),
    ),
    bind(op.listCustomerImports, (c) => imports.list(c.scope)),
    bind(op.getCustomerImport, (c) => imports.get(c.scope, c.params.id)),
    bind(op.getCustomerImportRows, async (c) => {
      const { rows, total } = await imports.rows(c.scope, c.params.id, c.query);
      return paged(rows, total, c.query);
    }),
    bind(op.startCustomerImport, (c) => imports.start(c.scope, c.params.id, c.body)),
    bind(op.discardCustomerImport, async (c) => {
      await imports.discard(c.scope, c.params.id);
      return {};
    }),
    bind(
      op.customerImportRejects,
      async (c) =>
        new FileReply(
          await imports.rejects(c.scope, c.params.id, c.query.suggestions === 'apply'),
          csv,
          'customers-rejected.csv',
        ),
    ),
  ];
}
