import isoCountries from 'i18n-iso-countries/index.js';
import { countries } from './countries.ts';
import { regionsOf } from './regions.ts';

/** What people mean by a word in a list: a truth value, a country, a state. */

const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase();
const words = (text: string) => new Set(text.split(' '));

/** As spreadsheets and people write true and false in the languages of their programs. */
const trueWords = words(
  'true yes y t 1 on x ✓ ✔ wahr ja j vrai oui o verdadero sí si s vero verdadeiro sim waar prawda tak pravda ano áno ' +
    'a sand sandt sann sant igen igaz i da adevărat adevarat истина да так так истинно doğru dogru evet tosi kyllä ' +
    'taip tiesa jā patiess jah tõene αληθές ναι כן אמת نعم はい 真 是 예 참',
);
const falseWords = words(
  'false no n f 0 off falsch nein faux non falso nee onwaar nie fałsz falsz nepravda ne falsk usant usann nej nei ' +
    'hamis nem nu fals ложь нет ні yanlış yanliş yanlis hayır hayir epätosi ei netiesa nē aplams väär ψευδές όχι ' +
    'לא שקר لا いいえ 偽 否 아니요 거짓',
);

/** Null where it is neither. */
export function truthMeant(text: string): boolean | null {
  const word = plain(text);
  if (trueWords.has(word)) return true;
  return falseWords.has(word) ? false : null;
}

/** Without case, marks, signs and spaces: "Québec" and "quebec", "The Netherlands" and "netherlands". */
const letters = (text: string) =>
  plain(text)
    .replace(/^the /, '')
    .normalize('NFKD')
    .replace(/[^\p{L}]/gu, '');

/** Languages in which lists name countries. */
export const countryLanguages =
  'en de fr es it pt nl pl cs sk da sv nb fi hu ro el tr uk ru bg hr sl lt lv et ja zh ko he ar'.split(' ');
const unlearnt = [...countryLanguages];
const codes = new Map<string, string>();

/** Some thousand names are not made before somebody asks, and a language at a time. False when none was left. */
export function learnCountryNames(): boolean {
  if (codes.size === 0) learnEnglish();
  const language = unlearnt.shift();
  if (!language) return false;
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
  for (const { code } of countries) learn(names.of(code), code);
  return true;
}

function learn(name: string | undefined, code: string): void {
  if (name && !ofSeveral.has(letters(name)) && !codes.has(letters(name))) codes.set(letters(name), code);
}

/** Names of two countries, CD and CG, in one language or from one to another: nobody can tell which is meant. */
const ofSeveral = words('congo kongo');

function learnEnglish(): void {
  const usual = { GB: 'UK,England,Scotland,Wales,Great Britain', US: 'America', NL: 'Holland' };
  for (const [code, list] of Object.entries(usual)) for (const name of list.split(',')) learn(name, code);
  for (const { code } of countries) {
    learn(code, code);
    learn(isoCountries.alpha2ToAlpha3(code), code);
    // Ours is one of them.
    for (const other of isoCountries.getName(code, 'en', { select: 'all' }) ?? []) learn(other, code);
  }
}

/** "germany", "Deutschland", "DEU", "USA" or "U.S." to a code; null where it is none, or may be either of two. */
export function countryMeant(text: string): string | null {
  if (text.length > 100) return null;
  const name = letters(text);
  let more = true;
  while (!codes.has(name) && more) more = learnCountryNames();
  return codes.get(name) ?? null;
}

/** "California" to "CA" where a country's states are fixed; null where it is none of them. */
export function regionMeant(country: string, text: string): string | null {
  return regionNames(country).get(letters(text)) ?? null;
}

const regionsByCountry = new Map<string, ReadonlyMap<string, string>>();

/** Codes and names of a country's states to their codes. A file of customers asks for each row. */
function regionNames(country: string): ReadonlyMap<string, string> {
  const known = regionsByCountry.get(country);
  if (known) return known;
  const regions = regionsOf(country);
  if (!regions) return new Map();
  const names = new Map<string, string>();
  for (const { code, name } of regions) {
    for (const word of [letters(code), letters(name)]) names.set(word, code);
  }
  regionsByCountry.set(country, names);
  return names;
}
