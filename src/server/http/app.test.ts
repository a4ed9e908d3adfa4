import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Permission, permissions } from '#contracts/permissions.ts';
import { type Entrant, wholeOrganisation } from '#kernel/scope.ts';
import { as, operations, startApp, thingId, thingRoutes } from './app-under-test.ts';

let app: FastifyInstance;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const owner = 'MSP_OWNER';
const uuid = /^[0-9a-f-]{36}$/;

/** An owner's script with these rights; null: its token is none. */
function entrantOf(named: readonly Permission[] | undefined): Entrant | null {
  if (!named) return null;
  const actor = {
    ...{ organisationId: thingId, userId: thingId, email: 'a@msp.example', tokenId: thingId },
    ...{ role: 'MSP_OWNER' as const, reach: wholeOrganisation },
    rights: { kind: 'named' as const, permissions: named },
  };
  return { actor, initialFeePaid: true };
}

async function codeOf(request: InjectOptions): Promise<string> {
  const reply = await app.inject(request);
  const body = reply.json() as { code: string; message: string; requestId: string };
  expect(body).toMatchObject({ message: expect.any(String), code: expect.any(String) });
  expect(body.requestId).toMatch(uuid);
  expect(reply.headers['x-request-id']).toBe(body.requestId);
  return `${reply.statusCode} ${body.code}`;
}

describe('start', () => {
  test('without a handler for each operation the server refuses to start, and names them', async () => {
    const bindings = thingRoutes().filter(
      ({ operation }) => !['things.get', 'things.hook'].includes(operation.id),
    );
    await expect(startApp({ bindings })).rejects.toThrow('without handler: things.get, things.hook');
    await (await startApp({ bindings, partial: true })).close();
  });

  test('a handler bound twice, or of no operation in the contract, stops the start too', async () => {
    const [first] = thingRoutes();
    const twice = [...thingRoutes(), ...(first ? [first] : [])];
    await expect(startApp({ bindings: twice })).rejects.toThrow('bound twice: things.list');
    const fewer = operations.filter(({ id }) => id !== 'things.list');
    await expect(startApp({ operations: fewer })).rejects.toThrow('not in the contract: things.list');
  });
});

test('a private key is refused in any field, before an operation sees it, and is told by no reply', async () => {
  const key = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIcanary\n-----END EC PRIVATE KEY-----';
  const given: [string, unknown][] = [
    ['name', { name: key }],
    ['inner.email', { name: 'a', inner: { email: key } }],
    ['tags.1', { name: 'a', tags: ['b', key] }],
  ];
  for (const [path, body] of given) {
    const reply = await app.inject(as(owner, 'POST', '/api/thing', body as object));
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'validation_failed']);
    expect(reply.json().details).toEqual([{ path, message: expect.stringContaining('private key') }]);
    expect(reply.body).not.toContain('canary');
  }
});

