import { expect, test } from 'vitest';
import { withProcessSettings } from './process-settings.ts';

test('what the environment names goes before what makes a process small', () => {
  const named = {
    MALLOC_ARENA_MAX: '8',
    MALLOC_TRIM_THRESHOLD_: '0',
    MALLOC_MMAP_THRESHOLD_: '65536',
    NODE_COMPILE_CACHE: '',
    NODE_OPTIONS: '--max-semi-space-size=16 --no-warnings',
  };
  expect(withProcessSettings(named)).toEqual({
    ...named,
    // Node takes the last of two.
    NODE_OPTIONS: '--max-semi-space-size=32 --max-semi-space-size=16 --no-warnings',
  });
});

test('the compiled program is kept in DATA_DIR, wherever the process stands later', () => {
  expect(withProcessSettings({ DATA_DIR: '/srv/portal' }).NODE_COMPILE_CACHE).toBe(
    '/srv/portal/compile-cache',
  );
  expect(withProcessSettings({}).NODE_COMPILE_CACHE).toBe(`${process.cwd()}/data/compile-cache`);
});

test.each([{}, { NODE_OPTIONS: '--no-warnings' }, { MALLOC_ARENA_MAX: '' }])(
  'a process that has them does not take its program again: %j',
  (env) => {
    const first = withProcessSettings(env);
    expect(withProcessSettings(first)).toEqual(first);
  },
);
