import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApp } from './app-under-test.ts';
import type { UploadInput, UploadRefusal } from './uploads.ts';

let app: FastifyInstance;
let got: Omit<UploadInput, 'body'>[] = [];
let answer: UploadRefusal | null = null;
let content = '';
beforeAll(async () => {
  app = await startApp({
    uploads: {
      async receive({ body, ...input }) {
        got.push(input);
        if (!answer) content = await text(body);
        return answer;
      },
    },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  got = [];
  answer = null;
});
afterAll(() => app.close());

const token = `${'a'.repeat(400)}.${'b'.repeat(43)}`;

test('the bytes, the type and the token of the address reach the storage; no sign-in is asked', async () => {
  const headers = { 'content-type': 'image/png', 'content-length': '5' };
  const reply = await app.inject({ method: 'PUT', url: `/uploads/${token}`, headers, payload: 'bytes' });
  expect([reply.statusCode, reply.json()]).toEqual([200, { data: {} }]);
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(got).toEqual([{ token, method: 'PUT', contentType: 'image/png', contentBytes: 5 }]);
  expect(content).toBe('bytes');
});

test('more than the usual limit of a body may come: the grant decides', async () => {
  const headers = { 'content-type': 'text/csv' };
  await app.inject({ method: 'PUT', url: `/uploads/${token}`, headers, payload: 'x'.repeat(4_000_000) });
  expect(content).toHaveLength(4_000_000);
});

test('a refusal has its own status, and other methods are no upload', async () => {
  const statuses = [];
  for (const refusal of ['forbidden', 'payload_too_large', 'bad_request'] as const) {
    answer = refusal;
    const reply = await app.inject({ method: 'PUT', url: `/uploads/${token}`, payload: 'x' });
    statuses.push(`${reply.statusCode} ${reply.json().code}`);
  }
  expect(statuses).toEqual(['403 forbidden', '413 payload_too_large', '400 bad_request']);
  got = [];
  for (const method of ['GET', 'POST', 'DELETE'] as const) {
    expect((await app.inject({ method, url: `/uploads/${token}` })).statusCode).toBe(404);
  }
  expect(got).toEqual([]);
});

test('what a refused sender would still send is not waited for', async () => {
  answer = 'payload_too_large';
  const { port } = app.server.address() as AddressInfo;
  const headers = { 'content-type': 'image/png', 'content-length': '50000000' };
  const request = httpRequest({ host: '127.0.0.1', port, method: 'PUT', path: `/uploads/${token}`, headers });
  request.on('error', () => undefined);
  request.write(Buffer.alloc(10_000));
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(413);
  expect(response.headers.connection).toBe('close');
  request.destroy();
});
