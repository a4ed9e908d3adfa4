import type { IncomingMessage, ServerResponse } from 'node:http';
import { inTransaction, newId } from './database.ts';
import { ApiError } from './errors.ts';
import { expand } from './expand.ts';
import { fromJson, isRecord, Params, parseForm, type Value } from './form.ts';
import { allowAnyOrigin, errorReply, type JsonReply, keyOf, matchPath, readBody, sendJson } from './http.ts';
import { checkKey, fingerprintOf, type IdempotencyKeys } from './idempotency.ts';
import { type NextFault, takeFault } from './next-faults.ts';
import { requireAccount } from './objects/accounts.ts';
import type { Call, Route } from './routes/route.ts';
import type { World } from './world.ts';

/** How long a call that "times out" is left open, unless the caller goes first. */
const HANG_MS = 120_000;
const SLOW_MS = 3000;

interface Request {
  id: string;
  method: string;
  path: string;
  values: { [name: string]: Value };
  body: string;
  idempotencyKey: string | null;
}

/** The REST API: `/v1/…` with form bodies and `/v2/…` with JSON. */
export function apiHandler(world: World, routes: Route[], keys: IdempotencyKeys) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = newId('req', 14);
    allowAnyOrigin(response);
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    try {
      const asked = await readRequest(request, id);
      await serve(world, routes, keys, request, response, asked);
    } catch (error) {
      if (!(error instanceof ApiError)) console.error('payments stand-in failed', error);
      sendJson(response, id, errorReply(error instanceof ApiError ? error : internal(), id));
    }
  };
}

async function readRequest(request: IncomingMessage, id: string): Promise<Request> {
  const url = new URL(request.url ?? '/', 'http://stand-in');
  const method = request.method ?? 'GET';
  const body = await readBody(request);
  const values = { ...parseForm(url.search.slice(1)), ...bodyValues(request, body) };
  const idempotencyKey = request.headers['idempotency-key'];
  return {
    id,
    method,
    path: url.pathname,
    values,
    body,
    // A GET is idempotent by itself and takes no key (docs.stripe.com/api/idempotent_requests, checked 2026-11-21).
    idempotencyKey: method !== 'GET' && typeof idempotencyKey === 'string' ? idempotencyKey : null,
  };
}

function bodyValues(request: IncomingMessage, body: string): { [name: string]: Value } {
  if (body === '') return {};
  if (!(request.headers['content-type'] ?? '').includes('json')) return parseForm(body);
  try {
    const value = fromJson(JSON.parse(body));
    if (isRecord(value)) return value;
  } catch {
    // Said below: to the caller it is the same fault.
  }
  throw new ApiError(400, { type: 'invalid_request_error', message: 'Invalid JSON body' }, false);
}

async function serve(
  world: World,
  routes: Route[],
  keys: IdempotencyKeys,
  request: IncomingMessage,
  response: ServerResponse,
  asked: Request,
): Promise<void> {
  const { publishable, account, route, path } = admit(world, routes, request, asked);
  const fault = takeFault(world.settings, asked.method, asked.path);
  if (fault && (await meetBefore(fault, response, asked))) return;
  const key = asked.idempotencyKey && `${account || 'platform'} ${asked.idempotencyKey}`;
  const fingerprint = fingerprintOf(asked.method, asked.path, asked.body);
  if (key) {
    checkKey(asked.idempotencyKey ?? '');
    const saved = keys.replay(key, fingerprint);
    if (saved) {
      sendJson(response, asked.id, { ...saved, headers: { 'idempotent-replayed': 'true' } });
      return;
    }
    keys.claim(key);
  }
  try {
    if (fault?.effect === 'slow') await pause(fault.delayMs ?? SLOW_MS, response);
    const params = new Params(asked.values);
    const call: Call = { world, account, params, path, publishable };
    const reply = act(world, route, call, asked, fault, (done) => {
      if (key) keys.save(key, fingerprint, done);
    });
    await answer(response, asked, fault, reply);
  } finally {
    if (key) keys.release(key);
  }
}

