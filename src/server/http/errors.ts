import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { FieldError } from '#contracts/errors.ts';
import { AppError, type ErrorCode } from '#contracts/errors.ts';

/** Failures of the framework itself, in our words. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'bad_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'bad_request',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_BAD_URL: 'bad_request',
};

/** Every failure as `{message, code, requestId, …}` (decisions no. 2). What is not ours to tell stays in the log. */
export function sendError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error);
  if (known.status >= 500) request.log.error({ err: error, code: known.code }, 'request failed');
  else request.log.info({ code: known.code, message: known.message }, 'request refused');
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  if (known.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  reply.status(known.status).send({
    message: known.message,
    code: known.code,
    requestId: request.id,
    ...(known.error === undefined ? {} : { error: known.error }),
    ...(known.details === undefined ? {} : { details: known.details }),
    ...(known.data === undefined ? {} : { data: known.data }),
  });
}

function toAppError(error: FastifyError | Error): AppError {
  if (error instanceof AppError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? frameworkCodes[error.code] : undefined;
  if (code) return new AppError(code, { cause: error });
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new AppError('bad_request', { cause: error });
  return new AppError('internal', { cause: error });
}

/** What a schema complained about, as complaints about fields. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.slice(0, 100).map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
}
