import { useEffect, useRef, useState } from 'react';
import { recordKey } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';

/** Where the keyboard goes on once a record's form, question or button is gone. Else it would be at the page's beginning. */

/** The keys of the rows at which changes may stand by now, saved or collected (`rowsOf`). */
export function rowKeysOf(changes: readonly ZoneChange[]): string[] {
  return changes.flatMap((change) => {
    const key = recordKey(change.record);
    const old = change.action === 'update' && change.old ? [recordKey(change.old)] : [];
    return [`new ${key}`, key, ...old];
  });
}

type Page = Pick<Document, 'activeElement' | 'body' | 'querySelector' | 'querySelectorAll'>;

const isLost = ({ activeElement, body }: Page) => activeElement === null || activeElement === body;

/** Gives the focus to the first of these rows that is in the page: to its button for editing, or to the one it has. */
export function focusRow(keys: readonly string[], page: Page = document): void {
  const rows = [...page.querySelectorAll<HTMLElement>('[data-record]')];
  for (const key of keys) {
    const row = rows.find(({ dataset }) => dataset.record === key);
    const button = row?.querySelector<HTMLElement>('[data-edits]') ?? row?.querySelector('button');
    if (button) {
      button.focus();
      return;
    }
  }
  // After a dialog has given it back to what opened it, if that is there still.
  setTimeout(() => {
    if (!isLost(page)) return;
    const find = (place: string) => page.querySelector<HTMLElement>(place);
    (find('[data-records]') ?? find('[data-adds]'))?.focus({ preventScroll: true });
  });
}

/**
 * A person who leaves a record goes on at its row; one whose changes are saved, collected or taken back, which the answer is
 * called with, at the first of them. `edited`: the key of the row that is edited.
 */
export function useGoOn(edited: string | null): (done: readonly ZoneChange[]) => void {
  const [done, setDone] = useState<readonly ZoneChange[]>([]);
  const before = useRef({ edited, done });
  useEffect(() => {
    const left = edited === null ? before.current.edited : null;
    const isDone = done !== before.current.done;
    before.current = { edited, done };
    if (!isDone && left === null) return;
    // A person who has gone elsewhere while it was being saved stays there.
    if (isDone && !isLost(document)) return;
    focusRow([...(isDone ? rowKeysOf(done) : []), ...(left === null ? [] : [left])]);
  }, [edited, done]);
  return setDone;
}
