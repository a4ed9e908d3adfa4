import { isoDay } from '#contracts/values/format.ts';
import { text, type XcpMap } from './xcp.ts';

/** Decimal text such as `9.85`, `20.2`, `5000` to cents without a float in between; a rest of a cent rounds up. */
export function centsFromText(value: string): number | null {
  const match = /^(-?)(\d{1,12})(?:\.(\d*))?$/.exec(value.trim());
  if (!match) return null;
  const [, sign, whole, fraction = ''] = match;
  const rest = /[1-9]/.test(fraction.slice(2)) ? 1 : 0;
  const cents = Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0')) + rest;
  return sign && cents !== 0 ? -cents : cents;
}

/** Cents as the registrar writes money, with two decimals. */
export function centsToText(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

export function cents(map: XcpMap | undefined, key: string): number | null {
  const value = text(map, key);
  return value === null ? null : centsFromText(value);
}

export function integer(map: XcpMap | undefined, key: string): number | null {
  const value = text(map, key);
  return value !== null && /^-?\d{1,9}$/.test(value) ? Number(value) : null;
}

const iso =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?)?\s*(?:Z|UTC|(?<sign>[+-])(?<zoneHour>\d{2}):?(?<zoneMinute>\d{2}))?$/i;
const named =
  /^(?<day>\d{1,2})-(?<name>[a-z]{3})-(?<year>\d{4})(?: (?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}))?$/i;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * The vendor's styles of dates (§4): `2027-05-01 10:00:00` and bare days are read as UTC, ISO 8601 as it says, epoch
 * seconds, `27-OCT-2007 11:15:03`. Anything else, and a day that no calendar has, is no date.
 */
export function dateFromText(value: string): Date | null {
  const trimmed = value.trim();
  if (/^\d{9,11}$/.test(trimmed)) return new Date(Number(trimmed) * 1000);
  const parts = iso.exec(trimmed)?.groups ?? named.exec(trimmed)?.groups;
  if (!parts) return null;
  const number = (key: string) => Number(parts[key] ?? 0);
  const month = parts.name ? months.indexOf(parts.name.toLowerCase()) + 1 : number('month');
  const at = new Date(
    Date.UTC(number('year'), month - 1, number('day'), number('hour'), number('minute'), number('second')),
  );
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== number('day')) return null;
  const zoneMs = (number('zoneHour') * 60 + number('zoneMinute')) * 60_000;
  return new Date(at.getTime() - (parts.sign === '-' ? -zoneMs : zoneMs));
}

export function date(map: XcpMap | undefined, key: string): Date | null {
  const value = text(map, key);
  return value === null ? null : dateFromText(value);
}

/** `YYYY-MM-DD`, as requests want days (§4). */
export function dayText(at: Date): string {
  return isoDay(at);
}
