import type { ZoneVersionHead } from '#contracts/operations/dns.ts';

/** "2 added, 1 deleted" */
export function changesText(changes: ZoneVersionHead['changes']): string {
  if (!changes) return 'Kept as it was';
  const parts = [
    [changes.added, 'added'],
    [changes.changed, 'changed'],
    [changes.removed, 'deleted'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return said.length > 0 ? said.join(', ') : 'Nothing changed';
}
