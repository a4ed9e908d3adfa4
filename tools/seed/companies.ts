import type { Contact } from '../../src/contracts/values/contact.ts';

/** Where the demonstration's customers are: city, state, country, dial code and the first digits of a number there. */
const places = {
  nyc: ['New York', 'NY', 'US', '+1.2125550'],
  atx: ['Austin', 'TX', 'US', '+1.5125550'],
  den: ['Denver', 'CO', 'US', '+1.3035550'],
  pdx: ['Portland', 'OR', 'US', '+1.5035550'],
  tor: ['Toronto', 'ON', 'CA', '+1.4165550'],
  lon: ['London', 'London', 'GB', '+44.2079460'],
  lee: ['Leeds', 'West Yorkshire', 'GB', '+44.1134960'],
  dub: ['Dublin', 'Leinster', 'IE', '+353.1555000'],
  ham: ['Hamburg', 'Hamburg', 'DE', '+49.4030330'],
  vie: ['Wien', 'Wien', 'AT', '+43.1555000'],
  zur: ['Zürich', 'ZH', 'CH', '+41.4455500'],
  lyo: ['Lyon', 'Rhône', 'FR', '+33.4720000'],
  ant: ['Antwerpen', 'Antwerpen', 'BE', '+32.3555000'],
  utr: ['Utrecht', 'Utrecht', 'NL', '+31.3023000'],
  sev: ['Sevilla', 'Andalucía', 'ES', '+34.9555500'],
  tor2: ['Torino', 'Piemonte', 'IT', '+39.0115550'],
  cph: ['København', 'Hovedstaden', 'DK', '+45.3555000'],
  syd: ['Sydney', 'NSW', 'AU', '+61.2901000'],
  akl: ['Auckland', 'Auckland', 'NZ', '+64.9555000'],
} as const;

/** Organization, what its names begin with, place, street, postal code, and the person who answers for it. */
const companies: readonly [string, string, keyof typeof places, string, string, string, string][] = [
  ['Blue Fig Bakery', 'bluefig', 'nyc', '218 Orchard Street', '10002', 'Ann', 'Whitlock'],
  ['Harbour Dental', 'harbourdental', 'lon', '14 Wharf Road', 'N1 7GR', 'Omar', 'Haddad'],
  ['Norrgaard Legal', 'norrgaardlegal', 'cph', 'Bredgade 41', '1260', 'Ida', 'Norrgaard'],
  ['Alder and Ash Interiors', 'alderandash', 'pdx', '905 Alder Street', '97205', 'Grace', 'Lee'],
  ['Kettle Lane Coffee', 'kettlelane', 'akl', '7 Kettle Lane', '1010', 'Tane', 'Rewi'],
  ['Physio am Stadtpark', 'physioamstadtpark', 'ham', 'Saarlandstraße 9', '22303', 'Lena', 'Brandt'],
  ['Redwood Accounting', 'redwoodaccounting', 'den', '1600 Larimer Street', '80202', 'Raj', 'Patel'],
  ['Tierarztpraxis Lindenhof', 'tierarztlindenhof', 'zur', 'Lindenhofweg 3', '8001', 'Urs', 'Keller'],
  ['Copper Mash Brewing', 'coppermash', 'atx', '44 Rainey Street', '78701', 'Ben', 'Okafor'],
  ['Brightside Childcare', 'brightsidechildcare', 'syd', '12 Glebe Point Road', '2037', 'Mia', 'Nguyen'],
  ['Meridian Freight', 'meridianfreight', 'ant', 'Kaai 142', '2030', 'Jef', 'Claes'],
  ['Oakfield Primary School', 'oakfieldprimary', 'lee', '2 Oakfield Terrace', 'LS6 2AB', 'Helen', 'Marsden'],
  ['Tidewater Plumbing', 'tidewaterplumbing', 'nyc', '77 Shore Road', '11209', 'Carlos', 'Vega'],
  ['Optiek Zilver', 'optiekzilver', 'utr', 'Oudegracht 210', '3511', 'Sanne', 'de Wit'],
  ['Granite Peak Roofing', 'granitepeakroofing', 'den', '310 Blake Street', '80205', 'Walt', 'Jensen'],
  ['Maple Street Books', 'maplestreetbooks', 'tor', '88 Harbord Street', 'M5S 1G5', 'Claire', 'Tremblay'],
  ['Kobalt Sicherheit', 'kobaltsicherheit', 'ham', 'Spaldingstraße 64', '20097', 'Mehmet', 'Aydin'],
  ['Greenway Landscaping', 'greenwaylandscaping', 'dub', '5 Canal Walk', 'D08 XT2', 'Aoife', 'Byrne'],
  ['Anchor Property Management', 'anchorproperty', 'lon', '60 Dock Street', 'E1 8JP', 'Samuel', 'Adeyemi'],
  ['Willow Creek Yoga', 'willowcreekyoga', 'pdx', '1420 Hawthorne Blvd', '97214', 'Priya', 'Raman'],
  ['Ironbridge Engineering', 'ironbridgeeng', 'lee', '19 Foundry Street', 'LS11 5QP', 'Colin', 'Firth'],
  ['Ferme du Vallon', 'fermeduvallon', 'lyo', '3 Chemin du Vallon', '69009', 'Élise', 'Garnier'],
  ['Parkside Pharmacy', 'parksidepharmacy', 'tor', '215 Bathurst Street', 'M5T 2S2', 'Wei', 'Zhang'],
  ['Sartoria Bellini', 'sartoriabellini', 'tor2', 'Via Lagrange 18', '10123', 'Marco', 'Bellini'],
  ['Clearwater Pools', 'clearwaterpools', 'atx', '500 Lamar Blvd', '78703', 'Dolores', 'Quinn'],
  ['Landmeters Van Hoof', 'landmetersvanhoof', 'ant', 'Mechelsesteenweg 80', '2018', 'Lotte', 'Van Hoof'],
  ['Firefly Electric', 'fireflyelectric', 'akl', '31 Ponsonby Road', '1011', 'Hemi', 'Walker'],
  ['Hillcrest Funeral Home', 'hillcrestfunerals', 'nyc', '640 Hillcrest Avenue', '10463', 'Ruth', 'Abrams'],
  ['Musikhaus Donau', 'musikhausdonau', 'vie', 'Praterstraße 27', '1020', 'Florian', 'Huber'],
  ['Juniper Catering', 'junipercatering', 'dub', '22 Smithfield Square', 'D07 F2V', 'Niall', 'Keane'],
  ['Westwind Charter', 'westwindcharter', 'syd', '3 Rushcutters Bay', '2011', 'Jack', 'Morrow'],
  ['Old Mill Joinery', 'oldmilljoinery', 'lee', '8 Mill Yard', 'LS10 1RX', 'Tom', 'Hargreaves'],
  ['Pinecone Toys', 'pineconetoys', 'cph', 'Jægersborggade 15', '2200', 'Mette', 'Holm'],
  ['Quarry Road Garage', 'quarryroadgarage', 'den', '75 Quarry Road', '80216', 'Luis', 'Romero'],
  ['Mesa Azafrán', 'mesaazafran', 'sev', 'Calle Feria 52', '41003', 'Lucía', 'Moreno'],
  ['Three Rivers Print', 'threeriversprint', 'tor', '9 Spadina Avenue', 'M5V 2K7', 'Noah', 'Singh'],
  ['Upland Orchards', 'uplandorchards', 'akl', '118 Orchard Lane', '0792', 'Ngaire', 'Scott'],
  ['Vista Travel', 'vistatravel', 'utr', 'Vredenburg 40', '3511', 'Joost', 'Bakker'],
  ['Wren and Company', 'wrenandcompany', 'lon', '5 Fetter Lane', 'EC4A 1DX', 'Beatrice', 'Wren'],
  ['Atelier Jaune', 'atelierjaune', 'lyo', '27 Rue Auguste Comte', '69002', 'Chloé', 'Martin'],
];

