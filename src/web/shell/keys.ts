import { useEffect } from 'react';
import { goToEvent, searchFieldId } from '../lib/search-field.ts';

/** The keys that work everywhere: `/` to search for a name, `Ctrl K` to go somewhere, `?` for the list of keys. */
export function useKeys(onHelp: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const act = actOf(event, onHelp);
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onHelp]);
}

function actOf(event: KeyboardEvent, onHelp: () => void): (() => void) | null {
  // A dialog has the keys to itself.
  if (event.altKey || document.querySelector('[role="dialog"]')) return null;
  const input = document.getElementById(searchFieldId);
  if (event.ctrlKey || event.metaKey) {
    const goes = event.key.toLowerCase() === 'k';
    return goes && input ? () => input.dispatchEvent(new Event(goToEvent)) : null;
  }
  if (isTyping(event.target)) return null;
  if (event.key === '?') return onHelp;
  return event.key === '/' && input ? () => input.focus() : null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}
