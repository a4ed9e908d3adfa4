/**
 * Amounts, counts and dates as people read them: on screens, in mails and on papers (docs/decisions/0198). The portal
 * speaks American English, so its figures do too. What a spreadsheet or another program reads is below, without signs.
 */

import { nearestCents } from './money.ts';
import { dayMs, hourMs, minuteMs } from './time.ts';

const american = 'en-US';

/**
 * Commas between thousands of a whole figure. Not by `Intl`: with its first use a process reads data of every language, 8 MB of
 * them in 10 ms (docs/decisions/0300).
 */
function grouped(figure: string): string {
  const before = figure.slice(0, -3);
  return /\d$/.test(before) ? `${grouped(before)},${figure.slice(-3)}` : figure;
}

/** `$1,234.56`, `−$12.31` */
export function moneyText(cents: number): string {
  const [dollars = '', rest = ''] = (Math.abs(cents) / 100).toFixed(2).split('.');
  return `${cents < 0 ? '−' : ''}$${grouped(dollars)}.${rest}`;
}

/** What comes and goes: `+$12.31`, `−$12.31`, `$0.00` */
export function signedMoneyText(cents: number): string {
  return cents > 0 ? `+${moneyText(cents)}` : moneyText(cents);
}

/** An amount that the API gives in dollars. */
export function usdText(dollars: number): string {
  return moneyText(nearestCents(dollars));
}

/** `$9,999`: a limit or a choice without cents. */
export function wholeDollarsText(dollars: number): string {
  return `$${countText(dollars)}`;
}

/** `12,345` */
export function countText(value: number): string {
  return grouped(value.toFixed(0));
}

type Zone = 'local' | 'UTC';
const dateFormats = {
  day: { dateStyle: 'medium' },
  shortDay: { month: 'short', day: 'numeric' },
  time: { timeStyle: 'short' },
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  month: { month: 'long', year: 'numeric' },
  shortMonth: { month: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Texts of moments in each form, where the reader is or in UTC. `Format` makes a form when it is first needed: most screens show one or two. */
export function dateTexts(Format: typeof Intl.DateTimeFormat) {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (form: keyof typeof dateFormats, at: Date, zone: Zone): string => {
    const key = `${form} ${zone}`;
    let format = made.get(key);
    if (!format) {
      const timeZone = zone === 'UTC' ? { timeZone: 'UTC' } : {};
      format = new Format(american, { ...dateFormats[form], ...timeZone });
      made.set(key, format);
    }
    // Some engines put a narrow space before AM and PM, which not every font and mail program has.
    return format.format(at).replaceAll('\u202f', ' ');
  };
}

const dateText = dateTexts(Intl.DateTimeFormat);

/** "Nov 22, 2026", where the reader is. */
export const dayText = (at: Date) => dateText('day', at, 'local');

/** "Nov 22": within a year of today. */
export const shortDayText = (at: Date) => dateText('shortDay', at, 'local');

/** "9:41 AM" */
export const timeText = (at: Date) => dateText('time', at, 'local');

/** "Nov 22, 2026, 9:41 AM" */
export const momentText = (at: Date) => dateText('moment', at, 'local');

/** The days of which texts are kept; there are no more than some thousands on screens at a time. */
const mostDays = 5_000;

/** A function of a day of UTC that is asked for the same days again and again, as lists do. */
function ofEachDay(textOf: (at: Date) => string): (at: Date) => string {
  const texts = new Map<number, string>();
  return (at) => {
    const day = Math.floor(at.getTime() / dayMs);
    const known = texts.get(day);
    if (known !== undefined) return known;
    const text = textOf(at);
    if (texts.size >= mostDays) texts.clear();
    texts.set(day, text);
    return text;
  };
}

/** "Nov 22, 2026" in mails and on papers: nobody knows where their reader is. */
export const utcDayText = ofEachDay((at) => dateText('day', at, 'UTC'));

/** "Nov 22, 2026, 9:41 AM UTC" */
export const utcMomentText = (at: Date) => `${dateText('moment', at, 'UTC')} UTC`;

/** `2026-11` -> "November 2026" */
export const monthText = (month: string) => dateText('month', new Date(`${month}-01T00:00:00Z`), 'UTC');

/** `2026-11` -> "Nov": under a picture of a year. */
export const shortMonthText = (month: string) =>
  dateText('shortMonth', new Date(`${month}-01T00:00:00Z`), 'UTC');

/** `-1234` -> `-12.34`: in fields that are typed into, and in files. */
export function decimalText(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `2026-11-22`, in UTC: in queries and files. */
export function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** `2026-11`, in UTC. */
export function isoMonth(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** `2026-11-22 09:41:07`, in UTC: what spreadsheets read as a date and time. */
export function isoMoment(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** With a capital letter at its beginning, as a sentence or a title has it. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `2026-11-22T` */
const dayOfMoment = ofEachDay((at) => at.toISOString().slice(0, -13));
const digits = (count: number, length: number) =>
  Array.from({ length: count }, (_, value) => String(value).padStart(length, '0'));
const [twoDigits, threeDigits] = [digits(60, 2), digits(1_000, 3)];

/** What `toISOString` says, in a quarter of its time: a page of a list has a hundred moments. */
export function isoText(at: Date): string {
  const ms = at.getTime();
  const inDay = ms - Math.floor(ms / dayMs) * dayMs;
  const [hours, minutes] = [Math.floor(inDay / hourMs), Math.floor(inDay / minuteMs) % 60];
  const seconds = Math.floor(inDay / 1_000) % 60;
  return `${dayOfMoment(at)}${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[seconds]}.${threeDigits[inDay % 1_000]}Z`;
}
