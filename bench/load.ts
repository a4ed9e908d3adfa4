import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { runNode } from './stand.ts';

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

/** Throughput of one address under a constant number of connections; throws when any answer is not 2xx. */
export async function throughput(
  url: string,
  options: { connections: number; seconds: number; headers?: Record<string, string> },
): Promise<Load> {
  const headers = Object.entries(options.headers ?? {}).flatMap(([name, value]) => [
    '-H',
    `${name}=${value}`,
  ]);
  // As a program: the load generator must not share an event loop with the measurement.
  await using generator = runNode(
    [
      fileURLToPath(import.meta.resolve('autocannon')),
      ...['--json', '--no-progress', '-c', String(options.connections), '-d', String(options.seconds)],
      // It ends with a sample: one a second would make two seconds of one and a half.
      ...['--sampleInt', '50'],
      ...headers,
      url,
    ],
    {},
  );
  await generator.exited;
  const line = generator
    .output()
    .split('\n')
    .find((text) => text.startsWith('{'));
  if (!line) throw new Error(`the load generator said nothing of use:\n${generator.output()}`);
  const report = autocannonReport.parse(JSON.parse(line));
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
