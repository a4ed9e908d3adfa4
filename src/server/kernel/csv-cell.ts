/**
 * A text that a spreadsheet takes for what it is: cells that begin like a formula get a quote in front
 * (design: CSV injection). Numbers are passed as numbers and stay as they are.
 */
export function harmlessCell(value: string): string {
  // A text that looks as if it had been given its quote gets another one: `plainCell` takes one off.
  return /^'*[=+\-@\t\r\0]/.test(value) ? `'${value}` : value;
}

/** What `harmlessCell` was given. */
export function plainCell(cell: string): string {
  return /^'+[=+\-@\t\r\0]/.test(cell) ? cell.slice(1) : cell;
}
