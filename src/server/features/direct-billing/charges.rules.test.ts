import { describe, expect, test } from 'vitest';
import { noMarkups } from '#contracts/values/money.ts';
import {
  canFail,
  chargeFor,
  disputeIn,
  idempotencyKeyOf,
  isAnswer,
  isCollecting,
  isTheirAccount,
  type KnownCharge,
  lookAgainAt,
  looksFirst,
  nextTryAt,
  obstacleTo,
  paidSince,
  sameMomentSince,
  stopsCharges,
  verdictOn,
} from './charges.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const minuteMs = 60_000;
const dayMs = 86_400_000;
const at = (ms: number) => new Date(now.getTime() + ms);

describe('what a line costs its customer', () => {
  const markups = {
    domain: {
      purchase: { type: 'fixed' as const, value: 5 },
      renewal: { type: 'percentage' as const, value: 10 },
    },
    certificate: noMarkups.certificate,
  };
  const line = { kind: 'domain' as const, renewsCertificate: false };

  test('price and markup, by what is bought', () => {
    expect(chargeFor(1_200, markups, line)).toEqual({ priceCents: 1_200, markupCents: 500 });
    expect(chargeFor(1_200, markups, { ...line, kind: 'renewal' })).toEqual({
      priceCents: 1_200,
      markupCents: 120,
    });
  });

  test('nothing is charged for nothing, but a markup on nothing is', () => {
    expect(chargeFor(0, noMarkups, line)).toBe(null);
    expect(chargeFor(0, markups, line)).toEqual({ priceCents: 0, markupCents: 500 });
    expect(chargeFor(500, markups, line)).toEqual({ priceCents: 500, markupCents: 500 });
  });
});

describe('a charge', () => {
  test('waits for the rest of its purchase for 15 minutes, and looks again every 20 seconds', () => {
    expect(isCollecting(at(-15 * minuteMs + 1), now)).toBe(true);
    expect(isCollecting(at(-15 * minuteMs), now)).toBe(false);
    expect(lookAgainAt(now)).toEqual(at(20_000));
  });

  test('takes along what was confirmed within the same minute', () => {
    expect(sameMomentSince(now)).toEqual(at(-minuteMs));
  });

  test('is one request for each part and each try', () => {
    const charge = { order_id: 'o', customer_id: 'c', part: 1, attempt: 1 };
    const keys = [
      charge,
      { ...charge, part: 2 },
      { ...charge, attempt: 2 },
      { ...charge, part: 2, attempt: 2 },
      { ...charge, customer_id: 'd' },
    ].map(idempotencyKeyOf);
    expect(keys.slice(0, 4)).toEqual([
      'direct:o:c',
      'direct:o:c:part2',
      'direct:o:c:try2',
      'direct:o:c:part2:try2',
    ]);
    expect(new Set(keys).size).toBe(5);
  });

  test('needs an account that takes payments, and a method', () => {
    const customer = { paymentMethod: 'pm', paymentCustomer: 'cus' };
    expect(obstacleTo({ ready: true }, customer, false)).toBe(null);
    expect(obstacleTo({ ready: false }, customer, false)).toContain('account is not ready');
    expect(obstacleTo(null, customer, false)).toContain('account is not ready');
    expect(obstacleTo({ ready: true }, { ...customer, paymentMethod: null }, false)).toContain(
      'no longer has a payment method',
    );
    expect(obstacleTo({ ready: true }, { ...customer, paymentCustomer: null }, false)).toContain(
      'no longer has a payment method',
    );
  });

  test('is not sent to a customer who disputed a payment, whatever else is in order or not', () => {
    const customer = { paymentMethod: 'pm', paymentCustomer: 'cus' };
    expect(obstacleTo({ ready: true }, customer, true)).toContain('disputed a payment');
    expect(obstacleTo(null, { ...customer, paymentMethod: null }, true)).toContain('disputed a payment');
  });

  test('that failed is tried again after 1, 3, 5 and 7 days; then a person decides', () => {
    const days = [1, 2, 3, 4, 5].map((attempt) => nextTryAt(attempt, false, now));
    expect(days).toEqual([at(dayMs), at(3 * dayMs), at(5 * dayMs), at(7 * dayMs), null]);
  });

  test('is not tried again by itself when the bank wants the person', () => {
    expect(nextTryAt(1, true, now)).toBe(null);
  });

  test('can fail only while it is at the provider', () => {
    const states = ['collecting', 'sending', 'processing', 'succeeded', 'failed', 'waived'] as const;
    expect(states.filter(canFail)).toEqual(['sending', 'processing']);
  });
});

