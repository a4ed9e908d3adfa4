import type { Readable } from 'node:stream';
import type { Customer } from '#contracts/operations/customers.ts';
import {
  csvColumns,
  customerCells,
  problemColumn,
  suggestionColumn,
} from '#contracts/values/customer-csv.ts';
import { byteOrderMark, csvLine, harmlessCell } from '#kernel/csv-cell.ts';
import { csvStream } from '#kernel/csv-file.ts';
import { slices } from '#kernel/give-way.ts';

/** Files for spreadsheets: a mark for those that guess the character set, no cell that would be run. */
export function csvOf(columns: readonly string[], rows: readonly (readonly string[])[]): Buffer {
  const lines = [columns, ...rows].map((row) => csvLine(row.map(harmlessCell)));
  return Buffer.from(`${byteOrderMark}${lines.join('')}`);
}

/** The whole list. */
export function customersCsv(pages: AsyncIterable<readonly Customer[]>): Readable {
  return csvStream(csvColumns, pages, (customer) => customerCells(customer).map(harmlessCell));
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

export interface RejectedRow {
  cells: readonly string[];
  faults: readonly { column: string; reason: string; suggestion: string | null }[];
}

/**
 * The rejected rows as they were, each with what is wrong with it and what is suggested; or with the suggestions in
 * place. Either can be uploaded again as it is. Written a slice at a time.
 */
export async function rejectsCsv(
  columns: readonly string[],
  rows: readonly RejectedRow[],
  withSuggestions: boolean,
): Promise<Buffer> {
  const giveWay = slices();
  const kept = [...columns.entries()].filter(
    ([, name]) => name !== problemColumn && name !== suggestionColumn,
  );
  const parts = [csvOf([...kept.map(([, name]) => name), problemColumn, suggestionColumn], [])];
  for (const { cells, faults } of rows) {
    await giveWay();
    const shown = withSuggestions ? suggestedCells(columns, { cells, faults }) : cells;
    const told = (text: (fault: RejectedRow['faults'][number]) => string | null) =>
      faults
        .flatMap((fault) =>
          text(fault) === null ? [] : [`${fault.column ? `${fault.column}: ` : ''}${text(fault)}`],
        )
        .join('; ');
    const line = [
      ...kept.map(([index]) => shown[index] ?? ''),
      told(({ reason }) => reason),
      told(({ suggestion }) => suggestion),
    ];
    parts.push(Buffer.from(csvLine(line.map(harmlessCell))));
  }
  return Buffer.concat(parts);
}

/** A row with its suggestions in place of the refused cells. */
export function suggestedCells(columns: readonly string[], { cells, faults }: RejectedRow): string[] {
  const changed = columns.map((_, index) => cells[index] ?? '');
  for (const { column, suggestion } of faults) {
    const index = columns.indexOf(column);
    if (suggestion !== null && index >= 0) changed[index] = suggestion;
  }
  return [...changed, ...cells.slice(columns.length)];
}
