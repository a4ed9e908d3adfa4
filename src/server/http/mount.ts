import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError, type FieldError } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/operation.ts';
import { roleHeader } from '#contracts/permissions.ts';
import { unknownKeySteps } from '#contracts/unknown-keys.ts';
import { answeredWithinMs } from '#contracts/values/answer-times.ts';
import { type Rate, rates } from '#contracts/values/rates.ts';
import type { Binding } from '#kernel/binding.ts';
import type { Replicas } from '#kernel/db/replicas.ts';
import { slices } from '#kernel/give-way.ts';
import type { Operator } from '#kernel/operator.ts';
import type { RequestKeys } from '#kernel/request-keys.ts';
import { type Caller, type CallerDeps, freshFor, identifyCaller, requireFreshSignIn } from './caller.ts';
import { fieldErrors } from './errors.ts';
import { parseJsonBody, requireHarmless } from './json-body.ts';
import { keyFaults, oncePerKey, takesKey, toldHonestly } from './once.ts';
import { positioned } from './position.ts';
import {
  count,
  createLocalLimiter,
  isRefusedInput,
  perOrganisation,
  perUser,
  type RateLimiter,
  rateFields,
  scaled,
} from './rate-limits.ts';
import { sendResult } from './reply.ts';

export interface MountDeps extends CallerDeps {
  /** Keeps replies for repeats; absent in tests of a part. */
  requestKeys?: RequestKeys;
  /** Answer what operations read that may be read there; absent: there are none. */
  replicas?: Replicas;
  /** Counts the named limits where all processes see them; null: they do not apply. */
  sharedLimiter: RateLimiter | null;
  /** Writes down what an operator does, before it is done and when it has ended. */
  recordAct: <T>(
    operator: Operator,
    what: { operation: string; input: unknown },
    act: () => Promise<T>,
  ) => Promise<T>;
}

