import { afterEach, describe, expect, test } from 'vitest';
import { patiently } from '#kernel/fairness.ts';
import { makeCertificate } from '../../../../tests/support/certificates.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import {
  type Answer,
  no,
  ok,
  replyXml,
  type ScriptedServer,
  startScripted,
} from './testing/scripted-server.ts';

/** Reads: what is asked, how each shape of an answer is read, and what is asked again. */

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args);
  return server;
}
const say = (code: string, text: string, attributes = {}): Answer => ({
  code,
  success: '1',
  text,
  attributes,
});

describe('look-up', () => {
  test.each([
    [say('210', 'Domain available', { status: 'available' }), 'available', null],
    [say('210', 'domain available.'), 'available', null],
    [say('211', 'Domain taken', { status: 'taken', reason: '' }), 'taken', null],
    [say('211', 'Domain taken', { reason: 'Reserved Name' }), 'taken', 'Reserved Name'],
    [say('221', 'Domain taken, waiting registration'), 'taken', null],
    // The code decides, whatever the attribute says.
    [say('211', 'x', { status: 'available' }), 'taken', null],
    [say('212', 'x', { status: 'taken' }), 'taken', null],
  ])('%j', async (answer, status, reason) => {
    const { registrar } = await start(() => answer);
    expect(await registrar.lookup('example.com')).toEqual({ status, reason });
  });

  test('asks the registry itself when it has to be fresh', async () => {
    const { registrar, seen } = await start(() => say('210', ''));
    await registrar.lookup('a.com');
    await registrar.lookup('a.com', { fresh: true });
    expect(seen.map(({ attributes }) => attributes)).toEqual([
      { domain: 'a.com' },
      { domain: 'a.com', no_cache: '1' },
    ]);
  });

  test('a name that cannot be is refused, not asked again', async () => {
    const { registrar, seen } = await start(() => no('465', 'Invalid domain syntax'));
    await expect(registrar.lookup('-.com')).rejects.toMatchObject({
      name: 'UpstreamRefused',
      reason: 'invalid',
    });
    expect(seen).toHaveLength(1);
  });
});

describe('suggestions', () => {
  const items = (...entries: [string, string, string?][]) =>
    entries.map(([domain, status, price]) => ({ domain, status, ...(price ? { price } : {}) }));

  test('names of the wanted suffixes with a known state, each once, no more than asked for', async () => {
    const { registrar } = await start(() =>
      ok({
        lookup: { is_success: '1', response_code: '200', count: '1', items: items(['bluefig.com', 'taken']) },
        suggestion: {
          is_success: '1',
          response_code: '0',
          items: items(
            ['bluefig.com', 'taken'],
            ['mybluefig.com', 'available'],
            ['fig.com', 'undetermined'],
            ['bluefig.net', 'available'],
            ['gold.com', 'available', '299.98'],
            ['more.com', 'available'],
          ),
        },
      }),
    );
    expect(await registrar.suggest('blue fig', { suffixes: ['com'], maximum: 3 })).toEqual([
      { domain: 'bluefig.com', status: 'taken', premiumCents: null },
      { domain: 'mybluefig.com', status: 'available', premiumCents: null },
      { domain: 'gold.com', status: 'available', premiumCents: 29_998 },
    ]);
  });

  test('an unfinished search is continued by its key', async () => {
    const { registrar, seen } = await start((_request, count) => ({
      code: '200',
      success: '1',
      attributes: { suggestion: { is_success: '1', items: items([`a${count}.com`, 'available']) } },
      top: count === 1 ? { is_search_completed: '0', search_key: 'k1' } : { is_search_completed: '1' },
    }));
    expect(await registrar.suggest('a', { suffixes: ['com'], maximum: 9 })).toHaveLength(2);
    expect(seen[1]?.attributes).toMatchObject({ search_key: 'k1' });
    expect(seen[1]?.attributes.searchstring).toBeUndefined();
  });

  test('one service failing leaves the other; both failing is no answer', async () => {
    const down = { is_success: '0', response_code: '500', response_text: 'temporary' };
    const { registrar } = await start((_request, count) =>
      ok({ lookup: down, suggestion: count === 1 ? { is_success: '1', items: [] } : down }),
    );
    expect(await registrar.suggest('a', { suffixes: ['com'], maximum: 9 })).toEqual([]);
    await expect(registrar.suggest('a', { suffixes: ['com'], maximum: 9 })).rejects.toThrow(
      UpstreamUnavailable,
    );
  });
});

