/**
 * A text that a spreadsheet takes for what it is: cells that begin like a formula get a quote in front
 * (design: CSV injection). Numbers are passed as numbers and stay as they are.
 */
export function harmlessCell(value: string): string {
  return /^[=+\-@\t\r\0]/.test(value) ? `'${value}` : value;
}
