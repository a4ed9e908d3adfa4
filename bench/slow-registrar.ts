import type { Registrar } from '../src/server/ports/registrar.ts';
import { pause } from './stand.ts';

/** A registrar that registers every name, after so long. It counts, so that nothing is measured that did not happen. */
export function slowRegistrar(latencyMs: number): {
  port: Registrar;
  registered: () => number;
  /** From the next call on. */
  takes: (ms: number) => void;
} {
  let registered = 0;
  let takesMs = latencyMs;
  const port: Pick<Registrar, 'register'> = {
    async register() {
      if (takesMs > 0) await pause(takesMs);
      registered += 1;
      return { kind: 'done', value: { orderId: String(registered), notes: [] } };
    },
  };
  return {
    port: withoutTheRest(port),
    registered: () => registered,
    takes(ms) {
      takesMs = ms;
    },
  };
}

/** The rest of the port is never called by a purchase that succeeds; should it be, the measurement fails. */
function withoutTheRest(port: Partial<Registrar>): Registrar {
  return new Proxy(port, {
    get(target, name) {
      const known = Reflect.get(target, name) as unknown;
      if (known) return known;
      return () => {
        throw new Error(`a plain purchase called the registrar's ${String(name)}`);
      };
    },
  }) as Registrar;
}
