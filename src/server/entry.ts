import { withProcessSettings } from './process-settings.ts';

/**
 * What `dist/server/main.js` begins with. The C library and the engine read their settings before the first line of a program runs, so
 * the process takes its own program once more, with them: the same process, by the same number (docs/decisions/0302).
 */
const env = withProcessSettings(process.env);
if (Object.keys(env).some((name) => env[name] !== process.env[name])) {
  const { execPath, execArgv, argv } = process;
  try {
    process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], env);
  } catch {
    // Windows has no such call, and Node's permissions may forbid it: the portal runs without, and takes more memory.
  }
}
await import('./main.ts');
