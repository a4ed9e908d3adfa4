import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startApp } from './app-under-test.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Slow {
  socket: Socket;
  /** All that came back, when the server has closed the connection. */
  closed: Promise<string>;
}

/** A connection that says only this much, and then nothing more. */
async function slow(port: number, said: string): Promise<Slow> {
  const socket = connect(port, '127.0.0.1');
  ends.push(() => socket.destroy());
  let got = '';
  socket.on('data', (chunk) => (got += chunk.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(got)));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.write(said);
  return { socket, closed };
}

const head = 'POST /api/thing HTTP/1.1\r\nHost: a.example\r\n';

test('beside a thousand connections that send next to nothing all others are answered, and those are closed', async () => {
  const app = await startApp({ patience: { requestMs: 3_000, headersMs: 2_000, checkMs: 200 } });
  ends.push(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const beginnings = [
    '',
    'POST /api',
    head,
    // A body that is announced and does not come.
    `${head}Authorization: Bearer MSP_OWNER\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`,
  ];
  const all: Promise<string>[] = [];
  let open = 0;
  for (let count = 0; count < 1_000; count += 1) {
    const { closed } = await slow(port, beginnings[count % beginnings.length] ?? '');
    open += 1;
    all.push(closed.finally(() => (open -= 1)));
  }
  const before = open;
  const meanwhile = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const reply = await fetch(`http://127.0.0.1:${port}/api/thing`, {
        headers: { authorization: 'Bearer MSP_OWNER' },
      });
      return reply.status;
    }),
  );
  expect(before).toBeGreaterThan(0);
  expect(meanwhile).toEqual(Array(50).fill(200));
  const answers = await Promise.all(all);
  expect(open).toBe(0);
  // A client that had begun a request learns why.
  const told = answers.filter((_answer, count) => count % beginnings.length !== 0);
  expect(told.filter((answer) => !answer.startsWith('HTTP/1.1 408 '))).toEqual([]);
  expect(told.some((answer) => answer.includes('"code":"bad_request"'))).toBe(true);
});
