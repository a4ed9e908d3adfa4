import type { Contact } from '../../src/contracts/values/contact.ts';

/** Where the demonstration's customers are: city, state, postal code, country, dial code and a number there. */
const places = [
  ['New York', 'NY', '10001', 'US', '+1.2125550'],
  ['Toronto', 'ON', 'M5V1A1', 'CA', '+1.4165550'],
  ['London', 'London', 'EC1A1BB', 'GB', '+44.2079460'],
  ['Hamburg', 'Hamburg', '20095', 'DE', '+49.4030330'],
  ['Lyon', 'Rhone', '69001', 'FR', '+33.4720000'],
  ['Austin', 'TX', '78701', 'US', '+1.5125550'],
  ['Sydney', 'NSW', '2000', 'AU', '+61.2901000'],
  ['Utrecht', 'Utrecht', '3511', 'NL', '+31.3023000'],
] as const;

const companies = [
  'Blue Fig Bakery',
  'Harbour Dental',
  'Northgate Legal',
  'Alder and Ash Interiors',
  'Kettle Lane Coffee',
  'Summit Physiotherapy',
  'Redwood Accounting',
  'Lakeside Veterinary',
  'Copper Kettle Brewing',
  'Brightside Childcare',
  'Meridian Freight',
  'Oakfield Primary School',
  'Tidewater Plumbing',
  'Silverline Optics',
  'Granite Peak Roofing',
  'Maple Street Books',
  'Cobalt Security',
  'Greenway Landscaping',
  'Anchor Property Management',
  'Willow Creek Yoga',
  'Ironbridge Engineering',
  'Sunny Hollow Farms',
  'Parkside Pharmacy',
  'Velvet Thread Tailors',
  'Clearwater Pools',
  'Stonebridge Surveyors',
  'Firefly Electric',
  'Hillcrest Funeral Home',
  'Beacon Street Music',
  'Juniper Catering',
  'Westwind Charter',
  'Old Mill Joinery',
  'Pinecone Toys',
  'Quarry Road Garage',
  'Saffron Table',
  'Three Rivers Print',
  'Upland Orchards',
  'Vista Travel',
  'Wren and Company',
  'Yellow Door Studio',
] as const;

const people = [
  ['Ann', 'Smith'],
  ['Omar', 'Haddad'],
  ['Lena', 'Brandt'],
  ['Chloe', 'Martin'],
  ['Raj', 'Patel'],
  ['Marta', 'Silva'],
  ['Ben', 'Okafor'],
  ['Grace', 'Lee'],
] as const;

export interface Company {
  contact: Contact;
  /** What its domain names begin with. */
  word: string;
}

export const demoCompanies: Company[] = companies.map((organization, index) => {
  const word = organization
    .toLowerCase()
    .replace(/ (and|company) ?/g, ' ')
    .replace(/[^a-z]/g, '');
  // Two numbers without a common divisor: neighbours in the list differ in place and person.
  const [city, state, postalCode, country, phone] = places[(index * 3) % places.length] ?? places[0];
  const [firstName, lastName] = people[(index * 5) % people.length] ?? people[0];
  return {
    word,
    contact: {
      organization,
      firstName,
      lastName,
      address1: `${10 + index} Market Street`,
      city,
      state,
      postalCode,
      country,
      email: `${firstName}.${lastName}@${word}.example`.toLowerCase(),
      phone: `${phone}${100 + index}`,
    },
  };
});

const endings = ['', '-shop', '-online', 'group', '-mail', 'hq', '-app', '-events', 'team', '-news', '-help'];

/** All .com names of the demonstration, the oldest first: some companies have five, some eleven. */
export const demoDomains: { address: string; company: number }[] = endings
  .flatMap((ending, round) =>
    demoCompanies.map(({ word }, company) => ({ address: `${word}${ending}.com`, company, round })),
  )
  .filter(({ company, round }) => round < 5 + (company % 7));
