import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * Node keeps stripped and compiled sources here for the many processes that tests start: half of the time of a start.
 * Each entry carries the hash of its source, so an old one is never used.
 */
export const compileCache = join(root, 'node_modules', '.cache', 'nameward', 'compiled');

/** What the two programs consist of. */
const parts = [
  ...['server/compose.ts', 'server/compose-adapters.ts', 'server/compose-http.ts'],
  ...['server/http/app.ts', 'server/jobs/tasks.ts', 'sandbox/main.ts'],
];

/** Fills the cache: a process that a test kills would never write it. */
export function fillCompileCache(): Promise<void> {
  const script = `${parts.map((part) => `await import('./src/${part}');`).join('')}
    (await import('node:module')).flushCompileCache(); process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // Without the cache the tests take longer, and nothing else changes.
    child.once('exit', () => resolve());
  });
}
