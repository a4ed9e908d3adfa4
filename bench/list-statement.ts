import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { listCustomers } from '../src/server/features/customers/customer-list.ts';
import type { Database } from '../src/server/kernel/db/schema.ts';
import type { Scope } from '../src/server/kernel/scope.ts';

export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/**
 * The statement by which the portal lists customers, as its own code builds it: the floor runs the very same one, also
 * after somebody has changed it.
 */
export async function customerListStatement(organisationId: string, pageSize: number): Promise<Statement> {
  const statements: CompiledQuery[] = [];
  const recorder = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    log: (event) => void statements.push(event.query),
  });
  const scope: Scope = {
    organisationId,
    userId: organisationId,
    email: 'bench@example.com',
    role: 'MSP_ADMIN',
    customerId: null,
    ip: null,
    requestId: 'bench',
  };
  await recorder
    .transaction()
    .execute((tx) => listCustomers(tx, scope, { page: 1, pageSize, sort: 'organization' }));
  const [statement, ...more] = statements;
  if (!statement || more.length > 0) throw new Error(`the list is ${statements.length} statements, not one`);
  return { sql: statement.sql, parameters: statement.parameters };
}
