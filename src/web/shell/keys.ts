import { useEffect } from 'react';

export const searchInputId = 'domain-search';

/** The keys that work everywhere: `/` to search, `Ctrl K` for commands, `?` for the list of keys. */
export function useKeys(handlers: { onHelp: () => void; onCommands: (() => void) | null }): void {
  const { onHelp, onCommands } = handlers;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) {
        if (!onCommands) return;
        event.preventDefault();
        onCommands();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // A dialog has the keys to itself.
      if (document.querySelector('[role="dialog"]')) return;
      if (event.key === '?') {
        event.preventDefault();
        onHelp();
      } else if (event.key === '/') {
        const input = document.getElementById(searchInputId);
        if (!input) return;
        event.preventDefault();
        input.focus();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onHelp, onCommands]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}
