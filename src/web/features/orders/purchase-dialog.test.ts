import { expect, test } from 'vitest';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { transferStarted } from '#contracts/values/outcome-texts.ts';
import { hasFailures, noteOf, sumsOf } from './purchase-dialog.tsx';

const kinds = ['domains', 'renewals', 'transfers', 'certificates'] as const;
const bought = { success: [{ domain: 'a.com', price: 12 }], fail: [] };

test('an order of which one item failed, of whichever kind, has failures; one without any has none', () => {
  const whole = Object.fromEntries(kinds.map((kind) => [kind, bought])) as unknown as PurchaseResult;
  expect(hasFailures(whole)).toBe(false);
  for (const kind of kinds) {
    const partly = { ...whole, [kind]: { ...bought, fail: [{ domain: 'b.com', error: 'It is taken.' }] } };
    expect([kind, hasFailures(partly as PurchaseResult)]).toEqual([kind, true]);
  }
});

const none = { success: [], fail: [] };
const started = (domain: string) => ({ domain, price: 12.31, note: transferStarted });
const of = (lists: Partial<PurchaseResult>) =>
  sumsOf({
    orderId: 'o',
    pending: [],
    domains: none,
    renewals: none,
    transfers: none,
    certificates: none,
    ...lists,
  });

test('what is reserved for transfers that have only started is not told as charged', () => {
  const transfers = { success: [started('t.com'), started('u.com')], fail: [] };
  expect(of({ transfers })).toEqual({ charged: 0, reserved: 2_462 });
  expect(of({ transfers, domains: bought, certificates: bought })).toEqual({
    charged: 2_400,
    reserved: 2_462,
  });
  const ended = { success: [started('t.com'), { domain: 'u.com', price: 12.31 }], fail: [] };
  expect(of({ transfers: ended })).toEqual({ charged: 1_231, reserved: 1_231 });
});

test('what an earlier order pays for is in no sum of this one, and its line says so', () => {
  const earlierOrderId = '01999999-0000-7000-8000-000000000000';
  const domains = { success: [...bought.success, { domain: 'b.com', price: 9, earlierOrderId }], fail: [] };
  const transfers = { success: [started('t.com'), { ...started('u.com'), earlierOrderId }], fail: [] };
  expect(of({ domains, transfers })).toEqual({ charged: 1_200, reserved: 1_231 });
  expect(noteOf({ domain: 'b.com', price: 9, earlierOrderId })).toBe(
    'Bought in an earlier order, and charged there',
  );
  expect(noteOf({ ...started('u.com'), earlierOrderId })).toBe(
    'Started in an earlier order, which reserves the funds for it',
  );
  expect([noteOf(started('t.com')), noteOf({ domain: 'a.com', price: 12 })]).toEqual([
    transferStarted,
    undefined,
  ]);
});
