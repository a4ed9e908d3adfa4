import type { FastifyInstance } from 'fastify';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { defineOperation } from '#contracts/operation.ts';
import { rates } from '#contracts/values/rates.ts';
import { bind } from '#kernel/binding.ts';
import { as, getThing, makeThing, startApp, thingId } from './app-under-test.ts';
import { addressKey, createLocalLimiter, perAddress, scaled } from './rate-limits.ts';

const fiveAnHour = { hits: 5, periodSeconds: 3_600 };

function waitOf(hit: () => unknown): number {
  try {
    void hit();
    return 0;
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return error.retryAfterSeconds ?? -1;
    throw error;
  }
}

test('the burst passes at once, the next hit is told the exact wait, and after it one passes', () => {
  let nowMs = 1_000;
  const limiter = createLocalLimiter(() => nowMs);
  const hit = () => limiter.hit('a', { hits: 60, periodSeconds: 60, burst: 20 });
  expect(Array.from({ length: 20 }, () => waitOf(hit))).toEqual(Array(20).fill(0));
  expect(waitOf(hit)).toBe(1);
  nowMs += 999;
  expect(waitOf(hit)).toBe(1);
  nowMs += 1;
  expect(waitOf(hit)).toBe(0);
  expect(waitOf(hit)).toBe(1);
});

test('without a burst all hits of the period may come at once, and refused ones do not lengthen the wait', () => {
  let nowMs = 0;
  const limiter = createLocalLimiter(() => nowMs);
  const hit = () => limiter.hit('a', fiveAnHour);
  expect(Array.from({ length: 5 }, () => waitOf(hit))).toEqual([0, 0, 0, 0, 0]);
  expect(Array.from({ length: 50 }, () => waitOf(hit))).toEqual(Array(50).fill(720));
  nowMs += 720_000;
  expect(waitOf(hit)).toBe(0);
});

test('over any stretch of time no more than the burst and the rate get through', () => {
  let nowMs = 0;
  const limiter = createLocalLimiter(() => nowMs);
  let passed = 0;
  for (; nowMs < 300_000; nowMs += 50) if (waitOf(() => limiter.hit('a', rates.lookup)) === 0) passed += 1;
  expect(passed).toBe(20 + 299);
});

test('keys do not count for each other; a flood of keys is forgotten from the oldest on', () => {
  const limiter = createLocalLimiter(() => 0);
  const once = { hits: 1, periodSeconds: 60 };
  expect(waitOf(() => limiter.hit('victim', once))).toBe(0);
  expect(waitOf(() => limiter.hit('other', once))).toBe(0);
  for (let index = 0; index < 49_998; index += 1) void limiter.hit(`flood ${index}`, once);
  expect(waitOf(() => limiter.hit('victim', once))).toBe(60);
});

test('addresses of one IPv6 network count together, those of IPv4 alone', () => {
  expect(addressKey('192.0.2.7')).toBe('192.0.2.7');
  expect(addressKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
  expect(addressKey('2001:db8:1:2::9')).toBe('2001:db8:1:2');
  expect(addressKey('2001:db8::9')).toBe('2001:db8:0:0');
  expect(addressKey('::1')).toBe('0:0:0:0');
  expect(addressKey('::ffff:192.0.2.7')).toBe('::ffff:192.0.2.7');
});

test('the operator’s factor scales hits and burst, never to nothing', () => {
  expect(scaled(rates.lookup, 10)).toMatchObject({ hits: 600, burst: 200 });
  expect(scaled(rates.link, 0.01).hits).toBe(1);
});

async function withApp(
  options: Parameters<typeof startApp>[0],
  work: (app: FastifyInstance) => Promise<void>,
) {
  const app = await startApp(options);
  await work(app);
  await app.close();
}

test('429 with Retry-After comes at hit n+1 of a named limit, for that user alone', async () => {
  const sharedLimiter = createLocalLimiter(() => 0);
  await withApp({ rateLimits: true, sharedLimiter }, async (app) => {
    const lookUp = (who: string) => app.inject(as(who, 'GET', '/api/thing/look-up/a.example'));
    for (let count = 0; count < 20; count += 1) expect((await lookUp('MSP_OWNER')).statusCode).toBe(200);
    const refused = await lookUp('MSP_OWNER');
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().code]).toEqual([
      429,
      '1',
      'rate_limited',
    ]);
    expect((await lookUp('MSP_ADMIN')).statusCode).toBe(200);
    expect((await app.inject(as('MSP_OWNER', 'GET', '/api/thing'))).statusCode).toBe(200);
  });
});

