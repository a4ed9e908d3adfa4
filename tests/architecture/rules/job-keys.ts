import type { Source } from '../source.ts';

/** Keys of which there is one in all the portal, though their jobs say something. */
const oneInAll = ['registrar-balance', 'registrar-balance-refused'];

/**
 * A job waits once under its key: one about an object, under a key that does not name it, would be replaced by that of the next
 * object. Jobs about nothing in particular have an empty payload.
 */
export function sharedKeys(sources: readonly Source[]): string[] {
  const calls = /\benqueueJob\(((?:(?!\benqueueJob\()[\s\S]){0,400}?)\bkey: (['"`])([^'"`]*)\2/g;
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(calls)]
      .filter(([, before = '', , key = '']) => !key.includes('${') && !/, \{\}, \{\s*$/.test(before))
      .filter(([, , , key = '']) => !oneInAll.includes(key))
      .map(
        ([, , , key = '']) =>
          `${path}: all jobs under '${key}' are one; name what the job is about in its key`,
      ),
  );
}