describe('money', () => {
  test('a quote in cents for the whole period', async () => {
    const { registrar, seen } = await start(() => ok({ price: '19.7' }, 'Command Successful'));
    expect(await registrar.quote('a.com', 'renewal', 2)).toEqual({ costCents: 1970, premium: false });
    expect(seen[0]?.attributes).toEqual({ domain: 'a.com', period: '2', reg_type: 'renewal' });
  });
  test('a quote of a premium name says so', async () => {
    const { registrar } = await start(() => ok({ price: '2395.00', is_registry_premium: '1' }));
    expect(await registrar.quote('gold.com', 'new', 1)).toEqual({ costCents: 239_500, premium: true });
  });
  test.each([{}, { price: '' }, { price: 'undef' }, { price: '-1' }])(
    '%j is no price',
    async (attributes) => {
      const { registrar } = await start(() => ok(attributes));
      await expect(registrar.quote('a.com', 'new', 1)).rejects.toThrow(UpstreamUnavailable);
    },
  );
  test('the balance', async () => {
    const { registrar } = await start(() => ok({ balance: '8549.18', hold_balance: '1676.05' }));
    expect(await registrar.balance()).toEqual({ balanceCents: 854_918, heldCents: 167_605 });
  });
});

describe('a domain', () => {
  const all = ok({
    auto_renew: '1',
    let_expire: '0',
    expiredate: '2027-05-02 10:00:00',
    registry_createdate: '2025-05-01 10:00:00',
    registry_expiredate: '2027-05-01 10:00:00',
    registry_updatedate: '',
    affiliate_id: 'item-1',
    tld_data: '',
    nameserver_list: [
      { name: 'NS2.systemdns.com', sortorder: '2', ipaddress: '' },
      { name: 'ns1.systemdns.com', sortorder: '1', ipaddress: '192.0.2.1' },
    ],
    contact_set: { owner: { first_name: 'Ann', last_name: 'B', status: 'active', phone: '+1.4165550123' } },
  });
  const byType: Record<string, Answer> = {
    all_info: all,
    status: ok({ lock_state: '1', can_modify: '1', domain_supports: '1', parkp_status: '' }),
    whois_privacy_state: ok({ state: 'enabled' }),
  };

  test('is put together from its parts; the registry’s expiry counts', async () => {
    const { registrar } = await start(
      ({ attributes }) => byType[String(attributes.type)] ?? no('465', 'Unknown'),
    );
    expect(await registrar.domain('a.com')).toMatchObject({
      domain: 'a.com',
      registeredAt: new Date('2025-05-01T10:00:00Z'),
      expiresAt: new Date('2027-05-01T10:00:00Z'),
      updatedAt: null,
      autoRenew: true,
      letExpire: false,
      locked: true,
      privacy: true,
      nameservers: ['ns1.systemdns.com', 'ns2.systemdns.com'],
      contacts: { owner: { firstName: 'Ann', phone: '+1.4165550123' } },
      tag: 'item-1',
    });
  });

  test('whose privacy is not told is a domain still', async () => {
    const { registrar } = await start(({ attributes }) =>
      attributes.type === 'whois_privacy_state'
        ? no('465', 'Unknown Info type')
        : (byType[String(attributes.type)] as Answer),
    );
    expect((await registrar.domain('a.com'))?.privacy).toBeNull();
  });

  test.each([no('415', 'Authentication Error.'), no('480', 'Domain not found.')])(
    'that is not ours or not there is null: %j',
    async (answer) => {
      const { registrar } = await start(() => answer);
      expect(await registrar.domain('a.com')).toBeNull();
    },
  );

  test('its transfer code, which it has or has not', async () => {
    const { registrar } = await start((_request, count) =>
      ok({ domain_auth_info: count === 1 ? 'aB<&>"9' : '' }),
    );
    expect(await registrar.authCode('a.com')).toBe('aB<&>"9');
    expect(await registrar.authCode('a.com')).toBeNull();
  });
});

