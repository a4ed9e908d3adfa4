/** Customer files as a person would write them: the required columns, and one good customer to vary. */
const goodOwner = {
  firstName: 'Ann',
  lastName: 'Smith',
  address1: '1 Main Street',
  country: 'US',
  email: 'ann@bluefig.example',
  city: 'New York',
  state: 'NY',
  organization: 'Blue Fig Ltd',
  phone: '+1 2125550100',
  postalCode: '10001',
};

export type CsvRow = Record<string, string>;

export const goodRow: CsvRow = {
  ...Object.fromEntries(Object.entries(goodOwner).map(([name, value]) => [`contacts_owner_${name}`, value])),
  billing_billDirectly: 'false',
  billing_allowChangeBilling: 'false',
};

export const csvHeader: readonly string[] = Object.keys(goodRow);

/** The good customer under another name; `more` by column. */
export function namedRow(organization: string, more: CsvRow = {}): CsvRow {
  return { ...goodRow, contacts_owner_organization: organization, ...more };
}

export function csvFile(
  rows: readonly CsvRow[],
  columns: readonly string[] = csvHeader,
  separator = ',',
): string {
  const line = (cells: readonly string[]) =>
    cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator);
  return [line(columns), ...rows.map((row) => line(columns.map((name) => row[name] ?? '')))].join('\r\n');
}
