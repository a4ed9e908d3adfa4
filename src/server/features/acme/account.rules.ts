import { isHostName } from '#contracts/values/domain-name.ts';
import { AcmeProblem } from './problems.rules.ts';

/** Accounts of clients: pure. */

const mostContacts = 10;
const mostChars = 320;

/** Contact addresses of an account (RFC 8555 7.3): one mailbox each, and nothing added to it. */
export function contactsOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > mostContacts) {
    throw new AcmeProblem('malformed', `The contacts must be a list of at most ${mostContacts} addresses.`);
  }
  return value.map((contact: unknown) => {
    if (typeof contact !== 'string' || contact.length > mostChars) {
      throw new AcmeProblem('malformed', 'Each contact must be a text such as "mailto:admin@example.com".');
    }
    if (!contact.startsWith('mailto:')) {
      throw new AcmeProblem(
        'unsupportedContact',
        `Only mail addresses can be contacts: ${contact.slice(0, 80)}.`,
      );
    }
    if (!isOneMailbox(contact.slice('mailto:'.length))) {
      throw new AcmeProblem('invalidContact', `${contact.slice(0, 80)} is not one mail address.`);
    }
    return contact;
  });
}

function isOneMailbox(address: string): boolean {
  const [box = '', host = '', ...more] = address.split('@');
  return box !== '' && more.length === 0 && isHostName(host.toLowerCase()) && !/[\s,?;&]/.test(box);
}

/** Why an access opens nothing (any more); null while it does. */
export function deadAccess(state: 'active' | 'revoked' | 'expired'): AcmeProblem | null {
  if (state === 'active') return null;
  const how = state === 'revoked' ? 'has been revoked' : 'has expired';
  return new AcmeProblem(
    'unauthorized',
    `This ACME access ${how}. Ask the provider who gave it to you for a new key id and key, then register with a new account key.`,
    { status: 401 },
  );
}
