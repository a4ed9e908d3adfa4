/** What the three books (registrar, ledger, payments) can say differently, and what a person does about it. */

export const differenceKinds = [
  'ledger',
  'charged-without-order',
  'order-without-charge',
  'order-twice',
  'order-unknown',
  'cost-differs',
  'payment-without-credit',
  'credit-without-payment',
  'payment-differs',
  'payment-unknown',
  'name-missing',
  'name-unknown',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** Its name on the screen, and the first thing to do; the same words on the command line and in the mail. */
export const differenceTexts: Record<DifferenceKind, { title: string; advice: string }> = {
  ledger: {
    title: 'Ledger does not add up',
    advice:
      'The postings are correct. Find out what bypassed them. Correct the balance with an entry (operator -- correct), and never change a row.',
  },
  'charged-without-order': {
    title: 'Charged without an order',
    advice:
      'Look for the order at the registrar by this id (affiliate id). If it was never carried out, check whether the organization’s statement already shows the price as returned. If not, return it with an entry (operator -- correct).',
  },
  'order-without-charge': {
    title: 'Order without a charge',
    advice: 'Agree on the charge with the organization, or cancel the order at the registrar.',
  },
  'order-twice': {
    title: 'Ordered twice',
    advice: 'Cancel one of the orders at the registrar. The organization paid for only one.',
  },
  'order-unknown': {
    title: 'Order without an owner',
    advice:
      'Look at the order at the registrar. It may be the registrar’s own renewal, or work done there by hand.',
  },
  'cost-differs': {
    title: 'Cost differs',
    advice:
      'Compare the registrar’s price list with the costs here. The organization paid the price it was shown.',
  },
  'payment-without-credit': {
    title: 'Payment not credited',
    advice:
      'Open the payment at the provider. The hourly sweep should have credited it. The log says why it did not.',
  },
  'credit-without-payment': {
    title: 'Credit without payment',
    advice:
      'Open the payment at the provider. If the money never arrived, take back the credit with an entry (operator -- correct).',
  },
  'payment-differs': {
    title: 'Payment differs',
    advice: 'Compare amount and refunds of the payment at the provider with the organization’s statement.',
  },
  'payment-unknown': {
    title: 'Payment without an owner',
    advice:
      'Open the payment at the provider. It may have been made by hand, or by another program on the same account. Refund it if it belongs to nobody.',
  },
  'name-missing': {
    title: 'Name missing at the registrar',
    advice:
      'Look up the name at the registrar. It may have been transferred away, deleted, or moved to another account. If it has left for good, end it in the queue (operator -- end-domain).',
  },
  'name-unknown': {
    title: 'Name without an owner',
    advice:
      'Find out who owns it before it renews. It may have been added by hand, or its owner here may be gone. Then give it to its customer (operator -- give-domain).',
  },
};

/**
 * What is said when no difference is open. Only a comparison that could ask everything says that the books agree. `runs`: the
 * comparisons, newest first.
 */
export function agreementText(
  runs: readonly { endedAt: string | null; incomplete: string | null }[],
): string {
  const ended = runs.find(({ endedAt }) => endedAt !== null);
  if (!ended) return 'Nothing has been compared yet';
  return ended.incomplete === null
    ? 'Registrar, ledger and payments agree'
    : 'No difference was found, but not everything could be compared';
}
