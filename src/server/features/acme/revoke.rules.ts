import { coversName } from '#contracts/values/acme-access.ts';
import { AcmeProblem } from './problems.rules.ts';

/** Who may revoke what, and for which reasons: pure. */

/** RFC 5280 5.3.1, without those that only an authority can give, or that are no revocation for good. */
const reasons: readonly number[] = [0, 1, 3, 4, 5];

/** The reason, or unspecified (0). */
export function reasonOf(reason: unknown): number {
  if (reason === undefined) return 0;
  const known = reasons.find((one) => one === reason);
  if (known !== undefined) return known;
  throw new AcmeProblem(
    'badRevocationReason',
    `This revocation reason is not supported. Use one of ${reasons.join(', ')}.`,
  );
}

/** An account revokes what it had issued, and what another account of the same customer had for names that it covers. */
export function mayRevoke(
  who: { accountId: string; customerId: string; hosts: readonly string[] | null },
  what: { accountId: string; customerId: string; names: readonly string[] },
): boolean {
  if (who.accountId === what.accountId) return true;
  return who.customerId === what.customerId && what.names.every((name) => coversName(who.hosts, name));
}
