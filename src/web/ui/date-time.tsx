/** A moment: local, with the exact UTC on hover. The one form of date and time in the portal. */
export function DateTime({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactUtc(date)} className="number">
      {dateAndTime(date)}
    </time>
  );
}

/** A day where the time does not matter; the exact moment on hover. */
export function Day({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactUtc(date)} className="number">
      {fullDay(date)}
    </time>
  );
}

/** In a narrow list of what happened lately: the time of today, the day of others; the whole on hover. */
export function Lately({ at }: { at: string }) {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={`${dateAndTime(date)} (${exactUtc(date)})`} className="number">
      {today ? date.toLocaleTimeString(undefined, { timeStyle: 'short' }) : day(date)}
    </time>
  );
}

/** "Nov 22, 2026, 9:41 AM" */
export const dateAndTime = (date: Date) =>
  date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** "Nov 22, 2026" */
export const fullDay = (date: Date) => date.toLocaleDateString(undefined, { dateStyle: 'medium' });

/** "Nov 22": within a year of today. */
export const day = (date: Date) => date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' });

export function exactUtc(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
