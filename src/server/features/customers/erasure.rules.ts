import { comparable } from '#kernel/comparable.rules.ts';
import type { Selectable } from '#kernel/db/database.ts';
import type { CustomersTable } from '#kernel/db/schema.ts';

/** By what a row of a customer file, which is of no customer yet, is known to speak of one who is erased: pure. */

type Persons = Pick<Selectable<CustomersTable>, 'owner' | 'admin' | 'billing_contact' | 'billing_email'>;

/** All as cells are compared: `comparable`. */
export interface Signs {
  /** Of the owner and of the customer's own users. */
  own: string[];
  /** Of admin and billing, which may be a desk that many customers name. */
  desks: string[];
  organizations: string[];
  /** First and last names: a file has them in two cells. */
  names: [string, string][];
}

/** What is known of a customer's persons. `emails`: of the customer's own users. */
export function signsOf(
  { owner, admin, billing_contact, billing_email }: Persons,
  emails: readonly string[],
): Signs {
  const contacts = [owner, admin, billing_contact];
  const names = contacts.map(
    ({ firstName, lastName }) => `${comparable(firstName)}\n${comparable(lastName)}`,
  );
  const own = distinct([owner.email, ...emails].map(comparable));
  const desks = distinct([admin.email, billing_contact.email, billing_email].map(comparable));
  return {
    own,
    desks: desks.filter((email) => !own.includes(email)),
    organizations: distinct(contacts.map(({ organization }) => comparable(organization))),
    names: distinct(names)
      .map((name) => name.split('\n') as [string, string])
      .filter((name) => !name.includes('')),
  };
}

/** The words by which others may be known as well. */
export const wordsOf = ({ own, organizations, names }: Signs): string[] => [
  ...own,
  ...organizations,
  ...names.map(joined),
];

/**
 * A row speaks of the customer when it has an address of their own that nobody else has. Any other address says so only beside an
 * organization or a full name that is theirs alone: else an erasure would take rows of others out of the files of colleagues. That
 * holds for admin and billing also where no other customer names them yet: the file may bring the first of many with that desk.
 */
export function tellingSigns(signs: Signs, others: ReadonlySet<string>) {
  const isOwn = (word: string) => !others.has(word);
  return {
    alone: signs.own.filter(isOwn),
    together: [...signs.own.filter((email) => !isOwn(email)), ...signs.desks],
    organizations: signs.organizations.filter(isOwn),
    names: signs.names.filter((name) => isOwn(joined(name))),
  };
}

const joined = ([first, last]: [string, string]) => `${first} ${last}`;
const distinct = (words: readonly string[]) => [...new Set(words)].filter((word) => word !== '');