export interface Company {
  contact: Contact;
  /** What its domain names begin with. */
  word: string;
  /** The half month of the demonstration in which it becomes a customer. */
  joins: number;
}

/** So many customers at the start, and one in each half month after that. */
const atTheStart = 12;

export const demoCompanies: readonly Company[] = companies.map(
  ([organization, word, place, address1, postalCode, firstName, lastName], index) => {
    const [city, state, country, phone] = places[place];
    return {
      word,
      joins: Math.max(0, index + 1 - atTheStart),
      contact: {
        ...{ organization, firstName, lastName, address1, city, state, postalCode, country },
        email: `${plain(firstName)}@${word}.example`,
        phone: `${phone}${100 + index}`,
      },
    };
  },
);

function plain(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The demonstration goes by half months: a year and a half of them. */
export const halves = 36;

export interface DemoDomain {
  address: string;
  company: number;
  /** The half month in which it is registered. */
  half: number;
  /** 0: the company's first and foremost name. */
  rank: number;
}

const endings = ['-shop', 'online', 'group', '-booking', 'hq', '-jobs', '-news', '-events', '-cloud', '-app'];
const fewest = 4;
/** Most names come soon after a customer has joined. */
const eagerness = 1.8;

/** All names of the demonstration in the order in which they are bought: a company has four to eleven. */
export const demoDomains: readonly DemoDomain[] = demoCompanies
  .flatMap(({ word, joins }, company) => {
    const count = fewest + ((company * 3) % 8);
    return Array.from({ length: count }, (_, rank): DemoDomain => {
      const ending = rank === 0 ? '' : endings[(company + rank - 1) % endings.length];
      const half = joins + Math.floor((rank / count) ** eagerness * (halves - joins));
      return { address: `${word}${ending}.com`, company, half, rank };
    });
  })
  .sort((one, other) => one.half - other.half || one.rank - other.rank || one.company - other.company);
