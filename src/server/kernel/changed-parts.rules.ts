/** JSON with sorted keys, so that equal contents hash equally. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
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
