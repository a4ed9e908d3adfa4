import { sameInput } from './mutation.ts';
import { keepText, readKept, readText } from './storage.ts';

/**
 * What was typed into a form that asks for a fresh sign-in when it is sent, since signing in leaves the page. It stays with this
 * tab until the form is sent or closed, and is gone when somebody else signs in (`beTabOf`). Never a password, key or code.
 */
const placeOf = (form: string) => `draft.${form}`;

/** `before`: what the form began with. What was not touched is not kept: somebody else may change it meanwhile. */
export function keepDraft<Values extends object>(form: string, values: Values, before: Values): void {
  const was = new Map<string, unknown>(Object.entries(before));
  const typed = Object.entries(values).filter(([field, value]) => !sameInput(value, was.get(field)));
  keepText('session', placeOf(form), JSON.stringify(Object.fromEntries(typed)));
}

export function forgetDraft(form: string): void {
  keepText('session', placeOf(form), null);
}

/** Whether the page was left from this form: it opens again. */
export const hasDraft = (form: string): boolean => readText('session', placeOf(form)) !== null;

/** What a form begins with: what it holds `now`, with what was typed before the page was left. */
export function draftOf<Values extends object>(form: string, now: Values): Values {
  const typed = readKept('session', placeOf(form), (stored) =>
    typeof stored === 'object' && stored !== null ? new Map<string, unknown>(Object.entries(stored)) : null,
  );
  if (!typed) return now;
  const fields = Object.entries(now).map(([field, value]) => {
    const kept = typed.get(field);
    return [field, fits(kept, value) ? kept : value];
  });
  return Object.fromEntries(fields) as Values;
}

/** Texts, amounts that are texts while they are typed, and lists of texts: what forms hold. */
function fits(kept: unknown, value: unknown): boolean {
  if (Array.isArray(value)) return Array.isArray(kept) && kept.every((entry) => typeof entry === 'string');
  return kept === null ? value === null : typeof kept === 'string' || typeof kept === 'number';
}
