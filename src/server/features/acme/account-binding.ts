import type { AcmeAccess, AcmeAccesses } from './access.ts';
import { deadAccess } from './account.rules.ts';
import type { AccountLog } from './account-log.ts';
import type { OpenedByKey } from './exchange.ts';
import { decodedJson, envelopeOf } from './jws.rules.ts';
import { bindingHeaderOf, isBoundBy, thumbprintOfGiven } from './jws.ts';
import { AcmeProblem } from './problems.rules.ts';

const unknownBinding =
  'The key id or the key of the external account binding is not right. Copy both again from the ACME access in the portal. The key is shown only once: if you no longer have it, ask for a new access.';

/** The access to which a new account belongs. */
export function createBinding(accesses: AcmeAccesses, note: AccountLog) {
  /** RFC 8555 7.3.4: the access's key signs the account's key. A wrong id and a wrong key are answered alike. */
  async function boundAccess(
    binding: unknown,
    { header }: OpenedByKey,
    thumbprint: string,
  ): Promise<AcmeAccess> {
    if (binding === undefined || binding === null) {
      throw new AcmeProblem(
        'externalAccountRequired',
        'This server takes only clients with an external account binding. Make an ACME access in the portal, and give the client its key id and key.',
      );
    }
    const envelope = envelopeOf(binding);
    const { kid, alg } = bindingHeaderOf(envelope, header);
    if ((await thumbprintOfGiven(decodedJson(envelope.payload))) !== thumbprint) {
      throw new AcmeProblem('malformed', 'The external account binding is for another account key.');
    }
    const access = await accesses.findByKeyId(kid);
    if (!access || !(await isBoundBy(envelope, access.hmacKey(), alg))) {
      if (access) await note(access.accessId, 'refusal', 'A client registered with a wrong key (HMAC).');
      throw new AcmeProblem('unauthorized', unknownBinding);
    }
    const dead = deadAccess(access.state);
    if (dead) throw dead;
    return access;
  }

  return boundAccess;
}
