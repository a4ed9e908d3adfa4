/** Headings that a screen's address alone decides. The screens have theirs from here, and so has the first look. */
export const headings = {
  '/attention': 'Attention',
  '/audit': 'Audit log',
  '/cart': 'Finalize domain purchase',
  '/certificates': 'Certificates',
  '/customers': 'Your current customers',
  '/direct-billing': 'Direct billing',
  '/domain/list': 'Domains',
  '/orders': 'Orders',
} as const;

/** What visitors read first. */
export const landingHeading = 'Automated domain management.';

export function landingText(ofMsp: boolean, brand: { name: string; named: boolean }): string {
  return ofMsp
    ? 'Register, renew and transfer domains, manage DNS and certificates, and bill your customers. One place for managed service providers, with every cent accounted for.'
    : `Your domains, DNS records and certificates, looked after by ${brand.named ? brand.name : 'your provider'}.`;
}
