import { followNothing } from './followed-work.ts';
import { keepReturnPath, peekReturnPath } from './return-path.ts';
import { forgetTab, keepText, readText } from './storage.ts';

const place = 'tab-of';

/**
 * Says whose this tab is; null: nobody's from here on. What it kept for somebody else is forgotten: names they listed,
 * names they chose, work they followed. Only the way back stays, which the person has just asked for.
 */
export function beTabOf(person: string | null): void {
  if (person !== null && readText('session', place) === person) return;
  const path = peekReturnPath();
  forgetTab();
  if (path) keepReturnPath(path);
  keepText('session', place, person);
}

/** The organization was closed, and the person stays: what the tab kept of it is not for their next one. */
export function forgetOrganization(): void {
  const person = readText('session', place);
  forgetTab();
  followNothing();
  keepText('session', place, person);
}
