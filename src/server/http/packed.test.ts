import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { sendJson } from './packed.ts';

const app = Fastify();
app.get('/:length', (request, reply) => {
  const { length } = request.params as { length: string };
  return sendJson(reply, textOf(Number(length)));
});
app.get('/stored', (_request, reply) => sendJson(reply.status(201), Buffer.from(textOf(5_000))));
app.get('/origin', (_request, reply) => sendJson(reply.header('vary', 'Origin'), textOf(5_000)));
afterAll(() => app.close());

const textOf = (length: number) => `"${'ö'.repeat(length - 2)}"`;
const ask = (url: string, accepts?: string) =>
  app.inject({ url, headers: accepts === undefined ? {} : { 'accept-encoding': accepts } });

// The shortest that is packed; the longest that is packed at once, and the next.
test.each([1_024, 65_536, 65_537, 400_000])(
  '%i characters are packed for who takes it so',
  async (length) => {
    const packed = await ask(`/${length}`, 'br, GZIP;q=0.5');
    expect(packed.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'content-length': String(packed.rawPayload.length),
    });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(textOf(length));
    expect(packed.rawPayload.length).toBeLessThan(length / 4);
  },
);

test.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'br, gzip; q=0.0'])(
  'who takes no such thing gets the text, and a cache knows why: %s',
  async (accepts) => {
    const plain = await ask('/1024', accepts);
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding' });
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, textOf(1_024)]);
  },
);

test('a short reply is sent as it is', async () => {
  const short = await ask('/1023', 'gzip');
  expect([short.headers['content-encoding'], short.headers.vary]).toEqual([undefined, undefined]);
  expect(short.body).toBe(textOf(1_023));
});

test('a reply that was kept as bytes keeps its status', async () => {
  const stored = await ask('/stored', 'gzip');
  expect([stored.statusCode, gunzipSync(stored.rawPayload).toString()]).toEqual([201, textOf(5_000)]);
});

test('what a reply differs by otherwise stays named', async () => {
  expect((await ask('/origin', 'gzip')).headers.vary).toBe('Origin, accept-encoding');
});
