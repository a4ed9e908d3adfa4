/** What a state asks for: bad now, warn soon; info is under way, good is well, plain only describes. */
export type Tone = 'bad' | 'warn' | 'info' | 'good' | 'plain';

const urgency: readonly Tone[] = ['bad', 'warn', 'info', 'good', 'plain'];

/** The worst first; among equals the order they were given in. */
export function worstFirst<T extends { tone: Tone }>(facts: readonly T[]): T[] {
  return facts.toSorted((a, b) => urgency.indexOf(a.tone) - urgency.indexOf(b.tone));
}
