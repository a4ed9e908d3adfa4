import { expect, test } from 'vitest';
import { ownerAct, showAgainAct } from './item-acts.ts';

test.each([
  [null, 'Take over', 'ann'],
  [{ userId: 'ben', name: 'Ben' }, 'Take over from Ben', 'ann'],
  // Somebody of the same name is not the person.
  [{ userId: 'ann-2', name: 'Ann' }, 'Take over from Ann', 'ann'],
  [{ userId: 'ann', name: 'Ann' }, 'Hand back', null],
])('an entry of %j: "%s" makes it that of %s, and leaves it put off as it is', (owner, label, ownerId) => {
  expect(ownerAct({ id: 'i', owner }, 'ann')).toEqual({
    label,
    body: { id: 'i', ownerId, shownOwnerId: owner?.userId ?? null },
  });
});

test('an entry that is put off, and no other, can be shown again at once, and stays whose it is', () => {
  expect(showAgainAct({ id: 'i', snoozedUntil: null })).toBeNull();
  expect(showAgainAct({ id: 'i', snoozedUntil: '2026-12-03T12:00:00.000Z' })).toEqual({
    label: expect.stringMatching(/^Show again now, not on .*3/),
    body: { id: 'i', snoozedUntil: null },
  });
});
