import { expect, test } from 'vitest';
import type { ListedNameState } from '#contracts/operations/domains.ts';
import { canBuy, inCalls, stateText } from './name-list.ts';

const name = (more: Partial<ListedNameState> = {}): ListedNameState => ({
  ...{
    domain: 'fig.com',
    status: 'available',
    price: 12.31,
    premium: false,
    own: false,
    problem: null,
    ...more,
  },
});

test('only names that are available, have a price and are not in the cart can be put there', () => {
  const nowhere = () => false;
  expect(canBuy(name(), nowhere)).toBe(true);
  expect(canBuy(name({ price: null }), nowhere)).toBe(false);
  expect(canBuy(name({ status: 'taken' }), nowhere)).toBe(false);
  expect(canBuy(name({ status: null }), nowhere)).toBe(false);
  expect(canBuy(name({ own: true }), nowhere)).toBe(false);
  expect(canBuy(name(), (domain) => domain === 'fig.com')).toBe(false);
});

test('each state has its words', () => {
  expect(stateText(name()).label).toBe('Available');
  expect(stateText(name({ own: true, status: 'taken' })).label).toBe('In your account');
  expect(stateText(name({ status: 'taken' })).label).toBe('Taken');
  expect(stateText(name({ status: 'taken', problem: 'Reserved Name' })).label).toBe('Reserved Name');
  expect(stateText(name({ status: null })).label).toBe('Could not be looked up');
});

test('a long list is asked for in parts, and no name is lost', () => {
  const names = Array.from({ length: 45 }, (_, n) => `n${n}.com`);
  const parts = inCalls(names);
  expect(parts.map(({ length }) => length)).toEqual([20, 20, 5]);
  expect(parts.flat()).toEqual(names);
});
