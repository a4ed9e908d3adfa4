import type { Readable } from 'node:stream';
import type { Customer } from '#contracts/operations/customers.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import { customersCsv, sampleCsv } from './csv-writing.ts';
import { type CustomerPlace, type CustomersPage, customersAfter } from './customers.repo.ts';

export type ExportApi = ReturnType<typeof createExport>;

const pageSize = 1_000;

/** Customers to a file: all of them, in the form in which they can be imported again; and a sample of it. */
export function createExport({ db, clock }: { db: Db; clock: Clock }) {
  async function* pages(scope: Scope): AsyncGenerator<Customer[]> {
    let after: CustomerPlace | null = null;
    do {
      const from: CustomerPlace | null = after;
      const page: CustomersPage = await inReading(db, scope, (tx) =>
        customersAfter(tx, scope, from, pageSize),
      );
      yield page.customers;
      after = page.last;
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
