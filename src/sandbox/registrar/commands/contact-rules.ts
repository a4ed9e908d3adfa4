import { isMap, mapOf, Refusal, textOf, type XcpMap } from '../xcp.ts';

/** OpenSRS EPP contact requirements (checked 2026-11-21). */
const limits: Record<string, number> = {
  first_name: 64,
  last_name: 64,
  org_name: 64,
  address1: 64,
  address2: 64,
  address3: 64,
  city: 64,
  state: 32,
  postal_code: 16,
};
const required = ['first_name', 'last_name', 'org_name', 'address1', 'city', 'country', 'phone', 'email'];
const withState = ['US', 'CA'];
const phonePattern = /^\+\d{1,3}\.\d{4,14}(x\d{1,6})?$/;
const emailPattern = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

export function contactFaults(type: string, contact: XcpMap): string[] {
  const faults: string[] = [];
  const say = (field: string, why: string) => faults.push(`${type}.${field}: ${why}`);
  for (const field of required) if (!textOf(contact, field)) say(field, 'required field is missing');
  for (const [field, limit] of Object.entries(limits)) {
    if (textOf(contact, field).length > limit) say(field, `longer than ${limit} characters`);
  }
  const country = textOf(contact, 'country').toUpperCase();
  if (country && !/^[A-Z]{2}$/.test(country)) say('country', 'not a country code');
  if (country === 'UK') say('country', 'UK is not allowed, use GB');
  if (withState.includes(country) && !textOf(contact, 'state')) say('state', 'required field is missing');
  for (const field of ['phone', 'fax']) {
    const number = textOf(contact, field);
    if (number && (number.length > 20 || !phonePattern.test(number))) say(field, 'invalid telephone number');
  }
  const email = textOf(contact, 'email');
  if (email && (!emailPattern.test(email) || email.indexOf('@') > 64)) say('email', 'invalid e-mail address');
  return faults;
}

/** The contact set of an order, complete, or a 465 that names every fault in `attributes.error`. */
export function contactSetOf(attributes: XcpMap, customTech: boolean): XcpMap {
  const given = mapOf(attributes, 'contact_set');
  const owner = mapOf(given, 'owner');
  const set: XcpMap = { owner };
  const faults = contactFaults('owner', owner);
  for (const type of ['admin', 'billing', ...(customTech ? ['tech'] : [])]) {
    const contact = mapOf(given, type);
    set[type] = contact;
    faults.push(...contactFaults(type, contact));
  }
  if (!customTech) set.tech = resellerTech;
  if (faults.length > 0) refuseData(faults);
  return set;
}

export function refuseData(faults: string[]): never {
  throw new Refusal(465, 'Registration Failed: Invalid data', { error: faults.join('\n') });
}

/** Used where custom_tech_contact is 0. */
const resellerTech: XcpMap = {
  first_name: 'Support',
  last_name: 'Desk',
  org_name: 'Sandbox Reseller',
  address1: '96 Mowat Avenue',
  city: 'Toronto',
  state: 'ON',
  postal_code: 'M6K 3M1',
  country: 'CA',
  phone: '+1.4165350123',
  email: 'support@reseller.example',
};

/** As in replies: every contact with `status`. */
export function withStatus(set: XcpMap): XcpMap {
  const entries = Object.entries(set).map(([type, contact]) => [
    type,
    isMap(contact) ? { ...contact, status: 'active' } : contact,
  ]);
  return Object.fromEntries(entries) as XcpMap;
}
