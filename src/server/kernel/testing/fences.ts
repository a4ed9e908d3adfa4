import type { Fence } from '../fence.ts';

/** For tests of ports: a claim that nobody takes away. */
export const openFence: Fence = { holdsForMs: async () => Number.POSITIVE_INFINITY };

/** A claim that was lost. */
export const lostFence: Fence = { holdsForMs: async () => 0 };

/** A port as its tests call it: whose claims hold is not what they are about. */
export type Fenceless<P> = {
  [K in keyof P]: P[K] extends (...given: infer A) => infer R
    ? A extends [...infer Before, Fence]
      ? (...given: Before) => R
      : P[K]
    : P[K];
};

/** The names of a port's writes: they take a fence as their last argument. */
export type Writes<P> = {
  [K in keyof P]: P[K] extends (...given: infer A) => unknown
    ? A extends [...unknown[], Fence]
      ? K
      : never
    : never;
}[keyof P];

/** Adds an open fence to each write. `places`: at which argument it stands. */
export function fenceless<P extends object>(port: P, places: Record<Writes<P>, number>): Fenceless<P> {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const place = (places as Record<PropertyKey, number | undefined>)[name];
      if (place === undefined || typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        const padded = Array.from({ length: place }, (_none, index) => given[index]);
        return Reflect.apply(member, target, [...padded, openFence]) as unknown;
      };
    },
  }) as Fenceless<P>;
}
