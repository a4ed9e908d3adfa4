import { z } from 'zod';
import { findCountry } from './countries.ts';
import { oneLine } from './one-line.ts';
import { storedPhone } from './phone.ts';

/**
 * Contacts of a customer: rules and messages of P1 §5, once, for the form, the API and the CSV import.
 * Lengths are those of the registrar's contact records (checked 2026-11-21).
 */
export const requiredMessage = 'This field is required';
export const lettersMessage = 'Only letters and spaces are allowed';
export const alphanumericMessage = 'Only numbers & letters are allowed';
export const phoneMessage = 'Phone number must have between 4 and 14 numbers';
export const phoneRequiredMessage = 'Please fill out the field';

const required = (max: number) => oneLine(max).min(1, requiredMessage);

/** Letters of any script with their marks, and spaces. */
const letters = /^[\p{L}\p{M} ]+$/u;
const alphanumeric = /^[\p{L}\p{M}\p{N} ]+$/u;

export const phone = z.string().trim().min(1, phoneRequiredMessage).regex(storedPhone, phoneMessage);

export const contact = z.object({
  organization: required(64),
  firstName: required(64).regex(letters, lettersMessage),
  lastName: required(63),
  address1: required(64).regex(alphanumeric, alphanumericMessage),
  address2: oneLine(64).optional(),
  address3: oneLine(64).optional(),
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

const registrantFields = ['organization', 'firstName', 'lastName', 'email'] as const;
type Registrant = Pick<Contact, (typeof registrantFields)[number]> & Partial<Contact>;

/** ICANN, Change of Registrant: name, organization and email of the owner start a lock (checked 2026-11-21). */
export function startsRegistrantLock(before: Registrant, after: Registrant): boolean {
  return registrantFields.some((field) => before[field].trim() !== after[field].trim());
}
