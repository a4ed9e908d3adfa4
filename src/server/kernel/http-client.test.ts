import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeCertificate } from '../../../tests/support/certificates.ts';
import { markTransaction } from './db/transaction-context.ts';
import { createFence } from './fence.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions, HttpFailure } from './http-client.ts';
import { lostFence, openFence } from './testing/fences.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function listen(server: Server | TlsServer | TcpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (listener: RequestListener) => listen(createServer(listener));

function client(origin: string, options: Partial<HttpClientOptions> = {}): HttpClient {
  const made = createHttpClient({
    allowedOrigins: [origin],
    // A busy machine is slow: what is about time lets it pass by itself.
    timeoutMs: 600_000,
    connectTimeoutMs: 600_000,
    maxResponseBytes: 1_000,
    maxConnections: 2,
    ...options,
  });
  stops.push(() => made.close());
  return made;
}

async function failureOf(call: Promise<unknown>): Promise<HttpFailure> {
  const error = await call.then(
    () => new Error('it answered'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HttpFailure)) throw error;
  return error;
}

/** From here on time passes for limits only when a test says so: however slow the machine is, nothing is late by it. */
function stoppedTime(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return (ms) => void vi.advanceTimersByTime(ms);
}
afterEach(() => {
  vi.useRealTimers();
});

const post = { method: 'POST', body: Buffer.from('<x/>') } as const;

describe('it answers', () => {
  test('with status, headers and body, whatever the status', async () => {
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.writeHead(503, { 'x-it': 'yes' }).end(`got ${body}`));
    });
    const response = await client(url).request({ url, ...post });
    expect(response.status).toBe(503);
    expect(response.headers['x-it']).toBe('yes');
    expect(response.body.toString()).toBe('got <x/>');
  });

  test('with a redirect, and never follows it', async () => {
    let asked = 0;
    const trap = await serve((_request, response) => {
      asked += 1;
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(302, { location: trap }).end());
    const response = await client(url, { allowedOrigins: [url, trap] }).request({ url, ...post });
    expect(response.status).toBe(302);
    expect(asked).toBe(0);
  });
});

