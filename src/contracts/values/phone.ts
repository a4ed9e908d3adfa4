import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { findCountry } from './countries.ts';

/** Phone numbers as people write them, and as they are stored (P1 §5): dial code, a dot, the number. */

/** Plus, 1 to 4 digits, dot, 4 to 14 digits, optional extension. */
export const storedPhone = /^\+\d{1,4}\.\d{4,14}(?:x\d{1,6})?$/;

/** Nobody writes a longer one; what is longer is not searched for a number. */
const longest = 80;

/** Where the number belongs when it does not say so itself: a country, or a dial code such as `+44`. */
export interface PhoneHome {
  country?: string | undefined;
  dialCode?: string | undefined;
}

/**
 * Any written form to the stored one: `+1 (212) 555-0100`, `00 44 20 7946 0018` or, with the country known,
 * `020 7946 0018 ext. 12`. Null when it cannot be a number there.
 */
export function readPhone(text: string, home: PhoneHome = {}): string | null {
  const plain = text.normalize('NFKC').trim();
  if (storedPhone.test(plain)) return plain;
  if (plain.length > longest) return null;
  const said = inKnownWords(plain);
  // Two numbers in one field: the first.
  const [first = said] = said.split(/[;|,]| \/ /);
  const candidates = [said, first].flatMap((one) => [one, one.replace(/^\s*\(?00/, '+')]);
  const found = candidates.flatMap((one) => parsed(one, home) ?? []);
  const best = found.find((number) => number.isValid()) ?? found.find((number) => number.isPossible());
  if (!best) return null;
  const stored = `+${best.countryCallingCode}.${best.nationalNumber}${best.ext ? `x${best.ext}` : ''}`;
  return storedPhone.test(stored) ? stored : null;
}

function parsed(text: string, { country = '', dialCode = '' }: PhoneHome) {
  const known = findCountry(country);
  const callingCode = dialCode.replace(/\D/g, '');
  if (known && (callingCode === '' || known.dialCode === `+${callingCode}`)) {
    return parsePhoneNumberFromString(text, { defaultCountry: known.code as CountryCode });
  }
  try {
    return parsePhoneNumberFromString(text, callingCode ? { defaultCallingCode: callingCode } : {});
  } catch {
    // No country has this dial code, and the text names none.
    return undefined;
  }
}

const extensionWord =
  /([\s,;(])(?:poste|durchwahl|dw|nebenstelle|interno|ramal|toestel|linka|klapka|wew|mellék|внутр|вн)[\s.:]*(\d{1,6})\)?$/iu;

/** Spaces of one kind, dashes of one kind, no label in front, and the words for an extension that are read below. */
function inKnownWords(text: string): string {
  return text
    .replace(/\p{Zs}/gu, ' ')
    .replace(/\p{Pd}/gu, '-')
    .replace(/^(?:tel|phone|mobile|mob|fon|t|m|p)[.:]+ ?/i, '')
    .replace(extensionWord, '$1ext. $2');
}

/** It begins with a plus or the 00 that stands for one: it says itself which country it belongs to. */
export function isInternational(text: string): boolean {
  return /^(?:tel:)?\s*\(?(?:\+|00)/i.test(text.normalize('NFKC').trimStart());
}

/**
 * What is typed or pasted into a phone field, as it is stored. A number with an international prefix brings its own
 * dial code. What is no number yet stays as it was typed, for the rule to refuse, and so does one of no country yet: it gets
 * its dial code when the country is chosen.
 */
export function typedPhone(text: string, home: PhoneHome): string {
  if (text.replace(/\D/g, '') === '') return '';
  const read = readPhone(text, home);
  if (read) return read;
  const dialCode = home.dialCode || (findCountry(home.country ?? '')?.dialCode ?? '');
  return isInternational(text) || dialCode === '' ? text.trim() : joinPhone(dialCode, text);
}

/** The phone after another country was chosen: its dial code follows, unless the number brought one of its own. */
export function movedPhone(phone: string, from: string, to: string): string {
  const { dialCode, number } = splitPhone(phone);
  if (dialCode && dialCode !== findCountry(from)?.dialCode) return phone;
  const moved = findCountry(to)?.dialCode ?? '';
  if (!dialCode) return typedPhone(phone, { country: to });
  return moved ? joinPhone(moved, number) : number;
}

/** Dial code and number as typed to the stored form: `+1`, `(416) 555-0123` -> `+1.4165550123`. */
export function joinPhone(dialCode: string, number: string): string {
  const [main = '', extension = ''] = number.split(/x/i);
  const digits = main.replace(/\D/g, '');
  const tail = extension.replace(/\D/g, '');
  return `+${dialCode.replace(/\D/g, '')}.${digits}${tail ? `x${tail}` : ''}`;
}

/** The stored form to dial code and number; empty parts when it is none. */
export function splitPhone(stored: string): { dialCode: string; number: string } {
  const match = /^\+(\d{1,4})\.(.*)$/.exec(stored);
  return match ? { dialCode: `+${match[1]}`, number: match[2] ?? '' } : { dialCode: '', number: '' };
}
