import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type PDFDocument from 'pdfkit';
import type { StatementLine, StatementMonth } from '#contracts/operations/statement.ts';
import { moneyText, utcDayText } from '#contracts/values/format.ts';
import { inSlices, type Slices, slices } from '#kernel/give-way.ts';
import type { ReceiptCharge } from './statement.repo.ts';

/** Latin, Greek, Cyrillic and more; the fonts every reader has cover western letters only. */
const fonts = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');
const regular = join(fonts, 'DejaVuSans.ttf');
const bold = join(fonts, 'DejaVuSans-Bold.ttf');

const margin = 48;
const pageWidth = 595.28;
const pageBottom = 841.89 - margin - 24;
// The colours of the screens on paper (src/web/ui/tokens.css: text-1, text-2, line, accent, surface-2).
const ink = '#12151c';
const quiet = '#4b5362';
const rule = '#e4e7ec';
const accent = '#3347d6';
const ground = '#f9fafb';

/** What every paper has at its head. */
export interface Letterhead {
  product: string;
  title: string;
  number: string;
  organisation: string;
  /** A PNG; null: the organization has none. */
  logo: Buffer | null;
  issuer: readonly string[];
  recipient: readonly string[];
}

export interface Heading extends Letterhead {
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

/** A document with a heading and one table, over as many pages as it takes. A long one keeps nobody waiting. */
export async function renderPdf(
  heading: Heading,
  table: Table,
  note: string,
  madeAt: Date,
  giveWay: Slices = slices(),
): Promise<Buffer> {
  // Loaded when the first document is asked for: it takes some 60 MB.
  const { default: Pdf } = await import('pdfkit');
  const document = new Pdf({
    size: 'A4',
    margins: { top: margin, bottom: 0, left: margin, right: margin },
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: `${heading.title} ${heading.number} · ${heading.organisation}`,
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
    issuer: heading.issuer.map(shown),
    recipient: heading.recipient.map(shown),
    facts: heading.facts.map(([label, value]) => [label, shown(value)] as const),
  });
  await inSlices(drawingTable(document, table, shown), giveWay);
  document.moveDown(1).font(regular).fontSize(8).fillColor(quiet);
  if (document.y > pageBottom - 30) document.addPage();
  document.text(note, margin, document.y, { width: pageWidth - 2 * margin });
  numberPages(document, shown(`${heading.title} ${heading.number} · ${heading.organisation}`));
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
  const width = pageWidth - 2 * margin;
  const top = document.y;
  if (heading.logo)
    document.image(heading.logo, pageWidth - margin - 120, top, { fit: [120, 36], align: 'right' });
  document.font(bold).fontSize(9).fillColor(accent).text(heading.product, margin, top);
  document.font(bold).fontSize(18).fillColor(ink).text(heading.title);
  document.font(regular).fontSize(10).fillColor(quiet).text(`No. ${heading.number}`).moveDown(0.8);
  document
    .moveTo(margin, document.y)
    .lineTo(pageWidth - margin, document.y)
    .lineWidth(1)
    .strokeColor(accent)
    .stroke();
  const under = document.y + 10;
  const column = width / 2 - 10;
  const ends = [
    drawParty(document, 'From', heading.issuer, { left: margin, top: under, width: column }),
    drawParty(document, 'To', heading.recipient, {
      left: margin + width / 2 + 10,
      top: under,
      width: column,
    }),
  ];
  document.x = margin;
  document.y = Math.max(...ends) + 12;
  for (const [label, value] of heading.facts) {
    document.font(regular).fontSize(9).fillColor(quiet).text(`${label}: `, { continued: true });
    document.fillColor(ink).text(value);
  }
  document.moveDown(1);
}

/** Name, address and tax number below their label; returns where they end. */
function drawParty(
  document: Document,
  label: string,
  lines: readonly string[],
  { left, top, width }: { left: number; top: number; width: number },
): number {
  document.font(regular).fontSize(8).fillColor(quiet).text(label, left, top, { width });
  lines.forEach((line, at) => {
    document
      .font(at === 0 ? bold : regular)
      .fontSize(9)
      .fillColor(ink)
      .text(line, left, document.y, { width });
  });
  return document.y;
}

/** Yields at each row. */
function* drawingTable(
  document: Document,
  table: Table,
  shown: (text: string) => string,
): Generator<void, void> {
  drawRow(
    document,
    table.columns,
    table.columns.map(({ title }) => title),
    { font: bold, colour: quiet },
  );
  for (const given of table.rows) {
    yield;
    const row = given.map(shown);
    if (document.y + rowHeight(document, table.columns, row) > pageBottom) {
      document.addPage();
      drawRow(
        document,
        table.columns,
        table.columns.map(({ title }) => title),
        { font: bold, colour: quiet },
      );
    }
    drawRow(document, table.columns, row, { font: regular, colour: ink });
  }
  if (document.y + rowHeight(document, table.columns, table.total) > pageBottom) document.addPage();
  drawRow(document, table.columns, table.total, { font: bold, colour: ink });
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
  document.font(look.font).fontSize(8);
  const top = document.y;
  const height = rowHeight(document, columns, cells);
  // Head and total stand on a ground of their own, as in the tables of the screens.
  if (look.font === bold) document.rect(margin, top, pageWidth - 2 * margin, height).fill(ground);
  document.fillColor(look.colour);
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

/** A month's lines between the balance before and the balance after. */
export function monthTable(month: StatementMonth, lines: readonly StatementLine[]): Table {
  return {
    columns: [
      { title: 'Date (UTC)', width: 78 },
      { title: 'What', width: 191 },
      { title: 'Reference', width: 100 },
      { title: 'Amount', width: 65, align: 'right' },
      { title: 'Balance', width: 65, align: 'right' },
    ],
    rows: [
      ['', 'Balance brought forward', '', '', moneyText(month.opening)],
      ...lines.map((line) => [
        utcDayText(new Date(line.at)),
        line.customer ? `${line.text}\n${line.customer}` : line.text,
        line.registrarOrderId ? `Registrar ${line.registrarOrderId}` : (line.payment ?? ''),
        moneyText(line.amount),
        moneyText(line.balance),
      ]),
    ],
    total: [
      '',
      'Balance at the end of the month',
      '',
      moneyText(month.in + month.out),
      moneyText(month.closing),
    ],
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
      [charge.text, charge.customer, utcDayText(charge.at)].filter(Boolean).join('\n'),
      charge.years === 1 ? '1 year' : `${charge.years} years`,
      charge.registrarOrderId ?? '',
      moneyText(-charge.cents),
    ]),
    total: ['Charged to the prepaid balance, tax $0.00', '', '', moneyText(-total)],
  };
}
