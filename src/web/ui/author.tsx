import { useSiteName } from './site-name.ts';

/** What the portal signs with when it acts by itself; a person's is an email address. */
const portal = 'Nameward';

/** Who did something. To customers the portal is their provider's (decision 90). */
export function Author({ name }: { name: string }) {
  const site = useSiteName();
  return <>{name === portal ? site : name}</>;
}

/** Who did something, where there is little room: the part before the @, the whole address on hover. */
export function ShortAuthor({ name }: { name: string }) {
  const at = name.lastIndexOf('@');
  return at > 0 ? <bdi title={name}>{name.slice(0, at)}</bdi> : <Author name={name} />;
}