describe('the provider is asked what it has', () => {
  test('before a first try, and after every lost answer, though the account has become unready since', () => {
    expect(looksFirst({ payment_intent: null }, { ready: true }, true)).toBe(true);
    expect(looksFirst({ payment_intent: null }, { ready: true }, false)).toBe(true);
    expect(looksFirst({ payment_intent: 'pi' }, { ready: false }, false)).toBe(true);
  });

  test('not before a known payment is tried again, which reads it, nor where nothing can be charged anyway', () => {
    expect(looksFirst({ payment_intent: 'pi' }, { ready: true }, true)).toBe(false);
    expect(looksFirst({ payment_intent: null }, { ready: false }, true)).toBe(false);
    expect(looksFirst({ payment_intent: null }, null, false)).toBe(false);
  });

  test('about everything since a day before the purchase', () => {
    expect(paidSince(now)).toEqual(at(-dayMs));
  });
});

describe('a payment that is found before a try', () => {
  test('is the answer, unless it is the decline of an earlier try', () => {
    const first = { payment_intent: null };
    const again = { payment_intent: 'pi' };
    for (const fresh of [true, false]) {
      expect(isAnswer(first, { state: 'requires_payment_method' }, fresh)).toBe(true);
      expect(isAnswer(first, { state: 'succeeded' }, fresh)).toBe(true);
      expect(isAnswer(again, { state: 'requires_payment_method' }, fresh)).toBe(false);
    }
    expect(isAnswer(again, { state: 'requires_action' }, false)).toBe(false);
    expect(isAnswer(again, { state: 'succeeded' }, false)).toBe(true);
    expect(isAnswer(again, { state: 'processing' }, false)).toBe(true);
  });

  test('and was given up ends the try whose answer was lost, not one that has not begun', () => {
    expect(isAnswer({ payment_intent: null }, { state: 'cancelled' }, false)).toBe(true);
    expect(isAnswer({ payment_intent: null }, { state: 'cancelled' }, true)).toBe(false);
  });

  test('counts at the account of its organization only, whatever its metadata says', () => {
    expect(isTheirAccount({ id: 'acct_1' }, 'acct_1')).toBe(true);
    expect(isTheirAccount({ id: 'acct_2' }, 'acct_1')).toBe(false);
    expect(isTheirAccount(null, 'acct_1')).toBe(false);
  });
});

describe('what a payment says of its charge', () => {
  const charge: KnownCharge = { state: 'sending', cents: 1_700, payment_intent: 'pi_1' };
  const payment = {
    id: 'pi_1',
    state: 'succeeded' as
      | 'succeeded'
      | 'processing'
      | 'requires_payment_method'
      | 'requires_action'
      | 'cancelled',
    amountCents: 1_700,
    failure: null as string | null,
    failureCode: null as string | null,
  };
  const on = (known: Partial<KnownCharge>, seen: Partial<typeof payment>, answer = true) =>
    verdictOn({ ...charge, ...known }, { ...payment, ...seen }, answer);
  const declined = { state: 'requires_payment_method', failure: 'Your card was declined.' } as const;
  const nothing = { kind: 'nothing' };

  test('paid, or on its way', () => {
    expect(on({}, {})).toEqual({ kind: 'paid', state: 'succeeded' });
    expect(on({}, { state: 'processing' })).toEqual({ kind: 'paid', state: 'processing' });
    expect(on({ payment_intent: null }, {})).toEqual({ kind: 'paid', state: 'succeeded' });
  });

  test('nothing when it is another payment than the one of the charge', () => {
    expect(on({}, { id: 'pi_2' })).toEqual(nothing);
  });

  test('money of another amount is for a person; a decline of another amount is a decline', () => {
    expect(on({}, { amountCents: 1_701 })).toEqual({
      kind: 'alert',
      text: '1701 cents charged instead of 1700',
    });
    expect(on({}, { ...declined, amountCents: 9_900 })).toMatchObject({ kind: 'failed' });
  });

  test('a try is ended by its own answer, not by news of an earlier one', () => {
    expect(on({}, declined, false)).toEqual(nothing);
    expect(on({}, declined)).toEqual({
      kind: 'failed',
      paymentIntent: 'pi_1',
      text: 'Your card was declined.',
      wantsPerson: false,
    });
    expect(on({ state: 'processing' }, declined, false)).toMatchObject({ kind: 'failed' });
  });

  test('what has ended does not fail any more', () => {
    for (const state of ['succeeded', 'failed', 'waived', 'collecting'] as const) {
      expect(on({ state }, declined)).toEqual(nothing);
    }
  });

  test('a cancelled payment is not used again', () => {
    expect(on({}, { state: 'cancelled' })).toMatchObject({
      paymentIntent: null,
      text: 'The payment was declined.',
    });
  });

  test('the bank wants the person by a state or by a code', () => {
    expect(on({}, { state: 'requires_action' })).toMatchObject({ wantsPerson: true });
    expect(on({}, { ...declined, failureCode: 'authentication_required' })).toMatchObject({
      wantsPerson: true,
    });
    expect(on({}, { ...declined, failureCode: 'card_declined' })).toMatchObject({ wantsPerson: false });
  });
});

