import { expect, test } from 'vitest';
import { asked, refused, testWrites } from '../../../../tests/support/asked.tsx';
import { signInIsOld, useCreateProfile } from './api.ts';

const readAtMs = 1_000_000_000_000;
const minuteMs = 60_000;

test.each([
  ['was just now', 15 * 60, 0, false],
  ['was just now when it was read, some minutes ago', 15 * 60, 9 * minuteMs, false],
  ['stays fresh for just as long as it takes to fill in a form', 5 * 60, 0, false],
  ['stays fresh for no longer than it takes to fill in a form', 5 * 60, 1, true],
  ['has become old since it was read', 15 * 60, 16 * minuteMs, true],
  ['is old', 0, 0, true],
])('whether a sign-in that %s is asked for before a form', (_what, freshForSeconds, readBeforeMs, old) => {
  expect(signInIsOld({ freshForSeconds }, readAtMs, readAtMs + readBeforeMs)).toBe(old);
});

test('who has no profile is asked for nothing', () => {
  expect(signInIsOld(null, readAtMs, readAtMs)).toBe(false);
  expect(signInIsOld(undefined, 0, readAtMs)).toBe(false);
});

const wish = { username: 'Ann', organization: 'Acme MSP' };
const create = (act: ReturnType<typeof useCreateProfile>) => act.mutateAsync(wish);

// The next try ends well where this one was done.
testWrites(useCreateProfile, [['a profile', create, ['POST /user', wish], ...([['profile'], []] as const)]]);

test('a profile that is there already is as good as a new one', async () => {
  expect((await asked(useCreateProfile, create, refused(409, 'user_already_exists'))).again).toEqual([
    'profile',
  ]);
});
