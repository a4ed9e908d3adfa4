/**
 * A text that a spreadsheet takes for what it is: cells that begin like a formula get a quote in front (design: CSV
 * injection). Where semicolons, tabs or bars set cells apart (as in most of Europe), one text becomes several cells:
 * each of them gets its own quote. Numbers are passed as numbers and stay as they are.
 */
export function harmlessCell(value: string): string {
  // Nearly every cell is harmless, and a file has half a million cells.
  if (!mayHarm.test(value)) return value;
  // A text that looks as if it had been given its quote gets another one: `plainCell` takes one off.
  return value.replace(atStart, "'$1$2").replace(afterSeparator, "$1'$2$3");
}

/** What `harmlessCell` was given. */
export function plainCell(cell: string): string {
  return cell.replace(quotedAtStart, '$1$2').replace(quotedAfterSeparator, '$1$2$3');
}

/** Where this is not met, nothing below is. */
const mayHarm = /^'*[=+\-@＝＋－＠\t\r\n\0]|[;|\t\r\n]/;
const atStart = /^('*)([=+\-@＝＋－＠\t\r\n\0])/;
const quotedAtStart = /^'('*)([=+\-@＝＋－＠\t\r\n\0])/;
const afterSeparator = /([;|\t\r\n][ "]*)('*)([=+\-@＝＋－＠])/g;
const quotedAfterSeparator = /([;|\t\r\n][ "]*)'('*)([=+\-@＝＋－＠])/g;

/**
 * A line of every such file (RFC 4180). A lone CR or LF is quoted too: it would begin a row for a spreadsheet, and with it a cell of
 * whatever comes next. A library weighs a dozen options for each of half a million cells, which was a third of what a file cost.
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(writtenCell).join()}\r\n`;
}

function writtenCell(cell: string | number): string {
  const text = String(cell);
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const needsQuotes = /[",\r\n]/;

/** In front of a file, for spreadsheets that guess the character set. */
export const byteOrderMark = '\ufeff';
