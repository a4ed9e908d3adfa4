import type { Readable } from 'node:stream';
import { AppError } from '#contracts/errors.ts';
import type { FileLook, KeptMapping } from '#contracts/operations/customer-import.ts';
import type { Charset } from '#contracts/values/charsets.ts';
import {
  assumedColumns,
  type ColumnMapping,
  mapped,
  missingColumns,
  proposedMapping,
} from '#contracts/values/column-mapping.ts';
import { csvLimits, requiredColumns } from '#contracts/values/customer-csv.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import { slices } from '#kernel/give-way.ts';
import { requireRoom } from '#kernel/room.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Storage } from '../../ports/storage.ts';
import { type CsvFile, knownColumns, readCsv, requireColumns } from './csv-reading.ts';
import { refusal, tooLarge } from './csv-text.ts';
import * as repo from './mappings.repo.ts';

export interface ImportLooksDeps {
  db: Db;
  clock: Clock;
  storage: Storage;
  newId: (nowMs: number) => string;
}

const shownRows = 5;
const shownChars = 200;

/** What has to be known of an uploaded file before it can be checked: its character set, and what its columns are. */
export function createImportLooks({ db, clock, storage, newId }: ImportLooksDeps) {
  async function open(key: string, charset: Charset | null) {
    const found = await storage.read(key);
    if (!found) throw new AppError('not_found', { message: 'The file has not been uploaded.' });
    try {
      // A bucket's signed address cannot limit the size by itself.
      if (found.bytes > csvLimits.bytes) throw tooLarge();
      return await readCsv(found.stream, charset);
    } finally {
      (found.stream as Readable).destroy();
    }
  }

  /** What the web app asks about, before it sends the answers with the finish. */
  async function look(scope: Scope, key: string, charset: Charset | null): Promise<FileLook> {
    const file = await open(key, charset);
    const nothing = { specified: false, columns: [], rows: [], rowCount: 0, source: null };
    if ('choices' in file) {
      return { ...nothing, charsets: file.choices, mapping: { columns: {}, values: {} } };
    }
    const columns = knownColumns(file.columns);
    const own = await mappings(scope);
    const { name, mapping } = proposedMapping(file.columns, own);
    return {
      charsets: [],
      specified: requiredColumns.every((required) => columns.includes(required)),
      columns: file.columns,
      rows: file.records
        .slice(0, shownRows)
        .map(({ cells }) => cells.map((cell) => cell.slice(0, shownChars))),
      rowCount: file.records.length,
      source: name,
      mapping,
    };
  }

  /** The file in our columns. Without a mapping they must be the specified ones (P1 §5). */
  async function readFile(
    key: string,
    answers: { charset?: Charset | undefined; mapping?: ColumnMapping | undefined },
  ): Promise<CsvFile & { assumed: string[] }> {
    const file = await open(key, answers.charset ?? null);
    if ('choices' in file) throw needsCharset(file.choices.map(({ charset }) => charset));
    const { mapping } = answers;
    if (!mapping) {
      const columns = knownColumns(file.columns);
      requireColumns(columns);
      return { columns, records: file.records, assumed: [] };
    }
    refuseIncomplete(file.columns, mapping);
    const giveWay = slices();
    const { columns, row } = mapped(file.columns, mapping);
    const records: CsvFile['records'] = [];
    for (const { number, cells } of file.records) {
      await giveWay();
      records.push({ number, cells: row(cells) });
    }
    return { columns, records, assumed: assumedColumns(mapping) };
  }

  function mappings(scope: Scope): Promise<KeptMapping[]> {
    return inReading(db, scope, (tx) => repo.listMappings(tx, scope));
  }

  function keep(scope: Scope, kept: { name: string; mapping: ColumnMapping }): Promise<KeptMapping> {
    const now = clock.now();
    return inTransaction(db, scope, async (tx) => {
      // One of the same name is replaced.
      await requireRoom(tx, 'columnMappings', scope.organisationId, () =>
        repo.countMappings(tx, scope, kept.name),
      );
      const id = await repo.keepMapping(tx, scope, { ...kept, id: newId(now.getTime()), now });
      const said = { at: now, objectKind: 'importMapping', object: kept.name, customerId: null };
      await audit(tx, scope, { ...said, action: 'customers.keepImportMapping', after: kept.mapping });
      return { ...kept, id };
    });
  }

  async function drop(scope: Scope, id: string): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const gone = await repo.dropMapping(tx, scope, id);
      if (gone === null) throw new AppError('not_found');
      const said = { at: clock.now(), objectKind: 'importMapping', object: gone.name, customerId: null };
      await audit(tx, scope, { ...said, action: 'customers.dropImportMapping', before: gone.mapping });
    });
  }

  return { look, readFile, mappings, keep, drop };
}

function needsCharset(possible: readonly Charset[]): AppError {
  return new AppError('unprocessable', {
    message: 'This file is not in UTF-8. Please choose its character set.',
    error: `not UTF-8; give "charset", one of: ${possible.join(', ')}`,
    details: [{ path: 'charset', message: 'Please choose the character set of the file' }],
  });
}

function refuseIncomplete(header: readonly string[], mapping: ColumnMapping): void {
  const absent = Object.values(mapping.columns).filter(
    (name) => name !== undefined && !header.includes(name),
  );
  if (absent.length > 0)
    throw refusal('The file does not have these columns.', `not in the file: ${absent.join(', ')}`);
  const missing = missingColumns(mapping);
  if (missing.length === 0) return;
  throw refusal('Required columns are missing from the mapping.', `missing: ${missing.join(', ')}`);
}
