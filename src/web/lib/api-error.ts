import type { ErrorCode, FieldError } from '#contracts/errors.ts';

/**
 * `offline`: there was no network, or no token to be had, so nothing was sent; `network`: no answer came; `timeout`: none came
 * in time; `unknown`: an answer that is not the API's.
 */
export type ApiErrorCode = ErrorCode | 'offline' | 'network' | 'timeout' | 'unknown';

interface ApiErrorParts {
  code: ApiErrorCode;
  status: number;
  requestId?: string | undefined;
  /** Short technical text. */
  error?: string | undefined;
  details?: FieldError[] | undefined;
  data?: unknown;
  retryAfterSeconds?: number | undefined;
}

/** A failed call. Its message is fit to show to a person (P1 §8). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly error: string | undefined;
  readonly details: readonly FieldError[];
  readonly data: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, parts: ApiErrorParts) {
    super(message);
    this.code = parts.code;
    this.status = parts.status;
    this.requestId = parts.requestId;
    this.error = parts.error;
    this.details = parts.details ?? [];
    this.data = parts.data;
    this.retryAfterSeconds = parts.retryAfterSeconds;
  }

  /** Whether the same request may be sent again as it is. */
  get retryable(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503;
  }
}

/**
 * An answer that says for certain that nothing was done: the next try is another request. Silence says nothing, nor does a
 * fault of the server, and `in_progress` says that the first try may still come true.
 */
export function isRefusal(error: Error): boolean {
  return error instanceof ApiError && error.status > 0 && error.status < 500 && error.code !== 'in_progress';
}

/** What an answer says is wrong with a field of what was sent. */
export function faultAt(error: Error | null, path: string): string | undefined {
  return error instanceof ApiError
    ? error.details.find((detail) => detail.path === path)?.message
    : undefined;
}

/**
 * What an answer says is wrong, by field of a form. Without `fieldOf` the first part of a path names the field: all entries of a
 * list stand in one. Null: the form has no such field.
 */
export function faultsByField(
  error: Error,
  fieldOf: (path: string) => string | null = (path) => path.replace(/\..*/, ''),
): Record<string, string> {
  const details = error instanceof ApiError ? error.details : [];
  const named = details.map(({ path, message }) => [fieldOf(path), message] as const);
  return Object.fromEntries(named.filter(([field]) => field !== null));
}

/** What an answer says is wrong with what is no field of the form: the form says it below. */
export function faultsOfNoField(error: Error, fieldOf: (path: string) => string | null): string[] {
  const details = error instanceof ApiError ? error.details : [];
  return details.filter(({ path }) => fieldOf(path) === null).map(({ message }) => message);
}

/** Design, security: whether the act asks for a sign-in of the last 15 minutes. */
export function needsFreshSignIn(error: Error | null): boolean {
  return error instanceof ApiError && error.code === 'fresh_sign_in_required';
}

/** P1 §8: what is said when the server says nothing. */
export const somethingWentWrong = 'Something went wrong';

/** A reply that is no success, as an error: the server's message, else the status text, else the last resort. */
export async function errorFromResponse(response: Response): Promise<ApiError> {
  const body = await readObject(response);
  const text = (name: string) =>
    typeof body[name] === 'string' && body[name] !== '' ? body[name] : undefined;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(text('message') ?? (response.statusText.trim() || somethingWentWrong), {
    code: (text('code') as ErrorCode | undefined) ?? 'unknown',
    status: response.status,
    requestId: text('requestId') ?? response.headers.get('x-request-id') ?? undefined,
    error: text('error'),
    details: Array.isArray(body.details) ? body.details.filter(isFieldError) : undefined,
    data: body.data,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/** What is said when there is no network. */
export const offlineText = 'You are offline. Please try again when you are connected.';

/** What is said of a write that was sent and got no answer in time: it may be done, or be done yet. */
const notConfirmedText =
  'No answer came in time, so the change is not confirmed. Please look again before you repeat it.';

/** A call that got no reply at all. `offline`: the browser had no network when the call began. */
export function errorWithoutResponse(
  cause: unknown,
  { offline = false, isWrite = false }: { offline?: boolean; isWrite?: boolean } = {},
): ApiError {
  if (offline) return new ApiError(offlineText, { code: 'offline', status: 0 });
  const timedOut = cause instanceof DOMException && cause.name === 'TimeoutError';
  const message = timedOut && isWrite ? notConfirmedText : somethingWentWrong;
  return new ApiError(message, { code: timedOut ? 'timeout' : 'network', status: 0 });
}

/** A call that was not made: the token has ended, and the provider gave no other one. */
export function errorWithoutToken(offline: boolean): ApiError {
  const lapsed = 'Your sign-in could not be renewed. Please try again, or sign in again.';
  return new ApiError(offline ? offlineText : lapsed, { code: 'offline', status: 0 });
}

/** The end of a removal: what somebody else has removed meanwhile, or an earlier press whose answer was lost, is gone as was wanted. */
export async function unlessGone<T>(removal: Promise<T>): Promise<T | undefined> {
  try {
    return await removal;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** What to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : somethingWentWrong;
}

async function readObject(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isFieldError(value: unknown): value is FieldError {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as FieldError).path === 'string' &&
    typeof (value as FieldError).message === 'string'
  );
}
