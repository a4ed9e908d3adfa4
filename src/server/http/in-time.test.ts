import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Binding, bind, FileReply } from '#kernel/binding.ts';
import { as, downloadThing, failThing, getThing, startApp, thingId, thingRoutes } from './app-under-test.ts';

let app: FastifyInstance;
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

/** The usual app with this one handler in place of its own; it is there when a request has come to the handler. */
async function appWith(binding: Binding): Promise<void> {
  const others = thingRoutes().filter(({ operation }) => operation.id !== binding.operation.id);
  app = await startApp({ bindings: [...others, binding] });
}

function signal<T = void>() {
  let tell: (value: T) => void = () => undefined;
  const told = new Promise<T>((resolve) => {
    tell = resolve;
  });
  return { tell, told };
}

/** Answered or not, once everything that runs has run. */
async function answerNow(asked: Promise<LightMyRequestResponse>): Promise<LightMyRequestResponse | null> {
  let answer: LightMyRequestResponse | null = null;
  void asked.then((reply) => {
    answer = reply;
  });
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return answer;
}

test('a write with a body is answered after 85 seconds: it may have been done, and nobody is told to try again', async () => {
  const begun = signal();
  await appWith(
    bind(failThing, () => {
      begun.tell();
      return new Promise(() => undefined);
    }),
  );
  const asked = app.inject(as('', 'POST', '/api/thing/fail', { how: 'slow' }));
  await begun.told;
  vi.advanceTimersByTime(84_999);
  expect(await answerNow(asked)).toBeNull();
  vi.advanceTimersByTime(1);
  const reply = await answerNow(asked);
  expect([reply?.statusCode, reply?.json().code, reply?.headers['retry-after']]).toEqual([
    502,
    'outcome_unknown',
    undefined,
  ]);
  expect(reply?.json().message).toContain('It may have been done');
});

test.each([
  ['GET', { code: 'unavailable' }],
  ['HEAD', null],
] as const)('a read by %s is answered after 30 seconds, and may be tried again', async (method, body) => {
  const begun = signal();
  await appWith(
    bind(getThing, () => {
      begun.tell();
      return new Promise(() => undefined);
    }),
  );
  const asked = app.inject({ ...as('MSP_OWNER', 'GET', `/api/thing/${thingId}`), method });
  await begun.told;
  vi.advanceTimersByTime(29_999);
  expect(await answerNow(asked)).toBeNull();
  vi.advanceTimersByTime(1);
  const reply = await answerNow(asked);
  expect(reply?.statusCode).toBe(503);
  expect(reply?.body ? reply.json() : null).toEqual(body && expect.objectContaining(body));
});

test('what the handler says later goes nowhere', async () => {
  const begun = signal();
  const late = signal<object>();
  await appWith(
    bind(getThing, async () => {
      begun.tell();
      return (await late.told) as { id: string };
    }),
  );
  const asked = app.inject(as('MSP_OWNER', 'GET', `/api/thing/${thingId}`));
  await begun.told;
  vi.advanceTimersByTime(30_000);
  const first = await answerNow(asked);
  late.tell({ id: thingId });
  const last = await answerNow(asked);
  expect([first?.statusCode, last?.body]).toEqual([503, first?.body]);
});

test('a file that is being sent takes as long as its reader does', async () => {
  const content = new PassThrough();
  await appWith(bind(downloadThing, async () => new FileReply(content, 'text/csv; charset=utf-8', 'a.csv')));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  content.write('a,b\n');
  const reply = await fetch(`http://127.0.0.1:${port}/api/thing/${thingId}/file`, {
    headers: { authorization: 'Bearer MSP_OWNER' },
  });
  vi.advanceTimersByTime(120_000);
  content.end('1,2\n');
  expect([reply.status, await reply.text()]).toEqual([200, 'a,b\n1,2\n']);
});

test('an answer in time leaves no timer', async () => {
  app = await startApp();
  const before = vi.getTimerCount();
  for (const method of ['GET', 'DELETE'] as const) {
    const reply = await app.inject(as('MSP_OWNER', method, `/api/thing/${thingId}`));
    expect(reply.statusCode).toBe(200);
  }
  expect(vi.getTimerCount()).toBe(before);
});

test('a request whose caller has left keeps no timer once its handler has ended', async () => {
  const begun = signal();
  const late = signal<{ id: string }>();
  const left = signal();
  await appWith(
    bind(getThing, () => {
      begun.tell();
      return late.told;
    }),
  );
  app.server.once('request', (_request, response) => response.once('close', left.tell));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const before = vi.getTimerCount();
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`GET /api/thing/${thingId} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer MSP_OWNER\r\n\r\n`);
  await begun.told;
  socket.destroy();
  await left.told;
  expect(vi.getTimerCount()).toBe(before + 1);
  late.tell({ id: thingId });
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(vi.getTimerCount()).toBe(before);
});
