import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { roleHeader } from '#contracts/permissions.ts';
import { answeredWithinMs } from '#contracts/values/answer-times.ts';
import { positionHeader } from '#contracts/values/position.ts';
import {
  addressOf,
  call,
  callFile,
  callPage,
  callPublic,
  callWithKey,
  setTokenSource,
  watchRights,
} from './api-client.ts';
import { connection } from './connection.ts';

interface Sent {
  url: string;
  method: string;
  authorization: string | null;
  idempotencyKey: string | null;
  contentType: string | null;
  body: string | null;
}

const positions: (string | null)[] = [];

/** Answers in turn and keeps what was sent. */
function answers(...replies: (Response | Error)[]): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    positions.push(headers.get(positionHeader));
    sent.push({
      url,
      method: init.method ?? 'GET',
      authorization: headers.get('authorization'),
      idempotencyKey: headers.get('idempotency-key'),
      contentType: headers.get('content-type'),
      body: (init.body as string | null) ?? null,
    });
    const reply = replies.shift();
    if (!reply) throw new Error('asked more often than expected');
    if (reply instanceof Error) throw reply;
    return reply;
  });
  return sent;
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const signedInAs = (...tokens: (string | null)[]) => {
  let current = tokens.shift() ?? null;
  const refused: string[] = [];
  setTokenSource({
    token: async () => current,
    renew: async (old) => {
      refused.push(old);
      current = tokens.shift() ?? null;
      return current;
    },
  });
  return refused;
};

// What follows from silence is asked by itself later, and would find other tests in this process.
beforeEach(() => void vi.spyOn(connection, 'unanswered').mockReturnValue(undefined));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('of what waits for a token together, the screen’s own question leaves first', async () => {
  const sent = answers(json({ data: {} }), json({ data: [] }), json({ data: [] }));
  const token = Promise.withResolvers<string>();
  setTokenSource({ token: () => token.promise, renew: async () => null });
  const all = [
    call('GET /overview', { isAside: true }),
    call('GET /customer/choices', { isAside: true }),
    call('GET /ssl/prices'),
  ];
  token.resolve('t1');
  await Promise.all(all);
  expect(sent.map(({ url }) => url)).toEqual(['/api/ssl/prices', '/api/overview', '/api/customer/choices']);
});

