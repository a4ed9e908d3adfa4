import { useEffect } from 'react';
import { minuteMs } from '#contracts/values/time.ts';
import { sameInput } from './mutation.ts';
import { keepText, readKept } from './storage.ts';

/**
 * What was typed into a form that asks for a fresh sign-in when it is sent, since signing in leaves the page. It stays with this
 * tab until the form is sent or leaves the screen (`useDraftUntilLeft`), and is gone when somebody else signs in (`beTabOf`).
 * Never a password, key or code.
 */
const placeOf = (form: string) => `draft.${form}`;

/** A sign-in takes minutes. One that was given up leaves its draft behind, which is not to open a form hours later. */
const keptMs = 30 * minuteMs;

/** `before`: what the form began with. What was not touched is not kept: somebody else may change it meanwhile. */
export function keepDraft<Values extends object>(form: string, values: Values, before: Values): void {
  const was = new Map<string, unknown>(Object.entries(before));
  const typed = Object.entries(values).filter(([field, value]) => !sameInput(value, was.get(field)));
  keepText('session', placeOf(form), JSON.stringify({ at: Date.now(), typed: Object.fromEntries(typed) }));
}

export function forgetDraft(form: string): void {
  keepText('session', placeOf(form), null);
}

/** Whether the page was left from this form: it opens again. */
export const hasDraft = (form: string): boolean => read(form) !== null;

/** How many places show a form. */
const shown = new Map<string, number>();

/** The form is on the screen, until the answer is called: its draft goes with it. */
export function holdDraft(form: string): () => void {
  shown.set(form, (shown.get(form) ?? 0) + 1);
  return () => {
    shown.set(form, (shown.get(form) ?? 0) - 1);
    // React's strict mode takes a new form away and shows it again, in one go.
    queueMicrotask(() => {
      if ((shown.get(form) ?? 0) > 0) return;
      shown.delete(form);
      forgetDraft(form);
    });
  };
}

/**
 * Forgets the draft when its form leaves the screen: closed, or left by a link or Back. A sign-in or a reload takes the whole
 * page away, without this, and so the draft survives them.
 */
export function useDraftUntilLeft(form: string): void {
  useEffect(() => holdDraft(form), [form]);
}

/** What a form begins with: what it holds `now`, with what was typed before the page was left. */
export function draftOf<Values extends object>(form: string, now: Values): Values {
  const typed = read(form);
  if (!typed) return now;
  const fields = Object.entries(now).map(([field, value]) => {
    const kept = typed.get(field);
    return [field, fits(kept, value) ? kept : value];
  });
  return Object.fromEntries(fields) as Values;
}

function read(form: string): Map<string, unknown> | null {
  return readKept('session', placeOf(form), (stored) => {
    if (typeof stored !== 'object' || stored === null || !('at' in stored) || !('typed' in stored))
      return null;
    const { at, typed } = stored;
    if (typeof at !== 'number' || Date.now() - at >= keptMs) return null;
    return typeof typed === 'object' && typed !== null ? new Map(Object.entries(typed)) : null;
  });
}

/** Texts, amounts that are texts while they are typed, and lists of texts: what forms hold. */
function fits(kept: unknown, value: unknown): boolean {
  if (Array.isArray(value)) return Array.isArray(kept) && kept.every((entry) => typeof entry === 'string');
  return kept === null ? value === null : typeof kept === 'string' || typeof kept === 'number';
}
