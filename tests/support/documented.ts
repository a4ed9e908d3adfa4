import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { ordinaryUser } from '../../src/server/kernel/db/embedded-place.ts';

/** What `docs/operations.md` prints is what is run: the block behind the mark `tried: <name>`. */
export function documented(name: string): string {
  const text = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const block = new RegExp(
    `<!-- tried: ${name.replace('.', '\\.')} -->\\n\`\`\`\\w+\\n([^]*?)\\n\`\`\``,
  ).exec(text)?.[1];
  if (!block) throw new Error(`docs/operations.md has no block "${name}"`);
  return block;
}

/** Replaces a part of a documented text. A part that is not there is an error: the document has changed. */
export function adapted(text: string, changes: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(changes)) {
    if (!result.includes(from)) throw new Error(`"${from}" is not in the documented text`);
    result = result.replaceAll(from, to);
  }
  return result;
}

/** Where Debian has the program; null: it is not installed. */
export function programOf(name: string): string | null {
  return [`/usr/sbin/${name}`, `/usr/bin/${name}`].find((path) => !spawnSync(path, ['-v']).error) ?? null;
}

export interface RunningProgram extends AsyncDisposable {
  output(): string;
}

/** Runs it as a user who is not root, until it answers at the port. */
export async function runProgram(
  path: string,
  args: readonly string[],
  port: number,
  { asRoot = false } = {},
): Promise<RunningProgram> {
  const child: ChildProcess = spawn(path, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    ...(asRoot ? {} : (ordinaryUser() ?? {})),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await ended;
  };
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 50) {
    if (child.exitCode !== null) break;
    if (await answersAt(port)) return { output: () => output, [Symbol.asyncDispose]: stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop();
  throw new Error(`${path} did not start:\n${output}`);
}

function answersAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export async function anyPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
