import type { RegistryContact } from '#contracts/operations/domain-settings.ts';
import type { Contact } from '#contracts/values/contact.ts';

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
