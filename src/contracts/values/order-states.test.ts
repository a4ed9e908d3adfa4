import { expect, test } from 'vitest';
import { isOpenItem } from './order-states.ts';

test('an item is open until the registrar has done it or never will', () => {
  const states = ['queued', 'sending', 'pending', 'unknown', 'review', 'succeeded', 'declined'];
  expect(states.filter(isOpenItem)).toEqual(['queued', 'sending', 'pending', 'unknown', 'review']);
});
