import { useState } from 'react';
import { isRefusal } from './api-error.ts';
import { sameInput } from './mutation.ts';

/**
 * The idempotency key of what a person asks for: the same one while nobody knows what became of it, so that the next try
 * is the same request. Another wish has another key.
 */
export class RequestKey<Wish> {
  #open: { wish: Wish; key: string } | null = null;

  /** Sends the wish under its key. */
  async send<T>(wish: Wish, send: (key: string) => Promise<T>): Promise<T> {
    if (!this.#open || !sameInput(this.#open.wish, wish)) this.#open = { wish, key: crypto.randomUUID() };
    try {
      const answer = await send(this.#open.key);
      this.#open = null;
      return answer;
    } catch (error) {
      if (error instanceof Error && isRefusal(error)) this.#open = null;
      throw error;
    }
  }
}

export function useRequestKey<Wish>(): RequestKey<Wish> {
  const [key] = useState(() => new RequestKey<Wish>());
  return key;
}
