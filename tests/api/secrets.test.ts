import { generateKeyPairSync } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSeal } from '../../src/server/kernel/seal.ts';
import { type Account, cartOf, contact, openAccount, purchase } from '../support/account.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { foundIn, foundInDatabase, foundInReplies, tablesSeen, watchDatabase } from './support/secrets.ts';

/**
 * One run through everything that has a secret in it, against the portal as its own process with all it logs. Then no
 * secret stands in a log, in anything that the database ever held, or in any reply but the one that was asked for.
 */

const settings = {
  LOG_LEVEL: 'trace',
  SEAL_KEYS: '7:canary-seal-key-for-this-run',
  UPLOAD_SIGNING_KEY: 'canary-upload-key-for-this-run',
  OPERATOR_TOKEN: 'canary-operator-token-for-this-run',
  S3_SECRET_ACCESS_KEY: 'canary-s3-key-for-this-run',
};
/** What each secret is called, and the secret itself. */
const secrets = new Map<string, string>([
  ['seal key', 'canary-seal-key-for-this-run'],
  ['upload key', settings.UPLOAD_SIGNING_KEY],
  ['operator token', settings.OPERATOR_TOKEN],
  ['S3 key', settings.S3_SECRET_ACCESS_KEY],
  ['SMTP password', 'canary-smtp-password'],
  ['registrar key', 'sandbox-registrar-key'],
  ['payment key', 'sk_test_sandbox'],
  ['webhook secret', 'whsec_sandbox'],
  ['sign-in password', 'correct horse battery'],
]);

let stack: Stack;
let account: Account;
let owner: pg.Client;
const domain = 'zq-canary-sample.com';
const moved = 'zq-canary-transfer.com';

interface Reply {
  status: number;
  body: { data: Record<string, string>; code?: string };
}
async function call(
  method: string,
  path: string,
  body?: unknown,
  token = account.token,
): Promise<Reply['body']['data']> {
  const reply: Reply = await stack.call(token, method, path, body);
  if (reply.status !== 200)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.data;
}

/** Keeps a secret for later, by the name under which it may be complained of. */
function keep(name: string, secret: string | undefined): string {
  if (!secret || secret.length < 8) throw new Error(`${name} is no secret: ${secret}`);
  secrets.set(name, secret);
  return secret;
}

const lastPart = (address: string | undefined) => new URL(address ?? '').pathname.split('/').at(-1);

beforeAll(async () => {
  stack = await startStack({ logChars: 20_000_000 });
  owner = new pg.Client({ connectionString: stack.database.url });
  await owner.connect();
  await watchDatabase(owner);
  const smtp = (stack.settings.SMTP_URL ?? '').replace('//', '//portal:canary-smtp-password@');
  await stack.startServer({ ...settings, SMTP_URL: smtp });
  account = await openAccount(stack, 1_000_00);
  keep('bearer token', account.token.split('.').at(-1));
});
afterAll(async () => {
  await owner.end();
  await stack[Symbol.asyncDispose]();
});

