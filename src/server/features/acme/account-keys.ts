import { inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import type { AcmeAccess } from './access.ts';
import type { AccountLog } from './account-log.ts';
import { type AccountRecord, changeKey, findAccount } from './accounts.repo.ts';
import type { AccountReply, AccountsDeps } from './accounts.service.ts';
import type { OpenedByAccount } from './exchange.ts';
import { accountKeyOf, decodedJson, envelopeOf, headerOf, objectIn } from './jws.rules.ts';
import { requireSignature, thumbprintOf, thumbprintOfGiven } from './jws.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

/** Another key for an account. */
export function createKeyChange(
  { db, systemDb, at }: Pick<AccountsDeps, 'db' | 'systemDb' | 'at'>,
  { note, replyOf }: { note: AccountLog; replyOf: AccountReply },
) {
  /** RFC 8555 7.3.5: the old key signs what the new key has signed. */
  async function rollOver(opened: OpenedByAccount): Promise<AcmeReply> {
    const { account, access } = opened;
    const inner = envelopeOf(decodedJson(opened.payload));
    const header = headerOf(inner);
    if (header.jwk === null || header.nonce !== null || header.url !== opened.header.url) {
      throw new AcmeProblem(
        'malformed',
        'The inner request must contain the new key and the same address, and no nonce.',
      );
    }
    const jwk = accountKeyOf(header.jwk, header.alg);
    await requireSignature(inner, jwk, header.alg);
    const { account: named, oldKey } = objectIn(inner.payload);
    if (named !== opened.header.kid || (await thumbprintOfGiven(oldKey)) !== account.thumbprint) {
      throw new AcmeProblem('malformed', 'The inner request must name this account and its present key.');
    }
    const thumbprint = await thumbprintOf(jwk);
    if (!(await changedKey(account, access, { thumbprint, jwk }))) {
      throw new AcmeProblem('malformed', 'The key of this account was changed in the meantime.', {
        status: 409,
      });
    }
    await note(access.accessId, 'key-change', 'The client changed its account key.');
    return replyOf(200, account);
  }

  async function changedKey(
    account: AccountRecord,
    access: AcmeAccess,
    to: Parameters<typeof changeKey>[3],
  ): Promise<boolean> {
    try {
      return await inTransaction(db, access, (tx) => changeKey(tx, account.id, account.thumbprint, to));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const other = await findAccount(systemDb, { thumbprint: to.thumbprint });
      const own = other?.access_id === access.accessId;
      throw new AcmeProblem('malformed', 'Another account has this key. Make a new one.', {
        status: 409,
        ...(own && other ? { headers: { location: at(`account/${other.id}`) } } : {}),
      });
    }
  }

  return rollOver;
}
