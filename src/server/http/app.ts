import { randomUUID } from 'node:crypto';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { AppError } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/operation.ts';
import type { Binding } from '#kernel/binding.ts';
import type { Logger } from '#kernel/logger.ts';
import { serveApiDocs } from './api-docs.ts';
import { sendError } from './errors.ts';
import { type MountDeps, mount } from './mount.ts';
import { createLocalLimiter, limits } from './rate-limits.ts';
import { addSecurityHeaders, type Origins } from './security-headers.ts';
import { serveWebApp } from './web-app.ts';

export interface AppOptions extends MountDeps {
  /** Every operation of the contract; each must be bound. */
  operations: readonly OperationSpec[];
  bindings: readonly Binding[];
  logger: Logger;
  origins: Origins;
  webDir: string;
  rateLimits: boolean;
  trustedProxies: number;
  /** Answers when the database does. */
  ping: () => Promise<void>;
}

/** Longest a purchase may take, and a margin. */
const requestTimeoutMs = 70_000;
/** A domain name has up to 253 characters. */
const maxParamLength = 300;

/** The portal's HTTP server, ready to listen. Throws when an operation has no handler, or a handler no operation. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  requireComplete(options.operations, options.bindings);
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    disableRequestLogging: true,
    genReqId: () => randomUUID(),
    bodyLimit: 1_000_000,
    requestTimeout: requestTimeoutMs,
    trustProxy: (_address: string, hop: number) => hop < options.trustedProxies,
    return503OnClosing: true,
    routerOptions: { maxParamLength, ignoreTrailingSlash: false },
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
  });
  addSecurityHeaders(app, options.origins);
  acceptBodies(app);
  app.setErrorHandler(sendError);
  if (options.rateLimits) limitByAddress(app);
  measure(app);
  app.get('/healthz', async () => ({ ok: true }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await options.ping();
      return { ok: true };
    } catch {
      return reply.status(503).send({ ok: false });
    }
  });
  for (const binding of options.bindings) mount(app, binding, options);
  refuseOtherMethods(app, options.operations);
  serveApiDocs(app, options.operations);
  await serveWebApp(app, options.webDir);
  return app;
}

function requireComplete(operations: readonly OperationSpec[], bindings: readonly Binding[]): void {
  const bound = bindings.map((binding) => binding.operation.id);
  const missing = operations.filter((operation) => !bound.includes(operation.id)).map(({ id }) => id);
  const doubled = bound.filter((id, index) => bound.indexOf(id) !== index);
  const unknown = bound.filter((id) => !operations.some((operation) => operation.id === id));
  if (missing.length + doubled.length + unknown.length === 0) return;
  throw new Error(
    `operations without handler: ${missing.join(', ') || 'none'}; bound twice: ${doubled.join(', ') || 'none'}; not in the contract: ${unknown.join(', ') || 'none'}`,
  );
}

/** JSON where JSON is expected; raw bytes only where the operation says so. */
function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const json = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if ((request.routeOptions.config as { raw?: boolean }).raw) return done(null, body);
    // An act without a body may come with the header all the same.
    if (body.length === 0) return done(null, undefined);
    json(request, body.toString('utf8'), done);
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if ((request.routeOptions.config as { raw?: boolean }).raw || body.length === 0) return done(null, body);
    done(new AppError('unsupported_media_type'), undefined);
  });
}

function limitByAddress(app: FastifyInstance): void {
  const limiter = createLocalLimiter();
  app.addHook('onRequest', async (request) => {
    if (request.url.startsWith('/api/') && !request.url.startsWith('/api/webhooks/')) {
      await limiter(request.ip, limits.default);
    }
  });
}

function measure(app: FastifyInstance): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_seconds',
    help: 'Time from request to reply',
    labelNames: ['operation', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10, 60],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const operation = (request.routeOptions.config as { operation?: string }).operation;
    const seconds = reply.elapsedTime / 1000;
    if (operation) duration.observe({ operation, status: reply.statusCode }, seconds);
    request.log.info(
      {
        requestId: request.id,
        operation,
        method: request.method,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    );
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}

/** 405 for a known address with another method; the router alone would say 404. */
function refuseOtherMethods(app: FastifyInstance, operations: readonly OperationSpec[]): void {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
  const paths = new Map<string, Set<string>>();
  for (const operation of operations) {
    const known = paths.get(operation.path) ?? new Set();
    paths.set(operation.path, known.add(operation.method));
  }
  for (const [path, known] of paths) {
    for (const method of methods) {
      if (known.has(method) || app.hasRoute({ method, url: `/api${path}` })) continue;
      app.route({
        method,
        url: `/api${path}`,
        handler: async (_request, reply) => {
          reply.header('allow', [...known].join(', '));
          throw new AppError('method_not_allowed');
        },
      });
    }
  }
}
