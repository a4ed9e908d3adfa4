import type { AppError, FieldError } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/operation.ts';
import { FileReply } from '#kernel/binding.ts';
import { isConnectionLoss } from '#kernel/db/connection-loss.ts';
import { hashOf } from '#kernel/ids.ts';
import type { RequestKeys } from '#kernel/request-keys.ts';
import type { Caller } from './caller.ts';
import { appErrorOf, bodyOf, cutOff } from './errors.ts';
import { jsonOf, Replayed } from './reply.ts';

/** Every operation that changes something takes an Idempotency-Key; a provider's webhook has its own way. */
export function takesKey(operation: OperationSpec): boolean {
  return operation.method !== 'GET' && operation.bodyKind !== 'raw' && operation.access !== 'webhook';
}

/** Printable ASCII without spaces. */
const form = /^[\x21-\x7e]{8,200}$/;

export function keyFaults(operation: OperationSpec, key: string | null): FieldError[] {
  if (key === null || !takesKey(operation) || form.test(key)) return [];
  const message = 'An Idempotency-Key has 8 to 200 characters: letters, digits and signs, without spaces.';
  return [{ path: 'Idempotency-Key', message }];
}

interface Asked {
  caller: Caller;
  key: string;
  params: unknown;
  query: unknown;
  body: unknown;
  requestId: string;
  warn: (error: unknown, text: string) => void;
}

/**
 * Does `work` once for each key and keeps its answer. What failed in a way that certainly changed nothing may be sent
 * again under the same key; after a failure that leaves it open a repeat gets that failure, and never a second effect.
 */
export async function oncePerKey(
  keys: RequestKeys,
  operation: OperationSpec,
  asked: Asked,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const begun = await keys.begin({
    organisationId: asked.caller.scope?.organisationId ?? null,
    caller: callerOf(asked),
    operation: operation.id,
    key: asked.key,
    contents: { ...rightsOf(asked.caller), params: asked.params, query: asked.query, body: asked.body },
  });
  if ('kept' in begun) return new Replayed(begun.kept);
  let result: unknown;
  try {
    result = await work();
  } catch (error) {
    await afterFailure(keys, begun.id, error, asked.requestId).catch((failure: unknown) => {
      asked.warn(failure, 'what became of a request could not be kept');
    });
    throw error;
  }
  try {
    if (result instanceof FileReply) await keys.free(begun.id);
    else await keys.keep(begun.id, { status: 200, body: jsonOf(operation, result) });
  } catch (error) {
    // The request was carried out, and its caller gets the reply. A repeat learns only that the reply is unknown.
    asked.warn(error, 'a reply could not be kept');
  }
  return result;
}

async function afterFailure(keys: RequestKeys, id: string, error: unknown, requestId: string): Promise<void> {
  // How far it came is not known, and nothing can be written down now.
  if (isCutOff(error)) return;
  const known = appErrorOf(error instanceof Error ? error : new Error(String(error)));
  if (changedNothing(known)) return keys.free(id);
  return keys.keep(id, { status: known.status, body: JSON.stringify(bodyOf(known, requestId)) });
}

/** A write that loses the database midway may have taken effect. Before it begins nothing has: that loss is another matter. */
export async function toldHonestly<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isConnectionLoss(error) ? cutOff(error) : error;
  }
}

const isCutOff = (error: unknown) => error instanceof Error && isConnectionLoss(error.cause);

const refusedBefore = ['upstream_unavailable', 'unavailable'];

function changedNothing(error: AppError): boolean {
  return error.status < 500 || refusedBefore.includes(error.code);
}

/** Where nobody is known, what is asked about (a link's secret) tells one caller from another. */
function callerOf({ caller: { scope, identity, operator }, params }: Asked): string {
  if (scope) return `user:${scope.userId}`;
  if (operator) return `operator:${operator.id ?? operator.name}`;
  if (identity) return `identity:${hashOf([identity.issuer, identity.subject])}`;
  return `nobody:${hashOf(params ?? null)}`;
}

/** A caller whose access has changed in the meantime does not get the earlier reply. */
function rightsOf({ scope }: Caller): object {
  if (!scope) return {};
  const { organisationId, role, reach, rights } = scope;
  return { organisationId, role, reach, rights };
}
