import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { Customer } from '#contracts/operations/customers.ts';
import { csvColumns, customerCells, problemColumn } from '#contracts/values/customer-csv.ts';
import { csvFormat, harmlessCell } from '#kernel/csv-cell.ts';

/** Files for spreadsheets: a mark for those that guess the character set, no cell that would be run. */
export function csvOf(columns: readonly string[], rows: readonly (readonly string[])[]): Buffer {
  const cells = [columns, ...rows].map((row) => row.map(harmlessCell));
  return Buffer.from(stringify(cells, { ...csvFormat, bom: true }));
}

/** The whole list, a page at a time: however long it is, one page is in memory. */
export function customersCsv(pages: AsyncIterable<readonly Customer[]>): Readable {
  async function* pieces() {
    yield stringify([csvColumns], { ...csvFormat, bom: true });
    for await (const page of pages) {
      yield stringify(
        page.map((customer) => customerCells(customer).map(harmlessCell)),
        csvFormat,
      );
    }
  }
  return Readable.from(pieces());
}

const samples: readonly Record<string, string>[] = [
  {
    contacts_owner_organization: 'Blue Fig Ltd',
    contacts_owner_firstName: 'Ann',
    contacts_owner_lastName: 'Smith',
    contacts_owner_address1: '1 Main Street',
    contacts_owner_city: 'New York',
    contacts_owner_state: 'NY',
    contacts_owner_postalCode: '10001',
    contacts_owner_country: 'US',
    contacts_owner_email: 'ann@bluefig.example',
    contacts_owner_phone: '+1 2125550100',
    billing_billDirectly: 'false',
    billing_allowChangeBilling: 'false',
  },
  {
    contacts_owner_organization: 'Maple Works Inc',
    contacts_owner_firstName: 'Émile',
    contacts_owner_lastName: 'Tremblay',
    contacts_owner_address1: '12 Rue Principale',
    contacts_owner_city: 'Montréal',
    contacts_owner_state: 'QC',
    contacts_owner_postalCode: 'H2X1Y4',
    contacts_owner_country: 'CA',
    contacts_owner_email: 'emile@mapleworks.example',
    contacts_owner_phone: '+1 5145550123',
    contacts_admin_firstName: 'Zoé',
    contacts_admin_lastName: 'Roy',
    contacts_admin_email: 'zoe@mapleworks.example',
    billing_billDirectly: 'false',
    billing_allowChangeBilling: 'false',
  },
];

/** P1 §7, `csv/sample`: every column but the id, a customer with one contact and one with an Admin of its own. */
export function sampleCsv(): Buffer {
  const columns = csvColumns.filter((name) => name !== 'customerId');
  return csvOf(
    columns,
    samples.map((sample) => columns.map((name) => sample[name] ?? '')),
  );
}

/** The rejected rows as they were, each with what is wrong with it: to be corrected and uploaded again. */
export function rejectsCsv(
  columns: readonly string[],
  rows: readonly { cells: readonly string[]; faults: readonly { column: string; reason: string }[] }[],
): Buffer {
  const kept = columns.filter((name) => name !== problemColumn);
  return csvOf(
    [...kept, problemColumn],
    rows.map(({ cells, faults }) => [
      ...kept.map((name) => cells[columns.indexOf(name)] ?? ''),
      faults.map(({ column, reason }) => (column ? `${column}: ${reason}` : reason)).join('; '),
    ]),
  );
}
