const fewKeys = 20;

/** JSON with sorted keys, so that equal contents hash equally. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

/** Put in order first: a function that `JSON.stringify` calls for each value costs several times as much. */
function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return inOrder(value.toJSON());
  if (Array.isArray(value)) return value.map(inOrder);
  const sorted: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) {
    const inner = inOrder((value as Record<string, unknown>)[key]);
    if (key === '__proto__') Object.defineProperty(sorted, key, { value: inner, enumerable: true });
    else sorted[key] = inner;
  }
  return sorted;
}

/** Most objects have a handful of keys, and `sort` takes a multiple of the time that they need. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  if (keys.length > fewKeys) return keys.sort();
  for (let end = 1; end < keys.length; end += 1) {
    const key = keys[end] as string;
    let at = end;
    for (; at > 0 && (keys[at - 1] as string) > key; at -= 1) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

/**
 * The parts in which two states differ, leaf by leaf: the log shows what was changed and repeats nothing else.
 * null when they do not differ.
 */
export function changedParts(before: unknown, after: unknown): { before: unknown; after: unknown } | null {
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return null;
  if (!isRecord(before) || !isRecord(after)) return { before: before ?? null, after: after ?? null };
  const parts = { before: {} as Record<string, unknown>, after: {} as Record<string, unknown> };
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const change = changedParts(before[key], after[key]);
    if (!change) continue;
    parts.before[key] = change.before;
    parts.after[key] = change.after;
  }
  return parts;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
