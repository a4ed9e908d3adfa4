import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { AcmeAccesses } from './access.ts';
import { contactsOf, deadAccess } from './account.rules.ts';
import { createBinding } from './account-binding.ts';
import { createKeyChange } from './account-keys.ts';
import { createAccountLog } from './account-log.ts';
import {
  type AccountRecord,
  deactivateAccount,
  findAccount,
  insertAccount,
  setContacts,
} from './accounts.repo.ts';
import type { OpenedByAccount, OpenedByKey } from './exchange.ts';
import { objectIn } from './jws.rules.ts';
import { thumbprintOf } from './jws.ts';
import { AcmeProblem } from './problems.rules.ts';
import type { AcmeReply } from './reply.ts';

export interface AccountsDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  accesses: AcmeAccesses;
  at(path: string): string;
}

export type AccountReply = (
  status: number,
  account: Pick<AccountRecord, 'id' | 'status' | 'contacts'>,
) => AcmeReply;

/** Accounts of clients: registration with the access's binding, changes, end (RFC 8555 7.3). */
export function createAccounts(deps: AccountsDeps) {
  const { db, systemDb, clock, accesses, at } = deps;
  const note = createAccountLog(accesses);
  const boundAccess = createBinding(accesses, note);

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

  return { register, change, rollOver: createKeyChange(deps, { note, replyOf }) };
}
