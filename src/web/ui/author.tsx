import { useSiteName } from './site-name.ts';

/** What the portal signs with when it acts by itself; a person's is an email address. */
const portal = 'Nameward';

/** Who did something. To customers the portal is their provider's (decision 90). */
export function Author({ name }: { name: string }) {
  const site = useSiteName();
  return <>{name === portal ? site : name}</>;
}
