import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AppError, type ErrorCode, type FieldError } from '#contracts/errors.ts';
import { isConnectionLoss } from '#kernel/db/connection-loss.ts';
import { isClosedOrganisation } from '#kernel/db/open-organisation.ts';
import { HandlerTooSlow } from './in-time.ts';

/** Failures of the framework itself, in our words. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'route_not_found',
};

const maxFieldErrors = 100;

/** Every failure as `{message, code, requestId, …}` (decisions no. 2). What is not ours to tell stays in the log. */
export function sendError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const known = isLateWrite(error, request) ? cutOff(error) : appErrorOf(error);
  if (known.status >= 500) request.log.error({ err: error, code: known.code }, 'request failed');
  else request.log.info({ code: known.code }, 'request refused');
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  reply.headers(known.headers);
  if (known.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  // What the handler had begun to say about its own reply.
  reply.removeHeader('content-disposition');
  reply
    .status(known.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(bodyOf(known, request.id)));
}

/** Answered for while its handler goes on. */
function isLateWrite(error: Error, { method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && error instanceof HandlerTooSlow;
}

const cutOffText =
  'The connection was lost before this was confirmed. It may have been done: please check before you try again.';

const closedText = 'This organization is closed.';

/** A write that was cut off midway: how far it came is not known, and "please try again" would say that it did nothing. */
export function cutOff(cause: unknown): AppError {
  return new AppError('outcome_unknown', { message: cutOffText, cause });
}

/** The error as the caller sees it. */
export function bodyOf(error: AppError, requestId: string) {
  return {
    message: error.message,
    code: error.code,
    requestId,
    ...(error.error === undefined ? {} : { error: error.error }),
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.data === undefined ? {} : { data: error.data }),
  };
}

/** Any failure as the one that is told. */
export function appErrorOf(error: FastifyError | Error): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HandlerTooSlow) return new AppError('unavailable', { cause: error });
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const framework = frameworkCodes[code];
  if (framework) return new AppError(framework, { cause: error });
  // The database is away, starting or full: the same request may well succeed in a moment.
  if (isConnectionLoss(error)) return new AppError('unavailable', { cause: error, retryAfterSeconds: 5 });
  // Closed in the same moment: a person's next request is told that they have no profile.
  if (isClosedOrganisation(error)) return new AppError('forbidden', { message: closedText, cause: error });
  // Only the framework's own complaints about a request count as the caller's fault.
  if (code.startsWith('FST_') && 'statusCode' in error && isRefusal(error.statusCode)) {
    return new AppError('bad_request', { cause: error });
  }
  return new AppError('internal', { cause: error });
}

function isRefusal(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500;
}

/** What a schema complained about, as complaints about fields. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.flatMap((issue) => complaintsOf(issue, [])).slice(0, maxFieldErrors);
}

function complaintsOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): FieldError[] {
  const path = [...above, ...issue.path];
  const dotted = (parts: readonly PropertyKey[]) => parts.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: dotted([...path, key]), message: 'This field is not known' }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // The alternative that was most likely meant: the one with the fewest complaints.
    const [nearest] = [...issue.errors].sort((a, b) => a.length - b.length);
    if (nearest?.length) return nearest.flatMap((inner) => complaintsOf(inner, path));
  }
  return [{ path: dotted(path), message: issue.message }];
}
