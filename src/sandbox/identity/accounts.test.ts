import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  AUDIENCE,
  CLIENT,
  control,
  metadataOf,
  openStand,
  PASSWORD,
  PORTAL,
  type Stand,
  signIn,
  TestApp,
  TestBrowser,
} from './test-browser.ts';

let stand: Stand;
let app: TestApp;

beforeAll(async () => {
  stand = await openStand();
  app = new TestApp(await metadataOf(stand.identity.issuer));
});

afterAll(() => stand.close());

beforeEach(async () => {
  await control(stand.identity, 'reset', {});
  await stand.mail.control.clear?.({});
});

const add = (email: string, extra = {}) =>
  control(stand.identity, 'users/add', { email, password: PASSWORD, ...extra });

async function signUp(browser: TestBrowser, email: string, password = PASSWORD) {
  const form = await browser.open(app.authorizeUrl({ screen_hint: 'signup', login_hint: email }));
  return { form, page: await browser.post(`${form.url.href}/signup`, { email, password }) };
}

async function linkFor(email: string) {
  const url = stand.mail.latest(email)?.links[0];
  if (!url) throw new Error(`no link for ${email}`);
  return url;
}

describe('signing up', () => {
  it('opens by the hint, lets the person continue unverified, and the mailed link verifies', async () => {
    const browser = new TestBrowser();
    const { form, page } = await signUp(browser, 'new@example.org');
    expect(form.text).toContain('Create an account');
    expect(form.text).toContain('value="new@example.org"');
    expect(page.text).toContain('Check your email');
    const onward = /class="button" href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const back = await browser.open(onward);
    const { tokens } = await app.exchange(back.url);
    expect(decodeJwt(tokens.access_token)).toMatchObject({ email: 'new@example.org', email_verified: false });

    const link = await linkFor('new@example.org');
    expect((await new TestBrowser().open(link)).text).toContain('Email confirmed');
    const { tokens: next } = await app.refresh(tokens.refresh_token);
    expect(decodeJwt(next.access_token).email_verified).toBe(true);
    expect((await new TestBrowser().open(link)).status).toBe(400);
  });

  it.each([
    ['a password of nine characters', 'a@example.org', '123456789', 'Use at least 10 characters.'],
    ['a password that is the address', 'long@example.org', 'LONG@example.org', 'Use something else'],
    ['no address', 'nobody', PASSWORD, 'Enter an email address'],
  ])('%s is refused beside its field', async (_name, email, password, text) => {
    const { page } = await signUp(new TestBrowser(), email, password);
    expect(page.status).toBe(400);
    expect(page.text).toContain(text);
    expect(page.text).toContain('aria-invalid="true"');
  });

  it('a taken address is said to be taken, whatever its case, and its password stays', async () => {
    await add('ada@example.org');
    const { page } = await signUp(new TestBrowser(), 'Ada@Example.org', 'another password');
    expect(page.status).toBe(409);
    expect((await signIn(new TestBrowser(), app, 'ada@example.org')).url.origin).toBe(PORTAL);
  });

  it('what is typed comes back as text, never as markup', async () => {
    const { page } = await signUp(new TestBrowser(), '"><script>alert(1)</script>');
    expect(page.text).not.toContain('<script');
    expect(page.text).toContain('&lt;script&gt;');
  });
});

describe('signing in', () => {
  it('after ten wrong passwords the address is refused from here until the quarter of an hour is over', async () => {
    await add('ada@example.org');
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await signIn(new TestBrowser(), app, 'ada@example.org', 'wrong password')).status).toBe(401);
    }
    const refused = await signIn(new TestBrowser(), app, 'ada@example.org');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    await add('bob@example.org');
    expect((await signIn(new TestBrowser(), app, 'bob@example.org')).url.origin).toBe(PORTAL);
    stand.store.advance(15 * 60_000);
    expect((await signIn(new TestBrowser(), app, 'ada@example.org')).url.origin).toBe(PORTAL);
  });

  it('twenty wrong passwords at once are not more than ten tries', async () => {
    await add('ada@example.org');
    const tries = Array.from({ length: 20 }, () =>
      signIn(new TestBrowser(), app, 'ada@example.org', 'wrong password'),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  });

  it('an unknown address is answered as a wrong password', async () => {
    await add('ada@example.org');
    const [wrong, unknown] = await Promise.all([
      signIn(new TestBrowser(), app, 'ada@example.org', 'wrong password'),
      signIn(new TestBrowser(), app, 'eve@example.org', 'wrong password'),
    ]);
    const plain = (text: string) =>
      text.replaceAll(/(ada|eve)@example\.org/g, '').replaceAll(/interaction\/[\w-]+/g, '');
    expect([unknown.status, plain(unknown.text)]).toEqual([wrong.status, plain(wrong.text)]);
  });

  it('a form that another site posts is refused', async () => {
    await add('ada@example.org');
    const browser = new TestBrowser();
    const form = await browser.open(app.authorizeUrl());
    const page = await browser.open(`${form.url.href}/login`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'ada@example.org', password: PASSWORD }),
      headers: { 'sec-fetch-site': 'same-site' },
    });
    expect(page.status).toBe(403);
  });
});

