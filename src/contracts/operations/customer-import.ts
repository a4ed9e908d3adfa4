import { z } from 'zod';
import { defineOperation, idParams, noData, pageQuery } from '../operation.ts';
import { charsetNames } from '../values/charsets.ts';
import { columnMapping } from '../values/column-mapping.ts';
import { oneLine } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';

/** Customers from a file (P1 §4, §5, §7; P2 §5, §7): upload, look at what it would do, write. */

export const rowKinds = ['new', 'changed', 'same', 'faulty'] as const;
export type RowKind = (typeof rowKinds)[number];

export const importMode = z.enum(['all', 'good']);

export const customerImport = z.object({
  importId: z.uuid(),
  fileName: z.string(),
  /** `ready`: checked, nothing written yet. */
  state: z.enum(['ready', 'importing', 'done', 'discarded']),
  mode: importMode.nullable(),
  /** Why it is to be looked at again although it was started. */
  notice: z.string(),
  /** Counts how often its rows were judged. A start that carries an earlier count is refused: the rows may be others by now. */
  judged: z.int(),
  rows: z.object({ new: z.int(), changed: z.int(), same: z.int(), faulty: z.int() }),
  /** Faulty rows that have a suggestion. */
  suggested: z.int(),
  /** Columns of the file that are not read. */
  unread: z.array(z.string()),
  /** Rows written so far, of those that are to be written. */
  progress: z.object({ done: z.int(), total: z.int() }),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
});
export type CustomerImport = z.output<typeof customerImport>;

export const importRow = z.object({
  /** As a spreadsheet counts: the header is row 1. */
  row: z.int(),
  kind: z.enum(rowKinds),
  organization: z.string(),
  customerId: z.uuid().nullable(),
  faults: z.array(
    z.object({
      column: z.string(),
      value: z.string(),
      reason: z.string(),
      suggestion: z.string().nullable(),
    }),
  ),
  changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
});
export type ImportRow = z.output<typeof importRow>;

const charset = z.enum(charsetNames);

/** How an uploaded file would be read, and what has to be asked before it can be. */
export const fileLook = z.object({
  /** Ways to read a file that is neither UTF-8 nor UTF-16, with some of its cells; empty where nothing is to be asked. */
  charsets: z.array(z.object({ charset, label: z.string(), cells: z.array(z.string()) })),
  /** Whether its columns are the specified ones. */
  specified: z.boolean(),
  columns: z.array(z.string()),
  /** The first rows, as they are. */
  rows: z.array(z.array(z.string())),
  rowCount: z.int(),
  /** The program, or the kept mapping, that its columns are known by. */
  source: z.string().nullable(),
  mapping: columnMapping,
});
export type FileLook = z.output<typeof fileLook>;

export const keptMapping = z.object({ id: z.uuid(), name: z.string(), mapping: columnMapping });
export type KeptMapping = z.output<typeof keptMapping>;

export const customerCsvSample = defineOperation({
  id: 'customers.csvSample',
  method: 'GET',
  path: '/customer/csv/sample',
  summary: 'Download a sample customer file',
  access: 'customers.create',
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['text/csv'],
});

export const customerCsvExport = defineOperation({
  id: 'customers.csvExport',
  method: 'GET',
  path: '/customer/csv/export',
  reads: 'replica',
  summary: 'Download all customers as a file that can be imported again',
  access: 'customers.export',
  audit: 'customers.csvExport',
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['text/csv'],
});

export const customerCsvUploadUrl = defineOperation({
  id: 'customers.csvUploadUrl',
  method: 'GET',
  path: '/customer/upload-csv-url',
  summary: 'Get a signed address to PUT a customer file to, as text/csv',
  access: 'customers.create',
  reply: z.object({ signedUrl: z.string(), keyName: z.string() }),
  rate: 'upload',
});

export const finishCustomerCsv = defineOperation({
  id: 'customers.finishCsv',
  method: 'POST',
  path: '/customer/upload-csv-finish',
  summary:
    'Check an uploaded customer file and import all of its rows or none. With `preview`, only check it',
  access: 'customers.create',
  audit: { none: 'It only reads the file. Each row that an import writes is logged.' },
  body: z.object({
    key: oneLine(300),
    preview: z.boolean().default(false),
    fileName: oneLine(255).optional(),
    /** For a file that is neither UTF-8 nor UTF-16; it is asked for, never guessed. */
    charset: charset.optional(),
    /** For a file whose columns are not the specified ones. */
    mapping: columnMapping.optional(),
  }),
  reply: customerImport,
  errors: ['not_found', 'unprocessable', 'conflict'],
});

