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

test('UTF-8 comes first while half of the cells are whole, and not when fewer are', () => {
  const whole = ['Müller', 'Łódź'].map((word) => new TextEncoder().encode(word));
  const damaged = Array.from({ length: 2 }, () => Uint8Array.of(77, 0xfc, 77));
  expect(charsetChoices([...whole, ...damaged])[0]?.charset).toBe('utf-8');
  expect(charsetChoices([...whole.slice(1), ...damaged])[0]?.charset).not.toBe('utf-8');
});

test('the reading with the largest share of letters that look right comes first', () => {
  const first = (cells: Uint8Array[]) => charsetChoices(cells)[0]?.charset;
  // Windows-1251 reads the same letters with each capital in the place of a small one.
  expect(first(['Шевченко', 'Москва'].map((word) => encoded(word, 'koi8-r')))).toBe('koi8-r');
  // "Tokyo", "Osaka", "Nagoya": sets of one byte read twice as many letters, and signs among them.
  const cities = ['938c8b9e', '91e58de3', '96bc8cc389ae'].map((hex) =>
    Uint8Array.from(Buffer.from(hex, 'hex')),
  );
  expect(first(cities)).toBe('shift_jis');
});

test('the cells that are shown tell the choices from each other', () => {
  const words = [...Array.from({ length: 20 }, () => 'Zür'), 'Åse', 'Wiś', 'Çelik', 'João', 'Øre'];
  const choices = charsetChoices(words.map((word) => encoded(word, 'windows-1252')));
  expect(new Set(choices.map(({ cells }) => cells.join('|'))).size).toBe(choices.length);
});

test('eight cells are shown; one that tells two choices from each other is among them, wherever it stands', () => {
  // Of these letters, the Turkish set reads only the last one otherwise.
  const choices = charsetChoices([...'ÄÖÜÇÉËÎÔÓÁÐ'].map((letter) => encoded(letter, 'windows-1252')));
  expect(new Set(choices.map(({ cells }) => cells.join('|'))).size).toBe(choices.length);
  expect(choices.every(({ cells }) => cells.length === 8)).toBe(true);
});

test('a hundred cells of a long file are compared, and those that bring other letters are among them', () => {
  const usual = Array.from({ length: 190 }, (_, index) => `${String.fromCharCode(33 + (index % 94))}Ä`);
  const late = ['Ç', 'É', 'Ñ', 'Ö', 'Ü', 'Ð', '€'];
  const cells = [...usual, ...late].map((text) => encoded(text, 'windows-1252'));
  const choices = charsetChoices(cells);
  const western = choices.find(({ charset }) => charset === 'windows-1252');
  expect(western?.cells.toSorted()).toEqual(['!Ä', ...late].toSorted());
  // No set reads a control character: where it is looked at, there is no choice.
  const unreadable = Uint8Array.of(1);
  expect(charsetChoices([...cells, unreadable])).toEqual(choices);
  expect(charsetChoices([unreadable])).toEqual([]);
});

test('sets that read all cells alike are one choice, by the usual one of them; sets that cannot read them are none', () => {
  const choices = charsetChoices([' Zür\r', 'Å×'].map((text) => encoded(text, 'windows-1252')));
  const german = choices.filter(({ cells }) => cells.includes('Zür') && cells.includes('Å×'));
  expect(german.map(({ charset }) => charset)).toEqual(['windows-1252']);
  // Its second cell is a Korean syllable, its first one is none.
  expect(choices.map(({ charset }) => charset)).not.toContain('euc-kr');
  expect(new Set(choices.map(({ cells }) => cells.join())).size).toBe(choices.length);
  for (const { charset, label } of choices) expect(charsets[charset]).toBe(label);
});
