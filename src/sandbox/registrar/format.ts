const pad = (value: number, digits = 2) => String(value).padStart(digits, '0');

/** `2027-05-01 10:00:00`, UTC. */
export function stamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
}

/** `27-OCT-2007 11:15:03`, the style of notes and deleted names. */
export function noteStamp(atMs: number): string {
  const at = new Date(atMs);
  const month = at.toLocaleString('en-US', { month: 'short', timeZone: 'UTC' }).toUpperCase();
  return `${pad(at.getUTCDate())}-${month}-${at.getUTCFullYear()} ${stamp(atMs).slice(11)}`;
}

/** `Wed May  4 09:36:06 2005`, the style of CHECK_TRANSFER. */
export function unixStyle(atMs: number): string {
  const at = new Date(atMs);
  const part = (options: Intl.DateTimeFormatOptions) =>
    at.toLocaleString('en-US', { ...options, timeZone: 'UTC' });
  const day = String(at.getUTCDate()).padStart(2, ' ');
  const names = `${part({ weekday: 'short' })} ${part({ month: 'short' })}`;
  return `${names} ${day} ${stamp(atMs).slice(11)} ${at.getUTCFullYear()}`;
}

export function epoch(atMs: number | null): string {
  return atMs === null ? '' : String(Math.floor(atMs / 1000));
}

/** Prices are not padded: `9.85`, `20.2`, `5000`. */
export function priceText(cents: number): string {
  const whole = Math.floor(cents / 100);
  const rest = pad(cents % 100).replace(/0{1,2}$/, '');
  return rest ? `${whole}.${rest}` : String(whole);
}

/** Balances are: `0.00`, `8549.18`. */
export function balanceText(cents: number): string {
  const sign = cents < 0 ? '-' : '';
  const size = Math.abs(cents);
  return `${sign}${Math.floor(size / 100)}.${pad(size % 100)}`;
}

/** Cents of a decimal text, or null. */
export function centsOf(text: string): number | null {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (!match) return null;
  const cents = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'));
  return match[1] ? -cents : cents;
}

/** The same day `years` later; 29 February becomes the 28th. */
export function addYears(atMs: number, years: number): number {
  const at = new Date(atMs);
  const day = at.getUTCDate();
  at.setUTCFullYear(at.getUTCFullYear() + years);
  if (at.getUTCDate() !== day) at.setUTCDate(0);
  return at.getTime();
}

export const DAY_MS = 86_400_000;