describe('a read that is not answered', () => {
  const faults: [string, Answer][] = [
    ['300', no('300', 'rate')],
    ['310', no('310', 'connections')],
    ['350', no('350', '100 commands')],
    ['400', no('400', 'Internal server error.')],
    ['404', no('404', 'Internal Server Error')],
    ['405', no('405', 'registry')],
    ['705', no('705', 'Timed out, resubmit request.')],
    ['an empty answer', { raw: '' }],
    ['a page', { raw: '<html/>', status: 503 }],
    ['a reset', 'reset'],
    [
      'half an answer',
      { cutAfter: 90, of: replyXml({ code: '200', success: '1', attributes: { price: '1' } }) },
    ],
  ];
  test.each(faults)('is asked again: %s', async (_name, fault) => {
    const { registrar } = await start((_request, count) => (count === 1 ? fault : ok({ price: '9.85' })), {
      timeouts: { readMs: 120_000, writeMs: 300 },
    });
    expect((await registrar.quote('a.com', 'new', 1)).costCents).toBe(985);
  });
  test.each(faults.slice(3))('is unavailable after three times: %s', async (_name, fault) => {
    const { registrar, seen } = await start(() => fault, { timeouts: { readMs: 120_000, writeMs: 300 } });
    await expect(registrar.quote('a.com', 'new', 1)).rejects.toThrow(UpstreamUnavailable);
    expect(seen).toHaveLength(3);
  });
  test('is given up at its time when nothing comes', async () => {
    const { registrar } = await start(() => 'hang', { timeouts: { readMs: 150, writeMs: 300 } });
    await expect(registrar.quote('a.com', 'new', 1)).rejects.toThrow(UpstreamUnavailable);
  });
  test('that is patient waits three times as long for its turn; its answer has no longer than others have', async () => {
    const timeouts = { readMs: 1_000, writeMs: 300 };
    // Four turns, one after the other: the last one comes after the time of a read.
    const slow = await start(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 350));
        return ok({ price: '9.85' });
      },
      { timeouts, limits: { parallel: 1, perSecond: 1_000 } },
    );
    const quotes = () => Promise.allSettled([1, 2, 3, 4].map(() => slow.registrar.quote('a.com', 'new', 1)));
    const count = (all: PromiseSettledResult<unknown>[]) =>
      all.filter(({ status }) => status === 'fulfilled').length;
    expect(count(await quotes())).toBeLessThan(4);
    expect(count(await patiently(quotes))).toBe(4);
    await slow.close();
    const silent = await start(() => 'hang', { timeouts: { readMs: 150, writeMs: 300 } });
    await expect(patiently(() => silent.registrar.quote('a.com', 'new', 1))).rejects.toThrow(
      UpstreamUnavailable,
    );
    // It was asked again within the longer time: no call took all of it.
    expect(silent.seen.length).toBeGreaterThan(1);
  });
  test('is unavailable, not the asker’s fault, when the registrar shuts us out', async () => {
    const { registrar, seen } = await start(() => no('401', 'Authentication Failed'));
    await expect(registrar.lookup('a.com')).rejects.toThrow(UpstreamUnavailable);
    expect(seen).toHaveLength(1);
  });
});

