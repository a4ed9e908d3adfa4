import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { as, startApp } from './app-under-test.ts';

let app: FastifyInstance;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const contentTypes = [
  'application/json',
  'application/json; charset=latin1',
  'text/plain',
  '',
  'application/json\t;',
];
const almost = fc.record(
  {
    name: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
    size: fc.oneof(fc.constantFrom(1, 2), fc.double()),
    tags: fc.oneof(fc.array(fc.string({ unit: 'binary' })), fc.jsonValue()),
    inner: fc.jsonValue(),
    constructor: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const bodies = fc.oneof(
  almost.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
  fc.json().map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

test('1,000 bodies of every kind: never a 5xx, and each refusal in our own words', async () => {
  await fc.assert(
    fc.asyncProperty(
      bodies,
      fc.constantFrom(...contentTypes),
      fc.constantFrom('/api/thing', '/api/webhooks/things', '/api/greeting', '/csp-reports'),
      async (payload, type, url) => {
        const request = as('MSP_OWNER', 'POST', url, payload);
        const headers = { ...request.headers, 'content-type': type };
        const reply = await app.inject({ ...request, headers });
        expect(reply.statusCode).toBeLessThan(500);
        if (reply.statusCode >= 400) {
          expect(reply.json()).toMatchObject({ message: expect.any(String), requestId: expect.any(String) });
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

test('500 addresses of every kind: never a 5xx', async () => {
  const parts = fc.array(
    fc.oneof(fc.constantFrom('api', 'thing', 'look-up', '..', '%00', '%ff', '.'), fc.webSegment()),
    {
      maxLength: 5,
    },
  );
  await fc.assert(
    fc.asyncProperty(parts, fc.webQueryParameters(), async (path, query) => {
      const reply = await app.inject(as('MSP_OWNER', 'GET', `/${path.join('/')}?${query}`));
      expect(reply.statusCode).toBeLessThan(500);
    }),
    { numRuns: 500 },
  );
});
