import type { Letter } from '#kernel/letters.ts';

/** A mail is read to its end; the rest is on the screen. */
const mostLines = 50;

/** To the operator: a list of what to look at, of `total`. Of a line's own lines the first says what it is about. */
export function operatorLetter(
  subject: string,
  lines: readonly string[],
  publicUrl: string,
  total = lines.length,
): Letter {
  const more = total - Math.min(lines.length, mostLines);
  return {
    subject,
    parts: [
      { rows: lines.slice(0, mostLines).map((line) => line.split('\n')) },
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
    button: { text: "Open the operator's side", address: `${publicUrl}/operator` },
  };
}
