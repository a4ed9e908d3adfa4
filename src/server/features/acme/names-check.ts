import { isManaged } from '../domains/index.ts';
import type { AcmeAccess } from './access.ts';
import { problemOfName } from './order.rules.ts';
import type { Places } from './places.repo.ts';
import type { Subproblem } from './problems.rules.ts';

/**
 * Why the access cannot have these names now; empty when it can. Asked with the order, and again before anything becomes
 * of it: a domain may have gone to another customer since then.
 */
export function problemsOfNames(
  names: readonly string[],
  { access, places, nameservers }: { access: AcmeAccess; places: Places; nameservers: readonly string[] },
): Subproblem[] {
  return names.flatMap((name) => {
    const found = places.get(name);
    const managed =
      found && (found.nameservers.length === 0 ? null : isManaged(found.nameservers, nameservers));
    const place = found === undefined ? null : { domain: found.domain, managed: managed ?? null };
    return problemOfName(name, access.hosts, place) ?? [];
  });
}
