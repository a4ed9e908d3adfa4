import { formatCents } from '#contracts/values/money.ts';

interface Letter {
  subject: string;
  text: string;
}

/** What the MSP is told when the provider would not give a direct charge back. */
export function refundNotice(of: { cents: number; failure: string; payment: string }): Letter {
  return {
    subject: 'Direct billing: a refund could not be made',
    text: `$${formatCents(of.cents)} of the payment ${of.payment} could not be refunded to your customer: ${of.failure} Please refund it on the payment provider's dashboard. It is listed under Direct billing.`,
  };
}

/** What the MSP is told when a refund that had been made came back from the customer's bank. */
export function returnNotice(of: { cents: number; failure: string; payment: string }): Letter {
  return {
    subject: 'Direct billing: a refund was returned',
    text: `$${formatCents(of.cents)} that had been refunded of the payment ${of.payment} came back: ${of.failure} Your customer does not have it; it is on the balance of your payment account again. Please pay it back another way. It is listed under Direct billing.`,
  };
}

/** What the customer and the MSP are told of a charge that failed. The domain is never in question. */
export function noticeOfFailure(of: {
  msp: string;
  organization: string;
  items: string;
  cents: number;
  failure: string;
  next: Date | null;
  address: string | null;
}): { customer: Letter; msp: Letter } {
  const amount = `$${formatCents(of.cents)}`;
  const again = of.next ? ` It is tried again on ${of.next.toISOString().slice(0, 10)}.` : '';
  return {
    customer: {
      subject: `${of.msp}: a payment of ${amount} did not succeed`,
      text: [
        `Hello ${of.organization},`,
        '',
        `the payment of ${amount} to ${of.msp} for ${of.items} did not succeed: ${of.failure}${again}`,
        'Your domains and certificates are not affected.',
        ...(of.address ? ['', 'You can store another payment method here:', '', of.address] : []),
      ].join('\n'),
    },
    msp: {
      subject: `Direct billing: ${of.organization} could not be charged`,
      text: `${of.organization} could not be charged ${amount} for ${of.items}: ${of.failure}${again} The open amount is listed under Direct billing.`,
    },
  };
}
