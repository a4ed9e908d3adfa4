import { contactLabels } from './contact-labels.ts';

/** Columns of the customer file, in words. */
const kinds: Record<string, string> = { owner: 'Owner', admin: 'Admin contact', billing: 'Billing contact' };
const fields: Record<string, string> = {
  organization: 'company',
  firstName: 'first name; only letters and spaces',
  lastName: 'last name',
  address1: 'address line 1; only numbers and letters',
  address2: 'address line 2',
  address3: 'address line 3',
  city: 'city',
  state: 'state or province',
  postalCode: 'postal code; only numbers and letters',
  country: 'country as a code of two letters, such as US',
  email: 'email address',
  phone: 'phone number as +cc nnnnnnnnnn',
};
const others: Record<string, string> = {
  customerId: 'The customer that the row is about; empty for a new one',
  billing_billDirectly: 'Direct billing: true or false',
  billing_allowChangeBilling: 'Whether the customer may change the billing data: true or false',
  billing_email: 'Email address for direct billing',
  allowDomainSettings:
    "Whether the customer's own users may change nameservers and other domain settings: true or false",
};

/** What a column of the customer file holds. */
export function meaningOf(name: string): string {
  const [part, kind = '', field = '', last] = name.split('_');
  if (part === 'contacts') return `${kinds[kind]}: ${fields[field]}`;
  if (part !== 'markups') return others[name] ?? '';
  return `Markup on ${kind} ${field}: ${last === 'type' ? 'percentage or fixed' : 'a number such as 12.5'}`;
}

const labels: Record<string, string> = {
  wholeName: 'First and last name in one column',
  ...contactLabels,
  billDirectly: 'Direct billing',
  allowChangeBilling: 'May change billing data',
};

/** Its short name, as the forms have it. The owner's are the customer's. */
export function labelOf(column: string): string {
  const [part, kind = '', field = ''] = column.split('_');
  if (part === 'contacts')
    return kind === 'owner' ? (labels[field] ?? field) : `${kinds[kind]}: ${labels[field]}`;
  if (column === 'customerId') return 'Customer id';
  if (column === 'billing_email') return 'Billing email';
  return (part === 'billing' ? labels[kind] : undefined) ?? meaningOf(column);
}
