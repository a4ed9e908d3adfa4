import { describe, expect, test } from 'vitest';
import { withUsAlready } from '#contracts/values/outcome-texts.ts';
import type { TransferCheck } from '../../ports/registrar.ts';
import {
  checkOfOthers,
  checkOfOwn,
  dnsOfCheck,
  endsTransfer,
  isOpen,
  type ShownTransfer,
  sameNames,
  shownTransfer,
} from './transfers.rules.ts';

const answer = (change: Partial<TransferCheck> = {}): TransferCheck => ({
  ...{
    transferable: true,
    unavailable: false,
    reason: null,
    reasonCode: null,
    status: null,
    hindrance: null,
  },
  ...change,
});

describe('the check', () => {
  test('of an own name says whether it is here or on its way', () => {
    expect(checkOfOwn('a.com', 'transferring')).toMatchObject({ transferrable: 0, hindrance: 'under-way' });
    for (const status of ['active', 'expired']) {
      expect(checkOfOwn('a.com', status)).toMatchObject({
        ...{ transferrable: 0, hindrance: 'here', reason: 'a.com is already in your account' },
      });
    }
  });

  test('of another name says what the registrar says', () => {
    expect(checkOfOthers(answer())).toMatchObject({ transferrable: 1, reason: null, hindrance: null });
    const locked = answer({ transferable: false, reason: 'Locked', reasonCode: 'x', hindrance: 'locked' });
    expect(checkOfOthers(locked)).toEqual({
      ...{ transferrable: 0, reason: 'Locked', reason_code: 'x', hindrance: 'locked' },
    });
  });

  test('says nothing where the registry could not be asked, whatever else is in the answer', () => {
    expect(checkOfOthers(answer({ unavailable: true, reasonCode: withUsAlready }))).toBeNull();
  });

  test('of a name in another account of ours does not name that account', () => {
    const said = checkOfOthers(answer({ reason: 'belongs to reseller acme', reasonCode: withUsAlready }));
    expect(said).toMatchObject({ transferrable: 0, hindrance: 'other-account', reason_code: withUsAlready });
    expect(said?.reason).not.toContain('acme');
  });

  test('tells an answer without records from no answer', () => {
    expect(dnsOfCheck(['ns1.a.net'], { records: [{}] })).toEqual({
      NS: ['ns1.a.net'],
      answered: 1,
      signed: 1,
    });
    expect(dnsOfCheck([], { records: [] })).toEqual({ NS: [], answered: 1, signed: 0 });
    expect(dnsOfCheck(null, null)).toEqual({ NS: [], answered: 0, signed: null });
  });
});

const at = (day: number) => new Date(Date.UTC(2026, 10, day));
const row = (change: Partial<ShownTransfer> = {}): ShownTransfer => ({
  ...{ id: 'item', organisation_id: 'org', address: 'a.com', customer_id: 'cus', organization: 'Acme' },
  ...{ order_id: 'order', price_cents: 1231, reason: null, registrar_status: 'pending_owner' },
  ...{ requested_at: at(1), status_since: at(1), asked_at: at(2), completed_at: null, failed_at: null },
  ...{ compared_at: null, nameservers_before: ['ns1.old.net'], nameservers_after: null },
  ...change,
});
const shown = (change: Partial<ShownTransfer> = {}, { seesPrices = true, now = at(1) } = {}) =>
  shownTransfer(row(change), { times: { approvalDays: 1, releaseDays: 5 }, now, seesPrices });

describe('what is shown of a transfer', () => {
  test('is its state, and that it is open until it has completed or failed', () => {
    expect([shown().state, isOpen(row())]).toEqual(['running', true]);
    expect([shown({ completed_at: at(3) }).state, isOpen(row({ completed_at: at(3) }))]).toEqual([
      'completed',
      false,
    ]);
    expect([shown({ failed_at: at(3) }).state, isOpen(row({ failed_at: at(3) }))]).toEqual(['failed', false]);
  });

  test('is its price while the money is held, and only to those who see prices', () => {
    expect(shown().held).toBe(12.31);
    expect(shown({}, { seesPrices: false }).held).toBeNull();
    expect(shown({ price_cents: null }).held).toBeNull();
    expect(shown({ price_cents: 0 }).held).toBe(0);
    expect(shown({ completed_at: at(3) }).held).toBeNull();
    expect(shown({ failed_at: at(3) }).held).toBeNull();
  });

  test('is that it is stuck, when its step should be over and it is open', () => {
    expect(shown({}, { now: at(2) }).stuck).toBe(false);
    expect(shown({}, { now: new Date(at(2).getTime() + 1) }).stuck).toBe(true);
    expect(shown({ failed_at: at(3) }, { now: at(20) }).stuck).toBe(false);
  });

  test('is whether the delegation was kept, once it was compared', () => {
    const moved = { nameservers_after: ['ns1.new.net'], compared_at: at(4) };
    expect(shown({ ...moved, compared_at: null }).nameservers.kept).toBeNull();
    expect(shown(moved).nameservers.kept).toBe(false);
    expect(shown({ ...moved, nameservers_after: ['ns1.old.net'] }).nameservers.kept).toBe(true);
  });

  test('has empty words for a customer that is gone, and none for a question that was not asked', () => {
    expect(shown({ organization: null, asked_at: null })).toMatchObject({ customer: '', askedAt: null });
  });
});

test('a delegation is the same in another order; without one before or after there is nothing to compare', () => {
  expect(sameNames(['b', 'a'], ['a', 'b'])).toBe(true);
  expect(sameNames(['a', 'b'], ['b', 'a'])).toBe(true);
  expect(sameNames(['a'], ['a', 'b'])).toBe(false);
  expect(sameNames(['a'], [])).toBe(false);
  expect([sameNames(null, ['a']), sameNames([], ['a']), sameNames(['a'], null)]).toEqual([null, null, null]);
});

test('two words of the registrar end a transfer', () => {
  const words = [
    'pending_owner',
    'pending_admin',
    'pending_registry',
    'completed',
    'cancelled',
    'undefined',
  ] as const;
  expect(words.filter((word) => endsTransfer(word))).toEqual(['completed', 'cancelled']);
});
