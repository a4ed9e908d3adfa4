import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Contact } from '../../ports/registrar.ts';
import { text, type XcpAttributes, type XcpMap } from './xcp.ts';

/** A contact or credential the registrar would refuse; known before anything is sent. */
export class UnfitInput extends Error {
  override readonly name = 'UnfitInput';
}

/** Longest text the registrar takes, per field (§4, checked 2026-11-21). Names and lines are cut to it. */
const cutAt = { name: 64, lastName: 63, line: 64, state: 32 } as const;
const longest = { postalCode: 16, phone: 20 } as const;

/** A contact in the registrar's words. Throws `UnfitInput` for what cutting would falsify. */
export function toWire(contact: Contact): XcpAttributes {
  const cut = (value: string | undefined, length: number) => {
    const line = (value ?? '').replace(/\s+/g, ' ').trim();
    return [...line].slice(0, length).join('').trim();
  };
  const name = cut(`${contact.firstName} ${contact.lastName}`, cutAt.name);
  const wire = {
    first_name: cut(contact.firstName, cutAt.name),
    last_name: cut(contact.lastName, cutAt.lastName),
    // Required by the registrar; a person without a company is their own organization.
    org_name: cut(contact.organization, cutAt.name) || name,
    address1: cut(contact.address1, cutAt.line),
    address2: cut(contact.address2, cutAt.line),
    address3: cut(contact.address3, cutAt.line),
    city: cut(contact.city, cutAt.line),
    state: cut(contact.state, cutAt.state),
    postal_code: contact.postalCode.trim(),
    country: country(contact.country),
    email: contact.email.trim(),
    phone: phone(contact.phone, contact.country),
  };
  if (wire.postal_code.length > longest.postalCode) throw new UnfitInput('The postal code is too long.');
  if (!isEmail(wire.email)) throw new UnfitInput('The email address of a contact is not valid.');
  for (const [key, label] of required) {
    if (!wire[key]) throw new UnfitInput(`A contact has no ${label}.`);
  }
  return wire;
}

const required = [
  ['first_name', 'first name'],
  ['last_name', 'last name'],
  ['address1', 'address'],
  ['city', 'city'],
] as const;

/** ISO 3166 alpha-2; the registrar refuses the colloquial UK (§18.8). */
function country(value: string): string {
  const code = value.trim().toUpperCase();
  if (!/^[A-Z]{2}$/.test(code)) throw new UnfitInput('The country of a contact is not valid.');
  return code === 'UK' ? 'GB' : code;
}

function isEmail(value: string): boolean {
  const [local = '', host = '', ...more] = value.split('@');
  return (
    more.length === 0 &&
    /^[^\s]{1,64}$/.test(local) &&
    /^[^\s.]+(\.[^\s.]+)+$/.test(host) &&
    host.length <= 63
  );
}

/** `+CC.N`, with `xE` for an extension; at most 20 characters overall (§4). */
export function phone(value: string, countryCode: string): string {
  const trimmed = value.trim();
  const exact = /^\+\d{1,4}\.\d{4,14}(x\d{1,6})?$/;
  const wire = exact.test(trimmed) ? trimmed : rewritten(trimmed, countryCode);
  if (wire === null || wire.length > longest.phone) {
    throw new UnfitInput('The phone number of a contact is not valid.');
  }
  return wire;
}

function rewritten(value: string, countryCode: string): string | null {
  const home = country(countryCode);
  const parsed = parsePhoneNumberFromString(value.replace('.', ''), { defaultCountry: home as 'US' });
  if (!parsed?.isPossible()) return null;
  const extension = parsed.ext ? `x${parsed.ext}` : '';
  return `+${parsed.countryCallingCode}.${parsed.nationalNumber}${extension}`;
}

/** A contact as the registrar returns it. */
export function fromWire(map: XcpMap): Contact {
  const read = (key: string) => text(map, key) ?? '';
  return {
    firstName: read('first_name'),
    lastName: read('last_name'),
    organization: read('org_name'),
    address1: read('address1'),
    address2: text(map, 'address2') ?? undefined,
    address3: text(map, 'address3') ?? undefined,
    city: read('city'),
    state: read('state'),
    postalCode: read('postal_code'),
    country: read('country'),
    email: read('email'),
    phone: read('phone'),
  };
}

/** Registrant profile: 3–20 letters and digits, 10–20 of the allowed characters (§4, checked 2026-11-21). */
export function credentials(input: { username: string; password: string }): XcpAttributes {
  if (
    !/^[A-Za-z0-9]{3,20}$/.test(input.username) ||
    !/^[A-Za-z0-9!@$^,.~|=\-+_{}#]{10,20}$/.test(input.password)
  ) {
    throw new UnfitInput('The registrant profile is not valid.');
  }
  return { reg_username: input.username, reg_password: input.password };
}
