-- Customers sort and are found as people read them: by the rules of languages instead of byte values ("Ärzte" beside
-- "Arbeit", "zeta" behind "Alpha"), and by the country's name that the list shows instead of its code.

-- English names as in src/contracts/values/countries.ts; a test compares the two.
CREATE FUNCTION country_name(code text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT coalesce('{
"AD":"Andorra","AE":"United Arab Emirates","AF":"Afghanistan","AG":"Antigua and Barbuda","AI":"Anguilla",
"AL":"Albania","AM":"Armenia","AO":"Angola","AR":"Argentina","AS":"American Samoa","AT":"Austria",
"AU":"Australia","AW":"Aruba","AX":"Åland Islands","AZ":"Azerbaijan","BA":"Bosnia and Herzegovina",
"BB":"Barbados","BD":"Bangladesh","BE":"Belgium","BF":"Burkina Faso","BG":"Bulgaria","BH":"Bahrain",
"BI":"Burundi","BJ":"Benin","BL":"Saint Barthélemy","BM":"Bermuda","BN":"Brunei Darussalam","BO":"Bolivia",
"BQ":"Bonaire, Sint Eustatius and Saba","BR":"Brazil","BS":"Bahamas","BT":"Bhutan","BW":"Botswana",
"BY":"Belarus","BZ":"Belize","CA":"Canada","CC":"Cocos (Keeling) Islands",
"CD":"Democratic Republic of the Congo","CF":"Central African Republic","CG":"Republic of the Congo",
"CH":"Switzerland","CI":"Cote d''Ivoire","CK":"Cook Islands","CL":"Chile","CM":"Cameroon",
"CN":"People''s Republic of China","CO":"Colombia","CR":"Costa Rica","CU":"Cuba","CV":"Cape Verde",
"CW":"Curaçao","CX":"Christmas Island","CY":"Cyprus","CZ":"Czech Republic","DE":"Germany","DJ":"Djibouti",
"DK":"Denmark","DM":"Dominica","DO":"Dominican Republic","DZ":"Algeria","EC":"Ecuador","EE":"Estonia",
"EG":"Egypt","EH":"Western Sahara","ER":"Eritrea","ES":"Spain","ET":"Ethiopia","FI":"Finland","FJ":"Fiji",
"FK":"Falkland Islands (Malvinas)","FM":"Micronesia, Federated States of","FO":"Faroe Islands","FR":"France",
"GA":"Gabon","GB":"United Kingdom","GD":"Grenada","GE":"Georgia","GF":"French Guiana","GG":"Guernsey",
"GH":"Ghana","GI":"Gibraltar","GL":"Greenland","GM":"Republic of The Gambia","GN":"Guinea","GP":"Guadeloupe",
"GQ":"Equatorial Guinea","GR":"Greece","GT":"Guatemala","GU":"Guam","GW":"Guinea-Bissau","GY":"Guyana",
"HK":"Hong Kong","HN":"Honduras","HR":"Croatia","HT":"Haiti","HU":"Hungary","ID":"Indonesia","IE":"Ireland",
"IL":"Israel","IM":"Isle of Man","IN":"India","IO":"British Indian Ocean Territory","IQ":"Iraq",
"IR":"Islamic Republic of Iran","IS":"Iceland","IT":"Italy","JE":"Jersey","JM":"Jamaica","JO":"Jordan",
"JP":"Japan","KE":"Kenya","KG":"Kyrgyzstan","KH":"Cambodia","KI":"Kiribati","KM":"Comoros",
"KN":"Saint Kitts and Nevis","KP":"North Korea","KR":"South Korea","KW":"Kuwait","KY":"Cayman Islands",
"KZ":"Kazakhstan","LA":"Lao People''s Democratic Republic","LB":"Lebanon","LC":"Saint Lucia",
"LI":"Liechtenstein","LK":"Sri Lanka","LR":"Liberia","LS":"Lesotho","LT":"Lithuania","LU":"Luxembourg",
"LV":"Latvia","LY":"Libya","MA":"Morocco","MC":"Monaco","MD":"Moldova, Republic of","ME":"Montenegro",
"MF":"Saint Martin (French part)","MG":"Madagascar","MH":"Marshall Islands",
"MK":"The Republic of North Macedonia","ML":"Mali","MM":"Myanmar","MN":"Mongolia","MO":"Macao",
"MP":"Northern Mariana Islands","MQ":"Martinique","MR":"Mauritania","MS":"Montserrat","MT":"Malta",
"MU":"Mauritius","MV":"Maldives","MW":"Malawi","MX":"Mexico","MY":"Malaysia","MZ":"Mozambique","NA":"Namibia",
"NC":"New Caledonia","NE":"Niger","NF":"Norfolk Island","NG":"Nigeria","NI":"Nicaragua","NL":"Netherlands",
"NO":"Norway","NP":"Nepal","NR":"Nauru","NU":"Niue","NZ":"New Zealand","OM":"Oman","PA":"Panama","PE":"Peru",
"PF":"French Polynesia","PG":"Papua New Guinea","PH":"Philippines","PK":"Pakistan","PL":"Poland",
"PM":"Saint Pierre and Miquelon","PR":"Puerto Rico","PS":"State of Palestine","PT":"Portugal","PW":"Palau",
"PY":"Paraguay","QA":"Qatar","RE":"Reunion","RO":"Romania","RS":"Serbia","RU":"Russian Federation",
"RW":"Rwanda","SA":"Saudi Arabia","SB":"Solomon Islands","SC":"Seychelles","SD":"Sudan","SE":"Sweden",
"SG":"Singapore","SH":"Saint Helena","SI":"Slovenia","SJ":"Svalbard and Jan Mayen","SK":"Slovakia",
"SL":"Sierra Leone","SM":"San Marino","SN":"Senegal","SO":"Somalia","SR":"Suriname","SS":"South Sudan",
"ST":"Sao Tome and Principe","SV":"El Salvador","SX":"Sint Maarten (Dutch part)","SY":"Syrian Arab Republic",
"SZ":"Eswatini","TC":"Turks and Caicos Islands","TD":"Chad","TG":"Togo","TH":"Thailand","TJ":"Tajikistan",
"TK":"Tokelau","TL":"Timor-Leste","TM":"Turkmenistan","TN":"Tunisia","TO":"Tonga","TR":"Türkiye",
"TT":"Trinidad and Tobago","TV":"Tuvalu","TW":"Taiwan, Province of China","TZ":"United Republic of Tanzania",
"UA":"Ukraine","UG":"Uganda","US":"United States of America","UY":"Uruguay","UZ":"Uzbekistan",
"VA":"Holy See (Vatican City State)","VC":"Saint Vincent and the Grenadines","VE":"Venezuela",
"VG":"Virgin Islands, British","VI":"Virgin Islands, U.S.","VN":"Vietnam","VU":"Vanuatu",
"WF":"Wallis and Futuna","WS":"Samoa","XK":"Kosovo","YE":"Yemen","YT":"Mayotte","ZA":"South Africa",
"ZM":"Zambia","ZW":"Zimbabwe"
}'::jsonb ->> code, code) $$;

ALTER TABLE customers
  DROP COLUMN organization,
  DROP COLUMN contact_name,
  DROP COLUMN location,
  DROP COLUMN search_text;
ALTER TABLE customers
  ADD COLUMN organization text COLLATE "und-x-icu" GENERATED ALWAYS AS (owner ->> 'organization') STORED,
  ADD COLUMN contact_name text COLLATE "und-x-icu"
    GENERATED ALWAYS AS ((owner ->> 'firstName') || ' ' || (owner ->> 'lastName')) STORED,
  ADD COLUMN location text COLLATE "und-x-icu"
    GENERATED ALWAYS AS (country_name(owner ->> 'country') || ', ' || (owner ->> 'state')) STORED,
  ADD COLUMN search_text text GENERATED ALWAYS AS (lower((
    (owner ->> 'organization') || ' ' || (owner ->> 'firstName') || ' ' || (owner ->> 'lastName') || ' ' ||
    (owner ->> 'email') || ' ' || (owner ->> 'city') || ' ' || (owner ->> 'state') || ' ' ||
    country_name(owner ->> 'country')) COLLATE "und-x-icu")) STORED;

CREATE INDEX customers_organization ON customers (organisation_id, organization, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_contact ON customers (organisation_id, contact_name, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_location ON customers (organisation_id, location, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_search ON customers USING gin (search_text gin_trgm_ops) WHERE deleted_at IS NULL;
