/** A state, province or territory as addresses and registrars name it. */
export interface Region {
  code: string;
  name: string;
}

function regions(text: string): readonly Region[] {
  return text.split(',').map((entry) => ({
    code: entry.slice(0, entry.indexOf(':')),
    name: entry.slice(entry.indexOf(':') + 1),
  }));
}

/**
 * Countries whose states or provinces are fixed and part of every address there (postal services' own lists, checked
 * 2026-11-21). Elsewhere the field is free text.
 */
const fixed: Readonly<Record<string, readonly Region[]>> = {
  US: regions(
    'AL:Alabama,AK:Alaska,AS:American Samoa,AZ:Arizona,AR:Arkansas,CA:California,CO:Colorado,CT:Connecticut,' +
      'DE:Delaware,DC:District of Columbia,FL:Florida,GA:Georgia,GU:Guam,HI:Hawaii,ID:Idaho,IL:Illinois,IN:Indiana,' +
      'IA:Iowa,KS:Kansas,KY:Kentucky,LA:Louisiana,ME:Maine,MD:Maryland,MA:Massachusetts,MI:Michigan,MN:Minnesota,' +
      'MS:Mississippi,MO:Missouri,MT:Montana,NE:Nebraska,NV:Nevada,NH:New Hampshire,NJ:New Jersey,NM:New Mexico,' +
      'NY:New York,NC:North Carolina,ND:North Dakota,MP:Northern Mariana Islands,OH:Ohio,OK:Oklahoma,OR:Oregon,' +
      'PA:Pennsylvania,PR:Puerto Rico,RI:Rhode Island,SC:South Carolina,SD:South Dakota,TN:Tennessee,TX:Texas,' +
      'VI:U.S. Virgin Islands,UT:Utah,VT:Vermont,VA:Virginia,WA:Washington,WV:West Virginia,WI:Wisconsin,WY:Wyoming,' +
      'AA:Armed Forces Americas,AE:Armed Forces Europe,AP:Armed Forces Pacific',
  ),
  CA: regions(
    'AB:Alberta,BC:British Columbia,MB:Manitoba,NB:New Brunswick,NL:Newfoundland and Labrador,NS:Nova Scotia,' +
      'NT:Northwest Territories,NU:Nunavut,ON:Ontario,PE:Prince Edward Island,QC:Quebec,SK:Saskatchewan,YT:Yukon',
  ),
  AU: regions(
    'ACT:Australian Capital Territory,NSW:New South Wales,NT:Northern Territory,QLD:Queensland,SA:South Australia,' +
      'TAS:Tasmania,VIC:Victoria,WA:Western Australia',
  ),
};

/** The fixed states or provinces of a country; null where the field is free text. */
export function regionsOf(country: string): readonly Region[] | null {
  return fixed[country.toUpperCase()] ?? null;
}
