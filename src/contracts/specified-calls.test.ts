import { describe, expect, test } from 'vitest';
import { operations } from './operations.ts';

const id = '0198f2f0-7a2b-7c3d-8e4f-5a6b7c8d9e0f';
const none = undefined;

/** P2 §7, in its order: each call with a body as it is described there; `none`: it has none. */
const calls: readonly (readonly [call: string, body: unknown])[] = [
  ['POST domain/transfer/check', { domain: 'acme.com' }],
  ['POST domain/transfer', { domain: 'acme.com', customerId: id, authInfo: 'EPP-1' }],
  ['POST user/subuser/checkinvite/{inviteid}', none],
  ['POST user/subuser/acceptinvite/{id}', none],
  ['POST user/subuser/create', none],
  ['POST user/subuser', { email: 'ann@msp.example', type: 'MSP_CUSTOMER', authorizedClientId: id }],
  ['DELETE user/subuser/{id}', none],
  ['DELETE user/subuser/invite/{id}', none],
  ['GET user/users', none],
  ['GET user/invites', none],
  ['GET account/login', none],
  ['GET account/balancev2', none],
  ['POST account/topupv2', { amount: 20.5 }],
  ['POST account/auto-balance', { enabled: true, amount: 10_000, mark: 5_000 }],
  ['POST account/auto-balance', { enabled: false }],
  ['GET {domain}/zone', none],
  [
    'PUT {domain}/zone',
    { records: [{ type: 'A', subdomain: 'www', action: 'add', fields: { ip_address: '192.0.2.1' } }] },
  ],
  // P2 §5: the screen of old sent a port as text; P2 §3 has it as a number.
  ...['5060', 5060].map(
    (port) =>
      [
        'PUT {domain}/zone',
        {
          records: [
            {
              ...{ type: 'SRV', subdomain: '_sip._tcp', action: 'add' },
              fields: { hostname: 'sip.acme.com', priority: 1, weight: 2, port },
            },
          ],
        },
      ] as const,
  ),
  ['POST {domain}/zone/force_dns_nameservers', none],
  ['GET {domain}/nameserver', none],
  ['POST {domain}/nameserver', { ipaddress: '192.0.2.1', ipv6: '2001:db8::1', name: 'ns1.acme.com' }],
  ['PUT {domain}/nameserver', { ipaddress: '192.0.2.1', name: 'ns1.acme.com', new_name: 'ns2.acme.com' }],
  ['DELETE {domain}/nameserver', { name: 'ns1.acme.com' }],
  ['POST {domain}/nameserver/update_nameservers', { nameservers: ['ns1.x.net', 'ns2.x.net'] }],
  ['GET domain/details/{domain}', none],
  ['POST domain/lock_domain', { domain: 'acme.com' }],
  ['POST domain/unlock_domain', { domain: 'acme.com' }],
  ['POST ssl/parsecsr', { csr: '-----BEGIN CERTIFICATE REQUEST-----', opensrsorderid: '123' }],
  ['GET customer/upload-csv-url', none],
  ['POST customer/upload-csv-finish', { key: 'customers.csv' }],
  ['GET customer/csv/sample', none],
  ['GET domain', none],
  ['GET customer', none],
  ['GET ssl', none],
  ['GET ssl/prices', none],
  ['GET account', none],
];

/** `domain/details/{domain}` and `/domain/details/:domain` are one. */
const shapeOf = (path: string) => path.replace(/^\//, '').replaceAll(/\{\w+\}|:\w+/g, '{}');

function operationOf(call: string) {
  const [method, path = ''] = call.split(' ');
  return operations.find((spec) => spec.method === method && shapeOf(spec.path) === shapeOf(path));
}

describe('every call of part 2 is there as it is written', () => {
  test.each(calls)('%s', (call, body) => {
    const operation = operationOf(call);
    expect(operation).toBeDefined();
    if (body === none) expect(operation?.body?.safeParse({}).success ?? true).toBe(true);
    else expect(operation?.body?.safeParse(body)).toMatchObject({ success: true });
  });

  test('domain details are read whole, for the auth password alone, or from the copy', () => {
    const query = operationOf('GET domain/details/{domain}')?.query;
    for (const type of ['all_info', 'domain_auth_info'])
      expect(query?.safeParse({ type }).success).toBe(true);
    expect(query?.safeParse({}).success).toBe(true);
  });

  test.each([
    [
      'GET user',
      [
        ...['type', 'email', 'organization', 'firstName', 'lastName', 'address1', 'address2', 'address3'],
        ...['country', 'city', 'state', 'phone', 'postalCode', 'stripeAccount', 'paidInitialFee'],
        'autoBalance',
      ],
    ],
    ['GET account/balancev2', ['balance', 'pendingBalance']],
    ['POST account/topupv2', ['intentSecret']],
    ['GET account/login', ['link']],
    ['POST domain/transfer/check', ['domainResponse', 'dnsRecords']],
    ['GET {domain}/zone', ['records', 'nameservers_ok']],
    ['POST ssl/parsecsr', ['csr_data']],
    ['POST user/subuser/checkinvite/{inviteid}', ['message']],
    [
      'GET domain/details/{domain}',
      [
        ...['registry_createdate', 'registry_expiredate', 'status', 'nameserver_list', 'contact_set'],
        ...['domain_auth_info', 'ext_results'],
      ],
    ],
  ])('%s answers with what is read of it', (call, names) => {
    const reply = operationOf(call)?.reply;
    const fields = reply && 'shape' in reply ? Object.keys(reply.shape as object) : [];
    expect(fields).toEqual(expect.arrayContaining(names));
  });

  test.each([
    ['GET customer', ['customerId', 'contacts', 'billing', 'paymentMethodSet']],
    ['GET domain', ['address', 'customerId', 'expireDate']],
    ['GET ssl', ['address', 'state', 'productType', 'provider', 'customerId']],
    ['GET user/invites', ['email', 'type']],
    ['GET user/users', ['email', 'type', 'organization']],
    ['GET {domain}/nameserver', ['name', 'ipaddress', 'ipv6', 'can_delete']],
  ])('%s lists what is shown of it', (call, names) => {
    const reply = operationOf(call)?.reply;
    const element = reply && 'element' in reply ? reply.element : undefined;
    const fields =
      typeof element === 'object' && element !== null && 'shape' in element
        ? Object.keys(element.shape as object)
        : [];
    expect(fields).toEqual(expect.arrayContaining(names));
  });
});
