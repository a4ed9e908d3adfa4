import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError, type FieldError } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/operation.ts';
import { roleHeader } from '#contracts/permissions.ts';
import type { Binding } from '#kernel/binding.ts';
import { type Caller, type CallerDeps, identifyCaller } from './caller.ts';
import { fieldErrors } from './errors.ts';
import { parseJsonBody, requireHarmless } from './json-body.ts';
import {
  createLocalLimiter,
  limits,
  perOrganisation,
  perUser,
  type RateLimiter,
  scaled,
} from './rate-limits.ts';
import { sendResult } from './reply.ts';

export interface MountDeps extends CallerDeps {
  /** Counts the named limits where all processes see them; null: they do not apply. */
  sharedLimiter: RateLimiter | null;
}

/** Longest that reading may take, and writing: an order waits 55 s for its registrar (P1 §5). */
const readTimeoutMs = 30_000;
const writeTimeoutMs = 65_000;

/** Serves operations: verify, permit, limit, parse, handle, check the reply. */
export function mountAll(
  app: FastifyInstance,
  bindings: readonly Binding[],
  deps: MountDeps,
  limitScale: number,
): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const general = limitScale > 0 ? createLocalLimiter() : null;

  async function admit(
    operation: OperationSpec,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const caller = await identifyCaller(operation, request, deps);
    callers.set(request, caller);
    const { scope, identity } = caller;
    // What the person is now: a page that took him for something else learns it with its next request.
    if (scope) reply.header(roleHeader, scope.role);
    if (general && scope) {
      await general(`user ${scope.userId}`, scaled(perUser, limitScale));
      await general(`organisation ${scope.organisationId}`, scaled(perOrganisation, limitScale));
    }
    if (deps.sharedLimiter && operation.rate && operation.rate !== 'default') {
      const who = scope?.userId ?? (identity ? `${identity.issuer} ${identity.subject}` : request.ip);
      await deps.sharedLimiter(`${operation.rate}:${who}`, scaled(limits[operation.rate], limitScale));
    }
  }

  for (const { operation, handler } of bindings) {
    const schemas = schemasOf(operation);
    app.route({
      method: operation.method,
      url: `/api${operation.path}`,
      ...(operation.bodyLimitBytes ? { bodyLimit: operation.bodyLimitBytes } : {}),
      handlerTimeout: operation.method === 'GET' ? readTimeoutMs : writeTimeoutMs,
      config: { operation: operation.id },
      // Before the body is read: who may not call does not get to send one.
      onRequest: (request, reply) => admit(operation, request, reply),
      handler: async (request, reply) => {
        const caller = callers.get(request) ?? { scope: null, identity: null };
        const input = parse(operation, schemas, request);
        const result = await (handler as (context: unknown) => Promise<unknown>)({ ...caller, ...input });
        return sendResult(operation, result, reply);
      },
    });
  }
}

interface Schemas {
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
}

/** An operation without a body takes `{}`, as clients send it, and nothing that could be meant; so for the query. */
const nothing = z
  .object({})
  .strict()
  .transform(() => undefined);

/** Unknown fields at the top are refused: a misspelt one must not be silently without effect. */
function schemasOf(operation: OperationSpec): Schemas {
  const { params, query, body } = operation;
  // A provider's webhook may carry what it likes; its signature is what counts.
  if (operation.bodyKind === 'raw') return { params, query, body: undefined };
  return {
    params,
    query: query ? query.strict() : nothing,
    body: body instanceof z.ZodObject ? body.strict() : (body ?? nothing),
  };
}

function parse(operation: OperationSpec, schemas: Schemas, request: FastifyRequest) {
  const raw = operation.bodyKind === 'raw';
  const header = (name: string) => {
    const value = request.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  const details: FieldError[] = [];
  const body = raw ? undefined : jsonOf(request);
  requireHarmless(request.params);
  requireHarmless(request.query);
  const parsed = {
    params: parsePart(schemas.params, request.params, details),
    query: parsePart(schemas.query, request.query, details),
    body: parsePart(schemas.body, body === undefined ? {} : body, details),
  };
  if (details.length > 0) throw new AppError('validation_failed', { details });
  return {
    ...parsed,
    rawBody: raw && Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    headers: { idempotencyKey: header('idempotency-key'), get: header },
    request: { id: request.id, ip: request.ip, userAgent: header('user-agent') ?? '' },
  };
}

/** The body's JSON; undefined when there is none. An act without a body may come with the header all the same. */
function jsonOf(request: FastifyRequest): unknown {
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
  // Pages elsewhere can send forms and plain text without asking first (ASVS 3.5.2), but not JSON.
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new AppError('unsupported_media_type');
  }
  return parseJsonBody(bytes);
}

function parsePart(schema: z.ZodType | undefined, value: unknown, details: FieldError[]): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  details.push(...fieldErrors(parsed.error));
  return undefined;
}
