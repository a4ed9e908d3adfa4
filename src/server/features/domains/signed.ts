import { AppError } from '#contracts/errors.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Scope } from '#kernel/scope.ts';
import type { RegistrarSettings } from '../../ports/registrar.ts';
import { fromRegistrar } from './outcome.ts';

/**
 * Checked before the nameservers of a domain change, regardless of the caller: with DS records at the registry only nameservers
 * with the same keys can serve it. A registry that does not answer is no unsigned domain.
 */
export async function requireMovable(
  registrar: Pick<RegistrarSettings, 'dsRecords'>,
  scope: Scope,
  domain: string,
  dnssecConfirmed: boolean | undefined,
): Promise<void> {
  if (dnssecConfirmed) return;
  const records = await fromRegistrar(() =>
    withFairnessKey(scope.organisationId, () => registrar.dsRecords(domain)),
  );
  if (records.length > 0) throw new AppError('signed_domain', { data: { records } });
}
