import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { UnixUser } from '../../src/server/kernel/db/embedded-place.ts';

/** A program that is started again when it ends, as systemd would (docs/operations.md). */
export interface Program {
  name: string;
  kill(): void;
  /** Ends it, by this signal first. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export interface ProgramOptions {
  name: string;
  path: string;
  args: readonly string[];
  /** Where it writes. */
  log: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  user?: UnixUser | null;
}

/** As `RestartSec` of the units in docs/operations.md. */
const restartAfterMs = 500;
const stopWithinMs = 30_000;

/** Whatever ends this process ends what it has started. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export function start(options: ProgramOptions): { child: ChildProcess; ended: Promise<void> } {
  const output = openSync(options.log, 'a');
  const child = spawn(options.path, options.args, {
    stdio: ['ignore', output, output],
    cwd: options.cwd ?? '/',
    env: options.env ?? process.env,
    // Ctrl-C is for the command alone, which stops everything in order.
    detached: true,
    ...(options.user ?? {}),
  });
  closeSync(output);
  children.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  }).then(() => void children.delete(child));
  return { child, ended };
}

export async function end({ child, ended }: ReturnType<typeof start>, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await ended;
  clearTimeout(timer);
}

export function keep(options: ProgramOptions): Program {
  let isStopped = false;
  let present = start(options);
  const follow = async () => {
    for (;;) {
      await present.ended;
      await new Promise((resolve) => setTimeout(resolve, restartAfterMs));
      if (isStopped) return;
      present = start(options);
    }
  };
  void follow();
  return {
    name: options.name,
    kill: () => void present.child.kill('SIGKILL'),
    async stop(signal) {
      isStopped = true;
      await end(present, signal);
    },
  };
}
