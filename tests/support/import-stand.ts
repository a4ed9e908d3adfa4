import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowKind } from '../../src/contracts/operations/customer-import.ts';
import { createLocalStorage } from '../../src/server/adapters/local-storage/index.ts';
import { createExport, createImports } from '../../src/server/features/customers/index.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { createTestDatabase } from './database.ts';
import { listedCustomers } from './listed-customers.ts';
import { createPeople } from './people.ts';

export type ImportStand = Awaited<ReturnType<typeof openImportStand>>;

/** The import of customers with a database and a storage of its own, and what tests of it do all the time. */
export async function openImportStand() {
  const directory = mkdtempSync(join(tmpdir(), 'nameward-csv-'));
  const database = await createTestDatabase();
  const people = createPeople(database);
  const { clock } = people;
  const storage = createLocalStorage({
    directory,
    signingKey: 'a key for tests only',
    publicUrl: 'https://portal.test',
    clock,
  });
  const imports = createImports({ ...database, storage, clock, newId });

  /** Puts bytes where the grant says, as the browser's PUT ends up. */
  async function put(scope: Scope, contents: string | Buffer): Promise<string> {
    const { keyName } = await imports.grant(scope);
    await storage.write(keyName, Buffer.from(contents), 'text/csv');
    return keyName;
  }
  const listed = async (scope: Scope) =>
    (await listedCustomers(people.customers, scope, { pageSize: 50 })).rows;

  return {
    database,
    people,
    storage,
    imports,
    exporting: createExport({ db: database.db, clock }),
    put,
    preview: async (scope: Scope, contents: string | Buffer) =>
      imports.finish(scope, { key: await put(scope, contents), preview: true, fileName: 'a.csv' }),
    importAll: async (scope: Scope, contents: string | Buffer) =>
      imports.finish(scope, { key: await put(scope, contents), preview: false }),
    run: (scope: Scope, importId: string) =>
      imports.tasks['customers.import']({ organisationId: scope.organisationId, importId }),
    rowsOf: async (scope: Scope, id: string, kind?: RowKind) =>
      (await imports.rows(scope, id, { kind, pageSize: 50 })).rows,
    listed,
    namesOf: async (scope: Scope) => (await listed(scope)).map((row) => row.contacts.owner.organization),
    async close(): Promise<void> {
      await database.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
