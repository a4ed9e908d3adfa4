import { z } from 'zod';
import { findCountry } from './countries.ts';

/**
 * Contacts of a customer: rules and messages of P1 §5, once, for the form, the API and the CSV import.
 * Lengths are those of the registrar's contact records (checked 2026-11-21).
 */
export const requiredMessage = 'This field is required';
export const lettersMessage = 'Only letters and spaces are allowed';
export const alphanumericMessage = 'Only numbers & letters are allowed';
export const phoneMessage = 'Phone number must have between 4 and 14 numbers';
export const phoneRequiredMessage = 'Please fill out the field';

export const printableMessage = 'Please remove characters that cannot be printed';

const tooLong = (max: number) => `At most ${max} characters`;
/** No control characters, no halves of characters, nothing that turns the direction of the text around it. */
const printable = /^[^\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]*$/u;
const text = (max: number) => z.string().trim().max(max, tooLong(max)).regex(printable, printableMessage);
const required = (max: number) => text(max).min(1, requiredMessage);

/** Letters of any script with their marks, and spaces. */
const letters = /^[\p{L}\p{M} ]+$/u;
const alphanumeric = /^[\p{L}\p{M}\p{N} ]+$/u;
/** Stored form: plus, 1 to 4 digits, dot, 4 to 14 digits, optional extension (P1 §5). */
const storedPhone = /^\+\d{1,4}\.\d{4,14}(?:x\d{1,6})?$/;

export const phone = z.string().trim().min(1, phoneRequiredMessage).regex(storedPhone, phoneMessage);

export const contact = z.object({
  organization: required(64),
  firstName: required(64).regex(letters, lettersMessage),
  lastName: required(63),
  address1: required(64).regex(alphanumeric, alphanumericMessage),
  address2: text(64).optional(),
  address3: text(64).optional(),
  city: required(64),
  state: required(32),
  postalCode: required(16).regex(alphanumeric, alphanumericMessage),
  country: z
    .string()
    .trim()
    .min(1, requiredMessage)
    .transform((code) => code.toUpperCase())
    .refine((code) => findCountry(code) !== undefined, { message: 'Please choose a country' }),
  email: required(128).pipe(z.email('Please enter a valid email address')),
  phone,
});
export type Contact = z.output<typeof contact>;

export const contacts = z.object({ owner: contact, admin: contact, billing: contact });
export type Contacts = z.output<typeof contacts>;

/** A contact as it is shown: what was stored under whatever rules stays readable. */
const shownContact = z.object({
  organization: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  address1: z.string(),
  address2: z.string().optional(),
  address3: z.string().optional(),
  city: z.string(),
  state: z.string(),
  postalCode: z.string(),
  country: z.string(),
  email: z.string(),
  phone: z.string(),
} satisfies Record<keyof Contact, z.ZodType>);
export const shownContacts = z.object({ owner: shownContact, admin: shownContact, billing: shownContact });

export const contactFields = [
  'organization',
  'firstName',
  'lastName',
  'address1',
  'city',
  'state',
  'postalCode',
  'country',
  'email',
  'phone',
] as const satisfies readonly (keyof Contact)[];

/** What is left of a value when the characters its rule refuses are taken out: offered with one click. */
export function cleanedContactValue(field: keyof Contact, value: string): string {
  const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();
  if (field === 'firstName') return squeeze(value.replace(/[^\p{L}\p{M} ]+/gu, ' '));
  if (field === 'address1') return squeeze(value.replace(/[^\p{L}\p{M}\p{N} ]+/gu, ' '));
  if (field === 'postalCode') return value.replace(/[^\p{L}\p{N}]+/gu, '');
  return squeeze(value);
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
