import { expect, test } from '@playwright/test';
import { managedDomain } from './support/domains.ts';
import { watchConsole } from './support/inspect.ts';
import { api, enter, openMsp } from './support/msp.ts';

/** Texts as somebody would write them who wants the portal to run them (design: CSP). */
const payloads = [
  '<script>ranHere()</script>',
  '<img src=x onerror=ranHere()>',
  '"><svg onload=ranHere()>',
  'javascript:ranHere()',
  '{{constructor.constructor("ranHere()")()}}',
];

test('markup in any text is shown as text: nothing runs, and no breach of the policy is reported', async ({
  page,
}) => {
  let ran = 0;
  await page.exposeFunction('ranHere', () => {
    ran += 1;
  });
  const found = watchConsole(page);
  const msp = await openMsp({ customers: ['Blue Fig Ltd'], paid: true });
  const { token } = msp;
  const domain = await managedDomain(msp);
  const [customer] = msp.customers;
  /** What is refused cannot be shown; what is taken must be. */
  const taken: string[] = [];
  const write = async (what: string, method: string, path: string, body: unknown) => {
    await api(token, method, path, body).then(
      () => taken.push(what),
      (error: unknown) => expect(String(error)).toMatch(/: 4\d\d /),
    );
  };
  const held = {
    ...{ firstName: 'Ann', lastName: 'Smith', address1: '1 Main Street', city: 'New York', state: 'NY' },
    ...{ postalCode: '10001', country: 'US', email: 'ann@customer.example', phone: '+1.2125550100' },
  };
  for (const [index, text] of payloads.entries()) {
    const owner = {
      ...held,
      organization: text,
      firstName: text,
      lastName: text,
      address1: text,
      city: text,
    };
    await write('customer', 'POST', 'customer', { contacts: { owner, admin: owner, billing: owner } });
    const named = { ...held, organization: text };
    await write('company', 'POST', 'customer', { contacts: { owner: named, admin: named, billing: named } });
    const records = [{ type: 'TXT', subdomain: `t${index}`, action: 'add', text }];
    await write('record', 'PUT', `${domain}/zone`, { records, reason: text });
    const none = { A: [], AAAA: [], CNAME: [], MX: [], SRV: [] };
    const template = {
      name: `${index}${text}`.slice(0, 60),
      records: { ...none, TXT: [{ subdomain: '', text }] },
    };
    await write('template', 'POST', 'dns/templates', template);
    const access = { customerId: customer?.customerId, hosts: null, productType: 'rapidssl', mayBuy: null };
    await write('access', 'POST', 'acme/access', { ...access, name: text });
    await write('token', 'POST', 'user/tokens', { name: text, permissions: ['domains.read'] });
  }
  expect(new Set(taken)).toEqual(new Set([...taken, 'company', 'record', 'token']));
  await enter(page, msp);
  const screens = [
    ...[
      '/',
      '/customers',
      '/customers/add',
      `/customers/${customer?.customerId}`,
      '/domain/list',
      '/domains',
    ],
    ...[
      `/domain/${domain}`,
      `/domain/${domain}/dns`,
      '/orders',
      '/account',
      '/audit',
      '/tokens',
      '/certificates/acme',
      '/users',
      '/cart',
    ],
    ...[
      `/domains?name=${encodeURIComponent(payloads[1] ?? '')}`,
      `/audit?search=${encodeURIComponent(payloads[1] ?? '')}`,
    ],
    `/customers?search=${encodeURIComponent(payloads[0] ?? '')}`,
  ];
  const shown = new Set<string>();
  const look = async () => {
    const text = (await page.locator('body').textContent()) ?? '';
    for (const payload of payloads) if (text.includes(payload)) shown.add(payload);
  };
  for (const path of screens) {
    await page.goto(path);
    await expect(page.getByRole('heading').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    await look();
  }
  // As text they stand there: the screens were not empty of them. A slow machine shows a list after its requests have ended.
  await page.goto('/tokens');
  await expect(async () => {
    await look();
    expect(shown.size).toBeGreaterThan(2);
  }).toPass();
  expect(ran).toBe(0);
  expect(found).toEqual([]);
  // Both kinds of alarm work: an element that runs something is refused by the policy, and that is noticed.
  await page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=ranHere()>');
  });
  await expect(async () => expect(found.join()).toMatch(/content security policy/i)).toPass();
  expect(ran).toBe(0);
});
