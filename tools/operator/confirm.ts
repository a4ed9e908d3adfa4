import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { Misused } from './misused.ts';

/** The person said no. */
export class Refused extends Error {}

/** Where a person is asked. What is said goes beside the answer of the command, which may be read by a script. */
interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
}

/**
 * Shows what an act will change, then asks the person at the terminal whether to do it. A script has nobody to ask: it says --yes.
 * Throws when nothing is to be done.
 */
export async function confirm(
  changes: readonly string[],
  { question, yes }: { question: string; yes: boolean },
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  for (const line of changes) output.write(`${line}\n`);
  if (yes) return;
  if (!input.isTTY || !output.isTTY) {
    throw new Misused('Nothing was done. Where no person can be asked, confirm with --yes.', false);
  }
  const asking = createInterface({ input, output });
  // A person who ends the input, or interrupts, has not agreed.
  const ended = new Promise<string>((resolve) => asking.once('close', () => resolve('')));
  const answer = await Promise.race([asking.question(`${question} [y/N] `).catch(() => ''), ended]);
  asking.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Refused('Nothing was done.');
}
