/** Character sets that a file may be in, by the names that `TextDecoder` knows. UTF-8 first, then by how usual they are. */
export const charsets = {
  'utf-8': 'Unicode (UTF-8), with damaged characters marked',
  'windows-1252': 'Western Europe (Windows-1252)',
  'windows-1250': 'Central Europe (Windows-1250)',
  'windows-1251': 'Cyrillic (Windows-1251)',
  macintosh: 'Western Europe (Macintosh)',
  'windows-1254': 'Turkish (Windows-1254)',
  'windows-1253': 'Greek (Windows-1253)',
  'windows-1257': 'Baltic (Windows-1257)',
  'iso-8859-2': 'Central Europe (ISO 8859-2)',
  'iso-8859-15': 'Western Europe (ISO 8859-15)',
  'x-mac-cyrillic': 'Cyrillic (Macintosh)',
  'koi8-r': 'Cyrillic (KOI8-R)',
  ibm866: 'Cyrillic (DOS 866)',
  'windows-1255': 'Hebrew (Windows-1255)',
  'windows-1256': 'Arabic (Windows-1256)',
  'windows-1258': 'Vietnamese (Windows-1258)',
  'windows-874': 'Thai (Windows-874)',
  shift_jis: 'Japanese (Shift JIS)',
  'euc-jp': 'Japanese (EUC-JP)',
  gb18030: 'Chinese (GB 18030)',
  big5: 'Chinese (Big5)',
  'euc-kr': 'Korean (EUC-KR)',
  'utf-16le': 'Unicode (UTF-16, little end first)',
  'utf-16be': 'Unicode (UTF-16, big end first)',
} as const;

export type Charset = keyof typeof charsets;
export const charsetNames = Object.keys(charsets) as [Charset, ...Charset[]];

/** A way to read a file, with some of its cells read that way. */
export interface CharsetChoice {
  charset: Charset;
  label: string;
  cells: string[];
}

/** So many different cells tell one character set from another. */
const comparedCells = 100;
const shownCells = 8;
/** So many are shown at first. */
export const likelyChoices = 4;

/**
 * The ways to read the cells of a file that is not what it seems; those that read them alike are one. None is chosen
 * here: the order is by how much the result looks like words, the choice is a person's.
 */
export function charsetChoices(cells: readonly Uint8Array[]): CharsetChoice[] {
  const telling = tellingCells(cells);
  const found = new Map<string, { charset: Charset; read: string[] }>();
  for (const charset of charsetNames) {
    const read = telling.map((cell) => decoded(cell, charset));
    if (!read.every((text) => text !== null)) continue;
    const key = read.join('\n');
    if (!found.has(key)) found.set(key, { charset, read });
  }
  const sorted = [...found]
    .map(([key, { charset, read }]) => {
      const looks = isSurely(charset, read) ? 2 : wordiness(key) - charsetNames.indexOf(charset) / 50;
      return { charset, read, looks };
    })
    .sort((a, b) => b.looks - a.looks);
  const shown = differing(
    sorted.map(({ read }) => read),
    telling.keys(),
  );
  return sorted.map(({ charset, read }) => ({
    charset,
    label: charsets[charset],
    cells: shown.map((index) => read[index] ?? ''),
  }));
}

/** That so many letters are whole characters of UTF-8 by chance does not happen. */
function isSurely(charset: Charset, read: readonly string[]): boolean {
  const whole = read.filter((text) => !text.includes('\ufffd'));
  return charset === 'utf-8' && whole.length * 2 >= read.length;
}

/** The cells to show: one after another the one that tells the most of the readings from each other. */
function differing(readings: readonly (readonly string[])[], cells: Iterable<number>): number[] {
  const shown: number[] = [];
  const left = new Set(cells);
  while (shown.length < shownCells && left.size > 0) {
    const told = (index: number) =>
      new Set(readings.map((read) => [...shown, index].map((one) => read[one]).join('\n'))).size;
    const best = [...left].reduce((a, b) => (told(b) > told(a) ? b : a));
    shown.push(best);
    left.delete(best);
  }
  return shown;
}

/** First those that bring bytes not seen before: they differ where the sets do. */
function tellingCells(cells: readonly Uint8Array[]): Uint8Array[] {
  const seen = new Set<number>();
  const [bringing, others]: [Uint8Array[], Uint8Array[]] = [[], []];
  for (const cell of cells) {
    const fresh = cell.filter((byte) => byte >= 128 && !seen.has(byte));
    (fresh.length > 0 ? bringing : others).push(cell);
    for (const byte of fresh) seen.add(byte);
  }
  return [...bringing, ...others].slice(0, comparedCells);
}

/** Null where the bytes cannot be that: damaged, or controls where letters should be. */
function decoded(bytes: Uint8Array, charset: Charset): string | null {
  try {
    const text = new TextDecoder(charset, { fatal: charset !== 'utf-8' }).decode(bytes).trim();
    return /\p{Cc}|\p{Co}|\p{Cn}/u.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** Letters speak for a reading; signs among them, capitals inside words and words of two scripts speak against it. */
function wordiness(text: string): number {
  const count = (pattern: RegExp) => (text.match(pattern) ?? []).join('').length;
  const foreign = count(/[^\p{ASCII}]/gu);
  const signs = count(/[^\p{ASCII}\p{L}\p{M}]/gu);
  const capitals = count(/\p{Ll}\p{Lu}/gu);
  const mixed = count(/\p{Script=Latin}(?!\p{Script=Latin})\p{L}/gu);
  // No language in Latin letters writes three accents in a row.
  const accents = count(/[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02b8\u1e00-\u1eff]{3,}/g);
  const lost = count(/\ufffd/g);
  return (foreign - 4 * signs - capitals - 2 * mixed - 2 * accents - 3 * lost) / Math.max(foreign, 1);
}
