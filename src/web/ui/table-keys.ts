import type { KeyboardEvent } from 'react';

/** So long after a letter the next one belongs to the same word. */
const wordMs = 800;
let word = '';
let typedAt = 0;

/**
 * The keys of a table's rows: arrows, Home and End move between their links, letters go to the next row that begins with
 * them, Space chooses the row, and Ctrl C copies its name.
 */
export function onRowKeys(event: KeyboardEvent<HTMLElement>): void {
  const from = event.target as HTMLElement;
  if (from.tagName !== 'TR' && !from.matches('[data-row-link]')) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(':scope > tr')];
  const at = rows.findIndex((row) => row.contains(from));
  if (event.ctrlKey || event.metaKey) {
    if (event.key === 'c' && window.getSelection()?.isCollapsed !== false)
      void navigator.clipboard?.writeText(nameOf(rows[at]));
    return;
  }
  if (event.altKey) return;
  const next = nextRow(event, rows, at);
  if (next === null) return;
  event.preventDefault();
  if (next) (next.querySelector<HTMLElement>('[data-row-link]') ?? next).focus();
}

/** The row to go to; undefined: the key is ours, and there is nowhere to go; null: it is not ours. */
function nextRow(
  event: KeyboardEvent,
  rows: readonly HTMLElement[],
  at: number,
): HTMLElement | undefined | null {
  const { key } = event;
  if (key === 'ArrowDown') return rows[at + 1];
  if (key === 'ArrowUp') return rows[at - 1];
  if (key === 'Home') return rows[0];
  if (key === 'End') return rows.at(-1);
  if (key === ' ') {
    const box = rows[at]?.querySelector<HTMLElement>('[data-select] input');
    box?.click();
    return box ? undefined : null;
  }
  // A letter is a word's; the keys of the whole portal are none.
  if (!/^[a-z0-9]$/i.test(key)) return null;
  const now = Date.now();
  word = now - typedAt < wordMs ? word + key.toLowerCase() : key.toLowerCase();
  typedAt = now;
  return rows[rowOf(word, rows.map(nameOf), at) ?? -1];
}

/** Which row begins with the word: this one while it still does, else the next, and from the first again. */
export function rowOf(typed: string, names: readonly string[], at: number): number | null {
  const first = typed.length === 1 ? at + 1 : at;
  for (let step = 0; step < names.length; step += 1) {
    const index = (first + step) % names.length;
    if (names[index]?.toLowerCase().startsWith(typed)) return index;
  }
  return null;
}

const nameOf = (row: HTMLElement | undefined) =>
  (
    row?.querySelector('[data-row-link]') ?? row?.querySelector('td:not([data-select])')
  )?.textContent?.trim() ?? '';
