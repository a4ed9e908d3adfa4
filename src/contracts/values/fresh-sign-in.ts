/** Design, security: what is dangerous asks for a sign-in of the last 15 minutes. */
export const freshSignInSeconds = 15 * 60;
/** Clocks differ; a sign-in that lies further ahead than this is none. */
const clocksDifferSeconds = 60;

/** Whether a sign-in counts as fresh. `authenticatedAt`: seconds since the epoch; null when the provider does not say. */
export function isFreshSignIn(authenticatedAt: number | null, now: Date): boolean {
  if (authenticatedAt === null) return false;
  const ageSeconds = now.getTime() / 1_000 - authenticatedAt;
  return ageSeconds <= freshSignInSeconds && ageSeconds >= -clocksDifferSeconds;
}

/** For how long a sign-in still counts as fresh; 0: it does not. */
export function freshForSeconds(authenticatedAt: number | null, now: Date): number {
  if (authenticatedAt === null || !isFreshSignIn(authenticatedAt, now)) return 0;
  return Math.floor(authenticatedAt + freshSignInSeconds - now.getTime() / 1_000);
}
