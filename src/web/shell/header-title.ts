/** What the header says and whether it has the search field (P1 §2). Screens that are not named have headings of their own. */
export function headerOf(
  pathname: string,
  signedOut: boolean,
  mayBuy: boolean,
): { title: string | null; search: boolean } {
  if (pathname === '/terms-and-conditions') return { title: 'Terms and Conditions', search: false };
  if (pathname === '/privacy-policy') return { title: 'Privacy policy', search: false };
  if (
    pathname.startsWith('/onboarding') ||
    pathname.startsWith('/invite') ||
    pathname.startsWith('/payment-setup')
  ) {
    return { title: null, search: false };
  }
  // The landing page has the start to itself.
  if (signedOut) return { title: null, search: false };
  const titled = pathname === '/' || pathname === '/domains';
  const title = mayBuy ? 'Search for domains' : 'Your domains and certificates';
  return { title: titled ? title : null, search: true };
}
