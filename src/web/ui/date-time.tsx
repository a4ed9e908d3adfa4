import { dayText, isoMoment, momentText, shortDayText, timeText } from '#contracts/values/format.ts';

/** A moment: local, with the exact UTC on hover. The one form of date and time in the portal. */
export function DateTime({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactUtc(date)} className="number">
      {momentText(date)}
    </time>
  );
}

/** A day where the time does not matter; the exact moment on hover. */
export function Day({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactUtc(date)} className="number">
      {dayText(date)}
    </time>
  );
}

/** In a narrow list of what happened lately: the time of today, the day of others; the whole on hover. */
export function Lately({ at }: { at: string }) {
  const date = new Date(at);
  const today = dayText(date) === dayText(new Date());
  return (
    <time dateTime={at} title={`${momentText(date)} (${exactUtc(date)})`} className="number">
      {today ? timeText(date) : shortDayText(date)}
    </time>
  );
}

export const exactUtc = (date: Date) => `${isoMoment(date)} UTC`;
