import { type Contact, contact } from './contact.ts';
import { countryMeant } from './meant.ts';
import { readPhone } from './phone.ts';
import { regionsOf } from './regions.ts';

/**
 * What could stand in a field that a rule refuses: what is left of it, or what it was meant to say. It is offered, never
 * put in place unasked (decisions no. 32).
 */
export function suggestedContactValue(
  field: keyof Contact,
  given: Partial<Record<keyof Contact, string | undefined>>,
): string | null {
  const value = given[field] ?? '';
  const offered = value.trim() === '' ? instead(field, given) : meant(field, value, given);
  if (offered === value || offered === '') return null;
  return contact.shape[field].safeParse(offered).success ? offered : null;
}

type Given = Parameters<typeof suggestedContactValue>[1];

function meant(field: keyof Contact, value: string, given: Given): string | null {
  if (field === 'country') return countryMeant(value);
  if (field === 'phone') return readPhone(value, { country: countryMeant(given.country ?? '') ?? '' });
  if (field === 'email')
    return /[^\s<>()[\],;:"]{1,64}@[^\s<>()[\],;:"@]{1,63}[^\s<>()[\],;:"@.]/.exec(value)?.[0] ?? null;
  return cutTo(longestOf[field] ?? Number.POSITIVE_INFINITY, cleanedContactValue(field, value));
}

/** For a field that was left empty: only where there is a usual answer. */
function instead(field: keyof Contact, given: Given): string | null {
  const country = countryMeant(given.country ?? '') ?? '';
  // A person without a company holds the domain under their own name.
  if (field === 'organization') return cleaned(`${given.firstName ?? ''} ${given.lastName ?? ''}`);
  // Where addresses have no state, registries take the city.
  if (field === 'state')
    return country === '' || regionsOf(country) ? null : cleaned(given.city ?? '').slice(0, 32);
  if (field === 'postalCode') return withoutPostalCodes.has(country) ? '00000' : null;
  return null;
}

/** Countries whose addresses have no postal code (Universal Postal Union, checked 2026-11-22). */
const withoutPostalCodes = new Set(
  (
    'AE AG AO AW BF BI BJ BO BQ BS BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GN GQ GY HK JM KI KM KN KP ' +
    'LY ML MO MR MW NR NU PA QA RW SB SC SL SR SS ST SX SY TD TG TK TL TO TV UG VU WS YE ZW'
  ).split(' '),
);

const longestOf: Partial<Record<keyof Contact, number>> = {
  ...{ organization: 64, firstName: 64, lastName: 63, address1: 64, address2: 64, address3: 64, city: 64 },
};

/** At a space, so that no word is halved. */
function cutTo(longest: number, text: string): string {
  if (text.length <= longest) return text;
  const end = text.lastIndexOf(' ', longest);
  return end > 0 ? text.slice(0, end) : text.slice(0, longest);
}

/** What cannot be printed, spaces of all kinds as one, and letters in the form in which others write them. */
function cleaned(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cs}\u202a-\u202e\u2066-\u2069\ufffd]/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** What is left of a value when the characters that its rule refuses are taken out. */
export function cleanedContactValue(field: keyof Contact, value: string): string {
  if (field === 'postalCode') return value.normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '');
  if (field === 'firstName') return words(value, /[^\p{L}\p{M} ]+/gu);
  if (field === 'address1') return words(value.replaceAll('&', ' and '), /[^\p{L}\p{M}\p{N} ]+/gu);
  return cleaned(value);
}

/** `P.O. Box` is `PO Box`, `St John's` is `St Johns`; any other refused character parts two words. */
function words(value: string, refused: RegExp): string {
  const whole = cleaned(value)
    .split(' ')
    .map((word) => (/^(?:\p{L}\.){2,}\W?$/u.test(word) ? word.replaceAll('.', '') : word))
    .join(' ')
    .replace(/(\p{L})['’]s(?!\p{L})/gu, '$1s');
  return cleaned(whole.replace(refused, ' '));
}
