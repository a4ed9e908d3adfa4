import type { PublicConfig } from '#contracts/operations/system.ts';

export interface Brand {
  name: string;
  /** Whether it is anybody's name. */
  named: boolean;
  /** null: none is shown. */
  logo: string | null;
}

/**
 * Whose site it is. To customers it is their provider's: that of the signed-in person's organization, before that the
 * one of the configuration, else nobody's yet (decision 90).
 */
export function brandOf(
  { appType, productName, brand }: Pick<PublicConfig, 'appType' | 'productName' | 'brand'>,
  profile: { organization: string; logoPath: string | null } | null,
): Brand {
  if (appType === 'msp') return { name: productName, named: true, logo: pictureOfPage() };
  if (profile) return { name: profile.organization, named: true, logo: profile.logoPath };
  if (brand) return { name: brand.name, named: true, logo: brand.logoPath };
  return { name: 'Customer portal', named: false, logo: null };
}

/** The page's own picture is in the page itself: nothing has to be fetched to show it again. */
const pictureOfPage = () => document.querySelector('link[rel=icon]')?.getAttribute('href') ?? null;
