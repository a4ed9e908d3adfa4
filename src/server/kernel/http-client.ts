import type { Readable } from 'node:stream';
import { Client, type Dispatcher, Pool } from 'undici';
import { assertNoTransaction } from './db/transaction-context.ts';
import { failpoint } from './failpoint.ts';
import type { Fence } from './fence.ts';
import { startPassage } from './passage.ts';

export interface HttpClientOptions {
  /** The only origins that are ever connected to, e.g. `https://api.example.com:443`. */
  allowedOrigins: readonly string[];
  /** For a whole request, unless it names its own: connecting, sending, the last byte of the answer. */
  timeoutMs: number;
  connectTimeoutMs: number;
  maxResponseBytes: number;
  /** Per origin, of the kept-alive connections. */
  maxConnections: number;
  /** A connection is left after so many requests … */
  maxRequestsPerConnection?: number;
  /** … or at this age, whichever comes first. */
  maxConnectionAgeMs?: number;
  /** PEM of further authorities to trust, e.g. a company's own. Certificates are always verified. */
  extraAuthorities?: readonly string[];
  /** Throws when an outside call is not allowed here. The default refuses it inside a transaction. */
  assertOutside?: (what: string) => void;
  /** Asked with each fence: whether anything may be sent at all (`db/place.ts`). */
  mayAct?: () => Promise<boolean>;
}

export interface HttpRequest {
  url: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: Buffer;
  timeoutMs?: number;
  signal?: AbortSignal;
  /**
   * Asked with a connection at hand, right before the first byte. When it does not hold, nothing is sent; when it does,
   * the call ends with it.
   */
  fence?: Fence;
  /** Opens a connection for this request alone: no kept-alive one can be closed by the other side under it. */
  freshConnection?: boolean;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export type HttpFailureCause =
  | 'not-allowed'
  | 'connect'
  | 'timeout'
  | 'aborted'
  | 'too-large'
  | 'broken'
  /** The fence did not hold any more, or nobody could say. */
  | 'too-late';

/** No (whole) answer. `sent` tells whether the other side may have seen the request. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly reason: HttpFailureCause;
  /** false: certainly not sent, so it had no effect. true: nobody knows. */
  readonly sent: boolean;
  constructor(reason: HttpFailureCause, sent: boolean, text: string, options?: { cause?: unknown }) {
    super(text, options);
    this.reason = reason;
    this.sent = sent;
  }
}