describe('a dispute', () => {
  const charge = (disputed_cents: number, dispute_released_cents = 0) => ({
    disputed_cents,
    dispute_released_cents,
  });

  test.each([
    ['that is new', charge(0), 12_00, { ...charge(12_00), news: 'disputed' }],
    ['that is known', charge(12_00), 12_00, { ...charge(12_00), news: null }],
    ['that has grown', charge(5_00, 5_00), 12_00, { ...charge(12_00, 5_00), news: 'disputed' }],
    ['that was won', charge(12_00), 0, { ...charge(0), news: 'over' }],
    ['that was won after charges were allowed', charge(12_00, 12_00), 0, { ...charge(0), news: null }],
    ['that shrank', charge(12_00), 5_00, { ...charge(5_00), news: null }],
    ['that nobody read', charge(12_00, 5_00), null, { ...charge(12_00, 5_00), news: null }],
    ['that nobody had', charge(0), null, { ...charge(0), news: null }],
  ])('%s', (_what, known, cents, expected) => {
    const times = { disputed_at: null, disputes_read_at: null };
    expect(disputeIn({ ...known, ...times }, { disputes: of(cents) }, at)).toMatchObject(expected);
  });

  /** One of so many cents, which had begun when disputes were read last. Null: none were read. */
  const of = (cents: number | null) =>
    cents === null ? null : cents === 0 ? [] : [{ cents, createdAt: before }];
  const [at, before] = [new Date('2026-11-29T12:00:00Z'), new Date('2026-11-01T12:00:00Z')];
  test.each([
    ['is new', charge(0), 12_00, at],
    ['grows while it stops charges', charge(5_00), 12_00, before],
    ['grows after charges were allowed', charge(5_00, 5_00), 12_00, at],
    ['is read again', charge(12_00), 12_00, before],
    ['shrinks', charge(12_00), 5_00, before],
    ['is not read', charge(12_00), null, before],
  ])('that %s stops charges since it began to', (_what, known, cents, since) => {
    const times = { disputed_at: before, disputes_read_at: before };
    expect(disputeIn({ ...known, ...times }, { disputes: of(cents) }, at)).toMatchObject({
      ...{ disputed_at: since, disputes_read_at: before },
    });
  });

  test('of the same amount is news where it began after those that were read, and what was allowed is none of it', () => {
    const [first, second] = [
      { cents: 12_00, createdAt: before },
      { cents: 12_00, createdAt: new Date('2026-11-28T12:00:00Z') },
    ];
    const seen = { ...charge(12_00, 12_00), disputed_at: before, disputes_read_at: before };
    const stops = { ...charge(12_00), disputed_at: at, disputes_read_at: second.createdAt };
    // The first was won meanwhile.
    const after = disputeIn(seen, { disputes: [second] }, at);
    expect(after).toEqual({ ...stops, news: 'disputed' });
    // It is told once, also where an older reading comes after it.
    for (const disputes of [[second], [first]]) {
      expect(disputeIn(stops, { disputes }, at)).toEqual({ ...stops, news: null });
    }
    // Beside the first one, which stays allowed.
    const both = disputeIn(seen, { disputes: [second, first] }, at);
    expect(both).toEqual({ ...stops, ...charge(24_00, 12_00), news: 'disputed' });
    // While the first one still stopped charges, they have been stopped since then.
    const open = { ...seen, ...charge(12_00) };
    expect(disputeIn(open, { disputes: [second] }, at)).toEqual({
      ...stops,
      disputed_at: before,
      news: 'disputed',
    });
    // None has anything: they are known up to now.
    expect(disputeIn(seen, { disputes: [] }, at)).toMatchObject({
      ...charge(0),
      disputes_read_at: at,
      news: null,
    });
  });

  test('stops charges for as long as staff have not allowed them for all of it', () => {
    const stops = [charge(0), charge(1), charge(12_00, 11_99), charge(12_00, 12_00), charge(5_00, 12_00)];
    expect(stops.map(stopsCharges)).toEqual([false, true, true, false, false]);
  });
});