describe('replies', () => {
  test('success is {data}, and a list that was asked for by page has meta', async () => {
    const whole = await app.inject(as(owner, 'GET', '/api/thing'));
    expect(whole.json()).toEqual({ data: [{ name: 'a' }] });
    const page = await app.inject(as(owner, 'GET', '/api/thing?page=1&pageSize=10'));
    expect(page.json()).toEqual({ data: [{ name: 'a' }], meta: { total: 1, page: 1, pageSize: 10 } });
    expect(page.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a field that the contract does not name never leaves the server', async () => {
    const reply = await app.inject(as(owner, 'GET', `/api/thing/${thingId}`));
    expect(reply.json()).toEqual({ data: { id: thingId } });
  });

  test('a reply that breaks its contract is a 500 that tells nothing of it', async () => {
    const reply = await app.inject(as('', 'POST', '/api/thing/fail', { how: 'breach' }));
    expect(reply.statusCode).toBe(500);
    expect(Object.keys(reply.json()).sort()).toEqual(['code', 'message', 'requestId']);
    expect(reply.json()).toMatchObject({ code: 'internal', message: 'Something went wrong' });
  });

  test('an unknown failure tells no SQL, path or stack', async () => {
    const reply = await app.inject(as('', 'POST', '/api/thing/fail', { how: 'crash' }));
    expect(reply.statusCode).toBe(500);
    expect(reply.body).not.toMatch(/canary|SELECT|srv|\.ts|\bat /);
  });

  test('a write that loses the database midway is reported as one that may have been done, never as one to try again', async () => {
    const reply = await app.inject(as('', 'POST', '/api/thing/fail', { how: 'away' }));
    expect([reply.statusCode, reply.json().code, reply.headers['retry-after']]).toEqual([
      502,
      'outcome_unknown',
      undefined,
    ]);
    expect(reply.json().message).toContain('It may have been done');
  });

  test('an error on purpose has its own status, text and facts', async () => {
    const reply = await app.inject(as('', 'POST', '/api/thing/fail', { how: 'funds' }));
    expect(reply.statusCode).toBe(402);
    expect(reply.json()).toMatchObject({
      message: "You don't have enough funds to process this cart, please topup your account",
      code: 'insufficient_funds',
      error: 'short',
      data: { missing: 5 },
    });
  });

  test('a file is an attachment with its exact name', async () => {
    const reply = await app.inject(as(owner, 'GET', `/api/thing/${thingId}/file`));
    expect(reply.body).toBe('a,b\n');
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(reply.headers['content-disposition']).toBe(
      `attachment; filename="K_che.csv"; filename*=UTF-8''K%C3%BCche.csv`,
    );
  });

  test('each request has an id of the server’s own', async () => {
    const request = as(owner, 'GET', '/api/thing');
    const reply = await app.inject({ ...request, headers: { ...request.headers, 'x-request-id': 'mine' } });
    expect(reply.headers['x-request-id']).toMatch(uuid);
  });
});

describe('callers', () => {
  test('no token, a malformed one, and an invalid one are 401 and say how to sign in', async () => {
    for (const authorization of [undefined, 'Basic YTpi', 'Bearer', 'Bearer a b', 'Bearer bad', 'bad']) {
      const reply = await app.inject({ url: '/api/thing', headers: authorization ? { authorization } : {} });
      expect(reply.statusCode).toBe(401);
      expect(reply.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('keys that cannot be had are 503: signing in again would not help', async () => {
    expect(await codeOf(as('provider-down', 'GET', '/api/thing'))).toBe('503 unavailable');
  });

  test('a person without a profile is told to complete it, and a disabled user is refused', async () => {
    expect(await codeOf(as('nobody', 'GET', '/api/thing'))).toBe('403 no_profile');
    expect(await codeOf(as('disabled', 'GET', '/api/thing'))).toBe('403 forbidden');
  });

  test('a role without the permission is refused, one with it is let in', async () => {
    expect(await codeOf(as('MSP_EMPLOYEE', 'DELETE', `/api/thing/${thingId}`))).toBe('403 forbidden');
    expect(await codeOf(as('MSP_CUSTOMER', 'POST', '/api/thing', { name: 'a' }))).toBe('403 forbidden');
    expect((await app.inject(as(owner, 'DELETE', `/api/thing/${thingId}`))).json()).toEqual({ data: {} });
  });

  test('a step that needs a fresh sign-in takes one of the last 15 minutes only, and no unknown one', async () => {
    for (const token of ['stale', 'unsaid']) {
      expect(await codeOf(as(token, 'DELETE', `/api/thing/${thingId}`))).toBe('403 fresh_sign_in_required');
    }
  });

  test('where only one case needs a fresh sign-in, the other cases go on without', async () => {
    const change = (token: string, dangerous: boolean) =>
      app.inject(as(token, 'PATCH', `/api/thing/${thingId}`, { dangerous }));
    for (const token of ['stale', 'unsaid']) {
      expect((await change(token, false)).statusCode).toBe(200);
      expect((await change(token, true)).json()).toMatchObject({ code: 'fresh_sign_in_required' });
    }
    expect((await change(owner, true)).statusCode).toBe(200);
  });

  test('a script does what its token was given, and nothing that asks for a fresh sign-in, a person or an operator', async () => {
    const [all, few] = [`nwk_${'a'.repeat(43)}`, `nwk_${'b'.repeat(43)}`];
    const given = new Map<string, readonly Permission[]>([
      [all, Object.keys(permissions) as Permission[]],
      [few, ['customers.read']],
    ]);
    const scripts = await startApp({ loadByToken: async (token) => entrantOf(given.get(token)) });
    const answer = async (request: InjectOptions) => {
      const { statusCode, body } = await scripts.inject(request);
      return statusCode < 300 ? 'done' : `${statusCode} ${(JSON.parse(body) as { code: string }).code}`;
    };
    const change = (token: string, dangerous: boolean) =>
      as(token, 'PATCH', `/api/thing/${thingId}`, { dangerous });
    for (const [request, expected] of [
      [as(all, 'GET', '/api/thing'), 'done'],
      [as(all, 'POST', '/api/thing', { name: 'a' }), 'done'],
      [change(all, false), 'done'],
      // There is nothing that a script could do about it: it is not told to sign in.
      [change(all, true), '403 forbidden'],
      [as(all, 'DELETE', `/api/thing/${thingId}`), '403 forbidden'],
      [as(all, 'POST', '/api/greeting'), '403 forbidden'],
      [as(all, 'POST', '/api/operator/thing'), '401 unauthenticated'],
      [as(all, 'POST', '/api/operator/bootstrap', { name: 'Ada' }), '401 unauthenticated'],
      [as(few, 'GET', '/api/thing'), 'done'],
      [as(few, 'POST', '/api/thing', { name: 'a' }), '403 forbidden'],
      [change(few, false), '403 forbidden'],
      [as(`nwk_${'c'.repeat(43)}`, 'GET', '/api/thing'), '401 unauthenticated'],
    ] as const) {
      const what = `${request.method} ${request.url} ${request.payload ?? ''}`;
      expect([what, await answer(request)]).toEqual([what, expected]);
    }
    await scripts.close();
    // Where there are no tokens, none is taken for a sign-in.
    expect(await codeOf(as(all, 'GET', '/api/thing'))).toBe('401 unauthenticated');
  });

  test('name and email are asked of the provider where the token does not tell them', async () => {
    expect((await app.inject(as('quiet', 'POST', '/api/greeting'))).json()).toEqual({
      data: { email: 'told@msp.example' },
    });
  });

  test('the operators’ calls take a person’s own key; the setting makes such keys and does nothing else', async () => {
    const act = (token: string) => as(token, 'POST', '/api/operator/thing');
    const make = (token: string) => as(token, 'POST', '/api/operator/bootstrap', { name: 'Ada' });
    const setting = 'operator-token-of-the-tests';
    expect((await app.inject(act('key-of-ada'))).statusCode).toBe(200);
    expect((await app.inject(make(setting))).statusCode).toBe(200);
    expect(await codeOf(act(setting))).toBe('403 forbidden');
    expect(await codeOf(make('key-of-ada'))).toBe('401 unauthenticated');
    for (const request of [act('key-of-nobody'), make('operator-token-of-the-test')]) {
      expect(await codeOf(request)).toBe('401 unauthenticated');
    }
    const closed = await startApp({ operatorToken: '' });
    expect((await closed.inject(make('x'))).statusCode).toBe(401);
    await closed.close();
  });

  test('each act of an operator is written down with person, address and input before it is done; reading is not', async () => {
    const written: unknown[] = [];
    const recording = await startApp({
      recordAct: async (operator, what, act) => {
        written.push([operator.name, operator.ip, what]);
        return act();
      },
    });
    const from = { remoteAddress: '192.0.2.9' };
    await recording.inject({ ...as('key-of-ada', 'POST', '/api/operator/thing'), ...from });
    const made = as('operator-token-of-the-tests', 'POST', '/api/operator/bootstrap', { name: 'Ada' });
    await recording.inject({ ...made, ...from });
    expect(written).toEqual([
      ['Ada Smith', '192.0.2.9', { operation: 'things.operate', input: {} }],
      ['OPERATOR_TOKEN', '192.0.2.9', { operation: 'things.bootstrap', input: { name: 'Ada' } }],
    ]);
    await recording.close();
  });

  test('who may not call is refused before anything of the body is looked at', async () => {
    expect(
      await codeOf({ ...as('bad', 'POST', '/api/thing', '{'), headers: { 'content-type': 'text/plain' } }),
    ).toBe('401 unauthenticated');
  });

  test('requests from other sites’ pages are refused, with a token or without', async () => {
    const request = as(owner, 'GET', '/api/thing');
    const crossSite = { ...request, headers: { ...request.headers, 'sec-fetch-site': 'cross-site' } };
    expect(await codeOf(crossSite)).toBe('403 forbidden');
  });
});

describe('input', () => {
  const make = (payload: unknown, contentType = 'application/json'): InjectOptions => {
    const request = as(owner, 'POST', '/api/thing', payload);
    return { ...request, headers: { ...request.headers, 'content-type': contentType } };
  };

  test('an unknown field is refused by name, inside another one too', async () => {
    const body = { name: 'a', nmae: 'b', inner: { email: 'a@b.example', mail: 'x' } };
    const reply = await app.inject(as(owner, 'POST', '/api/thing', body));
    const message = 'This field is not known';
    expect(reply.json().details).toEqual([
      { path: 'nmae', message },
      { path: 'inner.mail', message },
    ]);
  });

  test('each complaint names its field, in parameters, query and body at once', async () => {
    const reply = await app.inject(make({ name: '', size: 3, inner: { email: 'x' }, extra: 1 }));
    expect(reply.statusCode).toBe(400);
    expect(reply.json().code).toBe('validation_failed');
    const paths = reply.json().details.map((detail: { path: string }) => detail.path);
    expect(paths.sort()).toEqual(['extra', 'inner.email', 'name', 'size']);
  });

  test('a misspelt query or body field is refused, not passed over', async () => {
    for (const url of ['/api/thing?pagesize=10', '/api/thing/look-up/a.example?x=1']) {
      const reply = await app.inject(as(owner, 'GET', url));
      expect(reply.statusCode).toBe(400);
      expect(reply.json().details[0].message).toBe('This field is not known');
    }
    expect(await codeOf(as(owner, 'DELETE', `/api/thing/${thingId}`, { force: true }))).toBe(
      '400 validation_failed',
    );
  });

  test('an act without a body may come with an empty one', async () => {
    for (const payload of [undefined, {}, '']) {
      expect((await app.inject(as(owner, 'DELETE', `/api/thing/${thingId}`, payload))).statusCode).toBe(200);
    }
  });

  test('defaults of the contract are filled in, and the request key reaches the handler', async () => {
    const request = make({ name: 'a' });
    const reply = await app.inject({
      ...request,
      headers: { ...request.headers, 'idempotency-key': 'key-12345' },
    });
    expect(reply.json()).toEqual({ data: { name: 'a', size: 1, key: 'key-12345' } });
  });

  test('bodies that a page elsewhere can send without asking are 415', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonx',
    ];
    for (const type of types)
      expect(await codeOf(make('{"name":"a"}', type))).toBe('415 unsupported_media_type');
    const typeless = as(owner, 'POST', '/api/thing', '{"name":"a"}');
    const reply = await app.inject({ ...typeless, headers: { authorization: `Bearer ${owner}` } });
    expect(reply.statusCode).toBe(415);
  });

  test('what is no JSON is 400, and is not quoted back', async () => {
    for (const payload of [
      '{',
      '{"name":canary}',
      '[1,]',
      'undefined',
      '{"name":"a"}x',
      Buffer.from([0x22, 0xff, 0x22]),
    ]) {
      const reply = await app.inject(make(payload));
      expect([reply.statusCode, reply.json().code]).toEqual([400, 'bad_request']);
      expect(reply.body).not.toContain('canary');
    }
  });

  test('20 levels are read, the 21st is 400 however many follow', async () => {
    const nested = (levels: number) => `{"tags":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(await codeOf(make(nested(20)))).toBe('400 validation_failed');
    expect(await codeOf(make(nested(21)))).toBe('400 bad_request');
    expect(await codeOf(make(`{"a":${'['.repeat(400_000)}`))).toBe('400 bad_request');
    expect(
      await codeOf(make(JSON.stringify({ name: '[{'.repeat(30), extra: '"[[[[[[[[[[[[[[[[[[[[[[\\' }))),
    ).toBe('400 validation_failed');
  });

  test('names that reach an object’s prototype are refused and reach none', async () => {
    for (const payload of [
      '{"name":"a","__proto__":{"polluted":true}}',
      '{"name":"a","inner":{"\\u005f_proto__":{"polluted":true}}}',
      '{"name":"a","constructor":{"prototype":{"polluted":true}}}',
    ]) {
      expect(await codeOf(make(payload))).toBe('400 bad_request');
    }
    expect(await codeOf(as(owner, 'GET', '/api/thing?__proto__=1'))).toBe('400 bad_request');
    expect('polluted' in {}).toBe(false);
  });

  test('NUL and half characters, which no database holds, are refused wherever they stand', async () => {
    for (const payload of [
      '{"name":"a\\u0000"}',
      '{"name":"\\ud800"}',
      '{"name":"a","tags":["\\udfff"]}',
      '{"\\u0000":1}',
    ]) {
      expect(await codeOf(make(payload))).toBe('400 bad_request');
    }
    expect(await codeOf(as(owner, 'GET', '/api/thing?search=%00'))).toBe('400 bad_request');
    expect(await codeOf(as(owner, 'GET', '/api/thing/look-up/a%00b'))).toBe('400 bad_request');
  });

  test('a body is read up to the limit of its operation, and 413 from the next byte', async () => {
    const name = (bytes: number) => `{"name":"${'a'.repeat(bytes - 11)}"}`;
    expect(await codeOf(make(name(1_000_000)))).toBe('400 validation_failed');
    expect(await codeOf(make(name(1_000_001)))).toBe('413 payload_too_large');
    const send = (bytes: number) =>
      app.inject({ method: 'POST', url: '/api/webhooks/things', payload: Buffer.alloc(bytes) });
    expect((await send(2_000)).json()).toEqual({ data: { bytes: 2_000 } });
    expect((await send(2_001)).statusCode).toBe(413);
  });

  test('a webhook’s bytes come through as they are, whatever they call themselves', async () => {
    for (const type of ['application/json', 'text/plain', 'application/octet-stream']) {
      const headers = { 'content-type': type };
      const reply = await app.inject({
        method: 'POST',
        url: '/api/webhooks/things?x=1',
        headers,
        payload: '{"a": 1 }',
      });
      expect(reply.json()).toEqual({ data: { bytes: 9 } });
    }
  });
});

describe('addresses', () => {
  test('an unknown address of the API is 404', async () => {
    for (const url of ['/api', '/api/nothing', '/api//thing']) {
      expect(await codeOf(as(owner, 'GET', url))).toBe('404 route_not_found');
    }
  });

  test('a known address with another method is 405 and says which it takes', async () => {
    const reply = await app.inject(as(owner, 'PUT', `/api/thing/${thingId}`, { a: 1 }));
    expect(reply.statusCode).toBe(405);
    expect(reply.json().code).toBe('method_not_allowed');
    expect(reply.headers.allow).toBe('DELETE, GET, HEAD, PATCH, OPTIONS');
  });

  test('OPTIONS tells the methods, HEAD is GET without its body', async () => {
    const options = await app.inject({ method: 'OPTIONS', url: '/api/thing' });
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
    const head = await app.inject(as(owner, 'HEAD', '/api/thing'));
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect((await app.inject({ method: 'HEAD', url: '/api/thing' })).statusCode).toBe(401);
  });

  test('a domain of 253 characters is a parameter, a longer one than 300 is none', async () => {
    const domain = `${'a'.repeat(62)}.`.repeat(4).slice(0, 249).concat('.com');
    expect(domain).toHaveLength(253);
    const found = await app.inject(as(owner, 'GET', `/api/thing/look-up/${domain}`));
    expect(found.json()).toEqual({ data: { address: domain } });
    expect(await codeOf(as(owner, 'GET', `/api/thing/look-up/${'a'.repeat(301)}`))).toBe(
      '404 route_not_found',
    );
  });

  test('a broken address is 400 in our own words', async () => {
    expect(await codeOf(as(owner, 'GET', '/api/thing/%zz'))).toBe('400 bad_request');
  });
});

describe('other origins', () => {
  const from = (origin: string, method: 'GET' | 'OPTIONS' = 'GET'): InjectOptions => ({
    method,
    url: '/api/thing',
    headers: { authorization: `Bearer ${owner}`, origin, 'sec-fetch-site': 'cross-site' },
  });

  test('no origin is let in unless it is listed', async () => {
    const reply = await app.inject(from('https://elsewhere.example'));
    expect(reply.statusCode).toBe(403);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('a listed origin is let in by its name, never by *, and others stay out', async () => {
    const open = await startApp({ corsOrigins: ['https://console.example'] });
    const listed = await open.inject(from('https://console.example'));
    expect(listed.statusCode).toBe(200);
    expect(listed.headers['access-control-allow-origin']).toBe('https://console.example');
    expect(listed.headers['access-control-allow-credentials']).toBeUndefined();
    expect(listed.headers.vary).toContain('Origin');
    const preflight = await open.inject(from('https://console.example', 'OPTIONS'));
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('authorization');
    const other = await open.inject(from('https://console.example.evil.example'));
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
    await open.close();
  });
});

describe('health', () => {
  test('healthz says that the process lives, readyz that the database answers', async () => {
    expect((await app.inject('/healthz')).statusCode).toBe(200);
    expect((await app.inject('/readyz')).statusCode).toBe(200);
    const cut = await startApp({ ping: () => Promise.reject(new Error('away')) });
    expect((await cut.inject('/readyz')).statusCode).toBe(503);
    expect((await cut.inject('/healthz')).statusCode).toBe(200);
    await cut.close();
  });

  test('metrics count by operation and status, for this machine and the operator only', async () => {
    await app.inject(as(owner, 'GET', '/api/thing'));
    const metrics = await app.inject('/metrics');
    expect(metrics.body).toMatch(/http_request_seconds_count\{operation="things.list",status="200"\} \d/);
    expect((await app.inject({ url: '/metrics', remoteAddress: '192.0.2.1' })).statusCode).toBe(401);
    expect(
      (await app.inject({ url: '/metrics', headers: { 'x-forwarded-for': '192.0.2.1' } })).statusCode,
    ).toBe(401);
    const headers = { authorization: 'Bearer operator-token-of-the-tests' };
    expect((await app.inject({ url: '/metrics', remoteAddress: '192.0.2.1', headers })).statusCode).toBe(200);
  });
});
