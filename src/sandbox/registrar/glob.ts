/** Whether a text is what `a*b` means: each star stands for any text. */
export function fitsGlob(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  const last = rest.pop();
  if (last === undefined) return glob === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
