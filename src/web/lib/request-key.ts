import { useState } from 'react';
import { isRefusal } from './api-error.ts';
import { sameInput } from './mutation.ts';

/**
 * The idempotency key of what a person asks for: the same one while nobody knows what became of it, so that the next try
 * is the same request. Another wish has another key.
 */
export class RequestKey<Wish> {
  #open: { wish: Wish; key: string } | null = null;

  of(wish: Wish): string {
    if (!this.#open || !sameInput(this.#open.wish, wish)) this.#open = { wish, key: crypto.randomUUID() };
    return this.#open.key;
  }

  /** An answer came, or none did. */
  readonly answered = (error: Error | null): void => {
    if (error === null || isRefusal(error)) this.#open = null;
  };
}

export function useRequestKey<Wish>(): RequestKey<Wish> {
  const [key] = useState(() => new RequestKey<Wish>());
  return key;
}
