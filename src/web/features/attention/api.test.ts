import { expect, test } from 'vitest';
import { asked, refused, testWrites } from '../../../../tests/support/asked.tsx';
import { useChangeAttention, useDigest, useSetDigest } from './api.ts';

const more = { digest: useDigest };
const lists = ['attention', 'attentionCounts', 'overview'] as const;
const change = { ownerId: 'u1', snoozedUntil: '2026-12-03T12:00:00.000Z', version: 7 };
const useWrites = () => ({ change: useChangeAttention(() => undefined), digest: useSetDigest() });

testWrites(
  useWrites,
  [
    [
      'a change of an entry',
      (writes) => writes.change.mutateAsync({ id: 'a1', ...change }),
      ['PATCH /attention/a1', change],
      ...([lists, lists] as const),
    ],
    // The answer is on the screen at once.
    [
      'the daily mail',
      ({ digest }) => digest.mutateAsync(true),
      ['PUT /attention/digest', { daily: true }],
      ...([[], ['digest']] as const),
    ],
  ],
  { more },
);

test('whether the list is mailed is shown as it was answered, and not where it was refused', async () => {
  const set = ({ digest }: ReturnType<typeof useWrites>) => digest.mutateAsync(false);
  const around = { more, data: { daily: false } };
  expect((await asked(useWrites, set, undefined, around)).put).toEqual(['digest']);
  expect((await asked(useWrites, set, refused(404, 'not_found'), around)).put).toEqual([]);
});
