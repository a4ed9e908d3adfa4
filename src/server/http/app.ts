import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Registry } from 'prom-client';
import { AppError } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/operation.ts';
import type { PublicConfig } from '#contracts/operations/system.ts';
import type { Binding } from '#kernel/binding.ts';
import { answers } from '#kernel/give-way.ts';
import type { Logger } from '#kernel/logger.ts';
import { type AcmeServer, serveAcme } from './acme.ts';
import { answersFirst } from './answers-first.ts';
import { serveApiDocs } from './api-docs.ts';
import { endConnectionsAtClose } from './closing.ts';
import { allowCrossOrigin } from './cors.ts';
import { takePolicyReports } from './csp-reports.ts';
import { bodyOf, sendError } from './errors.ts';
import { refuseWhileHeld } from './hold.ts';
import { answerInTime } from './in-time.ts';
import { answerUnknown } from './known-paths.ts';
import { measure } from './metrics.ts';
import { type MountDeps, mountAll } from './mount.ts';
import { placeOf } from './place.ts';
import { addressKey, createLocalLimiter, perAddress, refusalOf, scaled } from './rate-limits.ts';
import { serveHealth } from './readiness.ts';
import { measureReplicas } from './replica-metrics.ts';
import { type Origins, securityHeaders } from './security-headers.ts';
import { takeUploads, type UploadReceiver } from './uploads.ts';
import { serveWebApp } from './web-app.ts';

export interface AppOptions extends MountDeps {
  /** Every operation of the contract; each must be bound. */
  operations: readonly OperationSpec[];
  bindings: readonly Binding[];
  /** For tests of a part: operations may be without a handler. */
  partial?: boolean;
  logger: Logger;
  origins: Origins;
  webDir: string;
  /** What the page is called until it knows better; null: it bears nobody's name. Absent: as it was built. */
  siteName?: string | null;
  /** What the web app asks before anyone signs in; its page brings it along. */
  publicConfig?: () => Promise<PublicConfig>;
  /** A factor on all limits; `false` or 0: none apply. */
  rateLimits: boolean | number;
  /** How many proxies stand in front, or their addresses or networks; theirs is the X-Forwarded-For that counts. */
  trustedProxies: number | readonly string[];
  /** Whether the records are being compared with the outside world: nothing can be changed meanwhile. */
  isHeld?: () => boolean;
  /** Answers when the database does. */
  ping: () => Promise<void>;
  /** Where other parts of the process keep their figures. */
  registry?: Registry;
  /** How long a request and its headers may take to arrive; absent: as the constants below say. */
  patience?: { requestMs: number; headersMs: number; checkMs: number };
  /** Takes files for the local storage; absent when files go elsewhere. */
  uploads?: UploadReceiver;
  /** Certificates for clients of the ACME protocol; absent in tests of a part. */
  acme?: AcmeServer;
}

/** Longest that a request may take to arrive, its headers, and an idle connection to stay. */
const requestTimeoutMs = 30_000;
const headersTimeoutMs = 15_000;
const keepAliveTimeoutMs = 72_000;
const checkConnectionsMs = 5_000;
/** A domain name has up to 253 characters. */
const maxParamLength = 300;
const bodyLimitBytes = 1_000_000;

/** The portal's HTTP server, ready to listen. Throws when an operation has no handler, or a handler no operation. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  requireComplete(options.operations, options.bindings, options.partial ?? false);
  const limitScale = Number(options.rateLimits);
  const setSecurityHeaders = securityHeaders(options.origins);
  const limitAddress = addressLimit(limitScale);
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    // Each reply is logged once, by `measure`.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: options.patience?.requestMs ?? requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: {
      headersTimeout: options.patience?.headersMs ?? headersTimeoutMs,
      connectionsCheckingInterval: options.patience?.checkMs ?? checkConnectionsMs,
      maxHeaderSize: 16_384,
    },
    trustProxy: trustOf(options.trustedProxies),
    return503OnClosing: true,
    routerOptions: { maxParamLength, ignoreTrailingSlash: false },
    // The contract is what checks (mount.ts); the framework's own compilers would only take memory.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // Addresses that the router cannot read: no hook runs for them.
    frameworkErrors: (error, request, reply) => {
      setSecurityHeaders(request, reply.type('application/json; charset=utf-8'));
      sendError(limitAddress(request) ?? error, request, reply);
    },
    clientErrorHandler: refuseGarbage,
  });
  const registry = options.registry ?? new Registry();
  // Hooks that wait for nothing are no promises: each request would pay for all of them.
  app.addHook('onSend', (request, reply, _payload, done) => {
    setSecurityHeaders(request, reply);
    done();
  });
  answersFirst(app, answers);
  answerInTime(app);
  endConnectionsAtClose(app);
  allowCrossOrigin(app, options.corsOrigins ?? []);
  acceptBodies(app);
  app.setErrorHandler(sendError);
  app.addHook('onRequest', (request, _reply, done) => {
    const refusal = placeOf(request) === 'api' ? limitAddress(request) : null;
    done(refusal ?? undefined);
  });
  if (options.isHeld) refuseWhileHeld(app, options.isHeld);
  measure(app, registry, options.operatorToken);
  if (options.replicas) measureReplicas(registry, options.replicas);
  serveHealth(app, options.ping);
  mountAll(app, options.bindings, options, limitScale);
  if (options.uploads) takeUploads(app, options.uploads);
  if (options.acme) serveAcme(app, options.acme);
  takePolicyReports(app);
  serveApiDocs(app, options.operations);
  const sendPage = await serveWebApp(app, options.webDir, options);
  answerUnknown(app, options.operations, sendPage);
  return app;
}

function requireComplete(
  operations: readonly OperationSpec[],
  bindings: readonly Binding[],
  partial: boolean,
): void {
  const bound = bindings.map((binding) => binding.operation.id);
  const faults = {
    'without handler': partial ? [] : operations.map(({ id }) => id).filter((id) => !bound.includes(id)),
    'bound twice': bound.filter((id, index) => bound.indexOf(id) !== index),
    'not in the contract': bound.filter((id) => !operations.some((operation) => operation.id === id)),
  };
  const texts = Object.entries(faults).filter(([, ids]) => ids.length > 0);
  if (texts.length === 0) return;
  throw new Error(`operations ${texts.map(([fault, ids]) => `${fault}: ${ids.join(', ')}`).join('; ')}`);
}

function trustOf(proxies: number | readonly string[]) {
  if (typeof proxies === 'number') return (_address: string, hop: number) => hop < proxies;
  return proxies.length > 0 ? [...proxies] : false;
}

/** Bytes of whatever kind; each operation says what it takes, when it is known that its caller may send any. */
function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Counts a request for its address. Says why it is refused, or null. */
function addressLimit(scale: number): (request: Pick<FastifyRequest, 'ip'>) => AppError | null {
  if (scale === 0) return () => null;
  const limiter = createLocalLimiter();
  const limit = scaled(perAddress, scale);
  return (request) => {
    try {
      void limiter.hit(addressKey(request.ip), limit);
      return null;
    } catch (error) {
      const refusal = refusalOf('address', limit, error);
      if (refusal instanceof AppError) return refusal;
      throw refusal;
    }
  };
}

const garbageStatus: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What is not HTTP, or comes too slowly: there is no request to hang a reply on. */
function refuseGarbage(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const status = garbageStatus[error.code ?? ''] ?? 400;
  const body = JSON.stringify(bodyOf(new AppError('bad_request'), randomUUID()));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function noCompiler(): never {
  throw new Error('operations are described by their contract, not by a schema of a route');
}
