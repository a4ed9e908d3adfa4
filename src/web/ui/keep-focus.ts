/** What closes, or draws something new, gives the focus on by itself within this time. */
const settleMs = 50;

/** Where the focus is, and from the inside, where it goes on when that has left the page. */
let places: readonly HTMLElement[] = [];
/** The first of them lost the focus because it takes none at present. One that let go of it (`blur`) does not get it back. */
let isTaken = false;

const rows = 'tr, li, [data-row]';
const regions = '[tabindex], [aria-label], [aria-labelledby], ul, ol, fieldset';
/** What a row can be gone on at, unless it names something (`data-row-link`): a link or a button, and no text field, which would bring up the keyboard of a phone. */
const stops = 'a[href], button:not(:disabled), input[type="checkbox"]:not(:disabled), [tabindex="0"]';

/** The element; and of what is around it, from the inside: the row that it is in with those beside it, and the regions that it is in. */
export function placesFrom(element: Element | null): HTMLElement[] {
  if (!(element instanceof HTMLElement) || element === document.body) return [];
  const found: (Element | null)[] = [element];
  for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) {
    if (one.matches(rows)) found.push(one, one.nextElementSibling, one.previousElementSibling);
    else if (one.matches(regions)) found.push(one);
  }
  return found.filter((place) => place instanceof HTMLElement);
}

/** Gives the focus to the first of these places that is left, as long as nothing else takes it. */
export function goOnAt(given: readonly HTMLElement[]): void {
  places = given;
  isTaken = true;
  setTimeout(goOn);
}

function goOn(): void {
  const [first, ...others] = places;
  if (!first || document.activeElement !== document.body) return;
  if (first.isConnected) {
    if (first.matches(':disabled')) {
      isTaken = true;
      return;
    }
    if (!isTaken) {
      places = [];
      return;
    }
    first.focus({ preventScroll: true });
  }
  for (const place of others) {
    if (document.activeElement !== document.body) return;
    if (place.isConnected) focusPlace(place);
  }
  // What was beside the content of the page, as a message that was answered.
  if (document.activeElement === document.body)
    document.querySelector('main')?.focus({ preventScroll: true });
}

function focusPlace(place: HTMLElement): void {
  const stop = place.matches(rows) ? stopOf(place) : place;
  if (!stop) return;
  // A list or a section takes the focus for this once.
  if (!stop.hasAttribute('tabindex') && !stop.matches(stops)) {
    stop.tabIndex = -1;
    stop.addEventListener('blur', () => stop.removeAttribute('tabindex'), { once: true });
  }
  stop.focus({ preventScroll: true });
}

function stopOf(row: HTMLElement): HTMLElement | null {
  if (row.matches('[tabindex="0"]')) return row;
  return row.querySelector<HTMLElement>('[data-row-link]') ?? row.querySelector<HTMLElement>(stops);
}

/**
 * An act may take away what had the focus: a row is removed, a button is disabled while something is saved, a part of the page is
 * replaced. A browser then has the focus nowhere, and a person without a pointer would be at the beginning of the page. Here they go on at
 * the same control when it can be pressed again, in the same row, at the next one, or at the list or section that it was in. Returns what ends that.
 */
export function keepFocus(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    if (timer !== undefined || places.length === 0 || document.activeElement !== document.body) return;
    timer = setTimeout(() => {
      timer = undefined;
      goOn();
    }, settleMs);
  };
  const note = ({ target }: FocusEvent) => {
    places = placesFrom(target as Element);
    isTaken = false;
  };
  // Who presses somewhere while the focus is nowhere has gone on by themselves.
  const forget = () => {
    if (document.activeElement === document.body) places = [];
  };
  const watching = new MutationObserver(look);
  watching.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', note);
  document.addEventListener('pointerdown', forget, true);
  return () => {
    watching.disconnect();
    document.removeEventListener('focusin', note);
    document.removeEventListener('pointerdown', forget, true);
    clearTimeout(timer);
    places = [];
  };
}
