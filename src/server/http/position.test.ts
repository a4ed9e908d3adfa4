import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { positionHeader } from '#contracts/values/position.ts';
import type { Replicas } from '#kernel/db/replicas.ts';
import { as, startApp, thingId } from './app-under-test.ts';

/** What the edge asks of the replicas, which stand in for those of a database. */
let app: FastifyInstance;
afterEach(() => app.close());

const owner = 'MSP_ADMIN';
const next = '00000001-0000000000000b';

async function start(position: string | null = next) {
  const asked: { mayRead: boolean; shown: string | null }[] = [];
  const replicas: Pick<Replicas, 'during'> = {
    during(request, work) {
      asked.push(request);
      return work(async () => position);
    },
  };
  app = await startApp({ replicas: replicas as Replicas, corsOrigins: ['https://console.example'] });
  return asked;
}

test('only an operation that says so may read of replicas, with what its caller was shown', async () => {
  const asked = await start();
  const list = as(owner, 'GET', '/api/thing');
  const shown = '00000001-0000000000000a';
  await app.inject({ ...list, headers: { ...list.headers, [positionHeader]: shown } });
  await app.inject(list);
  await app.inject(as(owner, 'GET', `/api/thing/${thingId}`));
  await app.inject(as(owner, 'POST', '/api/thing', { name: 'a' }));
  expect(asked).toEqual([
    { mayRead: true, shown },
    { mayRead: true, shown: null },
    { mayRead: false, shown: null },
    { mayRead: false, shown: null },
  ]);
});

test('each reply to a known caller says how far the database had come, a refusal too', async () => {
  await start();
  const calls = [
    as(owner, 'GET', '/api/thing'),
    as(owner, 'POST', '/api/thing', { name: 'a' }),
    as(owner, 'GET', '/api/thing/01980000-0000-7000-8000-000000000002'),
    as('nobody', 'POST', '/api/greeting', {}),
  ];
  const replies = await Promise.all(calls.map((call) => app.inject(call)));
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 404, 200]);
  expect(replies.map(({ headers }) => headers[positionHeader])).toEqual([next, next, next, next]);
});

test('strangers and operators hear nothing of it, and a position that cannot be had is left out', async () => {
  const asked = await start();
  const { headers } = await app.inject(as('', 'POST', '/api/thing/fail', { how: 'funds' }));
  expect([headers[positionHeader], asked]).toEqual([undefined, []]);
  await app.close();
  await start(null);
  const silent = await app.inject(as(owner, 'GET', '/api/thing'));
  expect([silent.statusCode, silent.headers[positionHeader]]).toEqual([200, undefined]);
});

test('pages of other origins may read the position and send it back', async () => {
  await start();
  const from = { origin: 'https://console.example', authorization: `Bearer ${owner}` };
  const asks = await app.inject({ method: 'OPTIONS', url: '/api/thing', headers: from });
  expect(asks.headers['access-control-allow-headers']).toContain(positionHeader);
  const reply = await app.inject({ method: 'GET', url: '/api/thing', headers: from });
  expect(reply.headers['access-control-expose-headers']).toContain(positionHeader);
});
