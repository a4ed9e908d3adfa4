import { AsyncLocalStorage } from 'node:async_hooks';
import Stripe from 'stripe';
import type { Fence } from '#kernel/fence.ts';
import {
  createHttpClient,
  type HttpClientOptions,
  HttpFailure,
  type HttpResponse,
} from '#kernel/http-client.ts';

const current = new AsyncLocalStorage<Fence>();

/** The SDK repeats a call by itself and hands nothing through: the fence of a call lies beside it. */
export function underFence<T>(fence: Fence, call: () => Promise<T>): Promise<T> {
  return current.run(fence, call);
}

/** Far above the longest list that is asked for. */
const maxResponseBytes = 30_000_000;
const connectTimeoutMs = 10_000;
const maxConnections = 32;

/** The SDK's requests leave through the portal's own client, as all others do. */
export function createStripeHttp(
  origin: string,
  timeoutMs: number,
  mayAct: HttpClientOptions['mayAct'],
): Stripe.HttpClient {
  return new PortalHttp(origin, timeoutMs, mayAct);
}

class PortalHttp extends Stripe.HttpClient {
  readonly #http: ReturnType<typeof createHttpClient>;
  readonly #origin: string;

  constructor(origin: string, timeoutMs: number, mayAct: HttpClientOptions['mayAct']) {
    super();
    this.#origin = origin;
    const limits = { timeoutMs, connectTimeoutMs, maxResponseBytes, maxConnections };
    this.#http = createHttpClient({ allowedOrigins: [origin], ...limits, ...(mayAct ? { mayAct } : {}) });
  }

  override getClientName(): string {
    return 'nameward';
  }

  override async makeRequest(
    ...[, , path, method, headers, data, , timeoutMs]: Parameters<Stripe.HttpClient['makeRequest']>
  ): Promise<Stripe.HttpClientResponse> {
    const fence = current.getStore();
    const body = Buffer.from(data ?? '');
    try {
      const response = await this.#http.request({
        url: new URL(path, this.#origin).href,
        method: methodOf(method),
        headers: textsOf(headers),
        timeoutMs,
        ...(body.length > 0 ? { body } : {}),
        ...(fence && method !== 'GET' ? { fence } : {}),
      });
      return new PortalResponse(response);
    } catch (error) {
      if (error instanceof HttpFailure && error.reason === 'timeout') {
        throw Stripe.HttpClient.makeTimeoutError();
      }
      throw error;
    }
  }
}

class PortalResponse extends Stripe.HttpClientResponse {
  readonly #response: HttpResponse;

  constructor(response: HttpResponse) {
    super(response.status, response.headers);
    this.#response = response;
  }

  override getRawResponse(): HttpResponse {
    return this.#response;
  }

  override async toJSON(): Promise<unknown> {
    return JSON.parse(this.#response.body.toString('utf8'));
  }
}

function methodOf(method: string): 'GET' | 'POST' | 'DELETE' {
  if (method === 'GET' || method === 'POST' || method === 'DELETE') return method;
  throw new Error(`the payment provider's SDK wants to ${method}`);
}

function textsOf(headers: object): Record<string, string> {
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  // The client counts by itself.
  return Object.fromEntries(texts.filter(([name]) => name !== 'content-length'));
}
