/** What the reseller pays for a year, in cents. Sandbox values; families as §16.1 of the vendor's list has them. */
const yearCents: Record<string, number> = {
  rapidssl: 1495,
  rapidssl_wildcard: 9900,
  quickssl: 4500,
  quickssl_premium: 5500,
  positivessl: 995,
  positivessl_wildcard: 8500,
  essentialssl: 1895,
  essentialssl_wildcard: 9900,
  comodo_ssl: 4500,
  comodo_wildcard: 15000,
  comodo_instantssl: 5500,
  comodo_premiumssl: 7500,
  comodo_premiumssl_wildcard: 22000,
  comodo_ev: 12900,
  ssl123: 3500,
  sslwebserver: 8900,
  sslwebserver_wildcard: 39900,
  sslwebserver_ev: 19900,
  truebizid: 9900,
  truebizid_wildcard: 34900,
  truebizid_ev: 16900,
  securesite: 29900,
  securesite_pro: 69900,
  securesite_ev: 69900,
  securesite_pro_ev: 99900,
  trustwave_dv: 4900,
  trustwave_ev: 24900,
  trustwave_premiumssl: 12900,
  trustwave_premiumssl_wildcard: 39900,
};

/** null: not sold here. */
export function certificateCents(productType: string, years: number): number | null {
  const cents = yearCents[productType];
  return cents === undefined ? null : cents * years;
}

/** Which contacts a product wants (the vendor's module of 2015; checked 2026-11-21). */
const contactRules: readonly [pattern: RegExp, types: readonly string[]][] = [
  [/^comodo_ev$/, ['admin', 'organization', 'signer']],
  [/^(comodo|positivessl|essentialssl)/, ['organization']],
  [/^trustwave/, ['admin']],
  [/./, ['admin', 'billing', 'tech']],
];

export function contactsNeeded(productType: string): readonly string[] {
  return contactRules.find(([pattern]) => pattern.test(productType))?.[1] ?? [];
}
