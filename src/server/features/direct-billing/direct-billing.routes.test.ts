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
    release: note('release', 'released'),
    links: { resend: note('resend', undefined), state: note('state', 'shown'), open: note('open', 'opened') },
  } as unknown as DirectBillingApi;
  const binding = directBillingRoutes(direct).find(({ operation }) => operation.id === id);
  if (!binding) throw new Error(`no operation ${id}`);
  const headers = { get: () => null };
  const reply: unknown = await binding.handler({ scope, headers, ...context } as never);
  return { asked, reply };
}

test.each([
  ['open', { open: 'true' }, { open: true }],
  ['other than open', { open: 'false' }, { open: false }],
  ['that stop others', { stopping: 'true' }, { stopping: true }],
  ['that stop none', { stopping: 'false' }, { stopping: false }],
  ['of every kind', {}, {}],
])('charges %s are those that are asked for', async (_what, chosen, flags) => {
  const asked = { open: undefined, stopping: undefined, ...flags };
  const query = { ...chosen, pageSize: 20, sort: '-amount', search: 'ada', customerId: 'customer-1' };
  expect(await call('direct.list', { query: { ...query, page: 3 } })).toMatchObject({
    asked: [['list', scope, { ...query, page: 3, ...asked }]],
    reply: { rows: ['a charge'], meta: { total: 41, page: 3 } },
  });
  expect((await call('direct.list', { query })).asked).toEqual([
    ['list', scope, { ...query, page: 1, ...asked }],
  ]);
});

test('a charge is tried again, or settled with what was noted, by its id', async () => {
  const params = { id: 'charge-1' };
  expect(await call('direct.retry', { params })).toEqual({
    ...{ asked: [['retry', scope, 'charge-1']], reply: 'retried' },
  });
  expect(await call('direct.settle', { params, body: { note: 'Paid in cash' } })).toEqual({
    ...{ asked: [['settle', scope, 'charge-1', 'Paid in cash']], reply: 'settled' },
  });
});

test('charges are allowed again by the charge whose dispute stopped them', async () => {
  const seen = { disputed: 5, disputedAt: null };
  expect(await call('direct.release', { params: { id: 'charge-1' }, body: seen })).toEqual({
    ...{ asked: [['release', scope, 'charge-1', seen]], reply: 'released' },
  });
});

test('a setup link is read and opened by its token, by anybody who has it', async () => {
  const params = { token: 'secret' };
  expect(await call('direct.setup', { params })).toEqual({ asked: [['state', 'secret']], reply: 'shown' });
  expect(await call('direct.openSetup', { params })).toEqual({
    asked: [['open', 'secret']],
    reply: 'opened',
  });
});

test('a setup link is sent on behalf of the portal, and not for a page of another site that has a browser ask for it', async () => {
  const send = (site: string | null) =>
    call('customers.resendPaymentLink', {
      params: { stripeId: 'cus_1' },
      headers: { get: (name: string) => (name === 'sec-fetch-site' ? site : null) },
    });
  for (const site of [null, 'same-origin', 'none']) {
    expect(await send(site)).toEqual({ asked: [['resend', scope, 'cus_1']], reply: {} });
  }
  await expect(send('cross-site')).rejects.toMatchObject({ code: 'forbidden' });
});
