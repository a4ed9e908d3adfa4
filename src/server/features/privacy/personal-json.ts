import { type Slices, slices } from '#kernel/give-way.ts';
import type { Section } from './privacy.repo.ts';

/** The same text as of `JSON.stringify` with two spaces, row by row: years of a log keep nobody waiting. */
export async function personalJson(
  head: Readonly<Record<string, unknown>>,
  sections: readonly Section[],
  giveWay: Slices = slices(),
): Promise<Buffer> {
  const written: string[] = [];
  for (const { title, rows } of sections) {
    const texts: string[] = [];
    for (const row of rows) {
      texts.push(indented(row, 8));
      const wait = giveWay();
      if (wait !== undefined) await wait;
    }
    written.push(`    {\n      "title": ${JSON.stringify(title)},\n      "rows": ${listOf(texts, 6)}\n    }`);
  }
  const parts = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${indented(value, 2).trimStart()}`,
  );
  parts.push(`  "sections": ${listOf(written, 2)}`);
  return Buffer.from(`{\n${parts.join(',\n')}\n}\n`);
}

/** No text of JSON has a line break of its own. */
function indented(value: unknown, spaces: number): string {
  const margin = ' '.repeat(spaces);
  return margin + JSON.stringify(value, null, 2).replaceAll('\n', `\n${margin}`);
}

function listOf(texts: readonly string[], spaces: number): string {
  return texts.length === 0 ? '[]' : `[\n${texts.join(',\n')}\n${' '.repeat(spaces)}]`;
}
