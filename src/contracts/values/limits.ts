/**
 * How much there may be of what people make without paying for it. The one table: each has its message, and no list of
 * these can grow until its reply is too large to send. The server counts by `kernel/room.ts`.
 */
export const limits = {
  acmeAccesses: {
    most: 2_000,
    message: 'There are 2,000 ACME accesses already. Please revoke some first.',
  },
  apiTokens: { most: 200, message: 'There are 200 tokens already. Please revoke some first.' },
  checkedFiles: {
    most: 20,
    message: '20 checked files are already waiting. Please import or discard some first.',
  },
  unfinishedChanges: {
    most: 200,
    message: '200 changes are not finished yet. Please apply, end or discard some first.',
  },
  columnMappings: { most: 20, message: 'There are 20 column mappings already. Please remove one first.' },
  customers: { most: 50_000, message: 'There are 50,000 customers already. Please delete some first.' },
  dnsTemplates: { most: 100, message: 'There are 100 templates already. Please delete some first.' },
  /** Of each person. */
  savedViews: { most: 50, message: 'You have 50 saved views already. Please delete some first.' },
  /** Of which nothing is ordered. */
  moves: {
    most: 50,
    message: 'There are 50 lists of transfers without an order already. Please delete some first.',
  },
  openInvitations: {
    most: 500,
    message: 'There are 500 open invitations already. Please cancel some first.',
  },
  operatorKeys: { most: 100, message: 'There are 100 operators with a key already. Please end some first.' },
  /** Of one customer. A link lives for a week. */
  paymentLinks: {
    most: 20,
    message: 'This customer has 20 links that still work. Please use one of them.',
  },
  watchedNames: {
    most: 10_000,
    message: 'At most 10,000 names are watched. Please remove some first.',
  },
  /** With those who are invited. */
  users: { most: 5_000, message: 'There are 5,000 users already. Please remove some first.' },
} as const;

export type LimitName = keyof typeof limits;

/** Of one DNS template, as JSON. */
export const templateMostBytes = 64_000;
export const templateTooLarge = 'A template holds at most 64 KB of records. Please split it.';

/** Of a zone file, or of what is pasted as one, in characters. */
export const zoneTextMost = 1_500_000;
