/** Customer lists as programs export them and as people filled them in: 35 customers of 35 countries. */

const fields = [
  'country',
  'written',
  'company',
  'first',
  'last',
  'street',
  'city',
  'state',
  'postcode',
  'phone',
] as const;
export type Person = Record<(typeof fields)[number] | 'email', string>;

const lines = `
US|United States|O'Brien & Sons LLC|Jean-Pierre|O'Brien|350 5th Ave, Suite 100|New York|New York|10118-0110|(212) 555-0100 ext. 12
CA|Canada|Érable Inc.|Zoé|Lévesque-Roy|12, rue de l'Église, bureau 4|Montréal|Québec|H2X 1Y4|514-555-0123
GB|UK|Smith & Co.|Mary-Ann|O’Connor|12 High St.|London||SW1A 1AA|020 7946 0018
IE|Ireland|Shamrock Ltd.|Seán|Ó Briain|7 St. Stephen's Green|Dublin|Co. Dublin|D02 XY45|(01) 234 5678
DE|Deutschland|Müller & Söhne GmbH|Hans-Jürgen|Müller-Lüdenscheidt|Königstr. 12/4|Köln|NRW|50667|0221/123456
AT|Austria|Alpen-Holz KG|Franz-Josef|Gruber|Mariahilfer Str. 1/2/3|Wien||1060|01/512 34 56
CH|Switzerland|Uhren AG|François|Käslin|Bahnhofstr. 5|Zürich|ZH|8001|044 364 25 25
FR|France|L'Atelier SARL|Marie-Hélène|D'Artagnan|4, rue de l’Abbé-Grégoire|Paris||75006|01 23 45 67 89
BE|Belgium|Choco N.V.|Jean-Luc|Van den Broeck|Rue de la Loi 16, bte 3|Bruxelles||1000|02/555.12.12
NL|The Netherlands|Tulp B.V.|Anne-Fleur|van 't Hof|Prinsengracht 263-265|Amsterdam|Noord-Holland|1016 GV|020-1234567
LU|Luxembourg|Banque S.A.|Jos.|Weber|2, bd. Royal|Luxembourg||L-2449|27 12 34 56
ES|España|Sol y Mar, S.L.|Mª José|Núñez García|C/ Mayor, 5, 2º B|Madrid|Madrid|28013|912 345 678
PT|Portugal|Azulejo, Lda.|João|Gonçalves|Av. da Liberdade, 110-1.º|Lisboa||1269-046|21 234 5678
IT|Italy|Caffè S.r.l.|Gian-Luca|D'Angelo|Via Roma, 1/A|Roma|RM|00184|06 698 12345
DK|Danmark|Fisk ApS|Søren|Sørensen|Nørregade 7, 2. th.|København K||1165|32 12 34 56
SE|Sweden|Älg AB|Anna-Karin|Åström|Sveavägen 44, 3 tr.|Stockholm||111 34|08-12 34 56
NO|Norge|Fjord AS|Bjørn-Erik|Ødegård|Karl Johans gt. 1|Oslo||0154|21 23 45 67
FI|Finland|Sauna Oy|Päivi|Mäkinen|Mannerheimintie 5 A, as. 3|Helsinki||00100|09 1234 5678
PL|Polska|Żubr Sp. z o.o.|Łukasz|Wiśniewski|ul. Marszałkowska 1/2|Warszawa||00-590|22 123 45 67
CZ|Czech Republic|Křišťál s.r.o.|Jiří|Dvořák|Václavské nám. 1|Praha 1||110 00|212 345 678
SK|Slovakia|Tatry a.s.|Ľubomír|Kováč|Hlavná ul. 1|Bratislava||811 01|02/1234 5678
HU|Hungary|Gulyás Kft.|Győző|Szőke|Andrássy út 1.|Budapest||1061|06 1 234 5678
RO|Romania|Soare S.R.L.|Ștefan|Țurcanu|Str. Lipscani nr. 5|București||030031|021 123 4567
GR|Greece|Ελιά Α.Ε.|Γιώργος|Παπαδόπουλος|Ερμού 1, 2ος όροφος|Αθήνα||105 63|210 123 4567
TR|Turkey|Çınar A.Ş.|İbrahim|Öztürk|Atatürk Cad. No:5|İstanbul||34433|0212 345 67 89
UA|Ukraine|ТОВ «Калина»|Олена|Шевченко|вул. Хрещатик, 1|Київ||01001|044 123-45-67
IL|Israel|Negev Ltd.|David|Ben-Ami|17 Ben-Gurion Blvd.|Tel Aviv||6345403|02-123-4567
IN|India|Rao & Rao Pvt. Ltd.|A. R.|Rao|12/3, M.G. Road|Mumbai|Maharashtra|400001|022 1234 5678
JP|Japan|Satō K.K.|Ken'ichi|Satō|1-2-3 Marunouchi, Chiyoda-ku|Tōkyō|Tokyo|〒100-0005|03-1234-5678
AU|Australia|Reef Pty. Ltd.|Kate|O'Neil|Level 3, 45 Clarence St.|Sydney|New South Wales|2000|(02) 9123 4567
NZ|New Zealand|Kiwi Ltd.|Te-Ariki|Parata|1 Queen St.|Auckland||1010|09 345 6789
SG|Singapore|Lion Pte. Ltd.|Wei-Ling|Tan|1 Raffles Place, #20-61|Singapore||048616|6123 4567
BR|Brasil|Café Ltda.|José-Maria|da Silva|Av. Paulista, 1578 - cj. 4|São Paulo|SP|01310-200|(11) 2345-6789
MX|México|Agave, S.A. de C.V.|María Fernanda|López|Av. Juárez #50, Col. Centro|Ciudad de México|CDMX|06010|55 1234 5678
AE|United Arab Emirates|Dune L.L.C.|Mohammed|Al-Fahim|P.O. Box 1234, Sheikh Zayed Rd.|Dubai|||04 123 4567`;

