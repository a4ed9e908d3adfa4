/**
 * Amounts, counts and dates as people read them: on screens, in mails and on papers (docs/decisions/0198). The portal
 * speaks American English, so its figures do too. What a spreadsheet or another program reads is below, without signs.
 */

import { nearestCents } from './money.ts';
import { dayMs, hourMs, minuteMs } from './time.ts';

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

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** A moment as a calendar and a clock have it. `month` counts from 0. */
interface Reading {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const readings = {
  local: (at: Date): Reading => ({
    ...{ year: at.getFullYear(), month: at.getMonth(), day: at.getDate() },
    ...{ hour: at.getHours(), minute: at.getMinutes() },
  }),
  UTC: (at: Date): Reading => ({
    ...{ year: at.getUTCFullYear(), month: at.getUTCMonth(), day: at.getUTCDate() },
    ...{ hour: at.getUTCHours(), minute: at.getUTCMinutes() },
  }),
};

const shortMonth = ({ month }: Reading) => months[month]?.slice(0, 3) ?? '';
const shortDay = (of: Reading) => `${shortMonth(of)} ${of.day}`;
const day = (of: Reading) => `${shortDay(of)}, ${of.year}`;
const time = ({ hour, minute }: Reading) =>
  `${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;

const dateForms = {
  ...{ day, shortDay, time, shortMonth },
  moment: (of: Reading) => `${day(of)}, ${time(of)}`,
  month: (of: Reading) => `${months[of.month]} ${of.year}`,
};

/**
 * A moment in one of the forms, where the reader is or in UTC. Not by `Intl`, as for figures: its first use takes a phone 60 ms, in the
 * moment in which a list could be read. Throws a RangeError for what is no moment.
 */
function dateText(form: keyof typeof dateForms, at: Date, zone: keyof typeof readings): string {
  if (Number.isNaN(at.getTime())) throw new RangeError('Invalid time value');
  return dateForms[form](readings[zone](at));
}

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
