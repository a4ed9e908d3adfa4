import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from './errors.ts';
import { API_VERSION } from './world.ts';

const BODY_LIMIT = 1_048_576;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) {
      throw new ApiError(413, { type: 'invalid_request_error', message: 'Request body too large' }, false);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The API is called from the portal's pages too, with a publishable key and no cookies. */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE, OPTIONS');
  response.setHeader(
    'access-control-allow-headers',
    'authorization, content-type, idempotency-key, stripe-account, stripe-version',
  );
  response.setHeader('access-control-expose-headers', 'request-id');
  response.setHeader('access-control-max-age', '300');
}

export interface JsonReply {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

export function sendJson(response: ServerResponse, requestId: string, reply: JsonReply): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, no-store',
    'request-id': requestId,
    'stripe-version': API_VERSION,
    ...reply.headers,
  });
  response.end(reply.body);
}

export function errorReply(error: ApiError, requestId: string): JsonReply {
  const body = { ...error.body, request_log_url: `https://dashboard.stripe.com/test/logs/${requestId}` };
  return { status: error.status, body: JSON.stringify({ error: body }, null, 2), headers: error.headers };
}

/** `Bearer sk_…`, or `Basic` with the key as the name; the browser sends its key as a parameter. */
export function keyOf(request: IncomingMessage, param: string | null): string | null {
  const header = request.headers.authorization ?? '';
  const [scheme = '', value = ''] = header.split(' ');
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() === 'basic') {
    return Buffer.from(value, 'base64').toString('utf8').split(':')[0] ?? null;
  }
  return param;
}

/** `/v1/customers/:id` against a path: the values by name, or null. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const want = pattern.split('/');
  const have = path.split('/');
  if (want.length !== have.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of want.entries()) {
    const given = have[index] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = decodeSafely(given);
    else if (part !== given) return null;
  }
  return found;
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
