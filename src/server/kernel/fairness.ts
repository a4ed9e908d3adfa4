import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Marks work as an organisation's, so that a limiter in front of an outside system serves all in turn. */
export function withFairnessKey<T>(key: string, work: () => Promise<T>): Promise<T> {
  return current.run(key, work);
}

/** The organisation whose work this is; work of nobody in particular shares one turn. */
export function fairnessKey(): string {
  return current.getStore() ?? '';
}