export const people: readonly Person[] = lines
  .trim()
  .split('\n')
  .map((line) => {
    const cells = line.split('|');
    const person = Object.fromEntries(fields.map((name, index) => [name, cells[index] ?? ''])) as Person;
    return { ...person, email: `office@${person.country.toLowerCase()}.customer.example` };
  });

export interface CrmFile {
  program: string;
  header: readonly string[];
  row: (person: Person, index: number) => readonly string[];
  separator: string;
  encode: (text: string) => Buffer;
}

const utf8 = (text: string) => Buffer.from(text);
const utf8Marked = (text: string) => Buffer.from(`\ufeff${text}`);
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
/** As an old program writes: letters that its set does not have have lost their marks, or their alphabet. */
function windows1252(text: string): Buffer {
  const alike: Record<string, string> = { ł: 'l', Ł: 'L', ı: 'i', '’': "'", '〒': '' };
  const latin = [...text].map((char) => {
    if ((char.codePointAt(0) ?? 0) < 256) return char;
    const bare = alike[char] ?? char.normalize('NFD').replace(/\p{M}/gu, '');
    return [...bare].every((one) => (one.codePointAt(0) ?? 0) < 256) ? bare : 'x';
  });
  return Buffer.from(latin.join(''), 'latin1');
}

/** Six lists of the same people: five programs and somebody's own spreadsheet. */
export const crmFiles: readonly CrmFile[] = [
  {
    program: 'WHMCS',
    header: (
      'ID,First Name,Last Name,Company Name,Email,Address 1,Address 2,City,State,Postcode,Country,Phone Number,Currency,' +
      'Client Group ID,Credit,Creation Date,Notes,Status'
    ).split(','),
    // Its reports tell the code of the country.
    row: (p, n) => [
      ...[
        String(n + 1),
        p.first,
        p.last,
        p.company,
        p.email,
        p.street,
        '',
        p.city,
        p.state,
        p.postcode,
        p.country,
      ],
      ...[p.phone, 'USD', '0', '0.00', '2024-03-01', 'pays late, "always"', 'Active'],
    ],
    separator: ',',
    encode: utf8,
  },
  {
    program: 'HubSpot',
    header: (
      'Record ID,First Name,Last Name,Email,Phone Number,Company Name,Street Address,City,State/Region,Postal Code,' +
      'Country/Region,Contact owner,Lead Status,Create Date,Website URL'
    ).split(','),
    row: (p, n) => [
      ...[
        String(90_000 + n),
        p.first,
        p.last,
        p.email,
        p.phone,
        p.company,
        p.street,
        p.city,
        p.state,
        p.postcode,
      ],
      ...[p.written, 'Inès Moreau', 'OPEN', '2024-03-12 09:14', ''],
    ],
    separator: ',',
    encode: utf8Marked,
  },
  {
    program: 'ConnectWise',
    header: (
      'First Name,Last Name,Title,Company,Company ID,Site Name,Address Line 1,Address Line 2,City,State,Zip,Country,' +
      'Default Phone Number,Default Email Address,Inactive'
    ).split(','),
    row: (p, n) => [
      ...[
        p.first,
        p.last,
        'Owner',
        p.company,
        `C${n}`,
        'Main',
        p.street,
        '',
        p.city,
        p.state,
        p.postcode,
        p.written,
      ],
      ...[p.phone, p.email, 'No'],
    ],
    separator: '\t',
    encode: utf16,
  },
  {
    program: 'Autotask',
    header: [
      ...[
        '[required] Organization: Name',
        'Organization: Number',
        'Organization: Address 1',
        'Organization: Address 2',
      ],
      ...['Organization: City', 'Organization: State', 'Organization: Zip Code', 'Organization: Country'],
      ...[
        '[required] Organization: Phone',
        '[required*] Contact: First Name',
        '[required*] Contact: Last Name',
      ],
      ...['[required*] Contact: Email Address', 'Contact: Title'],
    ],
    row: (p, n) => [
      ...[
        p.company,
        String(n),
        p.street,
        '',
        p.city,
        p.state,
        p.postcode,
        p.written,
        p.phone,
        p.first,
        p.last,
      ],
      ...[`${p.first} ${p.last} <${p.email}>`, ''],
    ],
    separator: ',',
    encode: utf8,
  },
  {
    program: 'HaloPSA',
    header: (
      'Client Name,Site Name,First Name,Surname,Email Address,Phone Number,Address Line 1,Address Line 2,Town/City,County,' +
      'Postcode,Country,Inactive,'
    ).split(','),
    row: (p) => [
      ...[
        p.company,
        'Main',
        p.first,
        p.last,
        p.email,
        p.phone,
        p.street,
        '',
        p.city,
        p.state,
        p.postcode,
        p.written,
      ],
      ...['False', ''],
    ],
    separator: ',',
    encode: windows1252,
  },
  {
    program: 'own',
    header:
      'Kundennr.;Firma;Ansprechpartner;Straße;PLZ;Ort;Bundesland;Land;Telefon;E-Mail;billing_billDirectly'.split(
        ';',
      ),
    row: (p, n) => [
      ...[
        String(n),
        p.company,
        `${p.last}, ${p.first}`,
        p.street,
        p.postcode,
        p.city,
        p.state,
        p.written,
        p.phone,
      ],
      ...[p.email, 'FALSCH'],
    ],
    separator: ';',
    encode: utf8,
  },
];

export function crmFile({ header, row, separator, encode }: CrmFile, of: readonly Person[] = people): Buffer {
  const line = (cells: readonly string[]) =>
    cells
      .map((cell) => (/["\r\n,;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(separator);
  return encode([line(header), ...of.map((person, index) => line(row(person, index)))].join('\r\n'));
}
