// Its usual entry loads the names in eighty languages, 10 MB of them.
import isoCountries from 'i18n-iso-countries/index.js';
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import { type CountryCode, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/min';

/** A country as the contact form offers it (P1 §3: name, dial code, ISO code). */
export interface Country {
  /** ISO 3166 alpha-2; the United Kingdom is GB. */
  code: string;
  name: string;
  /** With plus sign, e.g. `+1`. */
  dialCode: string;
}

isoCountries.registerLocale(english);

/** "Åland" is found among the As. Not by a collator: with it a server reads data of every language as it starts. */
const placeOf = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Every country with a dial code, by name. */
export const countries: readonly Country[] = Object.entries(
  isoCountries.getNames('en', { select: 'official' }),
)
  .filter(([code]) => isSupportedCountry(code))
  .map(([code, name]) => ({ code, name, dialCode: `+${getCountryCallingCode(code as CountryCode)}` }))
  .sort((a, b) => (placeOf(a.name) < placeOf(b.name) ? -1 : 1));

const byCode = new Map(countries.map((country) => [country.code, country]));

export function findCountry(code: string): Country | undefined {
  return byCode.get(code.toUpperCase());
}

/** The name for lists; the code itself when unknown. */
export function countryName(code: string): string {
  return findCountry(code)?.name ?? code;
}
