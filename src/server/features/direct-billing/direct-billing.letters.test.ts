import { expect, test } from 'vitest';
import { wordsOf } from '../../../../tests/support/letters.ts';
import {
  failedChargeCustomerLetter,
  failedChargeLetter,
  refundLetter,
  returnLetter,
  setupLetter,
} from './direct-billing.letters.ts';

const charge = {
  ...{ msp: 'Blue Fig', organization: 'Acme', items: 'one.com, two.com', cents: 1_234_50 },
  ...{ failure: 'Your card was declined.', next: new Date('2026-11-25T23:59:00Z') },
  address: 'https://portal.test/payment-setup/x',
};
const publicUrl = 'https://portal.test';
const page = { text: 'Open Direct billing', address: 'https://portal.test/direct-billing' };

test('who is to store a method reads who bills them, for how long the link works, and where it leads', () => {
  const letter = setupLetter(charge);
  expect(letter.subject).toBe('Blue Fig: set up your payment method');
  expect(letter.button).toEqual({ text: 'Store a payment method', address: charge.address });
  expect(wordsOf(letter)).toContain('Hello Acme,');
  expect(wordsOf(letter)).toContain('Blue Fig looks after your domains and certificates');
  expect(letter.note).toContain('The link works for seven days.');
});

test('a customer whose charge failed reads what for, why and when it is tried again, and that no domain is in question', () => {
  const letter = failedChargeCustomerLetter(charge);
  expect(letter.subject).toBe('Blue Fig: a payment of $1,234.50 did not succeed');
  expect(letter.parts).toEqual([
    'Hello Acme,',
    'The payment of $1,234.50 to Blue Fig for one.com, two.com did not succeed: Your card was declined. We will try again on Nov 25, 2026.',
    'Your domains and certificates are not affected.',
  ]);
  expect(letter.button).toEqual({ text: 'Store another payment method', address: charge.address });
});

test('where nothing is tried again by itself, and no method would help, the letters promise neither', () => {
  const ended = { ...charge, next: null, address: null, publicUrl };
  expect(failedChargeCustomerLetter(ended)).not.toHaveProperty('button');
  for (const letter of [failedChargeCustomerLetter(ended), failedChargeLetter(ended)]) {
    expect(wordsOf(letter)).toContain('Your card was declined.');
    expect(wordsOf(letter)).not.toContain('try again');
  }
});

test('the MSP reads who could not be charged, for what, why and until when', () => {
  const letter = failedChargeLetter({ ...charge, publicUrl });
  expect(letter).toEqual({
    subject: 'Direct billing: Acme could not be charged',
    parts: [
      'Acme could not be charged $1,234.50 for one.com, two.com: Your card was declined. We will try again on Nov 25, 2026.',
      'The open amount is listed under Direct billing.',
    ],
    button: page,
  });
});

test('the MSP reads which payment was not given back, how much and why, and what to do', () => {
  const refund = { cents: 2_050, failure: 'The account is empty.', payment: 'pi_1', publicUrl };
  const [refused, returned] = [refundLetter(refund), returnLetter(refund)];
  expect(refused.subject).toBe('Direct billing: a refund failed');
  expect(refused.parts).toEqual([
    '$20.50 of the payment pi_1 could not be refunded to your customer: The account is empty.',
    "Please refund it on the payment provider's dashboard, unless you have done so already. It is listed under Direct billing.",
  ]);
  expect(returned.subject).toBe('Direct billing: a refund was returned');
  expect(returned.parts[0]).toBe('$20.50 refunded from the payment pi_1 came back: The account is empty.');
  expect(returned.parts[1]).toContain('your customer has not received it. Please refund it another way.');
  expect([refused.button, returned.button]).toEqual([page, page]);
});
