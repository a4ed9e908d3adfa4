import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type PDFDocument from 'pdfkit';
import type { StatementLine, StatementMonth } from '#contracts/operations/statement.ts';
import { formatCents } from '#contracts/values/money.ts';
import type { ReceiptCharge } from './statement.repo.ts';

/** Latin, Greek, Cyrillic and more; the fonts every reader has cover western letters only. */
const fonts = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');
const regular = join(fonts, 'DejaVuSans.ttf');
const bold = join(fonts, 'DejaVuSans-Bold.ttf');

const margin = 48;
const pageWidth = 595.28;
const pageBottom = 841.89 - margin - 24;
const quiet = '#5b6470';
const rule = '#d5d9de';

export interface Heading {
  product: string;
  title: string;
  organisation: string;
  /** Label and value, one a line. */
  facts: readonly (readonly [string, string])[];
}

interface Column {
  title: string;
  width: number;
  align?: 'left' | 'right';
}

export interface Table {
  columns: readonly Column[];
  rows: readonly (readonly string[])[];
  /** Last line, set apart. */
  total: readonly string[];
}

/** A document with a heading and one table, over as many pages as it takes. */
export async function renderPdf(heading: Heading, table: Table, note: string, madeAt: Date): Promise<Buffer> {
  // Loaded when the first document is asked for: it takes some 60 MB.
  const { default: Pdf } = await import('pdfkit');
  const document = new Pdf({
    size: 'A4',
    margins: { top: margin, bottom: 0, left: margin, right: margin },
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: `${heading.title} · ${heading.organisation}`,
      Author: heading.product,
      CreationDate: madeAt,
    },
  });
  const parts: Buffer[] = [];
  document.on('data', (part: Buffer) => parts.push(part));
  const done = new Promise<Buffer>((resolve, reject) => {
    document.on('end', () => resolve(Buffer.concat(parts)));
    document.on('error', reject);
  });
  const shown = withGlyphsOf(document);
  drawHeading(document, {
    ...heading,
    organisation: shown(heading.organisation),
    facts: heading.facts.map(([label, value]) => [label, shown(value)] as const),
  });
  drawTable(document, { ...table, rows: table.rows.map((row) => row.map(shown)) });
  document.moveDown(1).font(regular).fontSize(8).fillColor(quiet);
  if (document.y > pageBottom - 30) document.addPage();
  document.text(note, margin, document.y, { width: pageWidth - 2 * margin });
  numberPages(document, shown(`${heading.title} · ${heading.organisation}`));
  document.end();
  return done;
}

type Document = InstanceType<typeof PDFDocument>;

/**
 * Text with "?" for each character that the fonts have no glyph of (Chinese, Japanese, Korean and other scripts; fonts
 * with all of them are larger than the portal): else nothing readable would stand there. The CSV has every character.
 */
function withGlyphsOf(document: Document): (text: string) => string {
  document.font(regular);
  const { _font } = document as unknown as {
    _font?: { font?: { hasGlyphForCodePoint?(codePoint: number): boolean } };
  };
  const font = _font?.font;
  const has = (character: string) =>
    /\s/.test(character) || (font?.hasGlyphForCodePoint?.(character.codePointAt(0) ?? 0) ?? true);
  return (text) => Array.from(text, (character) => (has(character) ? character : '?')).join('');
}

function drawHeading(document: Document, heading: Heading): void {
  document.font(bold).fontSize(9).fillColor(quiet).text(heading.product);
  document.font(bold).fontSize(18).fillColor('black').text(heading.title).moveDown(0.2);
  document.font(regular).fontSize(11).text(heading.organisation).moveDown(0.6);
  for (const [label, value] of heading.facts) {
    document.font(regular).fontSize(9).fillColor(quiet).text(`${label}: `, { continued: true });
    document.fillColor('black').text(value);
  }
  document.moveDown(1);
}

