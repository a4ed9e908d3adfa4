/**
 * The one file that a command takes, and `--replace`: what is there already may go. An option that there is not would become a file of
 * that name.
 */
export function wordsOf(
  words: readonly string[],
  command: 'backup' | 'restore',
): { file: string; replace: boolean } {
  const [file, more] = words.filter((word) => word !== '--replace');
  if (!file || file.startsWith('-') || more !== undefined) {
    throw new Error(`Usage: npm run ${command} -- FILE [--replace]`);
  }
  return { file, replace: words.includes('--replace') };
}
