import { join } from 'node:path';

/** A portal rests most of the day: a small young generation keeps some 30 MB back from it. */
export const portalFlags: readonly string[] = ['--max-semi-space-size=4'];

/** Stripped and compiled sources are kept: later starts are faster and need no stripper in memory. */
export function compileCache(dataDir: string): Record<string, string> {
  return { NODE_COMPILE_CACHE: join(dataDir, 'compile-cache') };
}