describe('lists', () => {
  test('expiring names come page by page, each once, to the end', async () => {
    const page = (names: string[], remainder: string) =>
      ok({
        remainder,
        exp_domains: names.map((name) => ({
          name,
          expiredate: '2026-05-01 10:00:00',
          f_auto_renew: 'Y',
          f_let_expire: 'N',
        })),
      });
    const { registrar, seen } = await start((_request, count) =>
      count === 1 ? page(['a.com', 'b.com'], '1') : page(['b.com', 'C.com'], '0'),
    );
    const found = [];
    for await (const row of registrar.expiring(new Date('2026-01-01'), new Date('2026-12-31T23:00:00Z')))
      found.push(row);
    expect(found.map(({ domain }) => domain)).toEqual(['a.com', 'b.com', 'c.com']);
    expect(found[0]).toEqual({
      domain: 'a.com',
      expiresAt: new Date('2026-05-01T10:00:00Z'),
      autoRenew: true,
    });
    expect(seen.map(({ attributes }) => attributes)).toEqual([
      { exp_from: '2026-01-01', exp_to: '2026-12-31', page: '1', limit: '40' },
      { exp_from: '2026-01-01', exp_to: '2026-12-31', page: '2', limit: '40' },
    ]);
  });

  test('transfers are listed to the last page of 40, each once', async () => {
    const { registrar, seen } = await start((_request, count) =>
      ok({ total: '81', transfers: [{ domain: `T${count}.com` }, { domain: 't1.com' }] }),
    );
    const found = [];
    for await (const domain of registrar.transfersSince(new Date('2026-01-01'))) found.push(domain);
    expect(found).toEqual(['t1.com', 't2.com', 't3.com']);
    expect(seen.map(({ attributes }) => attributes.page)).toEqual(['1', '2', '3']);
  });

  test('an empty list, and one that says there is more but gives nothing, end', async () => {
    const { registrar } = await start(() => ok({ total: '0', remainder: '1' }));
    const found = [];
    for await (const row of registrar.expiring(new Date(0), new Date(0))) found.push(row);
    expect(found).toEqual([]);
  });

  test.each([
    ['brings the same page again', ['a.com']],
    ['brings nothing', []],
  ])('a list that says it goes on and %s is not taken for the whole', async (_what, later) => {
    const { registrar, seen } = await start((_request, count) =>
      ok({
        remainder: '1',
        exp_domains: (count === 1 ? ['a.com'] : later).map((name) => ({
          name,
          expiredate: '2026-05-01 10:00:00',
        })),
      }),
    );
    const found: string[] = [];
    const read = async () => {
      for await (const { domain } of registrar.expiring(new Date(0), new Date(0))) found.push(domain);
    };
    await expect(read()).rejects.toThrow(UpstreamUnavailable);
    expect([found, seen.length]).toEqual([['a.com'], 2]);
  });

  test('events, with their inner values by path, are acknowledged by their number', async () => {
    const { registrar, seen } = await start(({ action }) =>
      action === 'POLL'
        ? ok({
            total: '1',
            events: [
              {
                event_id: 'e1',
                event: 'NAMESERVER_UPDATE',
                object: 'DOMAIN',
                event_date: '2026-01-02T03:04:05Z',
                object_data: { domain_name: 'A.com', nameserver_list: ['ns1.x.net', 'ns2.x.net'] },
              },
            ],
          })
        : ok(),
    );
    expect(await registrar.events(10)).toEqual([
      {
        id: 'e1',
        object: 'DOMAIN',
        event: 'NAMESERVER_UPDATE',
        at: new Date('2026-01-02T03:04:05Z'),
        domain: 'a.com',
        restorableUntil: null,
        data: { domain_name: 'A.com', 'nameserver_list.0': 'ns1.x.net', 'nameserver_list.1': 'ns2.x.net' },
      },
    ]);
    await registrar.acknowledgeEvent('e1');
    expect(seen[1]).toMatchObject({ action: 'ACK', object: 'EVENT', attributes: { event_id: 'e1' } });
  });

  test.each([
    ['2027-05-01 10:00:00', '2027-05-01T10:00:00Z'],
    ['2027-05-01T10:00:00Z', '2027-05-01T10:00:00Z'],
    ['27-OCT-2027 11:15:03', '2027-10-27T11:15:03Z'],
    ['1809165600', '2027-05-01T10:00:00Z'],
    ['soon', null],
  ] as const)(
    'a deletion says until when the domain can be restored, in any of the vendor’s styles: %s',
    async (written, means) => {
      const object_data = { domain_name: 'a.com', redemption_grace_period_end_date: written };
      const { registrar } = await start(() =>
        ok({ events: [{ event_id: 'e1', event: 'DELETED', object: 'DOMAIN', object_data }] }),
      );
      expect(await registrar.events(10)).toMatchObject([{ restorableUntil: means && new Date(means) }]);
    },
  );
});

describe('certificates', () => {
  test('the issued one with its chain in order, however the reply keys it', async () => {
    const root = makeCertificate('Root', { authority: true });
    const middle = makeCertificate('Middle', { authority: true, issuer: root });
    const notAfter = new Date('2030-01-02T03:04:05Z');
    const leaf = makeCertificate('www.a.com', {
      issuer: middle,
      notAfter,
      serial: Buffer.from('0a1b2c', 'hex'),
    });
    const flat = leaf.certificatePem.replaceAll('\n', ' ');
    const { registrar } = await start(({ action }) =>
      action === 'GET_ORDER_INFO'
        ? ok({
            order_id: '5',
            domain: 'www.a.com',
            product_id: '50',
            product_type: 'rapidssl',
            state: 'completed',
          })
        : ok({
            state: 'active',
            cert_data: {
              certificate: flat,
              ca_certs: [{ certificate: root.certificatePem }, { certificate: middle.certificatePem }],
            },
          }),
    );
    const found = await registrar.certificate('5');
    expect(found).toEqual({
      certificatePem: leaf.certificatePem,
      chainPem: [middle.certificatePem, root.certificatePem],
      serial: '0a1b2c',
      notBefore: expect.any(Date),
      notAfter,
      state: 'active',
    });
  });

  test('none while the order has no product', async () => {
    const { registrar, seen } = await start(() =>
      ok({ order_id: '5', state: 'in-progress', product_type: 'x' }),
    );
    expect(await registrar.certificate('5')).toBeNull();
    expect(seen).toHaveLength(1);
  });
});
