import { type Customer, createCustomerBody } from '#contracts/operations/customers.ts';
import { type Contact, contactFields } from '#contracts/values/contact.ts';
import type { Field } from '../../lib/merge.ts';
import { contactLabels } from './contact-labels.ts';

/** What the customer form holds: three contacts, of which two may be the owner's. */
export interface CustomerFormValues {
  contacts: { owner: Contact; admin: Contact; billing: Contact };
  adminSame: boolean;
  billingSame: boolean;
}

const emptyContact: Contact = {
  organization: '',
  firstName: '',
  lastName: '',
  address1: '',
  city: '',
  state: '',
  postalCode: '',
  country: 'US',
  email: '',
  phone: '',
};

export function emptyForm(): CustomerFormValues {
  const contacts = { owner: { ...emptyContact }, admin: { ...emptyContact }, billing: { ...emptyContact } };
  return { contacts, adminSame: true, billingSame: true };
}

/** What a contact may hold that the form does not show: saving loses none of it. */
const unshownFields = ['address2', 'address3'] as const;

/** A stored customer as form values; contacts equal to the owner's show as "Same as owner". */
export function formOf(customer: Pick<Customer, 'contacts'>): CustomerFormValues {
  const { owner, admin, billing } = customer.contacts;
  const same = (contact: Customer['contacts']['owner']) =>
    contactFields.every((field) => contact[field] === owner[field]) &&
    unshownFields.every((field) => (contact[field] ?? '') === (owner[field] ?? ''));
  return {
    contacts: { owner: { ...owner }, admin: { ...admin }, billing: { ...billing } },
    adminSame: same(admin),
    billingSame: same(billing),
  };
}

/** The contacts to send: where "Same as owner" is on they are copied from the owner (P1 §5). */
export function contactsOf(values: CustomerFormValues): CustomerFormValues['contacts'] {
  const { owner, admin, billing } = values.contacts;
  return {
    owner,
    admin: values.adminSame ? owner : admin,
    billing: values.billingSame ? owner : billing,
  };
}

/** The contract's own complaints, by field; hidden sections have none of their own. */
export function validateForm(values: CustomerFormValues): Record<string, string> {
  const parsed = createCustomerBody.shape.contacts.safeParse(contactsOf(values));
  if (parsed.success) return {};
  const errors: Record<string, string> = {};
  for (const issue of parsed.error.issues) {
    const path = `contacts.${issue.path.join('.')}`;
    if (values.adminSame && path.startsWith('contacts.admin')) continue;
    if (values.billingSame && path.startsWith('contacts.billing')) continue;
    errors[path] ??= issue.message;
  }
  return errors;
}

/** The field that shows what a path of the request is about: the owner's, where a contact is the same as that. */
export function contactFieldOf(path: string, values: CustomerFormValues): string | null {
  const [, kind, name] = /^contacts\.(owner|admin|billing)\.(\w+)$/.exec(path) ?? [];
  if (!contactFields.some((field) => field === name)) return null;
  const isOwners = (kind === 'admin' && values.adminSame) || (kind === 'billing' && values.billingSame);
  return `contacts.${isOwners ? 'owner' : kind}.${name}`;
}

const kindNames = { owner: 'Owner', admin: 'Admin', billing: 'Billing' };

/** What of the contacts two people may change: every line of each, also of one that is the owner's. */
export const contactEntries: Field<CustomerFormValues>[] = (['owner', 'admin', 'billing'] as const).flatMap(
  (kind) =>
    [...contactFields, ...unshownFields].map((field) => ({
      label: `${kindNames[kind]}: ${contactLabels[field]}`,
      text: (values) => contactsOf(values)[kind][field] ?? '',
      take: (into, from) => {
        const contacts = contactsOf(into);
        const contact = { ...contacts[kind], [field]: contactsOf(from)[kind][field] };
        return formOf({ contacts: { ...contacts, [kind]: contact } });
      },
    })),
);
