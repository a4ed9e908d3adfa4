import { join } from 'node:path';

/**
 * The young generation stays within 96 MB, of which a portal under load makes use; smaller, it costs a fifth of the
 * speed (4 MB for a half of it: 22 % of the time went into collecting). At rest it is empty (memory-at-rest.ts).
 */
export const portalFlags: readonly string[] = ['--max-semi-space-size=32'];

export const compileCacheOf = (dataDir: string) => join(dataDir, 'compile-cache');

/** Variables by which the portal's process takes less memory; what the environment names goes before them. */
export function portalVariables(dataDir: string): Record<string, string> {
  return {
    // Stripped and compiled sources are kept: later starts are faster and need no stripper in memory.
    NODE_COMPILE_CACHE: compileCacheOf(dataDir),
    // glibc's malloc: two pools instead of one a thread, and what is free goes back.
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
  };
}
