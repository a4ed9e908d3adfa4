/**
 * What `tsc` said, as it is to be shown: errors below `src/contracts` alone when there are any. `hidden` counts the errors
 * that are not shown. Lines that begin with a space go on with the error above them.
 */
export function typeErrors(lines: readonly string[]): { shown: string[]; hidden: number } {
  const errors: string[][] = [];
  for (const line of lines) {
    if (/^\s/.test(line) && errors.length > 0) errors.at(-1)?.push(line);
    else if (line !== '') errors.push([line]);
  }
  const ofContract = errors.filter(([first]) => first?.startsWith('src/contracts/'));
  const shown = ofContract.length > 0 ? ofContract : errors;
  return { shown: shown.flat(), hidden: errors.length - shown.length };
}
