/**
 * Words that make a reader stumble, with plain ones in their place. A list of whole words, kept short, so that it raises
 * no false alarms.
 */
const plainer: ReadonlyMap<string, string> = new Map([
  ['anew', 'again'],
  ['thereof', 'of it'],
  ['whoever', 'the person who, or the caller'],
  ['befell', 'happened to'],
  ['he', 'they'],
  ['him', 'them'],
  ['his', 'their'],
  ['himself', 'themselves'],
  ['she', 'they'],
  ['herself', 'themselves'],
]);

/** Files with such words for a reason. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['src/contracts/values/meant.ts', 'Hebrew has the code "he"'],
  ['tests/architecture/rules/words.ts', 'the list itself'],
  ['tests/architecture/words.test.ts', 'planted sentences'],
]);

const found = new RegExp(`(?<![\\w'’-])(${[...plainer.keys()].join('|')})(?![\\w-])`, 'gi');

/** "path:line: word: plainer word" for each such word of a file. */
export function wordViolations(path: string, text: string): string[] {
  if (exceptions.has(path)) return [];
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(found)].map(
        ([word]) => `${path}:${index + 1}: "${word}": write ${plainer.get(word.toLowerCase())}`,
      ),
    );
}
