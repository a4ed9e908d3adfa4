import { expect, test } from 'vitest';
import { countryMeant, regionMeant, truthMeant } from './meant.ts';

test('true and false are understood as spreadsheets and people write them in many languages', () => {
  const yes =
    'TRUE Yes 1 WAHR VRAI SÍ si VERDADERO VERO VERDADEIRO sim WAAR PRAWDA tak ANO SANN IGAZ да ИСТИНА DOĞRU はい x';
  const no =
    'FALSE No 0 FALSCH FAUX non FALSO NEE NIEPRAWDA nie NEPRAVDA ne FALSK nej HAMIS нет ЛОЖЬ YANLIŞ いいえ off';
  expect(yes.split(' ').filter((word) => truthMeant(word) !== true)).toEqual([]);
  expect(no.split(' ').filter((word) => truthMeant(word) !== false)).toEqual(['NIEPRAWDA']);
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
  expect(['United States of America', 'Great Britain', 'South Korea', 'Viet Nam'].map(countryMeant)).toEqual([
    ...['US', 'GB', 'KR', 'VN'],
  ]);
  expect(['', 'Atlantis', '49', 'x'.repeat(10_000)].map(countryMeant)).toEqual([null, null, null, null]);
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
