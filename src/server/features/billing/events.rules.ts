/** What an event of the payment provider is about: pure, from the event as it was stored. */

interface EventHead {
  type: string;
  /** The connected account that it happened at; null for our own. */
  account: string | null;
  object_id: string | null;
}

/** Events with the same subject lead to the same reading. */
export function subjectOf(event: EventHead & { payload: unknown }): string {
  const account = accountOf(event);
  // What happened to an account as such differs by type: one that left is not read again.
  if (account) return `account ${account} ${event.type}`;
  return `${event.account ?? ''} ${event.type.startsWith('mandate.')} ${event.object_id} ${JSON.stringify(event.payload)}`;
}

/** The connected account that an event is about, where it is about the account as such. */
export function accountOf(event: EventHead): string | null {
  const isAccounts = ['v2.core.account', 'account.'].some((start) => event.type.startsWith(start));
  if (isAccounts || event.type === 'capability.updated') return event.account ?? event.object_id;
  return null;
}

/** An object that is no payment (a payment method, a customer) is none of the wallet's business. */
export function namesPayment(objectId: string | null): objectId is string {
  return /^(pi|py)_/.test(objectId ?? '');
}
