import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
import { AppError } from '#contracts/errors.ts';
import { isOperator } from './caller.ts';

const loopback = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];

/**
 * How often the process wakes to see whether it is late. The library's 10 ms made nine tenths of the wake-ups of a web process that
 * nobody asks for anything. Each figure tells the time between two looks, this included.
 */
const lookAtLoopEveryMs = 100;

/** Counts and logs each reply; `/metrics` tells the figures to this machine and to the operator. */
export function measure(app: FastifyInstance, registry: Registry, operatorToken: string): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lookAtLoopEveryMs });
  const duration = new Histogram({
    name: 'http_request_seconds',
    help: 'Time from request to reply',
    labelNames: ['operation', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10, 60],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operation ?? 'none';
    duration.observe({ operation, status: reply.statusCode }, reply.elapsedTime / 1000);
    // Addresses are left out on purpose: they hold invitation and upload secrets.
    request.log.info(
      {
        operation,
        method: request.method,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime),
      },
      'request',
    );
    done();
  });
  app.get('/metrics', async (request, reply) => {
    requireInsider(request, operatorToken);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function requireInsider(request: FastifyRequest, operatorToken: string): void {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token !== undefined && isOperator(token, operatorToken)) return;
  // A proxy on this machine speaks for others, and says so.
  const forwarded = request.headers['x-forwarded-for'] ?? request.headers.forwarded;
  if (forwarded === undefined && loopback.includes(request.socket.remoteAddress ?? '')) return;
  throw new AppError('unauthenticated');
}
