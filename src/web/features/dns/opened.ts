import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { PuttingBack } from './history-dialog.tsx';

export type OpenedDialog =
  | { kind: 'add' | 'history' | 'templates' }
  | { kind: 'import'; pasted?: string }
  | { kind: 'back'; putting: PuttingBack }
  | { kind: 'delete'; record: DnsRecord };

/** A record that is being edited in its row. */
export interface Edited {
  key: string;
  record: DnsRecord;
}

/** What is open on the zone: a dialog above a record that is being edited takes nothing from it. */
interface Opened {
  dialog: OpenedDialog | null;
  edited: Edited | null;
  /** Something was typed there that is not saved. */
  typed: boolean;
  /** It is being saved: its form stays until the answer, which says that it was and offers Undo. */
  saving: boolean;
  /** Waits for the word that what was typed may be lost: what is edited then, if anything. */
  wanted: { next: Edited | null } | null;
}

export const nothingOpen: Opened = { dialog: null, edited: null, typed: false, saving: false, wanted: null };

export const withDialog = (open: Opened, dialog: OpenedDialog | null): Opened => ({ ...open, dialog });
export const withTyped = (open: Opened, typed: boolean): Opened => ({ ...open, typed });
export const withSaving = (open: Opened, saving: boolean): Opened => ({ ...open, saving });

/** Edits this record, or none. Another one takes the place of what was typed only when somebody has said so. */
export function withEdited(open: Opened, edited: Edited | null): Opened {
  if (edited && edited.key === open.edited?.key) return open;
  if (edited && open.saving) return open;
  if (edited && open.typed) return { ...open, wanted: { next: edited } };
  return { ...open, edited, typed: false, saving: false, wanted: null };
}

/** Escape leaves the record: a key that is pressed by habit loses nothing that was typed. */
export function withEscape(open: Opened): Opened {
  if (open.saving) return open;
  return open.typed ? { ...open, wanted: { next: null } } : withEdited(open, null);
}

/** Somebody has said so. */
export function withWanted(open: Opened): Opened {
  return open.wanted ? { ...open, edited: open.wanted.next, typed: false, wanted: null } : open;
}
