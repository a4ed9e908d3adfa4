/** Lengths of time in milliseconds, for periods and pauses of server and web. A day of UTC has no change of clocks. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
