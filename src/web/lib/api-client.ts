import { roleHeader } from '#contracts/permissions.ts';
import { waitedForMs } from '#contracts/values/answer-times.ts';
import { laterPosition, positionHeader } from '#contracts/values/position.ts';
import { privateKeyPath, privateKeyRefusal } from '#contracts/values/private-keys.ts';
import { ApiError, errorFromResponse, errorWithoutResponse } from './api-error.ts';
import { connection } from './connection.ts';
import { beginAsking, forgetAhead, takeAhead } from './data-ahead.ts';
import type {
  CallInput,
  CallOptions,
  CallReply,
  OperationName,
  OtherReadingName,
  Paged,
  PagedOperationName,
  PublicOperationName,
} from './operations.ts';

/** Where tokens come from; the session sets itself in here. */
export interface TokenSource {
  /**
   * A token that is good now, or null when nobody is signed in. Waits for a sign-in that is under way. Throws `ApiError` where
   * the token has ended and no other one is to be had.
   */
  token(): Promise<string | null>;
  /** A fresh token in place of one that was refused; null when the session has ended. Throws like `token`. */
  renew(refused: string): Promise<string | null>;
}

const basePath = '/api';
const otherReadings: Record<OtherReadingName, true> = {
  'POST /:domain/zone/import': true,
  'POST /cart/prices': true,
  'POST /customer/import/look': true,
  'POST /domain/lookup': true,
  'POST /domain/transfer/check': true,
  'POST /ssl/parsecsr': true,
  'POST /user/subuser/checkinvite/:id': true,
};
const isGet = (name: string) => name.startsWith('GET ');
const isWrite = (name: string) => !isGet(name) && !(name in otherReadings);
let tokens: TokenSource = { token: async () => null, renew: async () => null };

export function setTokenSource(source: TokenSource): void {
  tokens = source;
}

/** Called when a reply shows that the person's type or permissions differ from what the page assumes. */
let rightsChanged: () => void = () => undefined;
let seenRole: string | null = null;

export function watchRights(onChange: () => void): void {
  rightsChanged = onChange;
}

/** What a person is answered who is no longer, or not yet, where the page takes them to be. */
const refusals: readonly string[] = ['no_profile', 'forbidden', 'initial_fee_unpaid'];

function noticeRights(name: string, response: Response, code: string | null): void {
  const role = response.headers.get(roleHeader);
  const other = role !== null && seenRole !== null && role !== seenRole;
  if (role !== null) seenRole = role;
  // The profile itself is what is read again then.
  const refused = name !== 'GET /user' && code !== null && refusals.includes(code);
  if (other || refused) rightsChanged();
}

/** How far the database had come in what this page has been shown or has done; null: nothing yet, or it has one server only. */
let position: string | null = null;

type OneInput<N extends OperationName> =
  Record<never, never> extends CallInput<N> ? [input?: CallInput<N>] : [input: CallInput<N>];

interface LooseInput extends CallOptions {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Calls an operation of the contract with the user's token and gives back its `data`. Throws `ApiError`. */
export async function call<N extends OperationName>(name: N, ...[input]: OneInput<N>): Promise<CallReply<N>> {
  const reply = await readJson(name, await send(name, input ?? {}));
  return reply.data as CallReply<N>;
}

/** Calls a list page by page: rows and how many there are (decisions no. 10). */
export async function callPage<N extends PagedOperationName>(
  name: N,
  ...[input]: OneInput<N>
): Promise<Paged<CallReply<N>>> {
  const reply = await readJson(name, await send(name, input ?? {}));
  const rows = reply.data as CallReply<N>;
  const count = Array.isArray(rows) ? rows.length : 0;
  return { rows, meta: reply.meta ?? { total: count, page: 1, pageSize: Math.max(count, 1) } };
}

/** Calls what needs no token and sends none (P1 §7: ssl/prices shows no auth header). */
export async function callPublic<N extends PublicOperationName>(
  name: N,
  ...[input]: OneInput<N>
): Promise<CallReply<N>> {
  const reply = await readJson(name, await request(name, input ?? {}, null));
  return reply.data as CallReply<N>;
}

/** Calls an operation with a key of its own in place of the user's token: the operator's. */
export async function callWithKey<N extends OperationName>(
  key: string,
  name: N,
  ...[input]: OneInput<N>
): Promise<CallReply<N>> {
  const reply = await readJson(name, await request(name, input ?? {}, key));
  return reply.data as CallReply<N>;
}

/** Calls an operation that answers with a file. */
export async function callFile<N extends OperationName>(
  name: N,
  ...[input]: OneInput<N>
): Promise<{ blob: Blob; fileName: string }> {
  const response = await send(name, input ?? {});
  const stated = /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '');
  return { blob: await response.blob(), fileName: stated?.[1] ?? 'download' };
}

