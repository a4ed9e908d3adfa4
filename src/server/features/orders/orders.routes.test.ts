import { expect, test } from 'vitest';
import { orderRoutes } from './orders.routes.ts';
import type { OrdersApi } from './orders.service.ts';

const scope = { organisationId: 'msp-1' };

/** What an operation hands to the service, and what it answers. */
async function call(id: string, context: object) {
  const asked: unknown[] = [];
  const note =
    (name: string, answer: unknown) =>
    async (...given: unknown[]) => {
      asked.push([name, ...given]);
      return answer;
    };
  const orders = {
    list: note('list', { rows: ['an order'], total: 41 }),
    ...{ purchase: note('purchase', 'bought'), transfer: note('transfer', 'moved') },
    ...{ restore: note('restore', 'restored'), prices: note('prices', 'priced') },
    ...{ outcome: note('outcome', 'told'), get: note('get', 'found') },
  } as unknown as OrdersApi;
  const binding = orderRoutes(orders).find(({ operation }) => operation.id === id);
  if (!binding) throw new Error(`no operation ${id}`);
  const headers = { idempotencyKey: 'key-1' };
  const reply: unknown = await binding.handler({ scope, headers, ...context } as never);
  return { asked, reply };
}

test.each([
  ['open', { open: 'true' }, true],
  ['other than open', { open: 'false' }, false],
  ['of every kind', {}, undefined],
])('orders %s are those that are asked for', async (_what, chosen, open) => {
  const query = { ...chosen, pageSize: 20, sort: '-total', search: 'acme' };
  expect(await call('orders.list', { query: { ...query, page: 3 } })).toMatchObject({
    asked: [['list', scope, { ...query, page: 3, open }]],
    reply: { rows: ['an order'], meta: { total: 41, page: 3 } },
  });
  expect((await call('orders.list', { query })).asked).toEqual([
    ['list', scope, { ...query, page: 1, open }],
  ]);
});

test.each([
  ['orders.purchase', 'purchase', 'bought'],
  ['orders.transfer', 'transfer', 'moved'],
  ['orders.restore', 'restore', 'restored'],
])(
  'what is bought by %s is bought under the key of the request, so that a repeat buys nothing',
  async (id, name, reply) => {
    const body = { anything: 'as it was sent' };
    expect(await call(id, { body })).toEqual({ asked: [[name, scope, body, 'key-1']], reply });
  },
);

test.each([
  ['orders.prices', 'prices', { body: ['a line'] }, ['a line'], 'priced'],
  ['orders.outcome', 'outcome', { params: { key: 'key-2' } }, 'key-2', 'told'],
  ['orders.get', 'get', { params: { id: 'order-1' } }, 'order-1', 'found'],
])('%s is asked for what the request names', async (id, name, context, given, reply) => {
  expect(await call(id, context)).toEqual({ asked: [[name, scope, given]], reply });
});