test('an address is limited before its token is looked at; X-Forwarded-For changes nothing', async () => {
  // No time passes: a slow machine would be given new hits while it sends.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await withApp({ rateLimits: true }, async (app) => {
    const send = (index: number, remoteAddress = '192.0.2.1') =>
      app.inject({
        url: '/api/thing',
        remoteAddress,
        headers: { 'x-forwarded-for': `198.51.100.${index % 250}` },
      });
    const statuses = [];
    for (let index = 0; index < 700; index += 1) {
      const reply = await send(index);
      statuses.push(reply.statusCode);
      if (reply.statusCode !== 429) continue;
      // Not only after how long: also which limit it was.
      expect(reply.headers['ratelimit-policy']).toBe('"address";q=1200;w=60');
      expect(reply.headers.ratelimit).toMatch(/^"address";r=0;t=\d+$/);
    }
    expect(statuses.slice(0, perAddress.burst)).toEqual(Array(perAddress.burst).fill(401));
    expect(statuses.slice(perAddress.burst)).toEqual(Array(700 - (perAddress.burst ?? 0)).fill(429));
    expect((await send(0, '192.0.2.2')).statusCode).toBe(401);
    expect((await app.inject({ url: '/healthz', remoteAddress: '192.0.2.1' })).statusCode).toBe(200);
  });
});

test('behind a trusted proxy the address it names counts, and no further one', async () => {
  let seen = '';
  const request = as('a', 'GET', '/api/thing');
  const headers = { ...request.headers, 'x-forwarded-for': '203.0.113.9, 198.51.100.1' };
  for (const [trustedProxies, ip] of [
    [0, '10.0.0.5'],
    [1, '198.51.100.1'],
    [['10.0.0.0/8'], '198.51.100.1'],
    [['192.168.0.0/16'], '10.0.0.5'],
  ] as const) {
    await withApp({ trustedProxies }, async (app) => {
      app.addHook('onRequest', async (asked) => {
        seen = asked.ip;
      });
      await app.inject({ ...request, remoteAddress: '10.0.0.5', headers });
    });
    expect(seen).toBe(ip);
  }
});

const invitations = { rate: 'invite' } as const;

describe('an operation with a limit of its own', () => {
  const operation = defineOperation({
    ...makeThing,
    id: 'things.invite',
    path: '/thing/invite',
    ...invitations,
  });
  const again = defineOperation({
    ...getThing,
    id: 'things.again',
    path: '/thing/:id/again',
    rate: 'resend',
  });
  let refusal: AppError | null = null;
  let nowMs = 0;
  const app = startApp({
    operations: [operation, again],
    bindings: [
      bind(operation, async ({ body }) => {
        if (refusal) throw refusal;
        return { name: body.name, size: body.size, key: null };
      }),
      bind(again, async ({ params }) => params),
    ],
    rateLimits: true,
    sharedLimiter: createLocalLimiter(() => nowMs),
  });
  const invite = async (body: object = { name: 'a' }) =>
    (await app).inject(as('MSP_ADMIN', 'POST', '/api/thing/invite', body));
  beforeEach(() => {
    refusal = null;
    nowMs += 7_200_000;
  });
  afterAll(async () => (await app).close());

  test('says what is left with each reply, and in minutes when it refuses', async () => {
    const first = await invite();
    const { 'ratelimit-limit': limit, 'ratelimit-remaining': left, 'ratelimit-reset': reset } = first.headers;
    expect([limit, left, reset]).toEqual(['60', '59', '60']);
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"invite";q=60;w=3600',
      ratelimit: '"invite";r=59;t=60',
    });
    for (let count = 1; count < 60; count += 1) expect((await invite()).statusCode).toBe(200);
    nowMs -= 300_000;
    const refused = await invite();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '360']);
    expect(refused.headers).toMatchObject({ 'ratelimit-remaining': '0', 'ratelimit-reset': '360' });
    expect(refused.headers.ratelimit).toBe('"invite";r=0;t=360');
    expect(refused.json().message).toBe('Too many invitations. Please try again in 6 minutes.');
  });

  test('does not count refused input: neither what breaks the contract, nor what the handler finds wrong', async () => {
    for (let count = 0; count < 21; count += 1) expect((await invite({ name: '' })).statusCode).toBe(400);
    refusal = new AppError('already_exists');
    for (let count = 0; count < 21; count += 1) expect((await invite()).statusCode).toBe(409);
    refusal = new AppError('validation_failed');
    for (let count = 0; count < 21; count += 1) expect((await invite()).statusCode).toBe(400);
    refusal = null;
    expect((await invite()).headers['ratelimit-remaining']).toBe('59');
  });

  test('counts what failed for any other reason', async () => {
    refusal = new AppError('unprocessable');
    for (let count = 0; count < 60; count += 1) expect((await invite()).statusCode).toBe(422);
    expect((await invite()).statusCode).toBe(429);
  });

  test('a letter to one person counts for this person alone, no matter who in the organisation sends it', async () => {
    const send = async (who: string, id: string) =>
      (await (await app).inject(as(who, 'GET', `/api/thing/${id}/again`))).statusCode;
    const other = thingId.replace(/1$/, '2');
    const statuses = [];
    for (const who of ['MSP_OWNER', 'MSP_ADMIN', 'MSP_OWNER', 'MSP_ADMIN', 'MSP_OWNER', 'MSP_ADMIN'])
      statuses.push(await send(who, thingId));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await send('MSP_ADMIN', other)).toBe(200);
  });
});
