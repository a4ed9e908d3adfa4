import type { ListQuery } from '../database.ts';
import { ApiError, invalidParam } from '../errors.ts';
import type { Params } from '../form.ts';
import type { World } from '../world.ts';

export interface Call {
  world: World;
  /** '' for the platform, else the connected account of the `Stripe-Account` header. */
  account: string;
  params: Params;
  path: Record<string, string>;
  /** Asked with the browser's key: only what a client secret opens. */
  publishable: boolean;
}

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** `/v1/customers/:id` */
  pattern: string;
  /** May be called with the publishable key. */
  publishable?: true;
  handle(call: Call): unknown;
}

export function pathParam(call: Call, name: string): string {
  return call.path[name] ?? '';
}

export function createdRange(params: Params): NonNullable<ListQuery['created']> {
  const value = params.values.created;
  if (value === undefined || value === '') return {};
  if (typeof value === 'string') {
    const exact = params.integer('created') ?? 0;
    return { gte: exact, lte: exact };
  }
  const range = params.object('created');
  const out: NonNullable<ListQuery['created']> = {};
  for (const name of ['gt', 'gte', 'lt', 'lte'] as const) {
    const bound = range?.integer(name);
    if (bound !== null && bound !== undefined) out[name] = bound;
  }
  return out;
}

export const PAGE_PARAMS = ['limit', 'starting_after', 'ending_before', 'created', 'expand'] as const;

/** How a list asks for its page; `filters` are fields compared as they are. */
export function pageQuery(params: Params, filters: readonly string[] = []): ListQuery {
  params.only([...PAGE_PARAMS, ...filters]);
  const where: Record<string, string> = {};
  for (const name of filters) {
    const value = params.string(name);
    if (value !== null) where[name] = value;
  }
  return {
    limit: pageLimit(params),
    startingAfter: params.string('starting_after'),
    endingBefore: params.string('ending_before'),
    created: createdRange(params),
    where,
  };
}

export function pageLimit(params: Params): number {
  const limit = params.integer('limit') ?? 10;
  if (limit < 1 || limit > 100) {
    throw invalidParam('limit', 'Invalid limit: must be between 1 and 100', 'parameter_invalid_integer');
  }
  return limit;
}

export function page<T>(url: string, found: { data: T[]; hasMore: boolean }) {
  return { object: 'list' as const, url, has_more: found.hasMore, data: found.data };
}

/** What the browser may see and do is what the client secret proves. */
export function checkClientSecret(call: Call, secret: string | null): void {
  if (!call.publishable) return;
  const given = call.params.string('client_secret');
  if (given !== null && given === secret) return;
  throw new ApiError(
    401,
    {
      type: 'invalid_request_error',
      param: 'client_secret',
      message: 'The client_secret provided does not match any associated intent on this account.',
    },
    false,
  );
}