function drawTable(document: Document, table: Table): void {
  drawRow(
    document,
    table.columns,
    table.columns.map(({ title }) => title),
    { font: bold, colour: quiet },
  );
  for (const row of table.rows) {
    if (document.y + rowHeight(document, table.columns, row) > pageBottom) {
      document.addPage();
      drawRow(
        document,
        table.columns,
        table.columns.map(({ title }) => title),
        { font: bold, colour: quiet },
      );
    }
    drawRow(document, table.columns, row, { font: regular, colour: 'black' });
  }
  if (document.y + rowHeight(document, table.columns, table.total) > pageBottom) document.addPage();
  drawRow(document, table.columns, table.total, { font: bold, colour: 'black' });
}

const cellGap = 8;

function rowHeight(document: Document, columns: readonly Column[], cells: readonly string[]): number {
  document.fontSize(8);
  const heights = columns.map((column, index) =>
    document.heightOfString(cells[index] ?? '', { width: column.width - cellGap }),
  );
  return Math.max(...heights) + 8;
}

function drawRow(
  document: Document,
  columns: readonly Column[],
  cells: readonly string[],
  look: { font: string; colour: string },
): void {
  document.font(look.font).fontSize(8).fillColor(look.colour);
  const top = document.y;
  const height = rowHeight(document, columns, cells);
  let left = margin;
  columns.forEach((column, index) => {
    document.text(cells[index] ?? '', left, top + 4, {
      width: column.width - cellGap,
      align: column.align ?? 'left',
    });
    left += column.width;
  });
  document
    .moveTo(margin, top + height)
    .lineTo(pageWidth - margin, top + height)
    .lineWidth(0.5)
    .strokeColor(rule)
    .stroke();
  document.x = margin;
  document.y = top + height;
}

function numberPages(document: Document, title: string): void {
  const { start, count } = document.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    document.switchToPage(page);
    document.font(regular).fontSize(7).fillColor(quiet);
    document.text(`${title} · page ${page + 1} of ${count}`, margin, 841.89 - 32, {
      width: pageWidth - 2 * margin,
      align: 'center',
      lineBreak: false,
    });
  }
}

const money = (cents: number) => `${cents < 0 ? '-' : ''}$${formatCents(Math.abs(cents))}`;
const moment = (at: string) => at.slice(0, 16).replace('T', ' ');

/** A month's lines between the balance before and the balance after. */
export function monthTable(month: StatementMonth, lines: readonly StatementLine[]): Table {
  return {
    columns: [
      { title: 'Date (UTC)', width: 88 },
      { title: 'What', width: 181 },
      { title: 'Reference', width: 100 },
      { title: 'Amount', width: 65, align: 'right' },
      { title: 'Balance', width: 65, align: 'right' },
    ],
    rows: [
      ['', 'Balance brought forward', '', '', money(month.opening)],
      ...lines.map((line) => [
        moment(line.at),
        line.customer ? `${line.text}\n${line.customer}` : line.text,
        line.registrarOrderId ? `Registrar ${line.registrarOrderId}` : (line.payment ?? ''),
        money(line.amount),
        money(line.balance),
      ]),
    ],
    total: ['', 'Balance at the end of the month', '', money(month.in + month.out), money(month.closing)],
  };
}

/** What was charged for one order. */
export function receiptTable(charges: readonly ReceiptCharge[]): Table {
  const total = charges.reduce((sum, charge) => sum + charge.cents, 0);
  return {
    columns: [
      { title: 'What', width: 229 },
      { title: 'Period', width: 60 },
      { title: 'Registrar order', width: 100 },
      { title: 'Amount', width: 110, align: 'right' },
    ],
    rows: charges.map((charge) => [
      charge.customer ? `${charge.text}\n${charge.customer}` : charge.text,
      charge.years === 1 ? '1 year' : `${charge.years} years`,
      charge.registrarOrderId ?? '',
      money(-charge.cents),
    ]),
    total: ['Charged to the prepaid balance', '', '', money(-total)],
  };
}