async function found<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 100) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not come:\n${stack.log().slice(-5_000)}`);
}

/** The address in a mail to somebody. */
const mailed = (to: string, part: string) =>
  found(`a mail with ${part}`, async () => {
    const letters = await stack.control<{ links: string[] }[]>('mail', 'messages', { to });
    return letters.flatMap(({ links }) => links).find((link) => link.includes(part));
  });

async function payments(): Promise<void> {
  keep('payment account link', lastPart((await call('GET', 'account/link')).link));
  const { id } = await call('POST', 'account/refresh');
  await stack.control('payments', 'account-finish', { account: id });
  await call('POST', 'account/refresh');
  keep('dashboard link', (await call('GET', 'account/login')).link);
  const { intentSecret, topupId } = await call('POST', 'account/topupv2', { amount: 100 });
  keep('intent secret', intentSecret);
  // A top-up that was begun is the initial fee until it is paid: nothing else would be open.
  const paymentIntent = intentSecret?.split('_secret')[0];
  await stack.control('payments', 'pay', { paymentIntent, paymentMethod: 'pm_card_visa' });
  await call('GET', `account/topup/${topupId}`);
  const { customerId } = await call('POST', 'customer', {
    contacts: { owner: contact, admin: contact, billing: contact },
    billing: { billDirectly: true, allowChangeBilling: false, email: 'canary-payer@zq.example' },
  });
  const stripeId = await found('the customer at the provider', async () => {
    const { rows } = await owner.query('SELECT payment_customer_id AS id FROM customers WHERE id = $1', [
      customerId,
    ]);
    return (rows[0]?.id as string | null) ?? undefined;
  });
  await call('GET', `customer/resend-payment-link/${stripeId}`);
  const setup = keep('setup link', lastPart(await mailed('canary-payer@zq.example', '/payment-setup/')));
  const page = await call('POST', `payment-setup/${setup}`);
  keep('payment page', lastPart(page.url));
}

async function domains(): Promise<void> {
  const bought = await purchase(stack, account, await cartOf(stack, account, [domain]), 'canary-purchase');
  expect(bought.status).toBe(200);
  await call('POST', 'domain/unlock_domain', { domain });
  keep(
    'auth password',
    (await call('GET', `domain/details/${domain}?type=domain_auth_info`)).domain_auth_info,
  );
  const authCode = keep('transfer password', 'canary-transfer-password');
  await stack.control('registrar', 'outside-world', { domain: moved, authCode, locked: false, ageDays: 400 });
  const { customerId } = account;
  await call('POST', 'domain/transfer', { domain: moved, customerId, authInfo: authCode });
  await stack.control('registrar', 'transfers/advance', { steps: 20 });
  // One that the registrar refuses.
  const wrong = keep('wrong transfer password', 'canary-wrong-password');
  await stack.control('registrar', 'outside-world', {
    domain: `x-${moved}`,
    authCode,
    locked: true,
    ageDays: 400,
  });
  await stack.call(account.token, 'POST', 'domain/transfer', {
    domain: `x-${moved}`,
    customerId,
    authInfo: wrong,
  });
  // The credentials of the registrar's own page, which only the engine ever opens.
  const seal = createSeal([{ number: 7, secret: 'canary-seal-key-for-this-run' }]);
  const { rows } = await owner.query<{ id: string; sealed: Buffer; organisation_id: string }>(
    'SELECT id, organisation_id, secrets_sealed AS sealed FROM order_items WHERE secrets_sealed IS NOT NULL',
  );
  for (const { id, organisation_id, sealed } of rows) {
    const opened = JSON.parse(seal.open(sealed, `${organisation_id}:${id}`)) as Record<string, string>;
    for (const [name, secret] of Object.entries(opened)) keep(`${name} of ${id}`, secret);
  }
  expect(rows.length).toBeGreaterThan(0);
}

/** A private key where a signing request belongs: people paste the wrong file. */
async function signingRequests(): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  keep('private key', pem.split('\n')[1]);
  await stack.call(account.token, 'POST', 'ssl/parsecsr', { csr: pem });
  const line = {
    ...{ domain, provider: 'RapidSSL', productType: 'rapidssl', handle: 'process', regType: 'new' },
    ...{ dvAuthMethod: 'Email', customerId: account.customerId, period: 1, csr: pem },
  };
  const refused = await purchase(
    stack,
    account,
    { domains: [], certificates: [line], price: 1 },
    'canary-csr',
  );
  expect(refused.status).toBeGreaterThanOrEqual(400);
}

async function people(): Promise<void> {
  const email = 'canary-guest@zq.example';
  const { inviteId, link } = await call('POST', 'user/subuser', { email, type: 'MSP_EMPLOYEE' });
  keep('first invite link', lastPart(link));
  const second = await call('POST', `user/subuser/invite/${inviteId}/resend`);
  const invite = keep('invite link', lastPart(second.link));
  await mailed(email, invite);
  await stack.control('identity', 'users/add', { email, password: 'correct horse battery', verified: true });
  const guest = await stack.control<{ token: string }>('identity', 'tokens/mint', { email });
  await call('POST', 'user/subuser/create', {}, guest.token);
  await call('POST', `user/subuser/checkinvite/${invite}`, {}, guest.token);
  await call('POST', `user/subuser/acceptinvite/${invite}`, {}, guest.token);
  const open = await call('POST', 'user/subuser', { email: 'canary-other@zq.example', type: 'MSP_EMPLOYEE' });
  keep('open invite link', lastPart(open.link));
  const token = await call('POST', 'user/tokens', { name: 'A script', permissions: ['domains.read'] });
  keep('API token', token.token);
  await call('GET', 'domain', undefined, token.token);
}

async function files(): Promise<void> {
  const upload = await call('GET', 'user/upload-logo-url/logo.png');
  keep('signed address', lastPart(upload.signedUrl));
  const put = await fetch(upload.signedUrl ?? '', {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: 'no picture',
  });
  expect(put.status).toBe(200);
  await stack.call(account.token, 'POST', 'user/upload-logo-finish', { key: upload.keyName });
}

/** Secrets where there are none: wrong ones, in wrong places, in calls that fail. */
async function mistakes(): Promise<void> {
  const wrong = keep('wrong secret', 'canary_wrong_secret_0123456789_0123456789_0');
  for (const path of [`user/subuser/checkinvite/${wrong}`, `user/subuser/acceptinvite/${wrong}`]) {
    await stack.call(account.token, 'POST', path, {});
  }
  for (const path of [`payment-setup/${wrong}`, `domain?token=${wrong}`, `nothing/${wrong}`]) {
    await stack.call(account.token, 'GET', path);
  }
  await stack.call(wrong, 'GET', 'user');
  await stack.call(`nwk_${wrong}`, 'GET', 'user');
  await stack.call(account.token, 'POST', 'user/tokens', { password: wrong, secret: { deep: wrong } });
  await fetch(`${stack.url}/uploads/${wrong}`, { method: 'PUT', body: 'x' });
  await fetch(`${stack.url}/api/operator/figures`, {
    headers: { authorization: `Bearer ${settings.OPERATOR_TOKEN}` },
  });
}

test('no secret stands in a log, in anything the database ever held, or in a reply that was not asked for it', async () => {
  for (const step of [payments, domains, signingRequests, people, files, mistakes]) await step();
  const { userId } = await call('GET', 'user');
  const subjects = [account.customerId, userId ?? ''].map((id) => ({ id, domain, text: 'x' }));
  const caller = { token: account.token, subjects };
  const replies = await foundInReplies(stack.url, caller, secrets, {});
  expect(replies.found).toEqual([]);
  for (const id of [
    'domains.list',
    'domains.details',
    'users.listInvites',
    'tokens.list',
    'orders.list',
    'audit.csv',
  ]) {
    expect(replies.answered).toContain(id);
  }
  expect(secrets.size).toBeGreaterThan(24);
  expect(await tablesSeen(owner)).toBeGreaterThan(20);
  expect(await foundInDatabase(owner, secrets)).toEqual([]);
  const log = stack.log();
  expect(log.split('"operation":').length).toBeGreaterThan(100);
  expect(foundIn(log, secrets)).toEqual([]);
});

test('each form of a secret would have been noticed', () => {
  const known = new Map([['it', 'canary-secret-0123']]);
  const forms = ['canary-secret-0123', Buffer.from('canary-secret-0123').toString('hex')];
  const encoded = ['', 'x', 'xy'].map((before) =>
    Buffer.from(`${before}canary-secret-0123 after`).toString('base64'),
  );
  for (const text of [...forms, ...encoded])
    expect([text, foundIn(`"${text}"`, known)]).toEqual([text, ['it']]);
  expect(foundIn('canary-secret-0124', known)).toEqual([]);
});
