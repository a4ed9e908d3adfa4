import { Agent, get, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { endConnectionsAtClose } from './closing.ts';

/** A server whose connections are kept for ever, with two answers that come when the test says so. */
async function open() {
  const app = fastify({ keepAliveTimeout: 0 });
  endConnectionsAtClose(app);
  const held = Promise.withResolvers<string>();
  const file = new PassThrough();
  const seen: string[] = [];
  app.addHook('onRequest', async ({ url }) => void seen.push(url));
  app.get('/held', () => held.promise);
  app.get('/file', (_request, reply) => reply.send(file));
  const closed = { begun: false, yet: false };
  app.addHook('preClose', async () => {
    closed.begun = true;
  });
  const close = () => {
    void app.close().then(() => (closed.yet = true));
    return eventually(() => expect(closed.begun).toBe(true));
  };
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  const ask = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(`${url}${path}`, { agent }, resolve).on('error', reject);
    });
  return { ask, close, closed, file, give: held.resolve, seen };
}

test('a request under way is answered, its caller is told that the connection ends, and then the server has closed', async () => {
  const { ask, close, closed, give, seen } = await open();
  const asked = ask('/held');
  await eventually(() => expect(seen).toEqual(['/held']));
  await close();
  give('done');
  const answer = await asked;
  expect(answer.headers.connection).toBe('close');
  expect(await text(answer)).toBe('done');
  await eventually(() => expect(closed.yet).toBe(true));
});

test('a file that is being sent is sent to its end, and then the server has closed', async () => {
  const { ask, close, closed, file } = await open();
  file.write('first ');
  const answer = await ask('/file');
  expect(answer.headers.connection).toBe('keep-alive');
  await close();
  file.end('last');
  expect(await text(answer)).toBe('first last');
  await eventually(() => expect(closed.yet).toBe(true));
});

test('while nothing closes, connections are kept', async () => {
  const { ask, close, closed, give } = await open();
  give('done');
  const answer = await ask('/held');
  expect([answer.headers.connection, await text(answer)]).toEqual(['keep-alive', 'done']);
  await close();
  await eventually(() => expect(closed.yet).toBe(true));
});
