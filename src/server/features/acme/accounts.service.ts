import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { AcmeAccess, AcmeAccesses } from './access.ts';
import { contactsOf, deadAccess } from './account.rules.ts';
import {
  type AccountRecord,
  changeKey,
  deactivateAccount,
  findAccount,
  insertAccount,
  setContacts,
} from './accounts.repo.ts';
import type { OpenedByAccount, OpenedByKey } from './exchange.ts';
import { accountKeyOf, decodedJson, envelopeOf, headerOf, objectIn } from './jws.rules.ts';
import { bindingHeaderOf, isBoundBy, requireSignature, thumbprintOf, thumbprintOfGiven } from './jws.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

export interface AccountsDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  accesses: AcmeAccesses;
  at(path: string): string;
}

const unknownBinding =
  'The key id or the key of the external account binding is not right. Copy both again from the ACME access in the portal. The key is shown only once: if you no longer have it, ask for a new access.';

/** Accounts of clients: registration with the access's binding, changes, end (RFC 8555 7.3). */
export function createAccounts(deps: AccountsDeps) {
  const { db, systemDb, clock, accesses, at } = deps;

  function bodyOf(account: Pick<AccountRecord, 'id' | 'status' | 'contacts'>) {
    return {
      status: account.status,
      ...(account.contacts.length > 0 ? { contact: account.contacts } : {}),
      orders: at(`account/${account.id}/orders`),
    };
  }

  function replyOf(status: number, account: Pick<AccountRecord, 'id' | 'status' | 'contacts'>): AcmeReply {
    return { status, headers: { location: at(`account/${account.id}`) }, json: bodyOf(account) };
  }

  async function register(opened: OpenedByKey): Promise<AcmeReply> {
    const payload = objectIn(opened.payload);
    const thumbprint = await thumbprintOf(opened.jwk);
    const known = await findAccount(systemDb, { thumbprint });
    if (known) return knownReply(known);
    if (payload.onlyReturnExisting === true) {
      throw new AcmeProblem('accountDoesNotExist', 'No account has this key. Register the client first.');
    }
    const contacts = contactsOf(payload.contact);
    const access = await boundAccess(payload.externalAccountBinding, opened, thumbprint);
    const account = {
      ...{ id: newId(clock.now().getTime()), organisation_id: access.organisationId },
      ...{ access_id: access.accessId, thumbprint, contacts, created_at: clock.now() },
    };
    try {
      await inTransaction(db, access, (tx) => insertAccount(tx, { ...account, jwk: opened.jwk }));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // The same client, twice at once.
      const first = await findAccount(systemDb, { thumbprint });
      if (first) return knownReply(first);
      throw error;
    }
    await note(access.accessId, 'account', 'The client registered an account.');
    return replyOf(201, { ...account, status: 'valid' });
  }

  async function knownReply(account: AccountRecord): Promise<AcmeReply> {
    if (account.status !== 'valid') {
      const text = 'The account of this key was deactivated. Register with a new account key.';
      throw new AcmeProblem('unauthorized', text, { status: 401 });
    }
    const access = await accesses.findById(account.access_id);
    const dead = deadAccess(access?.state ?? 'revoked');
    if (dead) throw dead;
    return replyOf(200, account);
  }

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

  async function change(opened: OpenedByAccount): Promise<AcmeReply> {
    const { account, access } = opened;
    if (opened.payload === '') return replyOf(200, account);
    const payload = objectIn(opened.payload);
    if (payload.status === 'deactivated') {
      await inTransaction(db, access, (tx) => deactivateAccount(tx, account.id));
      await note(access.accessId, 'account-end', 'The client deactivated its account.');
      return replyOf(200, { ...account, status: 'deactivated' });
    }
    if (payload.status !== undefined && payload.status !== account.status) {
      throw new AcmeProblem('malformed', 'The only status that a client can set is "deactivated".');
    }
    if (payload.contact === undefined) return replyOf(200, account);
    const contacts = contactsOf(payload.contact);
    await inTransaction(db, access, (tx) => setContacts(tx, account.id, contacts));
    return replyOf(200, { ...account, contacts });
  }

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

  async function note(
    accessId: string,
    event: 'account' | 'account-end' | 'key-change' | 'refusal',
    detail: string,
  ): Promise<void> {
    const outcome = event === 'refusal' ? 'refused' : 'done';
    await accesses.log(accessId, { event, identifiers: [], outcome, detail });
  }

  return { register, change, rollOver };
}
