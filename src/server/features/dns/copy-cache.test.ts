import { expect, test } from 'vitest';
import { createCopyCache } from './copy-cache.ts';

test('a cache keeps no more than its bytes, and longest what is asked for', () => {
  const cache = createCopyCache(10);
  cache.put('a', Buffer.alloc(4));
  cache.put('b', Buffer.alloc(4));
  cache.get('a');
  cache.put('c', Buffer.alloc(4));
  cache.put('huge', Buffer.alloc(11));
  expect(['a', 'b', 'c', 'huge'].map((mark) => cache.get(mark)?.byteLength)).toEqual([
    ...[4, undefined, 4, undefined],
  ]);
});
