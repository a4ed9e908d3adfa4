import { keepText, readText } from '../../lib/storage.ts';

const place = 'changes.chosen';

/** Names that were chosen in a list go along to the screen that describes a change, and survive its reload. */
export function keepChosenNames(names: readonly string[]): void {
  keepText('session', place, names.join('\n'));
}

export function chosenNames(): string {
  return readText('session', place) ?? '';
}

const templatePlace = 'changes.template';

/** A template that is to be applied goes along in the same way. */
export function keepChosenTemplate(id: string): void {
  keepText('session', templatePlace, id);
}

export function chosenTemplate(): string | null {
  return readText('session', templatePlace) || null;
}
