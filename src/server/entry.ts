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
/** What an operator can mend. */
const toOperator = ['ConfigError', 'UnsafeDatabase'];
try {
  await import('./main.ts');
} catch (error) {
  if (!(error instanceof Error) || !toOperator.includes(error.name)) throw error;
  // The engine would print the line of the built program that threw it first, some thousand letters of it.
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
