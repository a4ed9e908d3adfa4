import { inflateSync } from 'node:zlib';

/** What stands in a PDF of ours: enough of the format for embedded fonts with their tables of characters. */
export function pdfText(pdf: Buffer): string {
  const objects = objectsOf(pdf.toString('latin1'));
  const fonts = new Map<string, Map<string, string>>();
  for (const body of objects.values()) {
    for (const [, name = '', id = ''] of body.text.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const table = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.text ?? '')?.[1];
      if (table) fonts.set(name, charactersOf(objects.get(table)?.stream ?? ''));
    }
  }
  return [...objects.values()]
    .filter(({ stream }) => / Tf\b/.test(stream))
    .map(({ stream }) => textOf(stream, fonts))
    .join('\n');
}

interface PdfObject {
  text: string;
  stream: string;
}

function objectsOf(pdf: string): Map<string, PdfObject> {
  const found = new Map<string, PdfObject>();
  for (const [, id = '', body = ''] of pdf.matchAll(/\n(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [text = '', ...rest] = body.split('\nstream\n');
    const packed = rest.join('\nstream\n').replace(/\nendstream$/, '');
    const bytes = Buffer.from(packed, 'latin1');
    const stream = text.includes('/FlateDecode') && packed ? inflateSync(bytes).toString('latin1') : packed;
    found.set(id, { text, stream });
  }
  return found;
}

/** Glyph number, in hex, to its characters. */
function charactersOf(table: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, first = '', , list = ''] of table.matchAll(/<(\w+)> <(\w+)> \[([^\]]*)\]/g)) {
    // A ligature stands for several characters: <0066 0066>.
    [...list.matchAll(/<([\w ]+)>/g)].forEach(([, code = ''], index) => {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0');
      found.set(glyph, Buffer.from(code.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
    });
  }
  return found;
}

function textOf(stream: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  let font: ReadonlyMap<string, string> | undefined;
  let text = '';
  for (const [, name, glyphs] of stream.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (name) font = fonts.get(name);
    for (const [, hex = ''] of (glyphs ?? '').matchAll(/<(\w+)>/g)) {
      text += (hex.match(/.{4}/g) ?? []).map((glyph) => font?.get(glyph) ?? '').join('');
    }
    if (glyphs) text += '\n';
  }
  return text;
}
