import { followNothing } from './followed-work.ts';
import { keepReturnPath, peekReturnPath } from './return-path.ts';
import { sessionMarks } from './session-marks.ts';
import { forgetTab } from './storage.ts';

/**
 * Says whose this tab is; null: nobody's from here on. What it kept for somebody else is forgotten: names they listed,
 * names they chose, work they followed. Only the way back stays, which the person has just asked for.
 */
export function beTabOf(person: string | null): void {
  if (person !== null && sessionMarks.tabOf() === person) return;
  const path = peekReturnPath();
  forgetTab();
  if (path) keepReturnPath(path);
  sessionMarks.setTabOf(person);
}

/** The organization was closed, and the person stays: what the tab kept of it is not for their next one. */
export function forgetOrganization(): void {
  const person = sessionMarks.tabOf();
  forgetTab();
  followNothing();
  sessionMarks.setTabOf(person);
}
