/** Where "today" is on the line of a domain's life, from 0 to 1. The stations have equal room; time runs evenly between two. */
export function todayShare(stations: readonly { at: string }[], now: Date): number {
  const times = stations.map(({ at }) => new Date(at).getTime());
  const today = now.getTime();
  const next = times.findIndex((time) => time > today);
  // Before the first it is at the left end, after the last at the right end.
  if (next === 0) return 0;
  if (next < 0) return 1;
  const [from = today, to = today] = [times[next - 1], times[next]];
  const place = next - 1 + (today - from) / (to - from);
  return (place + 0.5) / times.length;
}
