import { keepText, readText } from '../../lib/storage.ts';

const place = 'moves.names';

/** Names that were chosen in a list go along to the screen that transfers them. */
export function keepNamesToMove(names: readonly string[]): void {
  keepText('session', place, names.map((name) => `${name}, `).join('\n'));
}

/** One a line, each to be followed by its code. */
export const namesToMove = () => readText('session', place) ?? '';