/** Serves operations: verify, permit, parse, limit, handle, check the reply. */
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
    const { scope } = caller;
    // What the person is now: a page with outdated knowledge learns it with its next request.
    if (scope) reply.header(roleHeader, scope.role);
    if (general && scope) {
      await count(general, 'user', scaled(perUser, limitScale), `user ${scope.userId}`);
      const organisation = `organisation ${scope.organisationId}`;
      await count(general, 'organisation', scaled(perOrganisation, limitScale), organisation);
    }
  }

  /** Counts for the operation's own limit, once the input is known to be good. */
  async function limited<T>(
    operation: OperationSpec,
    { scope, identity }: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
    act: () => Promise<T>,
  ): Promise<T> {
    const limiter = deps.sharedLimiter;
    if (!limiter || !operation.rate) return act();
    const rate: Rate = scaled(rates[operation.rate], limitScale);
    const person = scope?.userId ?? (identity ? `${identity.issuer} ${identity.subject}` : request.ip);
    const thing = `${scope?.organisationId ?? person} ${Object.values(request.params as object).join(' ')}`;
    const key = `${operation.rate}:${rate.per === 'thing' ? thing : person}`;
    reply.headers(rateFields(operation.rate, rate, await count(limiter, operation.rate, rate, key)));
    try {
      return await act();
    } catch (error) {
      if (isRefusedInput(error)) await limiter.giveBack(key, rate);
      throw error;
    }
  }

  /** Each act of an operator is written down by its name, whatever the operation: none can be forgotten. */
  function byOperator<T>(
    operation: OperationSpec,
    operator: Operator,
    { params, body }: { params: unknown; body: unknown },
    act: () => Promise<T>,
  ): Promise<T> {
    if (operation.method === 'GET') return act();
    const input = { ...(params as object | undefined), ...(body as object | undefined) };
    return deps.recordAct(operator, { operation: operation.id, input }, act);
  }

  /** With a key each request takes effect once. Some operations see to it themselves, in the transaction of what they do. */
  function guarded(
    operation: OperationSpec,
    caller: Caller,
    request: FastifyRequest,
    { params, query, body, headers }: Awaited<ReturnType<typeof parse>>,
    handle: () => Promise<unknown>,
  ): () => Promise<unknown> {
    const { requestKeys } = deps;
    const key = headers.idempotencyKey;
    if (!requestKeys || key === null || operation.idempotent || !takesKey(operation)) return handle;
    const warn = (error: unknown, text: string) => request.log.warn({ err: error }, text);
    const asked = { caller, key, params, query, body, requestId: request.id, warn };
    return () => oncePerKey(requestKeys, operation, asked, handle);
  }

  for (const { operation, handler } of bindings) {
    const schemas = schemasOf(operation);
    app.route({
      method: operation.method,
      url: `/api${operation.path}`,
      ...(operation.bodyLimitBytes ? { bodyLimit: operation.bodyLimitBytes } : {}),
      config: {
        operation: operation.id,
        limitMs: answeredWithinMs[operation.method === 'GET' ? 'read' : 'write'],
        ...(operation.access === 'webhook' ? { place: 'webhook' as const } : {}),
      },
      // Before the body is read: who may not call does not get to send one.
      onRequest: (request, reply) => admit(operation, request, reply),
      handler: async (request, reply) => {
        const caller = callers.get(request) ?? { scope: null, identity: null, operator: null };
        const input = await parse(operation, schemas, request);
        const freshness = {
          requireFreshSignIn: () => requireFreshSignIn(caller, deps.clock),
          freshForSeconds: () => freshFor(caller, deps.clock),
        };
        const context: unknown = { ...caller, ...input, ...freshness };
        const handle = () => (handler as (context: unknown) => Promise<unknown>)(context);
        const recorded = () =>
          caller.operator ? byOperator(operation, caller.operator, input, handle) : handle();
        const told = operation.method === 'GET' ? recorded : () => toldHonestly(recorded);
        const act = guarded(operation, caller, request, input, told);
        const answer = () => limited(operation, caller, request, reply, act);
        const send = (result: unknown) => sendResult(operation, result, reply);
        return positioned(deps.replicas, { operation, caller, request, reply }, answer, send);
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

const maxUnknown = 100;

/** Unknown fields are refused, in bodies at any depth: a misspelt one must not be silently without effect. */
function schemasOf(operation: OperationSpec): Schemas {
  const { params, query, body } = operation;
  // A provider's webhook may carry what it likes; its signature is what counts.
  if (operation.bodyKind === 'raw') return { params, query, body: undefined };
  return {
    params,
    query: query ? query.strict() : nothing,
    body: body ?? nothing,
  };
}

async function parse(operation: OperationSpec, schemas: Schemas, request: FastifyRequest) {
  const raw = operation.bodyKind === 'raw';
  const header = (name: string) => {
    const value = request.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  const details: FieldError[] = [];
  const body = raw ? undefined : await jsonOf(request);
  requireHarmless(request.params);
  requireHarmless(request.query);
  const parsed = {
    params: parsePart(schemas.params, request.params, details),
    query: parsePart(schemas.query, request.query, details),
    body: parsePart(schemas.body, body === undefined ? {} : body, details),
  };
  details.push(...keyFaults(operation, header('idempotency-key')));
  if (operation.body && !raw) details.push(...(await unknownFields(operation.body, body)));
  if (details.length > 0) throw new AppError('validation_failed', { details });
  return {
    ...parsed,
    rawBody: raw && Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    headers: { idempotencyKey: header('idempotency-key'), get: header },
    request: { id: request.id, ip: request.ip, userAgent: header('user-agent') ?? '' },
  };
}

async function unknownFields(schema: z.ZodType, body: unknown): Promise<FieldError[]> {
  const paths: string[] = [];
  const giveWay = slices();
  for (const path of unknownKeySteps(schema, body)) {
    if (path !== null && paths.push(path) >= maxUnknown) break;
    const wait = giveWay();
    if (wait !== undefined) await wait;
  }
  return paths.map((path) => ({ path, message: 'This field is not known' }));
}

/** The body's JSON; undefined when there is none. An act without a body may come with the header all the same. */
async function jsonOf(request: FastifyRequest): Promise<unknown> {
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
