import { type ChildProcess, spawn } from 'node:child_process';

/** Runs a program to its end; what it complains about is the error. */
export async function run(
  program: string,
  args: readonly string[],
  use?: (child: ChildProcess) => Promise<void>,
): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  const ended = new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  if (use) {
    // It must have ended when this fails: what it still writes could not be cleared away.
    const using = use(child).catch((error: unknown) => {
      child.kill();
      throw error;
    });
    const [used] = await Promise.allSettled([using, ended]);
    if (used.status === 'rejected') throw used.reason;
  } else child.stdout.resume();
  const code = await ended;
  if (code !== 0) throw new Error(`${program} failed: ${complaint.trim()}`);
}
