interface Open<V> {
  running: Promise<V>;
  /** Begins when `running` has ended. */
  next: Promise<V> | null;
}

/**
 * Reads of the same thing that are asked for at the same time are one. Those who ask while one is under way share the next, which
 * begins when that has ended: every answer was read after it was asked for, as if each had asked alone. Where the one under
 * way fails, they fail with it.
 */
export function joined<K, V>(
  read: (key: K) => Promise<V>,
  nameOf: (key: K) => string,
): (key: K) => Promise<V> {
  const open = new Map<string, Open<V>>();

  function start(name: string, key: K): Promise<V> {
    const entry: Open<V> = { running: read(key), next: null };
    open.set(name, entry);
    const forget = (failed: boolean) => {
      if (failed || entry.next === null) open.delete(name);
    };
    entry.running.then(
      () => forget(false),
      () => forget(true),
    );
    return entry.running;
  }

  return (key) => {
    const name = nameOf(key);
    const entry = open.get(name);
    if (!entry) return start(name, key);
    entry.next ??= entry.running.then(() => start(name, key));
    return entry.next;
  };
}
