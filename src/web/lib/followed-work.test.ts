import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let kept: Map<string, string>;
beforeEach(() => {
  kept = new Map();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.resetModules();
});
afterEach(() => vi.unstubAllGlobals());

const stored = () => JSON.parse(kept.get('nameward.followed-work') ?? '[]') as { id: string }[];

test('what was begun is followed once, the last three of it, until somebody stops', async () => {
  const { follow, stopFollowing } = await import('./followed-work.ts');
  for (const id of ['a', 'b', 'b', 'c', 'd']) follow({ kind: 'change', id });
  expect(stored().map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  stopFollowing('c');
  stopFollowing('nobody');
  expect(stored().map(({ id }) => id)).toEqual(['b', 'd']);
  for (const id of ['b', 'd']) stopFollowing(id);
  expect(kept.size).toBe(0);
});

test('a reload goes on, and what another version has written is left out', async () => {
  kept.set(
    'nameward.followed-work',
    JSON.stringify([{ kind: 'import', id: 'a' }, null, { kind: 'unknown', id: 'b' }, { kind: 'order' }, 7]),
  );
  const { follow } = await import('./followed-work.ts');
  follow({ kind: 'order', id: 'c' });
  expect(stored().map(({ id }) => id)).toEqual(['a', 'c']);
});

test('work of an organization that was closed is followed no more, and does not come back with what is followed next', async () => {
  const { follow } = await import('./followed-work.ts');
  const { forgetOrganization } = await import('./tab-owner.ts');
  follow({ kind: 'change', id: 'a' });
  forgetOrganization();
  expect(stored()).toEqual([]);
  follow({ kind: 'change', id: 'b' });
  expect(stored().map(({ id }) => id)).toEqual(['b']);
});