export interface HttpClient {
  /** Any status is an answer; redirects are never followed. Throws `HttpFailure` when there is none. */
  request(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Below the limits of servers that cut a connection after 100 requests or 60 s (checked 2026-11-21). */
const defaultRequestsPerConnection = 90;
const defaultConnectionAgeMs = 55_000;

/**
 * The one way out of this process (design: security, SSRF): connects to named origins only, follows nothing, verifies
 * certificates, caps what it reads, and refuses to run inside a database transaction.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const origins = new Set(options.allowedOrigins.map((origin) => new URL(origin).origin));
  const assertOutside = options.assertOutside ?? assertNoTransaction;
  const pools = new Map<string, Pool>();
  const connect: Client.Options = {
    allowH2: false,
    pipelining: 1,
    // The whole-request timer below rules; the driver's own ones stay out of its way.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: options.connectTimeoutMs,
      rejectUnauthorized: true,
      ...(options.extraAuthorities ? { ca: [...options.extraAuthorities] } : {}),
    },
  };

  function poolFor(origin: string): Pool {
    const known = pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, {
      ...connect,
      connections: options.maxConnections,
      maxRequestsPerClient: options.maxRequestsPerConnection ?? defaultRequestsPerConnection,
      clientTtl: options.maxConnectionAgeMs ?? defaultConnectionAgeMs,
    });
    pools.set(origin, pool);
    return pool;
  }

  return {
    async request(request) {
      const url = new URL(request.url);
      assertOutside(`${request.method} ${url.origin}`);
      if (!origins.has(url.origin) || url.username || url.password) {
        throw new HttpFailure('not-allowed', false, `no connections to ${url.origin}`);
      }
      const timeoutMs = request.timeoutMs ?? options.timeoutMs;
      const limits = { timeoutMs, maxResponseBytes: options.maxResponseBytes, mayAct: options.mayAct };
      if (!request.freshConnection) return exchange(poolFor(url.origin), url, request, limits);
      const client = new Client(url.origin, connect);
      try {
        return await exchange(client, url, request, limits);
      } finally {
        client.destroy().catch(() => undefined);
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      pools.clear();
    },
  };
}

function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: HttpRequest,
  limits: { timeoutMs: number; maxResponseBytes: number; mayAct: HttpClientOptions['mayAct'] },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let failure: HttpFailure | null = null;
    let sent = false;
    let status = 0;
    let headers: Record<string, string> = {};
    let size = 0;
    const chunks: Buffer[] = [];

    const fail = (reason: HttpFailureCause, text: string, cause?: unknown) => {
      if (failure) return;
      failure = new HttpFailure(reason, sent, text, { cause });
      controller?.abort(failure);
      finish();
      reject(failure);
    };
    const passed = startPassage();
    const timeOut = () => fail('timeout', `no answer from ${url.origin} within ${limits.timeoutMs} ms`);
    let timer = setTimeout(timeOut, limits.timeoutMs);
    /** The body, once the claim was found to hold: the driver sends nothing, not even the head, before. */
    async function* fenced(fence: Fence, body: Buffer | undefined) {
      failpoint('wire.asking', url.pathname);
      const [left, allowed] = await Promise.all([heldBy(fence), limits.mayAct?.() ?? true]).catch(
        (error: unknown) => {
          fail('too-late', 'the claim could not be confirmed', error);
          return [() => 0, false] as const;
        },
      );
      // The other question may have been answered long after this one: the row may be somebody else's by now, the call's time used up.
      const leftMs = (fence.stands?.() ?? true) ? left() : 0;
      if (!allowed) fail('too-late', 'nothing is sent while the records are compared');
      if (leftMs <= 0) fail('too-late', 'the claim was lost before the call could be made');
      if (failure) throw failure;
      clearTimeout(timer);
      timer = setTimeout(timeOut, Math.min(limits.timeoutMs - passed(), leftMs));
      sent = true;
      failpoint('wire.held', url.pathname);
      if (body) yield body;
    }
    const onAbort = () => fail('aborted', 'given up by the caller');
    request.signal?.addEventListener('abort', onAbort, { once: true });
    const finish = () => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
    };
    if (request.signal?.aborted) return onAbort();

    dispatcher.dispatch(
      {
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: request.fence
          ? { ...request.headers, 'content-length': String(request.body?.length ?? 0) }
          : (request.headers ?? {}),
        // The driver takes what is iterable, too (undici 8, checked 2026-11-22); its types do not say so.
        body: request.fence
          ? (fenced(request.fence, request.body) as unknown as Readable)
          : (request.body ?? null),
        reset: request.freshConnection ?? false,
        // The driver repeats nothing by itself on POST; what is repeated is decided by who knows what it does.
        idempotent: false,
      },
      {
        // Called with a connection at hand, right before the first byte: until then nothing was sent.
        onRequestStart(started) {
          controller = started;
          if (failure) started.abort(failure);
          else if (!request.fence) sent = true;
        },
        onResponseStart(_controller, statusCode, received) {
          status = statusCode;
          headers = flat(received);
          if (Number(headers['content-length'] ?? 0) > limits.maxResponseBytes) {
            fail('too-large', `more than ${limits.maxResponseBytes} bytes from ${url.origin}`);
          }
        },
        onResponseData(_controller, chunk) {
          size += chunk.length;
          if (size > limits.maxResponseBytes) {
            fail('too-large', `more than ${limits.maxResponseBytes} bytes from ${url.origin}`);
          } else chunks.push(chunk);
        },
        onResponseEnd() {
          if (failure) return;
          finish();
          resolve({ status, headers, body: Buffer.concat(chunks) });
        },
        onResponseError(_controller, error) {
          fail(sent ? 'broken' : 'connect', `${url.origin}: ${error.message}`, error);
        },
      },
    );
  });
}

/** How long a fence holds, whenever it is asked for after its answer. */
async function heldBy(fence: Fence): Promise<() => number> {
  const leftMs = await fence.holdsForMs();
  const passed = startPassage();
  return () => leftMs - passed();
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}
