import { expect, test } from 'vitest';
import { moveStages } from '#contracts/operations/moves.ts';
import { lookAgainMs } from './api.ts';
import {
  countOf,
  countsText,
  groupNames,
  mayAccept,
  mayKeep,
  registrationText,
  unlockLetter,
} from './texts.ts';

test('each stage is in one group, and a list is told in one line', () => {
  const counts = Object.fromEntries(moveStages.map((stage) => [stage, 1]));
  expect(groupNames.reduce((sum, group) => sum + countOf(counts, group), 0)).toBe(moveStages.length);
  expect(countsText({ ready: 3, failed: 1, blocked: 1 })).toBe('3 ready · 2 need you');
  expect(countsText({ failed: 1 })).toBe('1 needs you');
});

test('a list is looked at again while something moves, sooner while it is quick', () => {
  expect(lookAgainMs({ counts: { checking: 1, release: 2 } })).toBe(2_000);
  expect(lookAgainMs({ counts: { release: 2, done: 1 } })).toBe(15_000);
  expect(lookAgainMs({ counts: { ready: 2, done: 1, blocked: 3 } })).toBe(false);
  expect(lookAgainMs(undefined)).toBe(false);
});

test('the nameservers may stay where the records cannot come along or are held, and nowhere else by a button', () => {
  expect(mayKeep({ stage: 'blocked', help: 'keep' })).toBe(true);
  expect(mayKeep({ stage: 'held', help: 'bring' })).toBe(true);
  expect(mayKeep({ stage: 'held', help: 'look' })).toBe(true);
  expect(mayKeep({ stage: 'blocked', help: 'look' })).toBe(false);
  expect(mayKeep({ stage: 'differs', help: 'bring' })).toBe(false);
});

test('records are served in spite of a change from where that is shown', () => {
  expect(mayAccept({ stage: 'held', help: 'bring' })).toBe(true);
  expect(mayAccept({ stage: 'held', help: 'look' })).toBe(false);
  expect(mayAccept({ stage: 'differs', help: 'bring' })).toBe(false);
});

test('the letter about locks names every domain', () => {
  const letter = decodeURIComponent(unlockLetter([{ domain: 'acme.com' }, { domain: 'blue.com' }]));
  expect(letter).toContain('Please unlock 2 domains');
  expect(letter).toContain('acme.com\nblue.com');
});

test('registrar and expiry are said as far as the registry told them', () => {
  const expiresAt = '2027-03-01T00:00:00.000Z';
  expect(registrationText({ registrar: 'Old Registrar', expiresAt })).toBe(
    'At Old Registrar · expires on Mar 1, 2027',
  );
  expect(registrationText({ registrar: null, expiresAt })).toBe('Expires on Mar 1, 2027');
  expect(registrationText({ registrar: 'Old Registrar', expiresAt: null })).toBe('At Old Registrar');
  expect(registrationText({ registrar: null, expiresAt: null })).toBe('');
});
