import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { pause } from '#kernel/clock.ts';
import { measure } from './metrics.ts';

test('an idle process is not woken a hundred times a second to see whether it is late', async () => {
  const registry = new Registry();
  measure(Fastify(), registry, 'operate');
  // The least time between two looks since the figures were read last; beyond all measure before there were two.
  let least = Number.POSITIVE_INFINITY;
  while (!(least < 1_000)) {
    await pause(300);
    least = Number(/^nodejs_eventloop_lag_min_seconds (\S+)$/m.exec(await registry.metrics())?.[1]);
  }
  expect(least).toBeGreaterThan(0.05);
});
