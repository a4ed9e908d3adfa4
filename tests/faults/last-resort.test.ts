import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';

/** Mistakes that no handler was written for (design: Errors): the process says so in its log, ends, and starts again. */

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ logChars: 1_000_000 });
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Runs in the server's process before it: makes the mistake once the file is there. */
const planting = (file: string, mistake: string) =>
  `import { existsSync } from 'node:fs';
   const timer = setInterval(() => { if (existsSync(${JSON.stringify(file)})) { clearInterval(timer); ${mistake} } }, 20);
   timer.unref();`;

test.each([
  [
    'a rejection that nobody waits for',
    `Promise.reject(new Error('planted mistake'));`,
    'unhandled rejection',
  ],
  ['an exception that nobody catches', `throw new Error('planted mistake');`, 'uncaught exception'],
])(
  '%s is logged as one record, and ends the process, which then starts again',
  async (what, mistake, said) => {
    const file = join(stack.settings.DATA_DIR ?? '', what.replaceAll(' ', '-'));
    const code = Buffer.from(planting(file, mistake)).toString('base64');
    await stack.startServer({ NODE_OPTIONS: `--import=data:text/javascript;base64,${code}` });
    await writeFile(file, '');
    await stack.serverDied();
    const records = stack
      .log()
      .split('\n')
      .filter((line) => line.includes(said))
      .map((line) => JSON.parse(line) as { level: number; err: { message: string } });
    expect(records).toMatchObject([{ level: 60, err: { message: 'planted mistake' } }]);
    await stack.startServer();
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(200);
    await stack.killServer();
  },
);
