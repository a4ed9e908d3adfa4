import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import {
  type CustomerListQuery,
  listCustomers,
} from '../src/server/features/customers/customer-list.repo.ts';
import { listDomains } from '../src/server/features/domains/domains.repo.ts';
import type { Tx } from '../src/server/kernel/db/database.ts';
import type { Database } from '../src/server/kernel/db/schema.ts';
import type { Scope } from '../src/server/kernel/scope.ts';

export interface Statement {
  organisationId: string;
  sql: string;
  parameters: readonly unknown[];
}

/**
 * The statement by which the portal lists customers, as its own code builds it: the floor runs the very same one, also
 * after somebody has changed it.
 */
export function customerListStatement(organisationId: string, query: CustomerListQuery): Promise<Statement> {
  return statementOf(organisationId, (tx, scope) => listCustomers(tx, scope, query));
}

/** The same for the list of domains. */
export function domainListStatement(
  organisationId: string,
  query: { page: number; pageSize: number; sort: string },
): Promise<Statement> {
  return statementOf(organisationId, (tx, scope) => listDomains(tx, scope, query));
}

/** The one statement of a list, as its repository builds it. */
export async function statementOf(
  organisationId: string,
  list: (tx: Tx, scope: Scope) => Promise<unknown>,
): Promise<Statement> {
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
    reach: { kind: 'organisation' },
    rights: { kind: 'role' },
    ip: null,
    requestId: 'bench',
  };
  // The recorder finds nothing; behind an empty page the total is asked for alone, and that finds nothing either.
  await recorder
    .transaction()
    .execute((tx) => list(tx, scope))
    .catch((error: unknown) => {
      if (statements.length !== 2) throw error;
      statements.pop();
    });
  const [statement, ...more] = statements;
  if (!statement || more.length > 0) throw new Error(`the list is ${statements.length} statements, not one`);
  return { organisationId, sql: statement.sql, parameters: statement.parameters };
}
