import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** The store's SQLite with statements kept prepared. Row types are stated by the caller, next to the SQL. */
export interface Sql {
  get<Row>(text: string, ...values: SQLInputValue[]): Row | undefined;
  all<Row>(text: string, ...values: SQLInputValue[]): Row[];
  run(text: string, ...values: SQLInputValue[]): void;
  /** All or nothing, also under kill -9. Inside a transaction it joins that one. */
  transaction<T>(work: () => T): T;
}

export function openSql(db: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>();
  const statement = (text: string) => {
    let found = prepared.get(text);
    if (!found) {
      found = db.prepare(text);
      prepared.set(text, found);
    }
    return found;
  };
  return {
    get: <Row>(text: string, ...values: SQLInputValue[]) =>
      statement(text).get(...values) as unknown as Row | undefined,
    all: <Row>(text: string, ...values: SQLInputValue[]) =>
      statement(text).all(...values) as unknown as Row[],
    run: (text, ...values) => {
      statement(text).run(...values);
    },
    transaction(work) {
      if (db.isTransaction) return work();
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        db.exec('COMMIT');
        return result;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
  };
}