describe('the client', () => {
  test('requests nothing that needs a token before there is one', async () => {
    const sent = answers();
    signedInAs(null);
    await expect(call('GET /user')).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(sent).toEqual([]);
  });

  test('sends the token, JSON and the key of the request', async () => {
    const sent = answers(json({ data: { intentSecret: 's', topupId: 't', amount: 1 } }));
    signedInAs('one');
    await call('POST /account/topupv2', { body: { amount: 100 }, idempotencyKey: 'k-1' });
    expect(sent).toEqual([
      {
        url: '/api/account/topupv2',
        method: 'POST',
        authorization: 'Bearer one',
        idempotencyKey: 'k-1',
        contentType: 'application/json',
        body: '{"amount":100}',
      },
    ]);
  });

  test('sends back how far the database had come at the latest, never an earlier one', async () => {
    const at = (lsn: number) => `00000001-${String(lsn).padStart(14, '0')}`;
    const reply = (position: string, status = 200) =>
      new Response(JSON.stringify({ data: [] }), { status, headers: { [positionHeader]: position } });
    answers(reply(at(5)), reply(at(7), 404), reply(at(6)), reply('rubbish'), json({ data: [] }));
    signedInAs('one');
    positions.length = 0;
    for (let turn = 0; turn < 5; turn += 1) await call('GET /customer').catch(() => undefined);
    expect(positions.slice(1)).toEqual([at(5), at(7), at(7), at(7)]);
  });

  test('sends no private key, in whatever field it stands', async () => {
    const sent = answers(json({ data: {} }));
    signedInAs('one');
    const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQ==\n-----END PRIVATE KEY-----';
    const reissue = call('POST /ssl/order/:orderId/reissue', {
      params: { orderId: '1' },
      body: { csr: key },
    });
    await expect(reissue).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('This is a private key, not a CSR.'),
    });
    await expect(call('POST /domain/lock_domain', { body: { domain: key } })).rejects.toThrow('private key');
    await expect(call('GET /customer', { query: { search: key } })).rejects.toThrow('private key');
    expect(sent).toEqual([]);
  });

  test('sends no token with what is public, and no content type without a body', async () => {
    const sent = answers(json({ data: [] }));
    signedInAs('one');
    await callPublic('GET /ssl/prices');
    expect(sent[0]).toMatchObject({
      url: '/api/ssl/prices',
      authorization: null,
      contentType: null,
      body: null,
    });
  });

  test('renews a refused token once and asks again', async () => {
    const sent = answers(json({ message: 'Please sign in.' }, 401), json({ data: [1] }));
    const refused = signedInAs('old', 'new');
    await expect(call('GET /customer')).resolves.toEqual([1]);
    expect(sent.map(({ authorization }) => authorization)).toEqual(['Bearer old', 'Bearer new']);
    expect(refused).toEqual(['old']);
  });

  test('gives up when the renewed token is refused too', async () => {
    const sent = answers(json({ message: 'no' }, 401), json({ message: 'still no' }, 401));
    signedInAs('old', 'new', 'newer');
    await expect(call('GET /customer')).rejects.toMatchObject({ message: 'still no', status: 401 });
    expect(sent).toHaveLength(2);
  });

  test('does not repeat what was refused for another reason', async () => {
    const sent = answers(json({ message: 'no', code: 'forbidden' }, 403));
    signedInAs('one', 'two');
    await expect(call('GET /customer')).rejects.toMatchObject({ code: 'forbidden' });
    expect(sent).toHaveLength(1);
  });

  test('gives rows with how many there are; a complete list counts itself', async () => {
    const meta = { total: 70, page: 2, pageSize: 50 };
    answers(json({ data: ['a'], meta }), json({ data: ['a', 'b'] }));
    signedInAs('one');
    expect(await callPage('GET /customer', { query: { page: 2 } })).toEqual({ rows: ['a'], meta });
    expect((await callPage('GET /customer')).meta).toEqual({ total: 2, page: 1, pageSize: 2 });
  });

  test('tells a broken connection as an error to show', async () => {
    answers(new TypeError('Failed to fetch'));
    signedInAs('one');
    await expect(call('GET /customer')).rejects.toMatchObject({
      name: 'ApiError',
      code: 'network',
      message: 'Something went wrong',
    });
  });

  test('waits longer than the server takes to answer, for what is read and for every write, however short a wait is asked for', async () => {
    const waits = vi.spyOn(AbortSignal, 'timeout');
    const waited = async (asked: () => Promise<unknown>) => {
      answers(json({ data: {} }));
      await asked();
      return waits.mock.lastCall?.[0] ?? 0;
    };
    signedInAs('one');
    const [domain, orderId] = ['acme.com', '1'];
    const acts = [
      () => call('POST /domain/unlock_domain', { body: { domain } }),
      () => call('DELETE /:domain/dnssec', { params: { domain } }),
      // It only reads; the server takes as long as for any other POST.
      () => call('POST /cart/prices', { body: [] }),
      () => call('POST /:domain/zone/force_dns_nameservers', { params: { domain }, body: {} }),
      () => call('PUT /:domain/zone', { params: { domain }, body: { records: [] } }),
      () => call('DELETE /:domain/nameserver', { params: { domain }, body: { name: 'ns1.acme.com' } }),
      () => call('POST /domain/restore', { body: { domain, price: 1 } }),
      () => call('POST /domain/transfer/cancel', { body: { domain } }),
      () => call('POST /ssl/order/:orderId/reissue', { params: { orderId }, body: {} }),
      () => call('POST /ssl/order/:orderId/cancel', { params: { orderId } }),
    ];
    // Waiting for a turn, the write and reading back: 20, 45 and 15 seconds.
    for (const act of acts) expect(await waited(act)).toBeGreaterThan(answeredWithinMs.write);
    const short = () => call('POST /domain/unlock_domain', { body: { domain }, timeoutMs: 80_000 });
    expect(await waited(short)).toBeGreaterThan(answeredWithinMs.write);
    const read = () => call('GET /:domain/zone', { params: { domain } });
    expect(await waited(read)).toBeGreaterThan(answeredWithinMs.read);
    expect(await waited(() => call('GET /customer', { timeoutMs: 60_000 }))).toBe(60_000);
  });

  test('says of a write without an answer in time that it is not confirmed, also when the answer stops half-way', async () => {
    const late = () => new DOMException('late', 'TimeoutError') as unknown as Error;
    const cut = () => new Response(new ReadableStream({ start: (stream) => stream.error(late()) }));
    answers(late(), cut(), late(), late(), new TypeError('Failed to fetch'));
    signedInAs('one');
    const lock = () => call('POST /domain/lock_domain', { body: { domain: 'acme.com' } });
    const unconfirmed = {
      code: 'timeout',
      message:
        'No answer came in time, so the change is not confirmed. Please look again before you repeat it.',
    };
    await expect(lock()).rejects.toMatchObject(unconfirmed);
    await expect(lock()).rejects.toMatchObject(unconfirmed);
    const failed = { message: 'Something went wrong' };
    await expect(call('GET /customer')).rejects.toMatchObject({ ...failed, code: 'timeout' });
    await expect(call('POST /cart/prices', { body: [] })).rejects.toMatchObject({
      ...failed,
      code: 'timeout',
    });
    await expect(lock()).rejects.toMatchObject({ ...failed, code: 'network' });
  });

  test('a call given up by the caller is no failure of the portal', async () => {
    const given = new AbortController();
    given.abort();
    answers(new DOMException('aborted', 'AbortError') as unknown as Error);
    signedInAs('one');
    await expect(call('GET /customer', { signal: given.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('addresses', () => {
  test('parameters cannot leave their place', () => {
    const at = (id: string) => addressOf('GET /customer/:id', { params: { id } }).url;
    expect(at('a/b?c#d')).toBe('/api/customer/a%2Fb%3Fc%23d');
    expect(at('../user')).toBe('/api/customer/..%2Fuser');
  });

  test('what is not set is not sent', () => {
    const query = { search: '', sort: undefined, page: 2, open: null };
    expect(addressOf('GET /customer', { query }).url).toBe('/api/customer?page=2');
  });
});

describe('the operator’s own key', () => {
  test('is sent in place of the token of a person who is signed in, and is not renewed when it is refused', async () => {
    const sent = answers(json({ data: {} }), json({ message: 'no' }, 401));
    const refused = signedInAs('one', 'two');
    await callWithKey('op_key', 'GET /operator/me');
    await expect(callWithKey('op_key', 'GET /operator/me')).rejects.toMatchObject({ status: 401 });
    expect(sent.map(({ authorization }) => authorization)).toEqual(['Bearer op_key', 'Bearer op_key']);
    expect(refused).toEqual([]);
  });
});

describe('a file', () => {
  const fileOf = (headers: HeadersInit) => {
    answers(new Response('a;b', { headers }));
    signedInAs('one');
    return callFile('GET /order/:id/receipt', { params: { id: 'o1' } });
  };

  test('comes with its bytes, under the name that the portal gives it', async () => {
    const { blob, fileName } = await fileOf({
      'content-disposition': 'attachment; filename="a b.pdf"; size=3',
    });
    expect([await blob.text(), fileName]).toEqual(['a;b', 'a b.pdf']);
  });

  test('has a name also where the portal gives none', async () => {
    expect((await fileOf({})).fileName).toBe('download');
  });
});

describe('where the browser knows of no network', () => {
  const calling = async (before: boolean, after: boolean) => {
    const navigator = { onLine: before };
    vi.stubGlobal('navigator', navigator);
    vi.stubGlobal('fetch', async () => {
      navigator.onLine = after;
      throw new TypeError('Failed to fetch');
    });
    signedInAs('one');
    return call('GET /customer').catch((error: { code: string }) => error.code);
  };

  test('what was called was not sent; when the network goes during the call, nobody knows', async () => {
    expect(await calling(false, false)).toBe('offline');
    expect(await calling(true, false)).toBe('network');
    // A portal on this very machine answers all the same.
    expect(await calling(false, true)).toBe('offline');
  });
});

describe('the rights of the person', () => {
  const changed = vi.fn();
  const reply = (role: string | null, status = 200, code?: string) =>
    new Response(JSON.stringify({ data: {}, code, message: 'no' }), {
      status,
      headers: new Headers(role ? [[roleHeader, role]] : []),
    });
  /** How often they were said to be others, after each of these replies. */
  async function noticed(name: 'GET /user' | 'GET /customer', ...replies: Response[]): Promise<number[]> {
    answers(...replies);
    signedInAs('one');
    watchRights(changed);
    const counts: number[] = [];
    for (const _ of replies) {
      await call(name).catch(() => undefined);
      counts.push(changed.mock.calls.length);
    }
    changed.mockClear();
    watchRights(() => undefined);
    return counts;
  }

  test('are read again when a reply names another role than the one before, and not by a reply that names none', async () => {
    await noticed('GET /customer', reply('MSP_OWNER'));
    const replies = [
      reply('MSP_OWNER'),
      reply(null),
      reply('MSP_ADMIN'),
      reply('MSP_ADMIN', 404, 'not_found'),
    ];
    expect(await noticed('GET /customer', ...replies)).toEqual([0, 0, 1, 1]);
  });

  test.each(['no_profile', 'forbidden', 'initial_fee_unpaid'])(
    'are read again after the refusal %s, unless the profile itself was refused',
    async (code) => {
      expect(await noticed('GET /customer', reply(null, 403, code))).toEqual([1]);
      expect(await noticed('GET /user', reply(null, 403, code))).toEqual([0]);
    },
  );

  test('are not read again after another refusal', async () => {
    expect(await noticed('GET /customer', reply(null, 409, 'conflict'))).toEqual([0]);
  });
});
