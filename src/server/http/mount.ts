import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/operation.ts';
import type { Permission } from '#contracts/permissions.ts';
import { type Binding, FileReply, Paged } from '#kernel/binding.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import type { IdentityProvider, VerifiedIdentity } from '../ports/identity.ts';
import { fieldErrors } from './errors.ts';
import { limits, type RateLimiter } from './rate-limits.ts';

/** Role and organisation of a verified identity, from the database, on each request. null: no profile. */
export type LoadScope = (
  identity: VerifiedIdentity,
  request: { id: string; ip: string },
) => Promise<Scope | null>;

export interface MountDeps {
  identity: IdentityProvider;
  loadScope: LoadScope;
  sharedLimiter: RateLimiter | null;
  operatorToken: string;
  /** A sign-in older than this does not count as fresh. */
  freshSignInSeconds: number;
}

const open = ['public', 'signature', 'webhook'];
const maxDepth = 20;

/** Serves one operation: verify, permit, limit, parse, handle, check the reply. */
export function mount(app: FastifyInstance, binding: Binding, deps: MountDeps): void {
  const { operation } = binding;
  const handler = binding.handler as (context: unknown) => Promise<unknown>;
  app.route({
    method: operation.method,
    url: `/api${operation.path}`,
    ...(operation.bodyLimitBytes ? { bodyLimit: operation.bodyLimitBytes } : {}),
    config: { operation: operation.id, raw: operation.bodyKind === 'raw' },
    handler: async (request, reply) => {
      const caller = await authenticate(operation, request, deps);
      if (operation.rate && operation.rate !== 'default' && deps.sharedLimiter) {
        const who = caller.scope?.userId ?? caller.identity?.subject ?? request.ip;
        await deps.sharedLimiter(`${operation.rate}:${who}`, limits[operation.rate]);
      }
      const result = await handler({ ...caller, ...parse(operation, request) });
      return send(operation, result, reply);
    },
  });
}

interface Caller {
  scope: Scope | null;
  identity: VerifiedIdentity | null;
}

async function authenticate(
  operation: OperationSpec,
  request: FastifyRequest,
  deps: MountDeps,
): Promise<Caller> {
  if (open.includes(operation.access)) return { scope: null, identity: null };
  const token = bearer(request);
  if (operation.access === 'operator') {
    if (deps.operatorToken === '' || token !== deps.operatorToken) throw new AppError('unauthenticated');
    return { scope: null, identity: null };
  }
  const identity = await deps.identity.verify(token).catch((error: unknown) => {
    throw new AppError('unauthenticated', { cause: error });
  });
  if (operation.access === 'identity') return { scope: null, identity };
  const scope = await deps.loadScope(identity, { id: request.id, ip: request.ip });
  if (!scope) throw new AppError('no_profile');
  requirePermission(scope, operation.access as Permission);
  if (operation.freshSignIn) requireFresh(identity, deps.freshSignInSeconds);
  return { scope, identity };
}

function bearer(request: FastifyRequest): string {
  const match = /^Bearer ([\w.~+/=-]+)$/.exec(request.headers.authorization ?? '');
  if (!match?.[1]) throw new AppError('unauthenticated');
  return match[1];
}

function requireFresh(identity: VerifiedIdentity, seconds: number): void {
  const age = Date.now() / 1000 - (identity.authenticatedAt ?? 0);
  if (age > seconds) throw new AppError('fresh_sign_in_required');
}

function parse(operation: OperationSpec, request: FastifyRequest) {
  const raw = operation.bodyKind === 'raw';
  if (!raw && request.body !== undefined) requireShallow(request.body);
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    params: parsePart(operation.params, request.params),
    query: parsePart(operation.query?.strict(), request.query),
    body: raw ? undefined : parsePart(strictly(operation.body), request.body ?? {}),
    rawBody: raw && Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    headers: { idempotencyKey: header('idempotency-key'), get: header },
    request: { id: request.id, ip: request.ip, userAgent: header('user-agent') ?? '' },
  };
}

/** Unknown fields at the top are refused: a misspelt one must not be silently without effect. */
function strictly(schema: z.ZodType | undefined): z.ZodType | undefined {
  return schema && 'strict' in schema && typeof schema.strict === 'function'
    ? (schema.strict() as z.ZodType)
    : schema;
}

function parsePart(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('validation_failed', { details: fieldErrors(parsed.error) });
}

function requireShallow(value: unknown, depth = 0): void {
  if (depth > maxDepth) throw new AppError('bad_request', { message: 'The request is nested too deeply.' });
  if (value === null || typeof value !== 'object') return;
  for (const inner of Object.values(value)) requireShallow(inner, depth + 1);
}

function send(operation: OperationSpec, result: unknown, reply: FastifyReply): unknown {
  if (result instanceof FileReply) {
    reply.header('content-type', result.contentType);
    if (result.fileName) {
      const name = result.fileName.replace(/[^\w.-]/g, '_');
      reply.header('content-disposition', `attachment; filename="${name}"`);
    }
    return reply.send(result.content);
  }
  const [data, meta] = result instanceof Paged ? [result.rows, result.meta] : [result, null];
  const checked = operation.reply.safeParse(data);
  if (!checked.success) {
    throw new Error(
      `reply of ${operation.id} does not fit its contract: ${JSON.stringify(fieldErrors(checked.error))}`,
    );
  }
  return meta ? { data: checked.data, meta } : { data: checked.data };
}
