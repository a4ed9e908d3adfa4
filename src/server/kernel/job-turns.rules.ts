const others = ['billing.apply-events', 'customers.import', 'dns.publish-staged', 'moves.sweep'];

/**
 * Jobs behind which money is held, or that a person or a machine waits for. The others let everybody go first: at the
 * registrar, in the queue, and where places are few.
 */
export function isWaitedFor(job: string): boolean {
  return /^(?:orders|acme)\.|^transfers\.(?!poll)|^changes\.(?:look|run)$/.test(job) || others.includes(job);
}

/** Of a process's places, how many background jobs never take. */
const keptOf = (places: number) => Math.floor(places / 4);

/** The flags by which the queue says whose a job is, and that nobody waits for it (migration 0183). */
export const ownerFlagOf = (flags: Readonly<Record<string, true>> | null): string | undefined =>
  Object.keys(flags ?? {}).find((flag) => flag.startsWith('of:'));

/**
 * Jobs with one of these flags get no place now. An organization gets another place only while fewer of its jobs run than
 * places are free: alone it fills half of them, the next one half of the rest, and who has none running is never refused.
 */
export function refusedFlags(running: ReadonlyMap<string, number>, places: number): string[] {
  const free = places - [...running.values()].reduce((sum, count) => sum + count, 0);
  const refused = [...running].filter(([, count]) => count >= free).map(([flag]) => flag);
  return free <= keptOf(places) ? [...refused, 'background'] : refused;
}
