import { describe, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { createAccessWishes, requireProduct } from './access-wishes.ts';

/** What an access is to be when a person asks for it: what they may choose themselves, and what the MSP has set for them. */

const now = new Date('2026-11-22T12:00:00Z');
const staff = { reach: { kind: 'organisation' } } as unknown as Scope;
const customer = { reach: { kind: 'customers', ids: ['acme'] } } as unknown as Scope;
const limits = (ordersPerMonth: number, centsPerMonth: number) => ({ ordersPerMonth, centsPerMonth });
const products = [
  { productType: 'rapidssl', businessValidated: false },
  { productType: 'wild', businessValidated: false },
  { productType: 'ev', businessValidated: true },
];
const wishes = createAccessWishes({
  clock: { now: () => now },
  pricing: { list: async () => products as never },
});
const body = { name: 'web', hosts: null, productType: 'rapidssl', mayBuy: limits(2, 60_00), lastDay: null };
const allowance = { mostAccesses: 2, productType: 'wild', limits: limits(5, 50_00) };
const from = {
  ...{ name: 'before', hosts: ['a.com'], productType: 'gone', mayBuy: limits(4, 40_00) },
  expiresAt: new Date('2027-01-01T00:00:00Z'),
};
const faultOf = (path: string, message: string) => ({
  ...{ code: 'validation_failed', details: [{ path, message }] },
});

describe('staff', () => {
  const wanted = (change: object, before?: typeof from) =>
    wishes.wantedState(staff, { ...body, ...change }, allowance, before);

  test('have what they ask for, each name once, to the end of the last day', async () => {
    const hosts = ['b.com', 'a.com', 'b.com'];
    expect(await wanted({ hosts, lastDay: '2026-11-22' })).toEqual({
      ...{ name: 'web', productType: 'rapidssl', hosts: ['b.com', 'a.com'], mayBuy: limits(2, 60_00) },
      expiresAt: new Date('2026-11-23T00:00:00Z'),
    });
    expect(await wanted({ mayBuy: null })).toMatchObject({ hosts: null, mayBuy: null, expiresAt: null });
  });

  test('say the amount, choose a product that needs no people, and a day that is not over', async () => {
    await expect(wanted({ mayBuy: { ordersPerMonth: 1 } })).rejects.toMatchObject(
      faultOf('mayBuy.centsPerMonth', 'Please enter an amount'),
    );
    await expect(wanted({ productType: 'ev' })).rejects.toMatchObject(
      faultOf('productType', 'This certificate needs a check of the company by people'),
    );
    for (const productType of ['nothing', undefined]) {
      await expect(wanted({ productType })).rejects.toMatchObject(
        faultOf('productType', 'Please choose a certificate'),
      );
    }
    await expect(wanted({ lastDay: '2026-11-21' })).rejects.toMatchObject(
      faultOf('lastDay', 'Please choose a day that is not over'),
    );
  });

  test('keep a product that is not sold any more, and an end of which they say nothing', async () => {
    expect(await wanted({ productType: 'gone', lastDay: undefined }, from)).toMatchObject({
      ...{ productType: 'gone', expiresAt: from.expiresAt },
    });
    expect((await wanted({ productType: 'gone', lastDay: null }, from)).expiresAt).toBeNull();
    await expect(wanted({ productType: 'ev' }, from)).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('a customer’s own user', () => {
  const wanted = (change: object, before?: typeof from, of: typeof allowance | null = allowance) =>
    wishes.wantedState(customer, { ...body, ...change }, of, before);

  test('has the product and the amount that the MSP allows, whatever they send', async () => {
    expect(await wanted({ mayBuy: limits(3, 99_999_00) })).toMatchObject({
      ...{ productType: 'wild', mayBuy: limits(3, 50_00) },
    });
    expect((await wanted({ mayBuy: null })).mayBuy).toBeNull();
  });

  test('keeps the product and the amount of an access that is there, whatever is allowed today', async () => {
    expect(await wanted({ mayBuy: { ordersPerMonth: 3 } }, from)).toMatchObject({
      ...{ productType: 'gone', mayBuy: limits(3, 40_00) },
    });
    expect(await wanted({ mayBuy: { ordersPerMonth: 3 } }, from, null)).toMatchObject({
      ...{ productType: 'gone', mayBuy: limits(3, 40_00) },
    });
    // One that never bought has no amount of its own.
    expect(
      (await wanted({ mayBuy: { ordersPerMonth: 3 } }, { ...from, mayBuy: null as never })).mayBuy,
    ).toEqual(limits(3, 50_00));
  });

  test('buys nothing where the MSP allows no buying', async () => {
    const never = { ...allowance, limits: null as never };
    await expect(wanted({ mayBuy: { ordersPerMonth: 1 } }, undefined, never)).rejects.toMatchObject({
      ...{ code: 'forbidden', message: 'This is more than your provider allows.' },
    });
    expect(await wanted({ mayBuy: null }, undefined, never)).toMatchObject({ mayBuy: null });
  });

  test('has a power that is within the allowance, or no more than before', async () => {
    const require = (mayBuy: typeof body.mayBuy | null, before: typeof body.mayBuy | null, of = allowance) =>
      wishes.requirePower(null as never, customer, mayBuy, before, of as never).then(() => 'may');
    expect(await require(limits(5, 50_00), null)).toBe('may');
    expect(await require(null, null, null as never)).toBe('may');
    // What was there before the allowance was lowered may stay, or be lowered.
    expect(await require(limits(9, 90_00), limits(9, 90_00))).toBe('may');
    for (const more of [limits(6, 50_00), limits(5, 50_01)]) {
      await expect(require(more, limits(1, 1))).rejects.toMatchObject({
        ...{ code: 'forbidden', message: 'This is more than your provider allows.' },
      });
    }
    await expect(require(limits(1, 1), null, null as never)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

test('a product is refused at the field of the request', () => {
  expect(() => requireProduct(products, 'rapidssl', 'x')).not.toThrow();
  expect(() => requireProduct(products, 'ev', 'allowance.productType')).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ path: 'allowance.productType' })] }),
  );
});
