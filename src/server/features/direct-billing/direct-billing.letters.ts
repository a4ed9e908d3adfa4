import { moneyText, utcDayText } from '#contracts/values/format.ts';
import type { Letter } from '#kernel/letters.ts';

const listed = 'Open Direct billing';
const page = (publicUrl: string) => `${publicUrl}/direct-billing`;

/** To an end customer: where they store their payment method. */
export function setupLetter(of: { msp: string; organization: string; address: string }): Letter {
  return {
    subject: `${of.msp}: set up your payment method`,
    parts: [
      `Hello ${of.organization},`,
      `${of.msp} looks after your domains and certificates and bills you for them directly. Please store a payment method on the page of the payment provider.`,
    ],
    button: { text: 'Store a payment method', address: of.address },
    note: 'The link works for seven days. If you did not expect this message, you can ignore it.',
  };
}

/** To the MSP: the payment provider would not give a direct charge back. */
export function refundLetter(of: {
  cents: number;
  failure: string;
  payment: string;
  publicUrl: string;
}): Letter {
  return {
    subject: 'Direct billing: a refund failed',
    parts: [
      `${moneyText(of.cents)} of the payment ${of.payment} could not be refunded to your customer: ${of.failure}`,
      "Please refund it on the payment provider's dashboard, unless you have done so already. It is listed under Direct billing.",
    ],
    button: { text: listed, address: page(of.publicUrl) },
  };
}

/** To the MSP: a refund that had been made came back from the customer's bank. */
export function returnLetter(of: {
  cents: number;
  failure: string;
  payment: string;
  publicUrl: string;
}): Letter {
  return {
    subject: 'Direct billing: a refund was returned',
    parts: [
      `${moneyText(of.cents)} refunded from the payment ${of.payment} came back: ${of.failure}`,
      'The money is back on the balance of your payment account, and your customer has not received it. Please refund it another way. It is listed under Direct billing.',
    ],
    button: { text: listed, address: page(of.publicUrl) },
  };
}

/** To the MSP: a customer disputed what they were charged, and is charged no more by itself. */
export function disputeLetter(of: {
  chargeId: string;
  organization: string;
  items: string;
  cents: number;
  payment: string;
  publicUrl: string;
}): Letter {
  return {
    subject: `Direct billing: ${of.organization} disputed a payment`,
    parts: [
      `${of.organization} disputed ${moneyText(of.cents)} of the payment ${of.payment} for ${of.items}. The payment provider took it from your payment account. Unless the dispute is decided, please answer it on its dashboard in time.`,
      'Nothing more is charged to this customer automatically. What they buy or renew meanwhile stays open under Direct billing, where you can allow charges again. A dispute that you win allows them, too.',
    ],
    button: { text: listed, address: `${page(of.publicUrl)}?charge=${of.chargeId}` },
  };
}

export interface FailedCharge {
  msp: string;
  organization: string;
  items: string;
  cents: number;
  failure: string;
  next: Date | null;
  /** Where the customer stores another payment method; null: it was not the method. */
  address: string | null;
}

/** To the customer, of a charge that failed. The domain is never in question. */
export function failedChargeCustomerLetter(of: FailedCharge): Letter {
  const amount = moneyText(of.cents);
  return {
    subject: `${of.msp}: a payment of ${amount} did not succeed`,
    parts: [
      `Hello ${of.organization},`,
      `The payment of ${amount} to ${of.msp} for ${of.items} did not succeed: ${of.failure}${again(of.next)}`,
      'Your domains and certificates are not affected.',
    ],
    ...(of.address ? { button: { text: 'Store another payment method', address: of.address } } : {}),
  };
}

/** To the MSP, of the same charge. */
export function failedChargeLetter(of: FailedCharge & { publicUrl: string }): Letter {
  return {
    subject: `Direct billing: ${of.organization} could not be charged`,
    parts: [
      `${of.organization} could not be charged ${moneyText(of.cents)} for ${of.items}: ${of.failure}${again(of.next)}`,
      'The open amount is listed under Direct billing.',
    ],
    button: { text: listed, address: page(of.publicUrl) },
  };
}

function again(next: Date | null): string {
  return next ? ` We will try again on ${utcDayText(next)}.` : '';
}
