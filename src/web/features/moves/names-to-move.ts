import { readMoveLines } from '#contracts/values/move-lines.ts';
import { keepText, readText } from '../../lib/storage.ts';

const place = 'moves.names';

/** Names that wait for their codes: they go along to the screen that transfers them, and survive its reload. */
export function keepNamesToMove(names: readonly string[]): void {
  keepText('session', place, names.map((name) => `${name}, `).join('\n'));
}

/** Of what was typed, the names alone: who has a code can move the domain away, and this browser may be read by others. */
export function keepNamesOf(text: string): void {
  keepNamesToMove(readMoveLines(text).flatMap(({ address, problem }) => (problem === null ? [address] : [])));
}

/** One a line, each to be followed by its code. */
export const namesToMove = () => readText('session', place) ?? '';
