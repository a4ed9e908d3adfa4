import { expect, test } from 'vitest';
import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { backText, chargeNotes, chargeState, refundNotes, stoppedText, whatFor } from './charge-texts.ts';

type Refund = DirectCharge['items'][number]['refund'];
const item = (refund: Refund) => ({
  address: 'a.com',
  kind: 'certificate' as const,
  price: 20,
  markup: 2,
  refund,
});
const notes = (refund: Refund) => refundNotes({ items: [item(null), item(refund)] });

test('what becomes of a charged item that came to nothing is said, with the reason of a refusal', () => {
  expect(notes(null)).toEqual([]);
  expect(notes({ state: 'none', amount: 0, error: null })).toEqual([]);
  expect(notes({ state: 'wanted', amount: 22, error: null })).toEqual([
    'a.com: will be refunded once the charge has ended',
  ]);
  expect(notes({ state: 'sending', amount: 22, error: null })).toEqual(['a.com: $22.00 is being refunded']);
  expect(notes({ state: 'done', amount: 22, error: null })).toEqual([
    'a.com: refunded because the order did not complete',
  ]);
  expect(notes({ state: 'failed', amount: 22, error: 'Insufficient funds.' })).toEqual([
    'a.com: $22.00 could not be refunded. Insufficient funds.',
  ]);
});

const stoppedBy = (disputes: number) => ({ since: '2026-11-29T12:00:00Z', disputes, chargeId: null });

test('a charge of which the portal sent something back is no longer simply paid', () => {
  const charge = { state: 'succeeded' as const, amount: 22, disputed: 0 };
  const sent = (amount: number) => [item({ state: 'done', amount, error: null })];
  expect(chargeState({ ...charge, refunded: 0, items: [] }).label).toBe('Paid');
  expect(chargeState({ ...charge, refunded: 2, items: sent(2) }).label).toBe('Partly refunded');
  expect(chargeState({ ...charge, refunded: 22, items: sent(22) }).label).toBe('Refunded');
});

test('what went back without the portal may be a dispute: it is not called a refund, and where to look is said', () => {
  const charge = {
    ...{ state: 'succeeded' as const, amount: 22, error: null, note: null, returned: 0 },
    ...{ disputed: 0, stopsCharges: false, chargesStopped: null },
  };
  const sent = (amount: number) => [item({ state: 'done', amount, error: null })];
  const told = (refunded: number, items: DirectCharge['items']) => [
    chargeState({ ...charge, refunded, items }).label,
    chargeNotes({ ...charge, refunded, items }).find((note) => note.includes('disputed')),
  ];
  const where =
    'was refunded or disputed at the payment provider. Please check it there: a dispute must be answered in time.';
  expect(told(22, [])).toEqual(['Refunded or disputed', `$22.00 ${where}`]);
  expect(told(22, sent(2))).toEqual(['Refunded or disputed', `$20.00 ${where}`]);
  expect(told(5, sent(2))).toEqual(['Partly refunded or disputed', `$3.00 ${where}`]);
  // A refund that failed sent nothing.
  expect(told(5, [item({ state: 'failed', amount: 5, error: '' })])).toEqual([
    'Partly refunded or disputed',
    `$5.00 ${where}`,
  ]);
  // The provider's figure is read right after a refund was made.
  expect(told(0, sent(2))).toEqual(['Paid', undefined]);
});

test('below a charge stand its error, what was taken off it, and what came back of its refunds', () => {
  const charge = {
    ...{
      state: 'failed' as const,
      items: [],
      error: 'Declined.',
      note: 'Not charged: b.com, the order was declined',
    },
    ...{ disputed: 0, stopsCharges: false, chargesStopped: null },
  };
  expect(chargeNotes({ ...charge, refunded: 0, returned: 0 })).toEqual([charge.error, charge.note]);
  const none = { error: null, note: null, refunded: 0 };
  expect(chargeNotes({ ...charge, ...none, returned: 5 })).toEqual([
    "$5.00 in refunds came back from the customer's bank. Please refund this amount another way.",
  ]);
});

test('a charge is for its first item, and for how many more', () => {
  const named = (...addresses: string[]) =>
    whatFor({ items: addresses.map((address) => ({ ...item(null), address })) });
  expect([named(), named('a.com'), named('a.com', 'b.com'), named('a.com', 'b.com', 'c.com')]).toEqual([
    ...['', 'a.com', 'a.com and 1 more', 'a.com and 2 more'],
  ]);
});

test('a dispute is called one, says what to do, and whether it stops further charges', () => {
  const charge = {
    ...{ state: 'succeeded' as const, amount: 22, error: null, note: null, returned: 0, items: [] },
    ...{ refunded: 22, disputed: 22, stopsCharges: true, chargesStopped: stoppedBy(1) },
  };
  const answer =
    '$22.00 was disputed. Unless the dispute is decided, please answer it at the payment provider in time.';
  expect(chargeState(charge)).toEqual({ label: 'Disputed', tone: 'red' });
  expect(backText(charge)).toBe('$22.00 back');
  expect(chargeNotes(charge)).toEqual([answer]);
  expect(stoppedText(charge)).toBe(', until you allow them or the dispute is won.');
  expect(stoppedText({ ...charge, stopsCharges: false })).toBeNull();
  expect(chargeNotes({ ...charge, disputed: 20 })[1]).toContain('$2.00 was refunded or disputed');
});

test('an open charge of a customer whose charges are stopped says so, once', () => {
  const charge = {
    ...{ state: 'failed' as const, items: [], error: 'Declined.', note: null, refunded: 0, returned: 0 },
    ...{ disputed: 0, stopsCharges: false, chargesStopped: stoppedBy(1) },
  };
  const error = 'The customer disputed a payment. Nothing more is charged until you allow it.';
  const why = ': the customer disputed a payment.';
  const told = (more: object) => {
    const of = { ...charge, ...more };
    return [chargeNotes(of), stoppedText(of)];
  };
  expect(told({})).toEqual([['Declined.'], why]);
  expect(told({ error })).toEqual([[], why]);
  // It is over, and nobody has tried it again yet.
  expect(told({ error, chargesStopped: null })).toEqual([[error], null]);
  expect(told({ state: 'succeeded', error: null })).toEqual([[], null]);
});
