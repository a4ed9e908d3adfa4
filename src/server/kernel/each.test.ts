import { expect, test } from 'vitest';
import { each } from './each.ts';

/** Work that fails for what is named here. */
function working(failures: Readonly<Record<string, Error>>) {
  const done: string[] = [];
  const work = async (thing: string) => {
    const failure = failures[thing];
    if (failure) throw failure;
    done.push(thing);
  };
  return { done, work };
}

test('one that fails keeps none waiting, and its failure is thrown as it is at the end', async () => {
  const failure = new RangeError('b is none');
  const { done, work } = working({ b: failure });
  await expect(each(['a', 'b', 'c'], work)).rejects.toBe(failure);
  expect(done).toEqual(['a', 'c']);
});

test('of several that fail the first ones are thrown, in words, and how many they are', async () => {
  const failures = Object.fromEntries([...'abcdef'].map((name) => [name, new Error(`no ${name}`)]));
  const { done, work } = working(failures);
  await expect(each([...'abcdefg'], work)).rejects.toMatchObject({
    message: '6 of 7 failed: no a; no b; no c; no d; no e',
    errors: Object.values(failures).slice(0, 5),
  });
  expect(done).toEqual(['g']);
});

test('an outage ends it at once: of the database, or what counts as one', async () => {
  const lost = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  const ofDatabase = working({ a: lost });
  await expect(each(['a', 'b'], ofDatabase.work)).rejects.toBe(lost);
  expect(ofDatabase.done).toEqual([]);
  const away = new TypeError('away');
  const ofOther = working({ a: new Error('refused'), b: away });
  const outage = (error: unknown) => error instanceof TypeError;
  await expect(each(['a', 'b', 'c'], ofOther.work, outage)).rejects.toBe(away);
  expect(ofOther.done).toEqual([]);
});

test('what counts as an outage may depend on how many have failed in a row', async () => {
  const failures = Object.fromEntries([...'acde'].map((name) => [name, new Error(`no ${name}`)]));
  const { done, work } = working(failures);
  await expect(each([...'abcdef'], work, (_error, inARow) => inARow === 3)).rejects.toBe(failures.e);
  expect(done).toEqual(['b']);
});

test('nothing to do is done', async () => {
  await expect(each([], () => Promise.reject(new Error('not asked')))).resolves.toBeUndefined();
});
