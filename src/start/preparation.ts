import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ServerComingUp } from '../server/kernel/db/embedded-up.ts';
import type { LoginPasswords } from '../server/kernel/db/logins.ts';
import { nodeArguments } from './child-process.ts';

/** What a start does once, and what that needs to know. */
export type Preparation = { root: string } & (
  | { task: 'build' }
  /** Waits for the server that the start command has started, and migrates its database. */
  | { task: 'own database'; server: ServerComingUp }
  | { task: 'named database'; url: string; passwords: Partial<LoginPasswords> }
);

/** What the process says of it. */
export type Said = { progress: string } | { failed: string } | { done: true };

const lookAgainMs = 100;

/**
 * Has it done by a process of its own, which ends with it: the start command runs for as long as the portal, and would keep the memory that
 * a builder and the database's driver take (decision 319). Rejects with the message that the process ended with.
 */
export async function prepare(
  preparation: Preparation,
  { onProgress, isNeeded = () => true }: { onProgress: (text: string) => void; isNeeded?: () => boolean },
): Promise<void> {
  const child = spawn(
    process.execPath,
    nodeArguments(join(preparation.root, 'src', 'start', 'prepare.ts')),
    // Of its own group: Ctrl-C reaches only the start command, which waits for what is coming up and stops it.
    { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'], cwd: preparation.root },
  );
  const looking = setInterval(() => {
    if (!isNeeded()) child.kill('SIGKILL');
  }, lookAgainMs);
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('message', (said: Said) => {
        if ('progress' in said) onProgress(said.progress);
        else if ('done' in said) resolve();
        else reject(new Error(said.failed));
      });
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        reject(new Error(`The preparation "${preparation.task}" ended with ${signal ?? code}.`)),
      );
      child.send(preparation);
    });
  } finally {
    clearInterval(looking);
    if (child.connected) child.disconnect();
  }
}
