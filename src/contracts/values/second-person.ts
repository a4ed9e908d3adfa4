/**
 * Whether a correction takes a second operator. `aloneLeft`: cents that the first may still enter alone. Giving and taking count alike: a sum
 * taken by mistake harms as one that is given.
 */
export const needsSecondPerson = (cents: number, aloneLeft: number): boolean => Math.abs(cents) > aloneLeft;
