import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';

const autocannonReport = z.object({
  duration: z.number().positive(),
  requests: z.object({ total: z.number() }),
  latency: z.object({ p50: z.number(), p99: z.number() }),
  non2xx: z.number(),
  errors: z.number(),
});

export interface Load {
  answers: number;
  perSecond: number;
  medianMs: number;
  p99Ms: number;
}

interface Options {
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
}

/** Loads addresses, one after the other. As a program: it must not share an event loop with the measurement. */
export class Generator implements Disposable {
  readonly #program: ChildProcess = fork(join(import.meta.dirname, 'generator.ts'));
  readonly #ended = once(this.#program, 'exit').then((): never => {
    throw new Error('the load generator has ended');
  });

  constructor() {
    this.#ended.catch(() => undefined);
  }

  get pid(): number {
    return this.#program.pid ?? 0;
  }

  /** Throughput of one address under a constant number of connections; throws when any answer is not 2xx. */
  async throughput(url: string, { connections, seconds, headers = {} }: Options): Promise<Load> {
    this.#program.send({ url, connections, duration: seconds, headers });
    const message = await Promise.race([this.#report(), this.#ended]);
    const report = autocannonReport.parse(message);
    if (report.non2xx > 0 || report.errors > 0) {
      throw new Error(`${url}: ${report.non2xx} answers were not 2xx, ${report.errors} requests failed`);
    }
    return {
      answers: report.requests.total,
      perSecond: report.requests.total / report.duration,
      medianMs: report.latency.p50,
      p99Ms: report.latency.p99,
    };
  }

  #report(): Promise<unknown> {
    return new Promise((resolve) => this.#program.once('message', resolve));
  }

  [Symbol.dispose](): void {
    if (this.#program.connected) this.#program.disconnect();
  }
}

/** By a generator of its own. */
export async function throughput(url: string, options: Options): Promise<Load> {
  using generator = new Generator();
  return await generator.throughput(url, options);
}