export const lookAtCustomerCsv = defineOperation({
  id: 'customers.lookAtCsv',
  method: 'POST',
  path: '/customer/import/look',
  summary: 'Preview how an uploaded file would be read: its character set, its columns and its first rows',
  access: 'customers.create',
  audit: { none: 'It reads the file.' },
  changesNothing: true,
  body: z.object({ key: oneLine(300), charset: charset.optional() }),
  reply: fileLook,
  errors: ['not_found', 'unprocessable'],
});

export const listImportMappings = defineOperation({
  id: 'customers.importMappings',
  method: 'GET',
  path: '/customer/import/mapping',
  summary: 'List the saved column mappings',
  access: 'customers.create',
  reply: z.array(keptMapping),
});

export const keepImportMapping = defineOperation({
  id: 'customers.keepImportMapping',
  method: 'POST',
  path: '/customer/import/mapping',
  summary: 'Save a column mapping under a name. A mapping with the same name is replaced',
  access: 'customers.create',
  audit: 'customers.keepImportMapping',
  body: z.object({
    name: oneLine(mostCharacters.mappingName).min(1, 'This field is required'),
    mapping: columnMapping,
  }),
  reply: keptMapping,
  errors: ['unprocessable'],
});

export const dropImportMapping = defineOperation({
  id: 'customers.dropImportMapping',
  method: 'DELETE',
  path: '/customer/import/mapping/:id',
  summary: 'Remove a saved column mapping',
  access: 'customers.create',
  audit: 'customers.dropImportMapping',
  params: idParams,
  reply: noData,
  errors: ['not_found'],
});

export const listCustomerImports = defineOperation({
  id: 'customers.imports',
  method: 'GET',
  path: '/customer/import',
  summary: 'List the latest customer imports',
  access: 'customers.create',
  reply: z.array(customerImport),
});

export const getCustomerImport = defineOperation({
  id: 'customers.getImport',
  method: 'GET',
  path: '/customer/import/:id',
  summary: 'Get one customer import with its progress',
  access: 'customers.create',
  params: idParams,
  reply: customerImport,
  errors: ['not_found'],
});

export const getCustomerImportRows = defineOperation({
  id: 'customers.importRows',
  method: 'GET',
  path: '/customer/import/:id/rows',
  reads: { primary: 'its people decide on rows while it works' },
  summary: 'List the rows of an import, with their faults or the changes that they would make',
  access: 'customers.create',
  params: idParams,
  query: pageQuery(['row']).extend({
    kind: z.enum(rowKinds).optional(),
    /** Only rows that have a suggestion. */
    suggested: z.literal('true').optional(),
  }),
  reply: z.array(importRow),
  paged: true,
  errors: ['not_found'],
});

export const applyImportSuggestions = defineOperation({
  id: 'customers.applySuggestions',
  method: 'POST',
  path: '/customer/import/:id/suggestions',
  summary:
    'Replace refused cells with the suggestions, in all rows or in the given ones, and check the file again',
  access: 'customers.create',
  audit: { none: 'It changes no customer yet. Each row that an import writes is logged.' },
  params: idParams,
  body: z.object({ rows: z.array(z.int().min(1).max(1_000_000)).min(1).max(1_000).optional() }),
  reply: customerImport,
  errors: ['not_found', 'conflict'],
});

export const startCustomerImport = defineOperation({
  id: 'customers.startImport',
  method: 'POST',
  path: '/customer/import/:id/start',
  summary: 'Import a checked file: all rows or none, or the good rows only',
  access: 'customers.create',
  audit: { none: 'Each row that the import writes is logged by its job, in the name of this person.' },
  params: idParams,
  body: z.object({
    mode: importMode.default('all'),
    /** Of the import as the person was shown it. */
    judged: z.int().min(1).optional(),
  }),
  reply: customerImport,
  errors: ['not_found', 'unprocessable', 'conflict'],
});

export const discardCustomerImport = defineOperation({
  id: 'customers.discardImport',
  method: 'DELETE',
  path: '/customer/import/:id',
  summary: 'Discard a checked file without writing anything',
  access: 'customers.create',
  audit: { none: 'It changed no customer.' },
  params: idParams,
  reply: noData,
  errors: ['not_found', 'conflict'],
});

export const customerImportRejects = defineOperation({
  id: 'customers.importRejects',
  method: 'GET',
  path: '/customer/import/:id/rejects',
  reads: { primary: 'its people decide on rows while it works' },
  summary:
    'Download the rejected rows of an import with their faults. On request, with the suggestions applied',
  access: 'customers.create',
  params: idParams,
  query: z.object({ suggestions: z.literal('apply').optional() }),
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['text/csv'],
  errors: ['not_found'],
});
