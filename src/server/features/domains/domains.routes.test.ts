import { expect, test } from 'vitest';
import { WrittenPage } from '#kernel/binding.ts';
import { routed, scope } from '../../../../tests/support/routed.ts';
import { domainRoutes } from './domains.routes.ts';

const [domain, address, customerId] = ['fig.com', 'fig.com', 'cus'];
const requireFreshSignIn = () => undefined;
const [named, ofAddress] = [{ body: { domain } }, { params: { address } }];

test.each<[string, object, unknown[]]>([
  ['domains.lock', named, ['settings.setLock', scope, domain, true]],
  ['domains.unlock', named, ['settings.setLock', scope, domain, false]],
  ['domains.privacy', { body: { domain, enabled: false } }, ['settings.setPrivacy', scope, domain, false]],
  ['domains.autoRenew', { body: { domain, enabled: true } }, ['settings.setAutoRenew', scope, domain, true]],
  [
    ...(['domains.contacts', { params: { domain }, body: { owner: 1 } }] as const),
    ['settings.setContacts', scope, domain, { owner: 1 }],
  ],
  [
    ...(['domains.updateNameservers', { params: { domain }, body: { nameservers: [] } }] as const),
    ['settings.setNameservers', scope, domain, { nameservers: [] }],
  ],
  [
    ...(['domains.details', { params: { domain }, query: { type: 'none' }, requireFreshSignIn }] as const),
    ['settings.details', scope, domain, 'none', requireFreshSignIn],
  ],
  ['domains.resendVerification', named, ['verification.resend', scope, domain]],
  ['transfers.check', named, ['transfers.check', scope, domain]],
  ['transfers.status', { params: { domain } }, ['transfers.status', scope, domain]],
  ['transfers.cancel', named, ['transfers.cancel', scope, domain]],
  ['domains.lookup', { ...ofAddress, query: {} }, ['lookup', scope, address, true]],
  ['domains.lookup', { ...ofAddress, query: { suggestions: 'none' } }, ['lookup', scope, address, false]],
  ['domains.suggestions', ofAddress, ['suggestions', scope, address]],
  ['domains.lookupList', { body: { names: [domain] } }, ['lookupList', scope, [domain]]],
])('%s with %j calls its own function', async (id, context, call) => {
  expect((await routed(domainRoutes, id, context)).call).toEqual(call);
});

const query = { page: 2, pageSize: 50 };
test.each<[string, object, unknown[]]>([
  ['domains.list', { query }, ['list', scope, query]],
  [
    ...(['domains.listForCustomer', { params: { customerId }, query }] as const),
    ['listForCustomer', scope, customerId, query],
  ],
])('%s has its page with the total', async (id, context, call) => {
  const { call: made, reply } = await routed(domainRoutes, id, context);
  expect(made).toEqual(call);
  expect(reply).toEqual(new WrittenPage('["row"]', { total: 3, page: 2, pageSize: 50 }));
});
