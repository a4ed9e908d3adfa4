import { expect, test } from 'vitest';
import { cellsWithoutMarkups, isForCustomer, withoutBusiness } from './business.rules.ts';

test('a file is for an end customer where it is about one, or where one of their own users asked', () => {
  expect(isForCustomer({ kind: 'customer', onlyCustomer: null })).toBe(true);
  expect(isForCustomer({ kind: 'user', onlyCustomer: 'customer' })).toBe(true);
  expect(isForCustomer({ kind: 'user', onlyCustomer: null })).toBe(false);
});

test('what the MSP pays, adds and allows is left out at any depth; what the customer was charged stays', () => {
  const row = {
    ...{ cents: 500, refunded_cents: 20, price_cents: 1_200, bought_cents: 900, markups: {}, note: null },
    after: { markups: { domain: {} }, limits: [{ priceCents: 1, centsPerMonth: 2, orders: 3 }] },
  };
  expect(withoutBusiness(row)).toEqual({
    ...{ cents: 500, refunded_cents: 20, note: null, after: { limits: [{ orders: 3 }] } },
  });
});

test('of entries about an order the amount is the MSP’s price, of entries about a charge the customer’s', () => {
  const entry = (kind: string) => ({ object_kind: kind, after: { cents: 5, item: 'i' } });
  expect(withoutBusiness(entry('order item'))).toEqual({ object_kind: 'order item', after: { item: 'i' } });
  expect(withoutBusiness(entry('direct-charge'))).toEqual(entry('direct-charge'));
});

test('of a row of a file the markups are left out: cells, faults and changes', () => {
  const notes = [
    ...[{ field: 'markups.domain.purchase.value' }, { column: 'markups_domain_purchase_value' }],
    ...[{ field: 'contacts.owner.city' }, { column: 'contacts_owner_city' }, 'a word', null],
  ];
  expect(withoutBusiness({ notes })).toEqual({ notes: notes.slice(2) });
  const columns = ['contacts_owner_city', 'markups_domain_purchase_value', 'billing_email'];
  // A cell beyond the columns stands under none.
  expect(cellsWithoutMarkups(columns, ['York', '7', 'a@b.example', 'more'])).toEqual([
    ...['York', 'a@b.example', 'more'],
  ]);
});
