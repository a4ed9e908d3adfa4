import { useEffect } from 'react';

export const searchInputId = 'domain-search';

/** The keys that work everywhere: `/` to search, `Ctrl K` for commands, `?` for the list of keys. */
export function useKeys(handlers: { onHelp: () => void; onCommands: (() => void) | null }): void {
  const { onHelp, onCommands } = handlers;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const act = actOf(event);
      if (!act) return;
      event.preventDefault();
      act();
    };
    function actOf(event: KeyboardEvent): (() => void) | null {
      const withControl = event.ctrlKey || event.metaKey;
      if (event.key.toLowerCase() === 'k' && withControl && !event.altKey) return onCommands;
      // A dialog has the keys to itself.
      if (
        withControl ||
        event.altKey ||
        isTyping(event.target) ||
        document.querySelector('[role="dialog"]')
      ) {
        return null;
      }
      if (event.key === '?') return onHelp;
      const input = event.key === '/' ? document.getElementById(searchInputId) : null;
      return input && (() => input.focus());
    }
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
