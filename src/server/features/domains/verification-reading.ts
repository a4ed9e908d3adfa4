import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrantVerification, RegistrarSettings } from '../../ports/registrar.ts';

/** null: the registrar did not say, which leaves what is known as it is. */
export async function readVerification(
  registrar: Pick<RegistrarSettings, 'verification'>,
  domain: string,
): Promise<RegistrantVerification | null> {
  try {
    return await registrar.verification(domain);
  } catch (error) {
    if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) return null;
    throw error;
  }
}