/** `GET /customer/:id` with its parameters to method and address. */
export function addressOf(name: string, input: LooseInput): { method: string; url: string } {
  const [method = 'GET', path = '/'] = name.split(' ');
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(input.params?.[key] ?? ''));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') query.set(key, String(value));
  }
  const text = query.toString();
  return { method, url: `${basePath}${filled}${text ? `?${text}` : ''}` };
}

async function send(name: string, input: LooseInput): Promise<Response> {
  if (isWrite(name)) forgetAhead();
  const note = isGet(name) ? beginAsking() : null;
  const token = await tokens.token();
  // P1 §1: data that needs a token is not requested until a token exists.
  if (!token) throw signedOut();
  // One connection is open when a page begins. Each further one costs a phone a journey more, which is not to be the screen's own.
  if (input.isAside) await Promise.resolve();
  note?.(addressOf(name, input).url);
  try {
    return await request(name, input, token);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const renewed = await tokens.renew(token);
    if (!renewed) throw error;
    return request(name, input, renewed);
  }
}

async function request(name: string, input: LooseInput, token: string | null): Promise<Response> {
  requireNoPrivateKey(input);
  const { method, url } = addressOf(name, input);
  const headers = new Headers({ accept: 'application/json' });
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (input.body !== undefined) headers.set('content-type', 'application/json');
  if (position) headers.set(positionHeader, position);
  if (input.idempotencyKey) headers.set('idempotency-key', input.idempotencyKey);
  const leastMs = waitedForMs[isGet(name) ? 'read' : 'write'];
  const limit = AbortSignal.timeout(Math.max(leastMs, input.timeoutMs ?? 0));
  // Asked before: when the network goes while the call is under way nobody knows whether it arrived.
  const offline = isBrowserOffline();
  let response: Response;
  try {
    const signal = input.signal ? AbortSignal.any([input.signal, limit]) : limit;
    const body = input.body === undefined ? null : JSON.stringify(input.body);
    const early = method === 'GET' && token !== null ? await earlyAnswer(url, token, signal) : null;
    response = early ?? (await fetch(url, { method, headers, body, signal }));
  } catch (error) {
    // Given up by the caller: not a failure to tell anyone of.
    if (input.signal?.aborted) throw error;
    connection.unanswered();
    throw errorWithoutResponse(error, { offline, isWrite: isWrite(name) });
  }
  connection.answered(response);
  position = laterPosition(position, response.headers.get(positionHeader));
  const error = response.ok ? null : await errorFromResponse(response);
  if (token) noticeRights(name, response, error?.code ?? null);
  if (error) throw error;
  return response;
}

/** What was asked ahead. Null: nothing was, or it has failed, which need not happen again. */
async function earlyAnswer(url: string, token: string, signal: AbortSignal): Promise<Response | null> {
  const asked = takeAhead(url, token);
  if (!asked) return null;
  const givenUp = new Promise<null>((done) => {
    signal.addEventListener('abort', () => done(null), { once: true });
  });
  return Promise.race([asked.catch(() => null), givenUp]);
}

/** Whether the browser knows of no network. A portal on this very machine answers all the same, so it is tried. */
function isBrowserOffline(): boolean {
  return typeof navigator !== 'undefined' && navigator.onLine === false;
}

/** The one guard of all fields: whatever a screen forgets to check, a private key does not leave the browser. */
function requireNoPrivateKey({ params, query, body }: LooseInput): void {
  for (const given of [params, query, body]) {
    const path = privateKeyPath(given);
    if (path === null) continue;
    const message = privateKeyRefusal(path);
    throw new ApiError(message, { code: 'validation_failed', status: 400, details: [{ path, message }] });
  }
}

interface JsonReply {
  data: unknown;
  meta?: { total: number; page: number; pageSize: number };
}

async function readJson(name: string, response: Response): Promise<JsonReply> {
  try {
    return (await response.json()) as JsonReply;
  } catch (error) {
    throw errorWithoutResponse(error, { isWrite: isWrite(name) });
  }
}

function signedOut(): ApiError {
  return new ApiError('Please sign in.', { code: 'unauthenticated', status: 401 });
}
