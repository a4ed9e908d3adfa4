import { expect, test } from 'vitest';
import { charsetChoices, charsets } from './charsets.ts';

/** Encodes by what `TextDecoder` reads each byte as. */
function encoded(text: string, charset: string): Uint8Array {
  const table = new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder(charset).decode(Uint8Array.of(byte)), byte]),
  );
  return Uint8Array.from(text, (char) => table.get(char) ?? 63);
}

test.each([
  ['windows-1252', ['Müller & Söhne', 'Zürich', 'Ann’s Café', 'François']],
  ['windows-1250', ['Łódź', 'Wiśniewski', 'Křišťál', 'Győző']],
  ['windows-1251', ['Шевченко', 'Київ', 'Калина', 'Олена']],
  ['windows-1253', ['Παπαδόπουλος', 'Αθήνα']],
  ['macintosh', ['Müller & Söhne', 'Zürich', 'Café', 'François']],
  ['koi8-r', ['Шевченко', 'Москва']],
])('a list in %s is offered in that set with its cells, among the first three', (charset, words) => {
  const choices = charsetChoices(words.map((word) => encoded(word, charset)));
  const sorted = (cells: readonly string[]) => cells.toSorted().join('|');
  const first = choices.slice(0, 3).find(({ cells }) => sorted(cells) === sorted(words));
  expect(first, JSON.stringify(choices.slice(0, 4))).toBeDefined();
});

test('one damaged byte in UTF-8: UTF-8 comes first, with the damage to be seen', () => {
  const cells = ['Müller', 'Zürich', 'Łódź', 'Παπαδόπουλος'].map((word) => new TextEncoder().encode(word));
  const damaged = Uint8Array.of(77, 0xfc, 77);
  const [first] = charsetChoices([damaged, ...cells]);
  expect(first?.charset).toBe('utf-8');
  expect(first?.cells).toContain('M\ufffdM');
});

test('the cells that are shown tell the choices from each other', () => {
  const words = [...Array.from({ length: 20 }, () => 'Zür'), 'Åse', 'Wiś', 'Çelik', 'João', 'Øre'];
  const choices = charsetChoices(words.map((word) => encoded(word, 'windows-1252')));
  expect(new Set(choices.map(({ cells }) => cells.join('|'))).size).toBe(choices.length);
});

test('sets that read all cells alike are one choice, and sets that cannot read them are none', () => {
  const choices = charsetChoices([Uint8Array.of(90, 0xfc, 114)]);
  expect(choices.filter(({ cells }) => cells[0] === 'Zür')).toHaveLength(1);
  expect(new Set(choices.map(({ cells }) => cells.join())).size).toBe(choices.length);
  for (const { charset, label } of choices) expect(charsets[charset]).toBe(label);
});
