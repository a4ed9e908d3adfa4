import type { RegistryContact } from '#contracts/operations/domain-settings.ts';
import type { Contact } from '#contracts/values/contact.ts';
import { ApiError } from '../../lib/api-error.ts';

/** A contact as the registrar shows it, in the form in which it is edited and sent. */
export function toContact(shown: RegistryContact): Contact {
  return {
    organization: shown.org_name,
    firstName: shown.first_name,
    lastName: shown.last_name,
    address1: shown.address1,
    address2: shown.address2,
    address3: shown.address3,
    city: shown.city,
    state: shown.state,
    postalCode: shown.postal_code,
    country: shown.country,
    email: shown.email,
    phone: shown.phone,
  };
}

/** What the server has against a contact that was sent, at the fields of the form; each that was sent is the same one. */
export function contactErrors(error: Error): Record<string, string> {
  const details = error instanceof ApiError ? error.details : [];
  return Object.fromEntries(
    details.map(({ path, message }) => [`contacts.owner.${path.split('.').at(-1)}`, message]),
  );
}