describe('a forgotten password', () => {
  it('is replaced by the newest mailed link, once, and every session ends', async () => {
    await add('ada@example.org');
    const browser = new TestBrowser();
    const back = await signIn(browser, app, 'ada@example.org');
    const { tokens } = await app.exchange(back.url);

    const forgot = new TestBrowser();
    const form = await forgot.open(app.authorizeUrl());
    await forgot.post(`${form.url.href}/forgot`, { email: 'ada@example.org' });
    const older = await linkFor('ada@example.org');
    const sent = await forgot.post(`${form.url.href}/forgot`, { email: 'ada@example.org' });
    expect(sent.text).toContain('is on its way');
    const newest = await linkFor('ada@example.org');
    expect((await forgot.open(older)).status).toBe(400);

    const choose = await forgot.open(newest);
    const token = new URL(newest).searchParams.get('token') ?? '';
    const action = `${choose.url.origin}/reset-password`;
    expect((await forgot.post(action, { token, password: 'short' })).text).toContain(
      'Use at least 10 characters.',
    );
    expect((await forgot.post(action, { token, password: 'a brand new one' })).text).toContain(
      'Password changed',
    );
    expect((await forgot.post(action, { token, password: 'a second new one' })).status).toBe(400);

    expect((await app.refresh(tokens.refresh_token)).tokens.error).toBe('invalid_grant');
    const silent = await browser.open(app.authorizeUrl({ prompt: 'none' }));
    expect(silent.url.searchParams.get('error')).toBe('login_required');
    expect((await signIn(new TestBrowser(), app, 'ada@example.org')).status).toBe(401);
    expect((await signIn(new TestBrowser(), app, 'ada@example.org', 'a brand new one')).url.origin).toBe(
      PORTAL,
    );
  });

  it('a link dies after an hour', async () => {
    await add('ada@example.org');
    await change('ada@example.org');
    const link = await linkFor('ada@example.org');
    stand.store.advance(3_600_000);
    expect((await new TestBrowser().open(link)).status).toBe(400);
  });
});

function change(email: string, fields: Record<string, unknown> = {}, origin = PORTAL) {
  return fetch(`${stand.identity.url}/dbconnections/change_password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({
      client_id: CLIENT.client_id,
      email,
      connection: 'Username-Password-Authentication',
      ...fields,
    }),
  });
}

describe('POST /dbconnections/change_password', () => {
  it('says the same for a known and an unknown address, and mails only the known one', async () => {
    await add('ada@example.org');
    const replies = await Promise.all([change('ada@example.org'), change('eve@example.org')]);
    const seen = await Promise.all(
      replies.map(async (reply) => ({
        status: reply.status,
        text: await reply.text(),
        type: reply.headers.get('content-type'),
        origin: reply.headers.get('access-control-allow-origin'),
      })),
    );
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject({
      status: 200,
      text: "We've just sent you an email to reset your password.",
      origin: PORTAL,
    });
    expect(stand.mail.list().map(({ to }) => to)).toEqual(['ada@example.org']);
  });

  it('the sixth request in an hour for one address is refused, known or not', async () => {
    await add('ada@example.org');
    for (const email of ['ada@example.org', 'eve@example.org']) {
      await control(stand.identity, 'limits/clear', {});
      for (let asked = 0; asked < 5; asked += 1) expect((await change(email)).status).toBe(200);
      const refused = await change(email);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('the sixth request in an hour from one place is refused, no matter who it is for', async () => {
    for (let asked = 0; asked < 5; asked += 1)
      expect((await change(`p${asked}@example.org`)).status).toBe(200);
    expect((await change('p6@example.org')).status).toBe(429);
    stand.store.advance(3_600_000);
    expect((await change('p6@example.org')).status).toBe(200);
  });

  it('a foreign page may not read the answer; a preflight of the portal passes', async () => {
    const foreign = await change('ada@example.org', {}, 'https://evil.example');
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await fetch(`${stand.identity.url}/dbconnections/change_password`, {
      method: 'OPTIONS',
      headers: { origin: PORTAL, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(PORTAL);
  });

  it.each([
    ['another connection', { connection: 'google' }],
    ['an unknown client', { client_id: 'x' }],
    ['no address', { email: 'x' }],
  ])('%s is a 400', async (_name, fields) => {
    expect((await change('ada@example.org', fields)).status).toBe(400);
  });
});

it('removing a user ends their sessions and refresh tokens', async () => {
  await add('ada@example.org');
  const back = await signIn(new TestBrowser(), app, 'ada@example.org');
  const { tokens } = await app.exchange(back.url);
  await control(stand.identity, 'users/remove', { email: 'ada@example.org' });
  expect((await app.refresh(tokens.refresh_token)).tokens.error).toBe('invalid_grant');
  expect(decodeJwt(tokens.access_token).aud).toBe(AUDIENCE);
});
