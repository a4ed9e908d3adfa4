import { expect, test } from 'vitest';
import { directBillingRoutes } from './direct-billing.routes.ts';
import type { DirectBillingApi } from './direct-billing.service.ts';

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
  const direct = {
    list: note('list', { rows: ['a charge'], total: 41 }),
    retry: note('retry', 'retried'),
    settle: note('settle', 'settled'),
    links: { resend: note('resend', undefined), state: note('state', 'shown'), open: note('open', 'opened') },
  } as unknown as DirectBillingApi;
  const binding = directBillingRoutes(direct).find(({ operation }) => operation.id === id);
  if (!binding) throw new Error(`no operation ${id}`);
  const headers = { get: () => null };
  const reply: unknown = await binding.handler({ scope, headers, ...context } as never);
  return { asked, reply };
}

test.each([
  ['open', { open: 'true' }, true],
  ['other than open', { open: 'false' }, false],
  ['of every kind', {}, undefined],
])('charges %s are those that are asked for', async (_what, chosen, open) => {
  const query = { ...chosen, pageSize: 20, sort: '-amount', search: 'ada', customerId: 'customer-1' };
  expect(await call('direct.list', { query: { ...query, page: 3 } })).toMatchObject({
    asked: [['list', scope, { ...query, page: 3, open }]],
    reply: { rows: ['a charge'], meta: { total: 41, page: 3 } },
  });
  expect((await call('direct.list', { query })).asked).toEqual([
    ['list', scope, { ...query, page: 1, open }],
  ]);
});
