/** The one file that a command takes. An option that it does not have would become a file of that name. */
export function fileOf(words: readonly string[], usage: string): string {
  const [file, more] = words;
  if (!file || file.startsWith('-') || more !== undefined) throw new Error(`Usage: ${usage}`);
  return file;
}
