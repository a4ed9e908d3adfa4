import type { ZoneVersionHead } from '#contracts/operations/dns.ts';

/** "2 records added, 1 deleted" */
export function changesText(changes: ZoneVersionHead['changes']): string {
  if (!changes) return 'Kept as it was';
  const parts = [
    [changes.added, 'added'],
    [changes.changed, 'changed'],
    [changes.removed, 'deleted'],
  ] as const;
  const said = parts.filter(([count]) => count > 0);
  if (said.length === 0) return 'Nothing changed';
  return said
    .map(([count, word], index) =>
      index > 0 ? `${count} ${word}` : `${count} ${count === 1 ? 'record' : 'records'} ${word}`,
    )
    .join(', ');
}
