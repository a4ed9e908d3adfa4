/** Columns of customer lists as other programs export them. Data only; `column-mapping.ts` reads it. */

/** Names that differ in case, spaces, signs or a mark for "required" are one. */
export function headerName(name: string): string {
  return name
    .replace(/^\s*\[required ?\*?\]/i, '')
    .replace(/^\s*(?:organization|account|client|company|business unit|contact)\s*:\s*/i, (prefix) =>
      /^\s*contact/i.test(prefix) ? 'contact ' : 'organization ',
    )
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

export interface CrmProfile {
  name: string;
  /** Columns by which its exports are known: of each list one is there. */
  marks: readonly (readonly string[])[];
  /** Our column: its names there, the better one first. */
  columns: Readonly<Record<string, readonly string[]>>;
}

const owner = (fields: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(fields).map(([field, names]) => [`contacts_owner_${field}`, names]));

/**
 * Autotask, HubSpot and WHMCS: as their own templates and exports name the columns (checked 2026-11-22). ConnectWise and
 * HaloPSA have no fixed list: somebody picks the columns of an export, and their names differ by version. Theirs are the
 * names of fields on their screens with the usual variants; we have seen no file of theirs. What does not fit is asked for.
 */
export const crmProfiles: readonly CrmProfile[] = [
  {
    name: 'Autotask',
    marks: [['Organization: Name'], ['Contact: First Name'], ['Contact: Email Address']],
    columns: owner({
      organization: ['Organization: Name'],
      firstName: ['Contact: First Name'],
      lastName: ['Contact: Last Name'],
      email: ['Contact: Email Address'],
      phone: ['Contact: Phone', 'Organization: Phone'],
      address1: ['Organization: Address 1', 'Contact: Address 1'],
      address2: ['Organization: Address 2', 'Contact: Address 2'],
      city: ['Organization: City', 'Contact: City'],
      state: ['Organization: State', 'Contact: State'],
      postalCode: ['Organization: Zip Code', 'Contact: Zip Code'],
      country: ['Organization: Country', 'Contact: Country'],
    }),
  },
  {
    name: 'HubSpot',
    marks: [
      ['Record ID', 'Record ID - Contact'],
      ['Country/Region', 'State/Region', 'Contact owner', 'Lead Status'],
    ],
    columns: owner({
      organization: ['Company Name', 'Associated Company', 'Company'],
      firstName: ['First Name'],
      lastName: ['Last Name'],
      email: ['Email'],
      phone: ['Phone Number', 'Mobile Phone Number'],
      address1: ['Street Address'],
      address2: ['Street Address 2'],
      city: ['City'],
      state: ['State/Region'],
      postalCode: ['Postal Code'],
      country: ['Country/Region'],
    }),
  },
  {
    name: 'WHMCS',
    marks: [
      ['Client Group ID', 'Creation Date', 'Currency'],
      ['Postcode'],
      ['Company Name'],
      ['Phone Number'],
    ],
    columns: owner({
      organization: ['Company Name'],
      firstName: ['First Name'],
      lastName: ['Last Name'],
      email: ['Email'],
      phone: ['Phone Number'],
      address1: ['Address 1'],
      address2: ['Address 2'],
      city: ['City'],
      state: ['State'],
      postalCode: ['Postcode'],
      country: ['Country'],
    }),
  },
  {
    name: 'HaloPSA',
    marks: [
      ['Client', 'Client Name'],
      ['Site', 'Site Name'],
      ['Surname', 'Last Name', 'User Name', 'Username'],
    ],
    columns: owner({
      organization: ['Client Name', 'Client'],
      firstName: ['First Name', 'Forename'],
      lastName: ['Surname', 'Last Name'],
      email: ['Email Address', 'Email'],
      phone: ['Phone Number', 'Telephone', 'Site Phone Number', 'Mobile Number'],
      address1: ['Address Line 1', 'Site Address Line 1', 'Delivery Address Line 1'],
      address2: ['Address Line 2', 'Site Address Line 2', 'Delivery Address Line 2'],
      city: ['Town/City', 'City', 'Town', 'Address Line 3'],
      address3: ['Address Line 3', 'Site Address Line 3'],
      state: ['County/State', 'County', 'Address Line 4', 'State'],
      postalCode: ['Postcode', 'Site Postcode', 'Post/Zip Code'],
      country: ['Country', 'Country Code'],
    }),
  },
  {
    name: 'ConnectWise',
    marks: [
      ['Company', 'Company Name'],
      ['Company ID', 'Company Identifier', 'Site', 'Site Name'],
      ['Zip', 'Zip Code'],
      ['First Name'],
    ],
    columns: owner({
      organization: ['Company Name', 'Company'],
      firstName: ['First Name'],
      lastName: ['Last Name'],
      email: ['Default Email Address', 'Email Address', 'Email'],
      phone: ['Default Phone Number', 'Direct Phone', 'Phone Number', 'Phone', 'Direct'],
      address1: ['Address Line 1', 'Address 1'],
      address2: ['Address Line 2', 'Address 2'],
      city: ['City'],
      state: ['State', 'State/Province'],
      postalCode: ['Zip', 'Zip Code'],
      country: ['Country'],
    }),
  },
];

/** What columns are usually called in lists that no known program has written, in several languages. */
export const usualNames: Readonly<Record<string, readonly string[]>> = owner({
  organization: (
    'company|company name|organization|organisation|organization name|client|client name|customer|customer name|account|' +
    'account name|business|business name|firma|firmenname|unternehmen|kunde|société|entreprise|raison sociale|empresa|' +
    'ragione sociale|azienda|bedrijf|bedrijfsnaam|nazwa firmy|spoločnosť|společnost|virksomhed|företag'
  ).split('|'),
  firstName:
    'first name|first|given name|forename|contact first name|vorname|prénom|nombre|nome|voornaam|imię|jméno|meno|fornavn|förnamn'.split(
      '|',
    ),
  lastName:
    'last name|last|surname|family name|contact last name|nachname|familienname|nom|nom de famille|apellido|apellidos|cognome|achternaam|nazwisko|příjmení|priezvisko|efternavn|etternavn|efternamn|sobrenome'.split(
      '|',
    ),
  wholeName: 'full name|contact name|contact|primary contact|name|ansprechpartner|contact person'.split('|'),
  email:
    'email|email address|mail|primary email|contact email|e-mail-adresse|courriel|correo|correo electrónico|posta'.split(
      '|',
    ),
  phone: (
    'phone|phone number|telephone|telephone number|tel|contact phone|business phone|work phone|mobile|mobile phone|telefon|' +
    'telefonnummer|téléphone|teléfono|telefono|telefoon|telefone|handy|puhelin'
  ).split('|'),
  address1: (
    'address 1|address line 1|address1|street address|street|address|billing address|straße|strasse|anschrift|adresse|rue|' +
    'dirección|direccion|indirizzo|adres|ulica|ulice|endereço|gata|osoite'
  ).split('|'),
  address2: 'address 2|address line 2|street address 2|street 2|adresszusatz'.split('|'),
  address3: 'address 3|address line 3'.split('|'),
  city: 'city|town|town/city|city/town|suburb|ort|stadt|ville|ciudad|città|cidade|plaats|stad|miasto|město|mesto|by|kaupunki'.split(
    '|',
  ),
  state:
    'state|state/province|province|state/region|region|county|bundesland|kanton|provincia|estado|provincie|województwo|kraj'.split(
      '|',
    ),
  postalCode:
    'postal code|postcode|post code|zip|zip code|zip/postal code|plz|postleitzahl|code postal|código postal|cap|kod pocztowy|psč|postnummer|cep'.split(
      '|',
    ),
  country: 'country|country/region|country code|country name|land|pays|país|paese|země|krajina|maa'.split(
    '|',
  ),
});
