import { hkdfSync } from 'node:crypto';

/** What a backup says of the sealing keys that its contents need. */
export interface NeededKeys {
  /** Their numbers. */
  sealKeys: readonly string[];
  /** By number: what tells the same key from another one under its number. */
  sealKeyMarks: Readonly<Record<string, string>>;
}

/** The secrets of SEAL_KEYS (`1:secret,2:other`), by number. */
export function sealKeysOf(setting: string): Map<string, string> {
  const entries = setting.split(',').flatMap((entry): [string, string][] => {
    const [number = '', ...secret] = entry.trim().split(':');
    return /^\d+$/.test(number) && secret.length > 0 ? [[number, secret.join(':')]] : [];
  });
  return new Map(entries);
}

/** Of a key that was made by chance: nobody finds the key by it. */
export function markOf(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'nameward backup: which sealing key', 8)).toString('hex');
}

/** Why what is sealed in the backup could not be read with these keys; null: it can be. */
export function keyFault(needed: NeededKeys, keys: ReadonlyMap<string, string>): string | null {
  const missing = needed.sealKeys.filter((number) => !keys.has(number));
  if (missing.length > 0) {
    return `The backup is sealed with keys that SEAL_KEYS does not have: ${missing.join(', ')}`;
  }
  const other = Object.entries(needed.sealKeyMarks).flatMap(([number, mark]) =>
    markOf(keys.get(number) ?? '') === mark ? [] : [number],
  );
  if (other.length === 0) return null;
  return `SEAL_KEYS has other keys than the backup under these numbers: ${other.join(', ')}`;
}
