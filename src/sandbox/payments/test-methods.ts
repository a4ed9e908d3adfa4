/**
 * The provider's published test numbers and what each does (docs.stripe.com/testing, checked 2026-11-21).
 * Nothing here is a real card or account; any other number is refused, as the provider's test mode does.
 */

export interface Decline {
  code: string;
  declineCode?: string;
  message: string;
}

export interface TestCard {
  number: string;
  /** `pm_…` name that stands for this card without a browser. */
  token: string;
  brand: 'visa' | 'mastercard' | 'amex' | 'discover';
  funding?: 'debit';
  /** Declines every use; `onlyCharge`: it can be stored, and declines when charged. */
  decline?: Decline;
  onlyCharge?: boolean;
  /** When a person must confirm with the bank. `unless-set-up`: not for later charges once it was set up. */
  authenticate?: 'always' | 'unless-set-up' | 'on-session';
  /** The charge succeeds and is disputed after a while. */
  dispute?: string;
  refund?: 'pending' | 'fails';
  hint: string;
}

const DECLINED = 'Your card was declined.';

export const TEST_CARDS: readonly TestCard[] = [
  { number: '4242424242424242', token: 'pm_card_visa', brand: 'visa', hint: 'succeeds' },
  {
    number: '4000056655665556',
    token: 'pm_card_visa_debit',
    brand: 'visa',
    funding: 'debit',
    hint: 'succeeds',
  },
  { number: '5555555555554444', token: 'pm_card_mastercard', brand: 'mastercard', hint: 'succeeds' },
  { number: '378282246310005', token: 'pm_card_amex', brand: 'amex', hint: 'succeeds' },
  { number: '6011111111111117', token: 'pm_card_discover', brand: 'discover', hint: 'succeeds' },
  {
    number: '4000000000000002',
    token: 'pm_card_visa_chargeDeclined',
    brand: 'visa',
    decline: { code: 'card_declined', declineCode: 'generic_decline', message: DECLINED },
    hint: 'is declined',
  },
  {
    number: '4000000000009995',
    token: 'pm_card_visa_chargeDeclinedInsufficientFunds',
    brand: 'visa',
    decline: {
      code: 'card_declined',
      declineCode: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    },
    hint: 'has insufficient funds',
  },
  {
    number: '4000000000009987',
    token: 'pm_card_visa_chargeDeclinedLostCard',
    brand: 'visa',
    decline: { code: 'card_declined', declineCode: 'lost_card', message: DECLINED },
    hint: 'was reported lost',
  },
  {
    number: '4000000000000069',
    token: 'pm_card_chargeDeclinedExpiredCard',
    brand: 'visa',
    decline: { code: 'expired_card', message: 'Your card has expired.' },
    hint: 'has expired',
  },
  {
    number: '4000000000000127',
    token: 'pm_card_chargeDeclinedIncorrectCvc',
    brand: 'visa',
    decline: { code: 'incorrect_cvc', message: "Your card's security code is incorrect." },
    hint: 'has another security code',
  },
  {
    number: '4000000000000119',
    token: 'pm_card_chargeDeclinedProcessingError',
    brand: 'visa',
    decline: {
      code: 'processing_error',
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
    hint: 'meets a processing error',
  },
  {
    number: '4000000000000341',
    token: 'pm_card_chargeCustomerFail',
    brand: 'visa',
    decline: { code: 'card_declined', declineCode: 'generic_decline', message: DECLINED },
    onlyCharge: true,
    hint: 'can be stored, and is declined when charged',
  },
  {
    number: '4000002500003155',
    token: 'pm_card_authenticationRequiredOnSetup',
    brand: 'visa',
    authenticate: 'unless-set-up',
    hint: 'asks for authentication, once it is set up no more',
  },
  {
    number: '4000002760003184',
    token: 'pm_card_authenticationRequired',
    brand: 'visa',
    authenticate: 'always',
    hint: 'asks for authentication each time',
  },
  {
    number: '4000003800000446',
    token: 'pm_card_authenticationRequiredSetupForOffSession',
    brand: 'visa',
    authenticate: 'on-session',
    hint: 'asks for authentication only while the person is there',
  },
  {
    number: '4000008260003178',
    token: 'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds',
    brand: 'visa',
    authenticate: 'always',
    decline: {
      code: 'card_declined',
      declineCode: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    },
    onlyCharge: true,
    hint: 'authenticates, then has insufficient funds',
  },
  {
    number: '4000000000000259',
    token: 'pm_card_createDispute',
    brand: 'visa',
    dispute: 'fraudulent',
    hint: 'succeeds and is disputed later',
  },
  {
    number: '4000000000007726',
    token: 'pm_card_pendingRefund',
    brand: 'visa',
    refund: 'pending',
    hint: 'succeeds; a refund takes its time',
  },
  {
    number: '4000000000005126',
    token: 'pm_card_refundFail',
    brand: 'visa',
    refund: 'fails',
    hint: 'succeeds; a refund fails later',
  },
];

export interface TestBank {
  account: string;
  token: string;
  /** What the payment comes to after its days of processing. */
  outcome: 'succeeds' | 'fails' | 'disputed' | 'stays';
  failure?: Decline;
  hint: string;
}

export const TEST_ROUTING_NUMBER = '110000000';

export const TEST_BANKS: readonly TestBank[] = [
  { account: '000123456789', token: 'pm_usBankAccount_success', outcome: 'succeeds', hint: 'succeeds' },
  {
    account: '000111111116',
    token: 'pm_usBankAccount_noAccount',
    outcome: 'fails',
    failure: { code: 'no_account', message: 'The bank account could not be located.' },
    hint: 'fails: no such account',
  },
  {
    account: '000111111113',
    token: 'pm_usBankAccount_accountClosed',
    outcome: 'fails',
    failure: { code: 'account_closed', message: 'The bank account has been closed.' },
    hint: 'fails: account closed',
  },
  {
    account: '000222222227',
    token: 'pm_usBankAccount_insufficientFunds',
    outcome: 'fails',
    failure: { code: 'insufficient_funds', message: 'The account has insufficient funds.' },
    hint: 'fails: insufficient funds',
  },
  {
    account: '000333333335',
    token: 'pm_usBankAccount_debitNotAuthorized',
    outcome: 'fails',
    failure: { code: 'debit_not_authorized', message: 'The customer did not authorize this debit.' },
    hint: 'fails: debit not authorized',
  },
  {
    account: '000555555559',
    token: 'pm_usBankAccount_dispute',
    outcome: 'disputed',
    hint: 'succeeds and is returned later',
  },
  {
    account: '000000000009',
    token: 'pm_usBankAccount_processing',
    outcome: 'stays',
    hint: 'stays in processing',
  },
];

export function cardByNumber(number: string): TestCard | undefined {
  return TEST_CARDS.find((card) => card.number === number);
}

export function cardByToken(token: string): TestCard | undefined {
  return TEST_CARDS.find((card) => card.token === token);
}

export function bankByAccount(account: string): TestBank | undefined {
  return TEST_BANKS.find((bank) => bank.account === account);
}

export function bankByToken(token: string): TestBank | undefined {
  return TEST_BANKS.find((bank) => bank.token === token);
}

/** The check digit of a card number: a slip of the hand is told from a declined card. */
export function passesLuhn(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false;
  let sum = 0;
  [...number].reverse().forEach((digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  });
  return sum % 10 === 0;
}
