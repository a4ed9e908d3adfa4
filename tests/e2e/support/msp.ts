import { createHash } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import type { PublicConfig } from '../../../src/contracts/operations/system.ts';
import { callbackPath } from '../../../src/web/lib/sign-in-paths.ts';
import { newPerson, type Person, password } from './person.ts';
import { control } from './sandbox.ts';

const contact = {
  firstName: 'Ann',
  lastName: 'Smith',
  address1: '1 Main Street',
  city: 'New York',
  state: 'NY',
  postalCode: '10001',
  country: 'US',
  email: 'ann@customer.example',
  phone: '+1.2125550100',
};

/** A managed service provider that is ready to work, made through the API: person, paid first $100, customers. */
export interface Msp {
  person: Person;
  userId: string;
  token: string;
  customers: { customerId: string; organization: string }[];
}

export async function openMsp(
  options: { customers?: string[]; paid?: boolean; account?: boolean } = {},
): Promise<Msp> {
  const person = newPerson();
  const { email, username, organization } = person;
  await control('identity', 'users/add', { email, password, verified: true, name: username });
  const { token } = await control<{ token: string }>('identity', 'tokens/mint', { email });
  const { userId } = await api<{ userId: string }>(token, 'POST', 'user', { username, organization });
  if (options.account !== false && (await accountRequired())) await connectAccount(token);
  if (options.paid !== false) await topUp(token, 100);
  const customers: Msp['customers'] = [];
  for (const name of options.customers ?? []) {
    const owner = { ...contact, organization: name };
    const { customerId } = await api<{ customerId: string }>(token, 'POST', 'customer', {
      contacts: { owner, admin: owner, billing: owner },
    });
    customers.push({ customerId, organization: name });
  }
  return { person, userId, token, customers };
}

async function accountRequired(): Promise<boolean> {
  const reply = await fetch(`${process.env.E2E_URL}/api/config`);
  return ((await reply.json()) as { data: { paymentAccountRequired: boolean } }).data.paymentAccountRequired;
}

/** The MSP's payment account, set up at the provider; its id there. */
export async function connectAccount(token: string): Promise<string> {
  await api(token, 'GET', 'account/link');
  const { id } = await api<{ id: string }>(token, 'POST', 'account/refresh');
  await control('payments', 'account-finish', { account: id });
  await api(token, 'POST', 'account/refresh');
  return id;
}

/** Pays so many dollars by a card that succeeds, and waits until the balance has them. */
export async function topUp(token: string, dollars: number): Promise<void> {
  const before = await balanceOf(token);
  const { intentSecret } = await api<{ intentSecret: string }>(token, 'POST', 'account/topupv2', {
    amount: dollars,
  });
  await control('payments', 'pay', {
    paymentIntent: intentSecret.split('_secret')[0],
    paymentMethod: 'pm_card_visa',
  });
  await expect(async () => expect(await balanceOf(token)).toBe(before + dollars * 100)).toPass({
    intervals: [50, 100, 250],
  });
}

export async function balanceOf(token: string): Promise<number> {
  return (await api<{ balance: number }>(token, 'GET', 'account/balancev2')).balance;
}

