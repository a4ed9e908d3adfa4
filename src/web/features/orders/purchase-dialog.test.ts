import { expect, test } from 'vitest';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { hasFailures } from './purchase-dialog.tsx';

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
