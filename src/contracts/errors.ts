import { waitText } from './values/rates.ts';

/**
 * Every error the API can answer with: status, public text, and whether the same request may be sent again.
 * Services throw `AppError(code)`; nothing else decides a status.
 */
export const errorTable = {
  bad_request: { status: 400, message: 'The request could not be understood.', retry: false },
  validation_failed: { status: 400, message: 'Please check the marked fields.', retry: false },
  unauthenticated: { status: 401, message: 'Please sign in.', retry: false },
  no_profile: { status: 403, message: 'Please complete your profile first.', retry: false },
  // P2 §2, to the letter.
  initial_fee_unpaid: {
    status: 402,
    message: 'You need to top up your balance to fully activate your account',
    retry: false,
  },
  fresh_sign_in_required: { status: 403, message: 'Please sign in again to continue.', retry: false },
  forbidden: { status: 403, message: 'You are not allowed to do this.', retry: false },
  not_found: { status: 404, message: 'This could not be found.', retry: false },
  route_not_found: { status: 404, message: 'There is nothing at this address.', retry: false },
  method_not_allowed: { status: 405, message: 'This address does not accept that method.', retry: false },
  conflict: { status: 409, message: 'Someone else changed this in the meantime.', retry: false },
  already_exists: { status: 409, message: 'This already exists.', retry: false },
  user_already_exists: { status: 409, message: 'user already exists', retry: false },
  idempotency_key_reused: {
    status: 409,
    message: 'This request key was already used with different contents.',
    retry: false,
  },
  in_progress: { status: 409, message: 'The same request is still being processed.', retry: true },
  request_cut_off: {
    status: 409,
    message:
      'An earlier request with this key was interrupted before it finished. Please check what it changed, then use a new key.',
    retry: false,
  },
  price_changed: { status: 409, message: 'Prices have changed. Please check the new prices.', retry: false },
  zone_changed: {
    status: 409,
    message: 'Someone changed the zone in the meantime. Please compare both versions and choose one.',
    retry: false,
  },
  signed_domain: {
    status: 409,
    message:
      'This domain is signed with DNSSEC: its website and mail stop working when its nameservers change. Remove DNSSEC first, or confirm the change.',
    retry: false,
  },
  has_active_domains: { status: 409, message: "Can't delete customers with active domains", retry: false },
  // The message that is sent names what keeps it open.
  organization_in_use: { status: 409, message: 'This organization cannot be closed yet.', retry: false },
  // P1 §5 and §8, to the letter.
  insufficient_funds: {
    status: 402,
    message: "You don't have enough funds to process this cart, please topup your account",
    retry: false,
  },
  daily_limit: { status: 403, message: 'This would exceed your daily purchase limit.', retry: false },
  payload_too_large: { status: 413, message: 'The request is too large.', retry: false },
  unsupported_media_type: { status: 415, message: 'Please send JSON.', retry: false },
  unprocessable: { status: 422, message: 'This cannot be done.', retry: false },
  // Fit for a customer: it names no sum of the operator's.
  registrar_unfunded: {
    status: 422,
    message:
      'The portal cannot place this order at the moment because the balance of its own account at the registrar is too low. You were not charged. We have notified the operator. Please try again later.',
    retry: false,
  },
  registrar_refused: { status: 422, message: 'The registrar refused the request.', retry: false },
  rate_limited: { status: 429, message: 'Too many requests. Please wait a moment.', retry: true },
  internal: { status: 500, message: 'Something went wrong', retry: true },
  upstream_unavailable: {
    status: 502,
    message: 'The registrar does not answer at the moment. Please try again.',
    retry: true,
  },
  outcome_unknown: {
    status: 502,
    message: 'The registrar did not confirm the change. The current state is shown; please check it.',
    retry: false,
  },
  payment_failed: { status: 402, message: 'The payment could not be started.', retry: true },
  unavailable: {
    status: 503,
    message: 'The service is starting or overloaded. Please try again.',
    retry: true,
  },
} as const satisfies Record<string, { status: number; message: string; retry: boolean }>;

export type ErrorCode = keyof typeof errorTable;

/** One complaint about one field; `path` is dotted, e.g. `contacts.owner.phone`. */
export interface FieldError {
  path: string;
  message: string;
}

export interface AppErrorOptions {
  /** Public text; the table's when absent. */
  message?: string;
  /** Short technical text for callers (P1 and P2 show one for CSV). */
  error?: string;
  details?: FieldError[];
  /** Further public facts beside the message, e.g. old and new prices. */
  data?: unknown;
  cause?: unknown;
  retryAfterSeconds?: number;
  /** Fields of the reply that go with it. */
  headers?: Readonly<Record<string, string | number>>;
}

/** What is refused for its number says when it may be tried again. */
function textOf(code: ErrorCode, { retryAfterSeconds }: AppErrorOptions): string {
  if (code !== 'rate_limited' || retryAfterSeconds === undefined) return errorTable[code].message;
  return `Too many requests. Please try again in ${waitText(retryAfterSeconds)}.`;
}

/** The only error that services throw on purpose. Its message is fit to show to a person. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly error: string | undefined;
  readonly details: FieldError[] | undefined;
  readonly data: unknown;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string | number>>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? textOf(code, options), { cause: options.cause });
    this.code = code;
    this.error = options.error;
    this.details = options.details;
    this.data = options.data;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}