describe('it goes nowhere else', () => {
  test('an origin that is not named is not connected to', async () => {
    let connections = 0;
    const trap = await listen(
      createTcpServer(() => {
        connections += 1;
      }),
    );
    const allowed = await serve((_request, response) => response.end());
    const http = client(allowed);
    const others = [
      trap,
      `${allowed.replace('http:', 'https:')}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]:1/',
      `${allowed.replace('//', '//user:word@')}/`,
      allowed.replace('127.0.0.1', 'localhost'),
    ];
    for (const url of others) {
      const failure = await failureOf(http.request({ url, ...post }));
      expect(failure).toMatchObject({ reason: 'not-allowed', sent: false });
    }
    expect(connections).toBe(0);
  });

  test('inside a database transaction nothing is sent', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.end();
    });
    const http = client(url);
    await expect(markTransaction(() => http.request({ url, ...post }))).rejects.toThrow(
      /inside a transaction/,
    );
    expect(asked).toBe(0);
  });
});

describe('a failure tells whether the request may have been seen', () => {
  test('a closed port: certainly not sent', async () => {
    const url = await serve(() => undefined);
    await stops.pop()?.();
    const failure = await failureOf(client(url).request({ url, ...post }));
    expect(failure).toMatchObject({ reason: 'connect', sent: false });
  });

  test('a name that does not resolve: certainly not sent', async () => {
    const url = 'http://nowhere.invalid:81';
    const failure = await failureOf(client(url).request({ url, ...post }));
    expect(failure.sent).toBe(false);
  });

  test.each([true, false])(
    'a server that never answers: unknown (own connection: %s)',
    async (freshConnection) => {
      const pass = stoppedTime();
      const url = await serve(() => pass(60));
      const failure = await failureOf(client(url).request({ url, ...post, timeoutMs: 60, freshConnection }));
      expect(failure).toMatchObject({ reason: 'timeout', sent: true });
    },
  );

  test('a connection cut before the answer: unknown', async () => {
    const url = await serve((request) => request.socket.destroy());
    const failure = await failureOf(client(url).request({ url, ...post }));
    expect(failure).toMatchObject({ reason: 'broken', sent: true });
  });

  test('an answer shorter than it says: unknown', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '50' });
      response.write('half', () => response.socket?.destroy());
    });
    const failure = await failureOf(client(url).request({ url, ...post }));
    expect(failure).toMatchObject({ reason: 'broken', sent: true });
  });

  test('waiting for a connection until the time is up: certainly not sent', async () => {
    const pass = stoppedTime();
    let asked = 0;
    const arrived = Promise.withResolvers<void>();
    const url = await serve(() => {
      asked += 1;
      arrived.resolve();
    });
    const http = client(url, { maxConnections: 1 });
    const first = failureOf(http.request({ url, ...post, timeoutMs: 300 }));
    await arrived.promise;
    const second = failureOf(http.request({ url, ...post, timeoutMs: 60 }));
    pass(60);
    expect(await second).toMatchObject({ reason: 'timeout', sent: false });
    pass(240);
    await first;
    expect(asked).toBe(1);
  });

  test('given up by the caller before it began: certainly not sent', async () => {
    const url = await serve((_request, response) => response.end());
    const failure = await failureOf(client(url).request({ url, ...post, signal: AbortSignal.abort() }));
    expect(failure).toMatchObject({ reason: 'aborted', sent: false });
  });

  test('a certificate nobody vouches for: certainly not sent', async () => {
    let asked = 0;
    const { certificatePem, keyPem } = makeCertificate('localhost');
    const server = createTlsServer({ cert: certificatePem, key: keyPem }, (_request, response) => {
      asked += 1;
      response.end('x');
    });
    const url = (await listen(server)).replace('http://127.0.0.1', 'https://localhost');
    const failure = await failureOf(client(url).request({ url, ...post }));
    expect(failure).toMatchObject({ reason: 'connect', sent: false });
    expect(asked).toBe(0);
    // The same server is talked to once its authority is named.
    const trusting = client(url, { extraAuthorities: [certificatePem] });
    expect((await trusting.request({ url, ...post })).status).toBe(200);
  });
});

describe('a call under a fence', () => {
  /** A server that counts what reaches it, down to the connection and its bytes. */
  async function counting() {
    const seen = { connections: 0, bytes: 0, bodies: [] as string[] };
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen.bodies.push(body);
        response.end('ok');
      });
    });
    server.on('connection', (socket) => {
      seen.connections += 1;
      socket.on('data', (chunk) => {
        seen.bytes += chunk.length;
      });
    });
    return { url: await listen(server), seen };
  }

  test.each([true, false])(
    'is sent whole while its claim holds, asked with a connection at hand (own connection: %s)',
    async (freshConnection) => {
      const { url, seen } = await counting();
      let connectionsWhenAsked = 0;
      const fence = {
        holdsForMs: async () => {
          connectionsWhenAsked = seen.connections;
          expect(seen.bytes).toBe(0);
          return 500;
        },
      };
      const response = await client(url).request({ url, ...post, fence, freshConnection });
      expect(response.body.toString()).toBe('ok');
      expect(seen.bodies).toEqual(['<x/>']);
      expect(connectionsWhenAsked).toBe(1);
    },
  );

  test('with an empty body is held back, too', async () => {
    const { url, seen } = await counting();
    await client(url).request({ url, method: 'POST', fence: openFence });
    const failure = await failureOf(client(url).request({ url, method: 'POST', fence: lostFence }));
    expect(failure).toMatchObject({ reason: 'too-late', sent: false });
    expect(seen.bodies).toEqual(['']);
  });

  test.each([true, false])(
    'sends not one byte when its claim was lost (own connection: %s)',
    async (freshConnection) => {
      const { url, seen } = await counting();
      const failure = await failureOf(
        client(url).request({ url, ...post, fence: lostFence, freshConnection }),
      );
      expect(failure).toMatchObject({ reason: 'too-late', sent: false });
      expect(seen).toMatchObject({ connections: 1, bytes: 0 });
    },
  );

  test('sends nothing when nobody can say whether its claim holds', async () => {
    const { url, seen } = await counting();
    const fence = { holdsForMs: () => Promise.reject(new Error('the database is gone')) };
    const failure = await failureOf(client(url).request({ url, ...post, fence }));
    expect(failure).toMatchObject({ reason: 'too-late', sent: false });
    expect(seen.bytes).toBe(0);
  });

  test('sends nothing when the question is not answered in time', async () => {
    const { url, seen } = await counting();
    const asked = Promise.withResolvers<number>();
    const pass = stoppedTime();
    const fence = {
      holdsForMs: () => {
        pass(60);
        return asked.promise;
      },
    };
    const failure = await failureOf(client(url).request({ url, ...post, fence, timeoutMs: 60 }));
    expect(failure).toMatchObject({ reason: 'timeout', sent: false });
    asked.resolve(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.bytes).toBe(0);
  });

  test('ends with what is left of its claim', async () => {
    const pass = stoppedTime();
    const url = await serve(() => pass(40));
    const fence = { holdsForMs: async () => 40 };
    const http = client(url, { timeoutMs: 60_000 });
    const failure = await failureOf(http.request({ url, ...post, fence }));
    expect(failure).toMatchObject({ reason: 'timeout', sent: true });
  });

  test('is not sent while nothing may be sent at all, however well its claim holds', async () => {
    const { url, seen } = await counting();
    for (const mayAct of [async () => false, () => Promise.reject(new Error('the database is gone'))]) {
      const http = client(url, { mayAct });
      const failure = await failureOf(http.request({ url, ...post, fence: openFence }));
      expect(failure).toMatchObject({ reason: 'too-late', sent: false });
      // Reading has no fence.
      await http.request({ url, method: 'POST' });
    }
    expect(seen.bodies).toEqual(['', '']);
  });

  test('is not sent when its claim has ended while the question whether anything may be sent was under way', async () => {
    const { url, seen } = await counting();
    const mayAct = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return true;
    };
    const http = client(url, { mayAct });
    const failure = await failureOf(http.request({ url, ...post, fence: { holdsForMs: async () => 5 } }));
    expect(failure).toMatchObject({ reason: 'too-late', sent: false });
    expect(seen.bytes).toBe(0);
  });

  test('is not sent when its row may have been taken meanwhile, however much of its time is left', async () => {
    const { url, seen } = await counting();
    for (const [gateMs, rowMs] of [
      [20, 5],
      [0, 60_000],
    ] as const) {
      const mayAct = async () => {
        await new Promise((resolve) => setTimeout(resolve, gateMs));
        return true;
      };
      const fence = createFence({ limitMs: 60_000, leftMs: async () => rowMs });
      const answer = client(url, { mayAct }).request({ url, ...post, fence });
      if (gateMs > rowMs) expect(await failureOf(answer)).toMatchObject({ reason: 'too-late', sent: false });
      else await answer;
    }
    expect(seen.bodies).toEqual(['<x/>']);
  });

  test('asks after waiting for its connection, not before', async () => {
    const { url, seen } = await counting();
    const http = client(url, { maxConnections: 1 });
    const first = Promise.withResolvers<number>();
    const slow = http.request({ url, ...post, fence: { holdsForMs: () => first.promise } });
    let asked = false;
    const waiting = http.request({
      ...{ url, ...post },
      fence: {
        holdsForMs: async () => {
          asked = true;
          return 500;
        },
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(asked).toBe(false);
    first.resolve(500);
    await Promise.all([slow, waiting]);
    expect(asked).toBe(true);
    expect(seen.bodies).toHaveLength(2);
  });
});

describe('it reads no more than allowed', () => {
  test.each([true, false])('with a length that is said: %s', async (said) => {
    let written = 0;
    const url = await serve((_request, response) => {
      if (said) response.writeHead(200, { 'content-length': '100000000' });
      const more = () => {
        while (!response.destroyed && written < 100_000_000) {
          written += 10_000;
          if (!response.write(Buffer.alloc(10_000))) return response.once('drain', more);
        }
      };
      more();
    });
    const failure = await failureOf(client(url).request({ url, ...post }));
    expect(failure.reason).toBe('too-large');
    expect(written).toBeLessThan(20_000_000);
  });
});

describe('connections', () => {
  async function counted(options: Partial<HttpClientOptions>) {
    let connections = 0;
    const server = createServer((_request, response) => response.end('x'));
    server.on('connection', () => {
      connections += 1;
    });
    const url = await listen(server);
    return { url, http: client(url, options), connections: () => connections };
  }

  test('are kept, and left after so many requests', async () => {
    const { url, http, connections } = await counted({ maxRequestsPerConnection: 5, maxConnections: 1 });
    for (let index = 0; index < 12; index++) await http.request({ url, ...post });
    expect(connections()).toBe(3);
  });

  test('are left at their age', async () => {
    const { url, http, connections } = await counted({ maxConnectionAgeMs: 1, maxConnections: 1 });
    await http.request({ url, ...post });
    const later = Date.now() + 5;
    while (Date.now() < later);
    await http.request({ url, ...post });
    expect(connections()).toBe(2);
  });

  test('of its own for a request that asks for one, closed afterwards', async () => {
    const { url, http, connections } = await counted({ maxConnections: 1 });
    for (let index = 0; index < 3; index++) await http.request({ url, ...post, freshConnection: true });
    expect(connections()).toBe(3);
  });
});
