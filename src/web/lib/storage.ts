/**
 * What this browser keeps for a person. It may be forbidden, full, damaged, or written by another version of this
 * program: reading heals what is broken and writing never fails, so that no screen depends on it. All of the web app
 * goes through here, and a test refuses the bare storage elsewhere.
 */
type Place = 'local' | 'session';
const prefix = 'nameward.';

function storageOf(place: Place): Storage | null {
  try {
    return place === 'local' ? localStorage : sessionStorage;
  } catch {
    // Forbidden by the browser's settings.
    return null;
  }
}

export function readText(place: Place, name: string): string | null {
  try {
    return storageOf(place)?.getItem(prefix + name) ?? null;
  } catch {
    return null;
  }
}

/** Light, dark or auto, as the component library keeps it: under a name of its own. Null: nobody has chosen. */
export function keptScheme(): string | null {
  try {
    return storageOf('local')?.getItem('mantine-color-scheme-value') ?? null;
  } catch {
    return null;
  }
}

/** Keeps the text; null forgets it. Where nothing can be kept the page goes on without. */
export function keepText(place: Place, name: string, text: string | null): void {
  try {
    const storage = storageOf(place);
    if (text === null) storage?.removeItem(prefix + name);
    else storage?.setItem(prefix + name, text);
  } catch {
    // Full or forbidden: not kept, then.
  }
}

/** Forgets everything that was kept with this tab. */
export function forgetTab(): void {
  try {
    const storage = storageOf('session');
    // Other programs of this address keep theirs.
    for (const name of Object.keys(storage ?? {})) if (name.startsWith(prefix)) storage?.removeItem(name);
  } catch {
    // Forbidden: nothing was kept.
  }
}

/** Reads what was kept as JSON. `mend` makes something whole of anything at all. */
export function readKept<T>(place: Place, name: string, mend: (stored: unknown) => T): T {
  const text = readText(place, name);
  let stored: unknown;
  try {
    stored = text === null ? undefined : JSON.parse(text);
  } catch {
    stored = undefined;
  }
  return mend(stored);
}

/** Calls back when another window of this browser has changed it. */
export function watchKept(name: () => string | null, onChange: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    // Without a key everything was cleared.
    const own = name();
    if (own !== null && (event.key === null || event.key === prefix + own)) onChange();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
