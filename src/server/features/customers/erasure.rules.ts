import type { Selectable } from '#kernel/db/database.ts';
import type { CustomersTable } from '#kernel/db/schema.ts';

/** By what a row of a customer file, which is of no customer yet, is known to speak of one who is erased: pure. */

type Persons = Pick<Selectable<CustomersTable>, 'owner' | 'admin' | 'billing_contact'>;

/** All in lower case, as cells are compared. */
export interface Signs {
  emails: string[];
  organizations: string[];
  /** First and last names: a file has them in two cells. */
  names: [string, string][];
}

/** What is known of a customer's persons. `emails`: of theirs, and of the customer's own users. */
export function signsOf({ owner, admin, billing_contact }: Persons, emails: readonly string[]): Signs {
  const contacts = [owner, admin, billing_contact];
  const names = contacts.map(({ firstName, lastName }) => `${firstName}\n${lastName}`.toLowerCase());
  return {
    emails: distinct(emails.map((email) => email.toLowerCase())),
    organizations: distinct(contacts.map(({ organization }) => organization.toLowerCase())),
    names: distinct(names)
      .map((name) => name.split('\n') as [string, string])
      .filter((name) => !name.includes('')),
  };
}

/** The words by which others may be known as well. */
export const wordsOf = ({ emails, organizations, names }: Signs): string[] => [
  ...emails,
  ...organizations,
  ...names.map(joined),
];

/**
 * A row speaks of the customer when it has an address that is theirs alone. An address that others have too, such as a desk that many
 * customers share, says so only beside an organization or a full name that is theirs alone: else an erasure would take rows of
 * others out of the files of colleagues.
 */
export function tellingSigns(signs: Signs, others: ReadonlySet<string>) {
  const isOwn = (word: string) => !others.has(word);
  return {
    alone: signs.emails.filter(isOwn),
    together: signs.emails.filter((email) => !isOwn(email)),
    organizations: signs.organizations.filter(isOwn),
    names: signs.names.filter((name) => isOwn(joined(name))),
  };
}

const joined = ([first, last]: [string, string]) => `${first} ${last}`;
const distinct = (words: readonly string[]) => [...new Set(words)].filter((word) => word.trim() !== '');
