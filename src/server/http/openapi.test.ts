import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorTable } from '#contracts/errors.ts';
import { operations } from '#contracts/operations.ts';
import { startApp } from './app-under-test.ts';
import { openApiOf } from './openapi.ts';

interface Described {
  operationId: string;
  description: string;
  responses: Record<string, { description: string }>;
  parameters: { name: string; in: string }[];
  security: unknown[];
  requestBody?: { content: Record<string, { schema?: unknown }> };
}
const document = openApiOf(operations) as {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
};

let app: FastifyInstance;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('every operation of the contract is described, with its parameters, errors and who may call it', () => {
  expect(document.openapi).toBe('3.1.0');
  for (const operation of operations) {
    const path = `/api${operation.path.replace(/:(\w+)/g, '{$1}')}`;
    const described = document.paths[path]?.[operation.method.toLowerCase()];
    expect(described?.operationId).toBe(operation.id);
    const named = described?.parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name);
    expect(named?.sort()).toEqual([...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name).sort());
    expect(described?.description).toContain(operation.access);
    for (const code of operation.errors ?? []) {
      expect(described?.responses[errorTable[code].status]?.description).toContain(`${code}: `);
    }
    expect(described?.security.length === 0).toBe(
      ['public', 'signature', 'webhook'].includes(operation.access),
    );
  }
});

test('every object of every body is closed to fields that it does not name, or says what it takes beside them', () => {
  const open: string[] = [];
  let closed = 0;
  const look = (schema: unknown, place: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { type, additionalProperties: more } = schema as Record<string, unknown>;
    if (type === 'object' && more === undefined) open.push(place);
    if (type === 'object' && more === false) closed += 1;
    for (const [key, inner] of Object.entries(schema)) look(inner, `${place}.${key}`);
  };
  for (const methods of Object.values(document.paths)) {
    for (const { operationId, requestBody } of Object.values(methods)) {
      look(requestBody?.content['application/json']?.schema, operationId);
    }
  }
  expect(open).toEqual([]);
  expect(closed).toBeGreaterThan(60);
});

test('no two operations share an id, or a method and path', () => {
  const ids = operations.map(({ id }) => id);
  const places = operations.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(places).size).toBe(places.length);
});

test('the document and its page are served, the page without inline script or style', async () => {
  const json = await app.inject('/api/docs/openapi.json');
  expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(Object.keys(json.json().paths)).toContain('/api/thing/{id}');
  const page = await app.inject('/api/docs');
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.body).toContain('things.remove');
  expect(page.body).toContain('MSP_OWNER, MSP_ADMIN');
  expect(page.body).not.toMatch(/<style|<script>|style=|onclick/);
  const scripts = [...page.body.matchAll(/(?:src|href)="(\/api\/docs\/page\.[^"]+)"/g)].map(
    ([, url]) => url ?? '',
  );
  expect(scripts).toHaveLength(2);
  for (const url of scripts) expect((await app.inject(url)).statusCode).toBe(200);
});

test.each(['/api/docs/openapi.json', '/api/docs'])(
  '%s comes packed to who takes it so, and as the same text to others',
  async (url) => {
    const ask = (accepts?: string) =>
      app.inject({ url, headers: accepts === undefined ? {} : { 'accept-encoding': accepts } });
    const plain = await ask();
    for (const accepts of ['gzip', 'br, gzip;q=0.5', 'deflate, GZIP']) {
      const packed = await ask(accepts);
      expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    }
    for (const accepts of ['', 'br', 'identity', 'gzip;q=0', 'br, gzip; q=0.0']) {
      const other = await ask(accepts);
      expect(other.headers['content-encoding']).toBeUndefined();
      expect(other.body).toBe(plain.body);
    }
  },
);

test('a cache keeps it apart for each origin, too, where other origins may read it', async () => {
  const open = await startApp({ corsOrigins: ['https://console.example'] });
  const { headers } = await open.inject('/api/docs/openapi.json');
  expect(headers.vary).toBe('Origin, accept-encoding');
  await open.close();
});
