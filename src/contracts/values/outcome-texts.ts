/** What becomes of orders and transfers, in words that the web app compares. Apart from the operations, whose schemas it does not need. */

/** Text of an item under `fail` whose outcome is not known yet (decisions no. 8). */
export const stillBeingConfirmed =
  'Still being confirmed with the registry. Funds are reserved; you are charged only if it succeeds.';

/** What is said of a transfer under `success` that has only started: nothing is charged for it yet. */
export const transferStarted =
  'The transfer has started. Funds are reserved; you are charged when it completes.';

/** P2 §8. */
export const transferCheckFailed = "There was an error checking domain's transferability";
/** P2 §4: transferable, but by the operator's hand. */
export const withUsAlready = 'domain_already_belongs_to_current_reseller';
