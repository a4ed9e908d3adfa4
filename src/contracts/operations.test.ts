import { expect, test } from 'vitest';
import { z } from 'zod';
import type { OperationSpec } from './operation.ts';
import { purchaseBody, purchaseResult } from './operations/orders.ts';
import { operations } from './operations.ts';
import { permissions } from './permissions.ts';

/** P1 §7 and P2 §7, in their words. */
const specified = `
POST account/topupv2, GET account/balancev2, POST account/auto-balance, GET account, GET account/link, GET account/login,
POST customer, GET customer, GET customer/{id}, PATCH customer/{id}, DELETE customer/{id},
GET customer/resend-payment-link/{stripeId}, GET customer/csv/sample, GET customer/upload-csv-url,
POST customer/upload-csv-finish,
GET user, GET user/users, GET user/invites, POST user, GET user/upload-logo-url/{filename}, POST user/upload-logo-finish,
POST user/subuser/create, POST user/subuser, POST user/subuser/acceptinvite/{id}, DELETE user/subuser/{id},
DELETE user/subuser/invite/{id}, POST user/subuser/checkinvite/{inviteid},
GET domain, GET domain/{customerId}, GET domain/lookup/{address}, GET ssl, GET ssl/{customerId}, GET ssl/prices,
POST ssl/parsecsr, POST cart/prices, POST cart/purchase,
POST domain/transfer/check, POST domain/transfer, GET {domain}/zone, PUT {domain}/zone,
POST {domain}/zone/force_dns_nameservers, GET {domain}/nameserver, POST {domain}/nameserver, PUT {domain}/nameserver,
DELETE {domain}/nameserver, POST {domain}/nameserver/update_nameservers, GET domain/details/{domain},
POST domain/lock_domain, POST domain/unlock_domain`
  .split(',')
  .map((call) => call.trim());

/** Whatever a parameter is called. */
const shape = (call: string) => call.replace(' ', ' /').replaceAll(/\{\w+\}/g, ':');

test('every specified call exists under its method and path', () => {
  const there = new Set(operations.map(({ method, path }) => `${method} ${path}`.replaceAll(/:\w+/g, ':')));
  expect(specified.length).toBeGreaterThan(45);
  expect(specified.filter((call) => !there.has(shape(call)))).toEqual([]);
});

test('the certificate price list asks for no sign-in', () => {
  expect(operations.find(({ path }) => path === '/ssl/prices')?.access).toBe('public');
});

/** P1 §3, P2 §3. */
const entities = {
  'GET /customer': 'customerId contacts billing markups domainsCount paymentMethodSet',
  'GET /user':
    'userId username email organization logoPath type firstName lastName stripeAccount paidInitialFee autoBalance',
  'GET /account':
    'type email organization firstName lastName address1 address2 address3 country city state phone postalCode stripeAccount paidInitialFee autoBalance balance pendingBalance',
  'GET /account/balancev2': 'balance pendingBalance',
  'GET /domain/lookup/:address': 'status price suggestions',
  'POST /cart/prices': 'address price',
  'GET /ssl/prices': 'productType provider certificate price pricePerYear businessValidated',
  'GET /customer/upload-csv-url': 'signedUrl keyName',
  'GET /user/upload-logo-url/:filename': 'signedUrl keyName',
  'GET /account/login': 'link',
  'GET /domain': 'address customerId expireDate',
  'GET /ssl': 'address state productType provider customerId',
  'GET /user/invites': 'email type',
};

test.each(Object.entries(entities))('%s answers with the specified fields', (call, fields) => {
  const operation = operations.find(({ method, path }) => `${method} ${path}` === call);
  const described = JSON.stringify(z.toJSONSchema(operation?.reply as z.ZodType, { unrepresentable: 'any' }));
  expect(fields.split(' ').filter((field) => !described.includes(`"${field}":`))).toEqual([]);
});

test('a file says of what types it may be, and nothing else does', () => {
  for (const { id, replyKind, fileTypes = [] } of operations) {
    expect([id, fileTypes.length > 0]).toEqual([id, replyKind === 'file']);
    for (const type of fileTypes)
      expect([id, type]).toEqual([id, expect.stringMatching(/^[a-z]+\/[\w.+-]+$/)]);
  }
});

test('the order body and the result have the specified fields, and what is fixed is filled in', () => {
  const customerId = '0198a000-0000-7000-8000-000000000001';
  const body = purchaseBody.parse({
    domains: [{ address: 'a.com', customerId, period: 2, whois: true }],
    domainRenewals: [{ address: 'b.com', period: 1 }],
    domainTransfers: [{ address: 'c.com', customerId, period: 1, EPPCode: 'x' }],
    certificates: [
      { domain: 'a.com', provider: 'p', productType: 'rapidssl', customerId, period: 1, csr: 'x' },
    ],
    price: 40,
  });
  expect(body.certificates).toMatchObject([{ handle: 'process', regType: 'new', dvAuthMethod: 'Email' }]);
  expect(() =>
    purchaseBody.parse({ domains: [{ address: 'a.com', customerId, period: 3 }], price: 1 }),
  ).toThrow();
  for (const list of ['domains', 'renewals', 'certificates', 'transfers'] as const) {
    expect(Object.keys(purchaseResult.shape[list].shape)).toEqual(['success', 'fail']);
  }
});

const readsOf = (operation: OperationSpec) => ('reads' in operation ? operation.reads : undefined);

test('each paged list and each file says whether a replica may answer it (docs/decisions/0270)', () => {
  const silent = operations.filter((operation: OperationSpec) => {
    const isList = operation.paged || (operation.method === 'GET' && operation.replyKind === 'file');
    const isSample = operation.id === 'customers.csvSample';
    return isList && operation.access in permissions && !isSample && readsOf(operation) === undefined;
  });
  expect(silent.map(({ id }) => id)).toEqual([]);
});

/** Stated a second time: lists, exports, the audit log and reports. None decides about money, rights or a sign-in. */
const readOfReplicas = `
attention.counts attention.list audit.csv audit.list certificates.list certificates.listForCustomer changes.items changes.list
customers.choices customers.csvExport customers.list direct.list dns.findRecords domains.list domains.listForCustomer
earnings.csv earnings.list health.board health.ofCustomer health.report health.watched moves.list orders.list overview.get
statement.csv statement.list statement.months statement.pdf statement.receipt`;

test('a replica answers these and no others; all of them only read, for people with a permission', () => {
  const found = operations.filter((operation) => readsOf(operation) === 'replica');
  expect(found.map(({ id }) => id).sort()).toEqual(readOfReplicas.trim().split(/\s+/));
  expect(found.filter(({ method, access }) => method !== 'GET' || !(access in permissions))).toEqual([]);
});
