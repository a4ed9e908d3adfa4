/**
 * A text that a spreadsheet takes for what it is: cells that begin like a formula get a quote in front
 * (design: CSV injection). Numbers are passed as numbers and stay as they are.
 */
export function harmlessCell(value: string): string {
  // A text that looks as if it had been given its quote gets another one: `plainCell` takes one off.
  return /^'*[=+\-@＝＋－＠\t\r\n\0]/.test(value) ? `'${value}` : value;
}

/** What `harmlessCell` was given. */
export function plainCell(cell: string): string {
  return /^'+[=+\-@＝＋－＠\t\r\n\0]/.test(cell) ? cell.slice(1) : cell;
}

/**
 * How every such file is written: RFC 4180. The writer itself quotes only what has a whole CR LF in it; a lone CR or LF
 * would begin a row for a spreadsheet, and with it a cell of whatever comes next.
 */
export const csvFormat = { record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const;