/** The `data` of a call's reply; throws on any failure. The path has no leading slash. */
export async function api<T>(token: string, method: string, path: string, body?: unknown): Promise<T> {
  const reply = await fetch(`${process.env.E2E_URL}/api/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      connection: 'close',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

/**
 * Opens `path` as this person. The sign-in itself is made by requests, without its pages: half of the time of a test. What
 * they do and show is tested by those that sign in with `signIn` and `fillSignIn`.
 */
export async function enter(page: Page, msp: Msp, path = '/'): Promise<void> {
  await beSignedIn(page, msp.person);
  await page.goto(path);
  if (path !== '/') await expect(page.getByRole('link', { name: /^Cart, / })).toBeVisible();
}

/** The provider knows the person by a cookie, and the app by its mark that it is worth asking the provider. */
async function beSignedIn(page: Page, { email }: Person): Promise<void> {
  const { request } = page.context();
  const config = await request.get('/api/config');
  const { identity } = ((await config.json()) as { data: PublicConfig }).data;
  const found = await request.get(
    `${identity.authority.replace(/\/$/, '')}/.well-known/openid-configuration`,
  );
  const { authorization_endpoint } = (await found.json()) as { authorization_endpoint: string };
  const form = await request.get(authorization_endpoint, {
    params: {
      client_id: identity.clientId,
      redirect_uri: new URL(callbackPath, config.url()).href,
      response_type: 'code',
      scope: 'openid',
      prompt: 'login',
      code_challenge: createHash('sha256').update(email).digest('base64url'),
      code_challenge_method: 'S256',
    },
  });
  const entered = await request.post(`${form.url()}/login`, { form: { email, password } });
  expect(entered.url()).toContain(callbackPath);
  // Any address of the portal that is not the app: its storage is the app's.
  await page.goto('/healthz');
  await page.evaluate(() => localStorage.setItem('nameward.signed-in', '1'));
}

/** Puts new names into the cart that this browser keeps for the person, and opens it as this person. */
export async function openCart(page: Page, msp: Msp, names: readonly string[], owned = true): Promise<void> {
  const customerId = owned ? (msp.customers[0]?.customerId ?? null) : null;
  const items = names.map((address) => ({
    type: 'domain',
    address,
    customerId,
    registration: 1,
    whois: false,
    autoRenew: false,
  }));
  await openCartWith(page, msp, items);
}

/** Puts items into the cart that this browser keeps for the person, and opens it as this person. */
export async function openCartWith(page: Page, msp: Msp, items: readonly object[]): Promise<void> {
  if (page.url() === 'about:blank') await beSignedIn(page, msp.person);
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [
    `nameward.cart.${msp.userId}`,
    JSON.stringify({ items, idempotencyKey: null }),
  ] as const);
  await page.goto('/cart');
  await expect(page.getByRole('heading', { name: 'Finalize domain purchase' })).toBeVisible();
}

/** A person with an account, who is none of anybody's users; `token` is as from a sign-in of this moment. */
export async function newAccount(): Promise<{ person: Person; token: string }> {
  const person = newPerson();
  const { email, username } = person;
  await control('identity', 'users/add', { email, password, verified: true, name: username });
  const { token } = await control<{ token: string }>('identity', 'tokens/mint', { email });
  return { person, token };
}

export type Role = 'MSP_OWNER' | 'MSP_ADMIN' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER';

export interface Member {
  person: Person;
  userId: string;
  token: string;
}

/** Invites a person and accepts for them. The MSP's first person is its administrator, who names the first owner. */
export async function addMember(msp: Msp, role: Role, customerId?: string): Promise<Member> {
  const { person, token } = await newAccount();
  const { link } = await api<{ link: string }>(msp.token, 'POST', 'user/subuser', {
    email: person.email,
    ...(role === 'MSP_CUSTOMER' ? { type: role, authorizedClientId: customerId } : { type: 'MSP_EMPLOYEE' }),
  });
  await api(token, 'POST', 'user/subuser/create');
  await api(token, 'POST', `user/subuser/acceptinvite/${link.split('/').at(-1)}`);
  const { userId } = await api<{ userId: string }>(token, 'GET', 'user');
  if (role === 'MSP_OWNER') await api(msp.token, 'PATCH', `user/subuser/${userId}`, { type: role });
  return { person, userId, token };
}

/** The same for anybody. */
export async function enterAs(page: Page, person: Person, path: string): Promise<void> {
  await beSignedIn(page, person);
  await page.goto(path);
  await expect(page.getByRole('button', { name: /^Account menu, / })).toBeVisible();
}

/**
 * From here on these calls of the page carry the person's token of a sign-in of an hour ago: the server itself finds it
 * too old. What is given back undoes it, after the first such call: a click ends before the page has sent anything.
 */
export async function withOldSignIn(page: Page, person: Person, calls: string): Promise<() => Promise<void>> {
  const claims = { auth_time: Math.floor(Date.now() / 1_000) - 3_600 };
  const { token } = await control<{ token: string }>('identity', 'tokens/mint', {
    email: person.email,
    claims,
  });
  const sent = Promise.withResolvers<void>();
  await page.route(calls, async (route) => {
    await route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${token}` } });
    sent.resolve();
  });
  return async () => {
    await sent.promise;
    await page.unroute(calls);
  };
}
