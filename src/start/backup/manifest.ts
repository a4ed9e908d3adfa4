import { hkdfSync } from 'node:crypto';
import { z } from 'zod';

/** What a backup says of itself. The sealing keys are named by their numbers; their secrets are not in it. */
export const manifest = z.object({
  at: z.iso.datetime(),
  migrations: z.array(z.string()),
  sealKeys: z.array(z.string()),
  /** By number: what tells the same key from another one under its number. Backups from before have none. */
  sealKeyMarks: z.record(z.string(), z.string()).default({}),
  counts: z.record(z.string(), z.number()),
  /** null: PostgreSQL's own dump, which any server of its version or a newer one takes. */
  cluster: z.object({ version: z.string(), platform: z.string() }).nullable().default(null),
});
export type Manifest = z.output<typeof manifest>;

/** What is found out while the database is taken. */
export type Taken = Pick<Manifest, 'at' | 'migrations' | 'counts' | 'cluster'>;

/** The secrets of SEAL_KEYS, by number. */
export function sealKeysOf(setting: string): Map<string, string> {
  const entries = setting.split(',').flatMap((entry): [string, string][] => {
    const [, number, secret] = /^\s*(\d+):(.+?)\s*$/.exec(entry) ?? [];
    return number && secret ? [[number, secret]] : [];
  });
  return new Map(entries);
}

/** Of a key that was made by chance: nobody finds the key by it. */
export function markOf(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'nameward backup: which sealing key', 8)).toString('hex');
}

/** Why what is sealed in the backup could not be read with these keys; null: it can be. */
export function keyFault(
  said: Pick<Manifest, 'sealKeys' | 'sealKeyMarks'>,
  keys: ReadonlyMap<string, string>,
): string | null {
  const missing = said.sealKeys.filter((number) => !keys.has(number));
  if (missing.length > 0) {
    return `The backup is sealed with keys that SEAL_KEYS does not have: ${missing.join(', ')}`;
  }
  const other = Object.entries(said.sealKeyMarks).flatMap(([number, mark]) =>
    markOf(keys.get(number) ?? '') === mark ? [] : [number],
  );
  if (other.length === 0) return null;
  return `SEAL_KEYS has other keys than the backup under these numbers: ${other.join(', ')}`;
}
