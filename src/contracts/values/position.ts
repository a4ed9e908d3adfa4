/**
 * How far the database had come when a reply was made: its timeline, and a place in its log. Who sends the last one back is
 * never shown less than it has been shown, whichever server of the database answers (docs/decisions/0270).
 */
export const positionHeader = 'nameward-position';

export interface Position {
  /** Eight digits. Each promotion of a standby begins another. */
  timeline: string;
  lsn: number;
}

/** As text: the later of two positions is the greater text. */
export function positionText({ timeline, lsn }: Position): string {
  return `${timeline}-${lsn.toString(16).padStart(14, '0')}`;
}

const shape = /^[0-9A-F]{8}-[0-9a-f]{14}$/;

/** null: it is none, and says nothing. */
export function readPosition(text: string | null): Position | null {
  const given = text ?? '';
  const lsn = Number.parseInt(given.slice(9), 16);
  return shape.test(given) && Number.isSafeInteger(lsn) ? { timeline: given.slice(0, 8), lsn } : null;
}

/** The later of two texts; what is no position counts for nothing. */
export function laterPosition(one: string | null, other: string | null): string | null {
  const known = [one, other].filter((text) => readPosition(text) !== null);
  return known.sort().at(-1) ?? null;
}