/** Who asks, for which account, for what. */
function admit(world: World, routes: Route[], request: IncomingMessage, asked: Request) {
  const param = asked.values.key;
  delete asked.values.key;
  const key = keyOf(request, typeof param === 'string' ? param : null);
  if (!key) throw unauthorized(NO_KEY);
  const publishable = key === world.keys.publishableKey;
  if (!publishable && key !== world.keys.secretKey) {
    throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}****${key.slice(-4)}`);
  }
  const matches = routes
    .filter((route) => route.method === asked.method)
    .map((route) => ({ route, path: matchPath(route.pattern, asked.path) }));
  const hit = matches.find((match) => match.path !== null);
  if (!hit?.path) {
    throw new ApiError(404, {
      type: 'invalid_request_error',
      message: `Unrecognized request URL (${asked.method}: ${asked.path}). Please see https://stripe.com/docs or the sandbox's documentation.`,
    });
  }
  if (publishable && !hit.route.publishable) {
    throw new ApiError(
      403,
      {
        type: 'invalid_request_error',
        code: 'secret_key_required',
        message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
      },
      false,
    );
  }
  const header = request.headers['stripe-account'] ?? request.headers['stripe-context'];
  const account = typeof header === 'string' ? requireAccount(world, header).id : '';
  return { publishable, account, route: hit.route, path: hit.path };
}

const NO_KEY =
  "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').";

function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: 'invalid_request_error', message }, false, {
    'www-authenticate': 'Bearer realm="Stripe"',
  });
}

function internal(): ApiError {
  return new ApiError(500, {
    type: 'api_error',
    message: 'An unknown error occurred.',
  });
}

/** Faults that come before the call has any effect. True: the call is done with. */
async function meetBefore(fault: NextFault, response: ServerResponse, asked: Request): Promise<boolean> {
  if (fault.effect === 'timeout-before') {
    await pause(HANG_MS, response);
    response.destroy();
    return true;
  }
  if (fault.effect === 'reset-before') {
    response.destroy();
    return true;
  }
  if (fault.effect === '429') {
    const error = new ApiError(429, {
      type: 'invalid_request_error',
      code: 'rate_limit',
      message: 'Request rate limit exceeded.',
    });
    sendJson(response, asked.id, errorReply(error, asked.id));
    return true;
  }
  return false;
}

/**
 * Runs the endpoint. State, events and the remembered reply commit together, a decline's too: the failed attempt
 * stays on the books although the call answers 402.
 */
function act(
  world: World,
  route: Route,
  call: Call,
  asked: Request,
  fault: NextFault | null,
  remember: (reply: JsonReply) => void,
): JsonReply {
  return inTransaction(world.store, () => {
    world.request = { id: asked.id, idempotencyKey: asked.idempotencyKey };
    try {
      const lost = fault?.effect.startsWith('500') ? errorReply(internal(), asked.id) : null;
      const reply =
        fault?.effect === '500-before' && lost ? lost : undoRefused(world, () => run(route, call));
      const told = lost ?? reply;
      remember(told);
      return told;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const reply = errorReply(error, asked.id);
      if (error.kept) remember(reply);
      return reply;
    } finally {
      world.request = { id: null, idempotencyKey: null };
    }
  });
}

/** A refused call leaves nothing behind; a declined one (402) leaves the attempt that failed. */
function undoRefused<T>(world: World, work: () => T): T {
  const { db } = world.store;
  db.exec('SAVEPOINT call');
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 402) db.exec('ROLLBACK TO call');
    throw error;
  } finally {
    db.exec('RELEASE call');
  }
}

function run(route: Route, call: Call): JsonReply {
  const paths = call.params.strings('expand') ?? [];
  const reply = route.handle(call);
  const copy = paths.length > 0 ? structuredClone(reply) : reply;
  return { status: 200, body: JSON.stringify(expand(call.world, call.account, copy, paths), null, 2) };
}

async function answer(
  response: ServerResponse,
  asked: Request,
  fault: NextFault | null,
  reply: JsonReply,
): Promise<void> {
  if (fault?.effect === 'reset-after') {
    response.destroy();
    return;
  }
  if (fault?.effect === 'timeout-after') {
    await pause(HANG_MS, response);
    response.destroy();
    return;
  }
  sendJson(response, asked.id, reply);
}

/** Waits, but not for a caller that has gone. */
function pause(delayMs: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    timer.unref();
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
