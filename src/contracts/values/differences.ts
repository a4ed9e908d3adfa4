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
      'The postings are the truth. Find out what wrote past them, and correct by an entry (operator -- correct), never by changing a row.',
  },
  'charged-without-order': {
    title: 'Charged without an order',
    advice:
      'Look for the order at the registrar by this id (affiliate id). If it was never carried out, look in the organization’s statement whether the price went back already; if not, give it back by an entry (operator -- correct).',
  },
  'order-without-charge': {
    title: 'Order without a charge',
    advice: 'Agree on the charge with the organization, or cancel the order at the registrar.',
  },
  'order-twice': {
    title: 'Ordered twice',
    advice: 'Cancel one of the orders at the registrar: the organization paid for one.',
  },
  'order-unknown': {
    title: 'Order of nobody',
    advice: 'Look at the order at the registrar: its own renewal, or work done there by hand.',
  },
  'cost-differs': {
    title: 'Cost differs',
    advice:
      'Compare the registrar’s price list with the costs here. The organization paid the price it was shown.',
  },
  'payment-without-credit': {
    title: 'Payment not credited',
    advice:
      'Open the payment at the provider. The hourly sweep should have credited it: the log says why it did not.',
  },
  'credit-without-payment': {
    title: 'Credit without payment',
    advice:
      'Open the payment at the provider. If the money never arrived, take the credit back by an entry (operator -- correct).',
  },
  'payment-differs': {
    title: 'Payment differs',
    advice: 'Compare amount and refunds of the payment at the provider with the organization’s statement.',
  },
  'payment-unknown': {
    title: 'Payment of nobody',
    advice:
      'Open the payment at the provider: made by hand, or by another program on the same account. Refund what is for nobody.',
  },
  'name-missing': {
    title: 'Name missing at the registrar',
    advice: 'Look the name up at the registrar: it has left, was deleted, or is in another account.',
  },
  'name-unknown': {
    title: 'Name of nobody',
    advice:
      'Find out whose it is before it renews: a name brought in by hand, or one whose owner here is gone.',
  },
};
