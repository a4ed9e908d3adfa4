/** The body of `error` in a reply, as the provider words it (reference §2.1, checked 2026-11-21). */
export interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  charge?: string;
  payment_intent?: unknown;
  setup_intent?: unknown;
  payment_method?: unknown;
  payment_method_type?: string;
  doc_url?: string;
}

/**
 * A refusal in the provider's shape. `kept` says whether an idempotency key remembers it: the provider forgets
 * refusals that happened before the endpoint began its work (bad parameters, wrong key, too many requests).
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: ErrorBody;
  readonly kept: boolean;
  readonly headers: Record<string, string>;

  constructor(status: number, body: ErrorBody, kept = true, headers: Record<string, string> = {}) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.kept = kept;
    this.headers = headers;
  }
}

/** A parameter that does not validate: answered before any work, so no key remembers it. */
export function invalidParam(param: string, message: string, code?: string): ApiError {
  return new ApiError(
    400,
    { type: 'invalid_request_error', message, param, ...(code ? { code } : {}) },
    false,
  );
}

export function missingParam(param: string): ApiError {
  return invalidParam(param, `Missing required param: ${param}.`, 'parameter_missing');
}

/** The object exists, but its state forbids the call. */
export function wrongState(message: string, code?: string, extra: Partial<ErrorBody> = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', message, ...(code ? { code } : {}), ...extra });
}

export function noSuch(kind: string, id: string, param = 'id', status = 404): ApiError {
  const noun = NOUNS[kind] ?? kind;
  return new ApiError(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${noun}: '${id}'`,
  });
}

const NOUNS: Record<string, string> = {
  payment_method: 'PaymentMethod',
  'checkout.session': 'checkout.session',
};
