import { Agent, request as undiciRequest } from 'undici';
import { assertNoTransaction } from './db/transaction-context.ts';

/** The one way out for our own calls: an allow-list, no redirects, limits on time and size. */
export interface HttpClient {
  request(input: HttpRequest): Promise<HttpReply>;
  close(): Promise<void>;
}

export interface HttpRequest {
  url: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: Buffer;
  /** Longest from the first byte out to the last byte in; the client's own when absent. */
  timeoutMs?: number;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface HttpClientOptions {
  /** Origins that may be called; any other address is refused before a connection is made. */
  allowedOrigins: readonly string[];
  timeoutMs: number;
  connectTimeoutMs: number;
  maxReplyBytes: number;
  /** Requests on one connection before it is replaced. */
  maxRequestsPerConnection?: number;
  /** A connection is not used for longer than this. */
  maxConnectionAgeMs?: number;
  connections?: number;
}

/** No byte of the request went out: whatever it was, it did not happen. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** The request went out, or part of it; nobody knows what came of it. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const notSentCodes = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/** Makes a client with its own connections. Throws `NotSent` or `NoAnswer`; any status is an answer. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const origins = new Set(options.allowedOrigins.map((address) => new URL(address).origin));
  let agent = newAgent(options);
  let used = 0;
  let openedAt = Date.now();

  /** A fresh set of connections before the other side counts us out. Running requests end on the old one. */
  function current(): Agent {
    const perConnection = options.maxRequestsPerConnection ?? Number.POSITIVE_INFINITY;
    const age = options.maxConnectionAgeMs ?? Number.POSITIVE_INFINITY;
    used += 1;
    // Every connection of the set has served at most as many requests as all of them together.
    if (used > perConnection || Date.now() - openedAt > age) {
      const old = agent;
      void old.close().catch(() => undefined);
      agent = newAgent(options);
      used = 1;
      openedAt = Date.now();
    }
    return agent;
  }

  return {
    async request(input) {
      const url = new URL(input.url);
      if (!origins.has(url.origin))
        throw new NotSent(`${url.origin} is not on the list of allowed addresses`);
      assertNoTransaction(`${input.method} ${url.origin}`);
      const signal = AbortSignal.timeout(input.timeoutMs ?? options.timeoutMs);
      try {
        const reply = await undiciRequest(url, {
          method: input.method,
          headers: input.headers ?? {},
          body: input.body ?? null,
          dispatcher: current(),
          signal,
        });
        const body = await readLimited(reply.body, options.maxReplyBytes);
        return { status: reply.statusCode, headers: reply.headers, body };
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        const text = error instanceof Error ? error.message : String(error);
        if (notSentCodes.includes(code)) throw new NotSent(text, { cause: error });
        throw new NoAnswer(text, { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

function newAgent(options: HttpClientOptions): Agent {
  return new Agent({
    connect: { timeout: options.connectTimeoutMs },
    connections: options.connections ?? 20,
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    pipelining: 1,
    keepAliveTimeout: 10_000,
  });
}

async function readLimited(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the reply is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
