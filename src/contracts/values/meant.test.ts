import isoCountries from 'i18n-iso-countries/index.js';
import { beforeEach, expect, test, vi } from 'vitest';
import { countries } from './countries.ts';
import { countryLanguages } from './meant.ts';

let countryMeant: typeof import('./meant.ts').countryMeant;
let regionMeant: typeof import('./meant.ts').regionMeant;
let truthMeant: typeof import('./meant.ts').truthMeant;

/** Names that were learnt are kept: each test begins without any. */
beforeEach(async () => {
  vi.resetModules();
  ({ countryMeant, regionMeant, truthMeant } = await import('./meant.ts'));
});

test('true and false are understood as spreadsheets and people write them in many languages', () => {
  const yes =
    'TRUE Yes 1 WAHR VRAI SÍ si VERDADERO VERO VERDADEIRO sim WAAR PRAWDA tak ANO SANN IGAZ да ИСТИНА DOĞRU はい x';
  const no =
    'FALSE No 0 FALSCH FAUX non FALSO NEE NIEPRAWDA nie NEPRAVDA ne FALSK nej HAMIS нет ЛОЖЬ YANLIŞ いいえ off';
  expect(yes.split(' ').filter((word) => truthMeant(word) !== true)).toEqual([]);
  expect(no.split(' ').filter((word) => truthMeant(word) !== false)).toEqual(['NIEPRAWDA']);
  expect([truthMeant(' yes '), truthMeant(' no ')]).toEqual([true, false]);
  for (const word of ['', 'maybe', 'tru', '2', 'null', 'toString', 'constructor'])
    expect(truthMeant(word)).toBeNull();
});

test.each([
  ['DE', 'de DEU Germany germany Deutschland Allemagne Alemania Niemcy Германия'],
  ['US', 'US USA U.S. U.S.A. United-States America'],
  ['GB', 'gb UK England GBR'],
  ['CZ', 'CZ Czechia Česko Tschechien'],
  ['ES', 'Spain España Spanien'],
  ['JP', 'Japan 日本 JPN'],
  ['NL', 'Netherlands Nederland Holland'],
])('%s is understood however it is written', (code, names) => {
  for (const name of names.split(' ')) expect([name, countryMeant(name)]).toEqual([name, code]);
});

test('longer names of countries are understood, and what is no country is none', () => {
  const meant = (names: readonly string[]) => names.map((name) => countryMeant(name));
  expect(meant(['United States of America', 'Great Britain', 'South Korea', 'Viet Nam', 'Turkey'])).toEqual([
    ...['US', 'GB', 'KR', 'VN', 'TR'],
  ]);
  expect(meant(['', 'Atlantis', '49', 'x'.repeat(10_000)])).toEqual([null, null, null, null]);
  expect(meant(['Germany'.padEnd(100, '.'), 'Germany'.padEnd(101, '.')])).toEqual(['DE', null]);
});

test('a name of two countries means neither, whichever language was learnt; with what tells them apart it is understood', () => {
  const meant = (names: readonly string[]) => names.map((name) => countryMeant(name));
  const either = ['Congo', 'the congo', 'Kongo', 'Kongó', 'Korea', 'Virgin Islands'];
  const neither = either.map(() => null);
  expect(meant([...either, 'Atlantis', ...either])).toEqual([...neither, null, ...neither]);
  const told = [
    'Democratic Republic of the Congo',
    'Republic of the Congo',
    'Congo-Kinshasa',
    'Congo (Brazzaville)',
  ];
  expect(meant(told)).toEqual(['CD', 'CG', 'CD', 'CG']);
  expect(
    meant(['Samoa', 'American Samoa', 'Guinea', 'Guinea-Bissau', 'Saint Martin', 'Sint Maarten']),
  ).toEqual([...['WS', 'AS', 'GN', 'GW', 'MF', 'SX']]);
});

test('every other name of a country, in any language that is learnt, is that of no second one', () => {
  const namesOf = (code: string) => [
    ...(isoCountries.getName(code, 'en', { select: 'all' }) ?? []),
    ...countryLanguages.flatMap(
      (language) => new Intl.DisplayNames([language], { type: 'region' }).of(code) ?? [],
    ),
  ];
  const differing = countries.flatMap(({ code }) =>
    namesOf(code).filter((name) => countryMeant(name) !== code),
  );
  expect(new Set(differing)).toEqual(new Set(['Congo', 'Kongo']));
});

test('states are known by name and code where they are fixed', () => {
  expect([regionMeant('US', 'California'), regionMeant('us', 'ny'), regionMeant('CA', 'Quebec')]).toEqual([
    ...['CA', 'NY', 'QC'],
  ]);
  expect([regionMeant('DE', 'Bayern'), regionMeant('US', 'Bavaria'), regionMeant('', 'NY')]).toEqual([
    null,
    null,
    null,
  ]);
});
