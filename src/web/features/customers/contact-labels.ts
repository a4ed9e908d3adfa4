/** What each line of a contact is called, in the customer's form, in what two people have changed and in a file. */
export const contactLabels = {
  organization: 'Company',
  firstName: 'First name',
  lastName: 'Last name',
  address1: 'Address line 1',
  address2: 'Address line 2',
  address3: 'Address line 3',
  city: 'City',
  state: 'State',
  postalCode: 'Postal code',
  country: 'Country',
  email: 'Email',
  phone: 'Phone',
} as const;
