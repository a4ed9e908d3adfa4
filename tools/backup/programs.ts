import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import { interrupted } from './unfinished.ts';

/** Runs a program to its end; what it complains about is the error. `env`: beside our own. `use` may begin to read `output` after the program has ended. */
export async function run(
  program: string,
  args: readonly string[],
  use?: (child: ChildProcess, output: Readable) => Promise<void>,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  interrupted.throwIfAborted();
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  const ended = new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  const stop = () => child.kill();
  interrupted.addEventListener('abort', stop);
  void ended.catch(() => undefined).finally(() => interrupted.removeEventListener('abort', stop));
  if (use) {
    // It must have ended when this fails: what it still writes could not be cleared away.
    // Node throws away what nobody has begun to read when the program ends.
    const using = use(child, child.stdout.pipe(new PassThrough())).catch((error: unknown) => {
      if (!isBrokenPipe(error)) child.kill();
      throw error;
    });
    const [used] = await Promise.allSettled([using, ended]);
    interrupted.throwIfAborted();
    // It has stopped reading: how it ended says whether it had all that it needs, and its own words say why not.
    if (used.status === 'rejected' && !isBrokenPipe(used.reason)) throw used.reason;
  } else child.stdout.resume();
  const code = await ended;
  interrupted.throwIfAborted();
  if (code !== 0) throw new Error(`${program} failed: ${complaint.trim()}`);
}

function isBrokenPipe(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ERR_STREAM_WRITE_AFTER_END';
}
