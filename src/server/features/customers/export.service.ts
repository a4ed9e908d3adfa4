import type { Readable } from 'node:stream';
import type { Customer } from '#contracts/operations/customers.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { customersCsv, sampleCsv } from './csv-writing.ts';
import { customersAfter } from './customers.repo.ts';

export type ExportApi = ReturnType<typeof createExport>;

const pageSize = 1_000;

/** Customers to a file: all of them, in the form in which they can be imported again; and a sample of it. */
export function createExport({ db, clock }: { db: Db; clock: Clock }) {
  async function* pages(scope: Scope): AsyncGenerator<Customer[]> {
    let after: string | null = null;
    do {
      const last: string | null = after;
      const page: Customer[] = await inReading(db, scope, (tx) => customersAfter(tx, scope, last, pageSize));
      yield page;
      after = page.at(-1)?.customerId ?? null;
    } while (after !== null);
  }

  async function all(scope: Scope): Promise<Readable> {
    await inTransaction(db, scope, (tx) =>
      audit(tx, scope, {
        at: clock.now(),
        action: 'customers.csvExport',
        objectKind: 'organisation',
        object: scope.organisationId,
        customerId: null,
      }),
    );
    return customersCsv(pages(scope));
  }

  return { all, sample: sampleCsv };
}
