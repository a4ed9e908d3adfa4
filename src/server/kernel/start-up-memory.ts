import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects what starting has left behind, once. Loading some thousand files leaves 15 MB of garbage, and a process that
 * then waits for requests allocates too little for the engine to look for it.
 */
export function collectStartUpMemory(): void {
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // The thorough kind: compiled functions that only the start needed go too.
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
