import { expect, test } from 'vitest';
import { namesInOneCall } from '#contracts/values/name-list.ts';
import { asked, refused } from '../../../../tests/support/asked.tsx';
import { useLookupList } from './name-list-api.ts';

const names = Array.from({ length: namesInOneCall + 1 }, (_, n) => `n${n}.com`);
const look = ({ lookup }: ReturnType<typeof useLookupList>) => lookup.mutateAsync(names);

test('all names of a list are looked up, in calls as long as one may be, and nothing is read again', async () => {
  const { sent, again } = await asked(useLookupList, look, () => Response.json({ data: [] }));
  expect(sent).toEqual([
    ['POST /domain/lookup', { names: names.slice(0, namesInOneCall) }],
    ['POST /domain/lookup', { names: names.slice(namesInOneCall) }],
  ]);
  expect(again).toEqual([]);
});

test('after a part that was refused no more of it are sent', async () => {
  expect((await asked(useLookupList, look, refused(429, 'rate_limited'))).sent).toHaveLength(1);
});
