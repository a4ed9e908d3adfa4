import { resolve } from 'node:path';

/**
 * The young generation stays within 96 MB, of which a portal under load makes use; smaller, it costs a fifth of the
 * speed (4 MB for a half of it: 22 % of the time went into collecting). At rest it is empty (memory-at-rest.ts).
 */
const youngGeneration = '--max-semi-space-size=32';

export const compileCacheOf = (dataDir: string) => resolve(dataDir, 'compile-cache');

/**
 * The environment with what makes a process of the portal small and quick (docs/decisions/0302). What it names itself goes before
 * that. With it applied already, it comes back as it is.
 */
export function withProcessSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const options = env.NODE_OPTIONS ?? '';
  return {
    // Compiled sources are kept: later starts are faster and need no compiler's memory.
    NODE_COMPILE_CACHE: compileCacheOf(env.DATA_DIR ?? 'data'),
    // glibc's malloc: two pools instead of one a thread, and what is free goes back.
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
    // The engine compiles in pieces of up to 32 KB. One that is free between others in a pool would not go back.
    MALLOC_MMAP_THRESHOLD_: '32768',
    ...env,
    // Of two values Node takes the last.
    NODE_OPTIONS: options.includes(youngGeneration) ? options : `${youngGeneration} ${options}`.trim(),
  };
}
