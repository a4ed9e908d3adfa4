import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { withProcessSettings } from '../../src/server/process-settings.ts';
import { buildServerWhenStale } from '../../src/start/builds.ts';
import { serverProgram } from '../../src/start/programs.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Node keeps stripped and compiled sources here for the many processes that tests start: half of the time of a start.
 * Each entry carries the hash of its source, so an old one is never used.
 */
export const compileCache = join(root, 'node_modules', '.cache', 'nameward', 'compiled');

/** Builds the server and fills the cache with both programs: a process that a test kills would never write it. */
export async function preparePrograms(): Promise<void> {
  await buildServerWhenStale(root, () => undefined);
  // A server that refuses its settings has been compiled, and does nothing.
  const script = `process.env.PORT = 'none';
    await import('./${serverProgram}').catch(() => undefined);
    await import('./src/sandbox/main.ts');
    (await import('node:module')).flushCompileCache(); process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    stdio: 'inherit',
    env: withProcessSettings({ ...process.env, NODE_COMPILE_CACHE: compileCache }),
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    // Without the cache the tests take longer, and nothing else changes.
    child.once('exit', () => resolve());
  });
}
