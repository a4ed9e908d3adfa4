import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The files that differ from a commit, those that are new included. */
export function changedSince(commit: string): ReadonlySet<string> {
  return new Set(
    [
      ['diff', '--name-only', '--merge-base', commit],
      ['ls-files', '--others', '--exclude-standard'],
    ].flatMap((words) => {
      const { status, stdout, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
      if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
      return stdout.split('\n').filter((name) => name !== '');
    }),
  );
}
