/**
 * How much an organisation may keep of what it makes itself, beside what it pays for. The one table: each has its message,
 * and no list of these can grow until its reply is too large to send.
 */
export const limits = {
  dnsTemplates: { most: 100, message: 'There are 100 templates already. Please delete some first.' },
  /** Of each person. */
  savedViews: { most: 50, message: 'You have 50 saved views already. Please delete some first.' },
  openInvitations: {
    most: 500,
    message: 'There are 500 open invitations already. Please cancel some first.',
  },
} as const;

/** Of one DNS template, as JSON. */
export const templateMostBytes = 64_000;
export const templateTooLarge = 'A template holds at most 64 KB of records. Please split it.';
