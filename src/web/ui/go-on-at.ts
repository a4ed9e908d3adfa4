/** What was deleted leaves the list when that has been read again. */
const followsMs = 4_000;

/** The element and, from the inside, what around it can take the focus. */
export function placesFrom(element: Element | null): HTMLElement[] {
  if (!(element instanceof HTMLElement) || element === document.body) return [];
  const around: HTMLElement[] = [];
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (one.hasAttribute('tabindex')) around.push(one);
  }
  return [element, ...around];
}

const ownActs = ['keydown', 'pointerdown'] as const;

/**
 * Gives the focus to the first of these places that is left, as long as nothing else takes it. A person who presses something meanwhile goes
 * on by themselves.
 */
export function goOnAt(places: readonly HTMLElement[]): void {
  const page = places[0]?.ownerDocument;
  if (!page) return;
  const look = () => {
    for (const place of places) {
      if (page.activeElement !== page.body) return;
      if (place.isConnected) place.focus({ preventScroll: true });
    }
  };
  // Once what had the focus has left the page.
  setTimeout(look);
  const watching = new MutationObserver(look);
  watching.observe(page.body, { childList: true, subtree: true });
  const stop = () => {
    watching.disconnect();
    for (const act of ownActs) page.removeEventListener(act, stop, true);
  };
  for (const act of ownActs) page.addEventListener(act, stop, true);
  setTimeout(stop, followsMs);
}
