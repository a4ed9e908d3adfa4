import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measure } from './metrics.ts';

test('an idle process is not woken a hundred times a second to see whether it is late', async () => {
  const registry = new Registry();
  measure(Fastify(), registry, 'operate');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const text = await registry.metrics();
  // The least time between two looks.
  const min = Number(/^nodejs_eventloop_lag_min_seconds (\S+)$/m.exec(text)?.[1]);
  expect(min).toBeGreaterThan(0.05);
  expect(min).toBeLessThan(60);
});
