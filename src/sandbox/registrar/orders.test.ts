import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contact, type Fields, newOrder, openStand, type Stand } from './test-client.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());
beforeEach(() => stand.control('reset'));

const register = (domain: string, more: Fields = {}) =>
  stand.send('SW_REGISTER', 'DOMAIN', newOrder(domain, more));
const lookup = (domain: string) => stand.send('LOOKUP', 'DOMAIN', { domain });
const yearOf = async (domain: string) =>
  (await stand.state()).domains.find((held) => held.domain === domain)?.expiresAt.slice(0, 4) ?? '';

describe('LOOKUP and GET_PRICE', () => {
  it('a free name is 210 available, a well-known one 211 taken, and both are successes', async () => {
    expect(await lookup('free-name-7781.com')).toMatchObject({
      status: 200,
      code: '210',
      success: '1',
      message: 'Domain available',
      attributes: { status: 'available' },
    });
    expect(await lookup('EXAMPLE.com')).toMatchObject({
      code: '211',
      success: '1',
      message: 'Domain taken',
      attributes: { status: 'taken', reason: '' },
    });
  });

  it('an unknown suffix is 701, broken syntax 465, a reserved name says so', async () => {
    expect((await lookup('name.zzinvalid')).code).toBe('701');
    expect((await lookup('')).code).toBe('701');
    expect((await lookup('-bad-.com')).code).toBe('465');
    expect((await lookup('sub.domain.com')).code).toBe('465');
    expect((await lookup('x-reserved.com')).attributes.reason).toBe('Reserved Name');
  });

  it('prices are for the whole period, not padded', async () => {
    const price = (attributes: Fields) => stand.send('GET_PRICE', 'DOMAIN', attributes);
    expect((await price({ domain: 'a-name.com' })).attributes.price).toBe('10.26');
    expect((await price({ domain: 'a-name.com', period: '5', reg_type: 'renewal' })).attributes.price).toBe(
      '51.3',
    );
    expect((await price({ domain: 'google.com', period: '10', reg_type: 'transfer' })).attributes.price).toBe(
      '102.6',
    );
    expect((await price({ domain: 'x-premium.com' })).attributes).toMatchObject({
      price: '2500',
      is_registry_premium: '1',
    });
    expect((await price({ domain: 'a.zzinvalid' })).code).toBe('701');
    expect((await price({ domain: 'a.com', all_periods: '1' })).attributes.prices).toMatchObject({
      '10': '102.6',
    });
  });

  it('suggestions come in sections without an object item', async () => {
    const reply = await stand.send('NAME_SUGGEST', 'DOMAIN', {
      searchstring: 'blue&fig !',
      services: ['lookup', 'suggestion', 'premium'],
      tlds: ['.com'],
      maximum: '10',
    });
    expect(reply.top).toMatchObject({ is_search_completed: '1', response_code: '200' });
    expect(reply.top.object).toBeUndefined();
    const {
      lookup: found,
      suggestion,
      premium,
    } = reply.attributes as Record<string, { items: Fields[]; count: string }>;
    expect(found?.items).toEqual([{ domain: 'blueandfig.com', status: 'available' }]);
    expect(suggestion?.items).toHaveLength(10);
    expect(premium?.items[0]?.price).toBe('2500');
  });
});

describe('SW_REGISTER new', () => {
  it('a registration is charged once, is ours afterwards, and carries our tag', async () => {
    const reply = await register('new-7781.com', {
      f_lock_domain: '1',
      f_whois_privacy: '1',
      auto_renew: '1',
      affiliate_id: 'item-1',
    });
    expect(reply).toMatchObject({
      code: '200',
      success: '1',
      message:
        'Domain registration successfully completed\nDomain successfully locked.\nWhois Privacy successfully enabled.',
      attributes: {
        registration_code: '200',
        admin_email: 'ann@customer.example',
        whois_privacy_state: 'enabled',
      },
    });
    expect(reply.attributes.id).toMatch(/^\d{7,8}$/);
    expect(reply.attributes.domain_id).toMatch(/^\d{6,7}$/);
    const state = await stand.state();
    expect(state.balance).toBe('99989.74');
    expect(state.orders).toMatchObject([
      { id: reply.attributes.id, status: 'completed', affiliateId: 'item-1' },
    ]);
    expect(state.domains).toMatchObject([{ domain: 'new-7781.com', locked: true }]);
    expect((await lookup('new-7781.com')).code).toBe('211');
  });

  it('a taken name is 485 with a pending order, and nothing is charged', async () => {
    const reply = await register('google.com');
    expect(reply).toMatchObject({ code: '485', success: '0', message: 'Domain taken' });
    expect(reply.attributes.forced_pending).toMatch(/^\d+$/);
    expect((await stand.state()).balance).toBe('100000.00');
  });

  it('the period is 2 years where none is given, and 11 are refused', async () => {
    const { period: _, ...order } = newOrder('two-years.com');
    await stand.send('SW_REGISTER', 'DOMAIN', order);
    expect(Number(await yearOf('two-years.com'))).toBe(new Date(stand.store.now()).getUTCFullYear() + 2);
    expect((await register('eleven.com', { period: '11' })).code).toBe('465');
  });

  it('wrong contact data is 465 with every fault named in attributes.error', async () => {
    const owner = { ...contact, country: 'UK', phone: '0113 2345', email: '' };
    const reply = await register('bad-data.com', {
      contact_set: { owner, admin: contact, billing: contact },
    });
    expect(reply).toMatchObject({ code: '465', success: '0', message: 'Registration Failed: Invalid data' });
    expect(
      String(reply.attributes.error)
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(['owner.email', 'owner.country', 'owner.phone']);
    expect((await stand.state()).orders).toEqual([]);
  });

  it('credentials are required and must fit the vendor limits', async () => {
    expect((await register('c1.com', { reg_username: '' })).code).toBe('460');
    expect((await register('c1.com', { reg_username: 'not-allowed' })).code).toBe('465');
    expect((await register('c1.com', { reg_password: 'password' })).code).toBe('465');
  });

  it('own nameservers must be two, known, and in order', async () => {
    const list = (...names: string[]) => ({
      custom_nameservers: '1',
      nameserver_list: names.map((name, index) => ({ name, sortorder: String(index + 1) })),
    });
    expect((await register('ns-a.com', list('ns1.one.net'))).code).toBe('465');
    const unknown = await register('ns-a.com', list('ns1.one.net', 'ns1.nohost.net'));
    expect(unknown.code).toBe('435');
    expect(unknown.message).toContain("Name server 'ns1.nohost.net' is not found at the registry.");
    expect(unknown.attributes).toMatchObject({
      registration_code: '435',
      forced_pending: unknown.attributes.id,
    });
    expect((await register('ns-a.com', list('ns1.one.net', 'NS2.one.net'))).code).toBe('200');
    expect((await stand.state()).domains[0]?.nameservers).toEqual(['ns1.one.net', 'ns2.one.net']);
  });

  it('handle=save only saves; PROCESS_PENDING carries it out as a new order; cancel ends it', async () => {
    const saved = await register('saved.com', { handle: 'save', affiliate_id: 'item-2' });
    expect(saved.code).toBe('200');
    expect((await lookup('saved.com')).code).toBe('210');
    const done = await stand.send('PROCESS_PENDING', 'DOMAIN', { order_id: saved.attributes.id ?? '' });
    expect(done.code).toBe('200');
    expect(done.attributes.order_id).not.toBe(saved.attributes.id);
    const { orders, balance } = await stand.state();
    expect(orders.map((order) => order.status)).toEqual(['completed', 'cancelled']);
    expect(balance).toBe('99989.74');
    const other = await register('saved-too.com', { handle: 'save' });
    const cancelled = await stand.send('PROCESS_PENDING', 'DOMAIN', {
      order_id: other.attributes.id ?? '',
      command: 'cancel',
    });
    expect(cancelled.code).toBe('200');
    expect((await lookup('saved-too.com')).code).toBe('210');
  });

  it('without funds nothing is registered, whether told by 440 or by a forced pending order', async () => {
    await stand.control('balance', { balance: '10.25' });
    expect(await register('poor.com')).toMatchObject({ code: '440', success: '0' });
    await stand.control('balance', { balance: '10.25', shortage: 'forced_pending' });
    const hidden = await register('poor.com');
    expect(hidden).toMatchObject({ code: '200', success: '1', message: 'Registration successful' });
    expect(hidden.attributes.forced_pending).toBe(hidden.attributes.id);
    expect((await lookup('poor.com')).code).toBe('210');
    expect((await stand.state()).balance).toBe('10.25');
  });
});

describe('RENEW', () => {
  const renew = (domain: string, year: string, more: Fields = {}) =>
    stand.send('RENEW', 'DOMAIN', {
      domain,
      currentexpirationyear: year,
      period: '1',
      handle: 'process',
      auto_renew: '0',
      ...more,
    });

  it('moves the expiry by the period and names order and date', async () => {
    await register('renew-me.com');
    const year = await yearOf('renew-me.com');
    const reply = await renew('renew-me.com', year, { period: '2', affiliate_id: 'item-9' });
    expect(reply).toMatchObject({ code: '200', success: '1', message: 'Command completed successfully' });
    expect(String(reply.attributes['registration expiration date']).slice(0, 4)).toBe(
      String(Number(year) + 2),
    );
    const { orders, balance } = await stand.state();
    expect(orders[0]).toMatchObject({
      id: reply.attributes.order_id,
      regType: 'renewal',
      affiliateId: 'item-9',
    });
    expect(reply.attributes.id).not.toBe(reply.attributes.order_id);
    expect(balance).toBe('99969.22');
  });

  it('the same year again is "already renewed" (555, 465 on the test system), another year 541', async () => {
    await register('renew-me.com');
    const year = await yearOf('renew-me.com');
    await renew('renew-me.com', year);
    expect((await renew('renew-me.com', year)).code).toBe('555');
    await stand.control('knobs', { profile: 'horizon' });
    expect(await renew('renew-me.com', year)).toMatchObject({
      code: '465',
      message: 'Domain Already Renewed.',
    });
    expect((await renew('renew-me.com', '2001')).code).toBe('541');
    expect(await yearOf('renew-me.com')).toBe(String(Number(year) + 1));
  });

  it('more than ten years in all are refused, as are names that are not ours', async () => {
    await register('renew-me.com', { period: '10' });
    expect((await renew('renew-me.com', await yearOf('renew-me.com'))).code).toBe('465');
    expect((await renew('google.com', '2030')).code).toBe('480');
    expect((await renew('renew-me.com', '')).code).toBe('460');
  });
});

describe('orders', () => {
  it('orders are found by domain and by id, with the tag and what they cost', async () => {
    const { attributes } = await register('known.com', { affiliate_id: 'item-3', period: '2' });
    const list = await stand.send('GET_ORDERS_BY_DOMAIN', 'DOMAIN', { domain: 'known.com' });
    expect(list.attributes.orders).toMatchObject([
      { id: attributes.id, status: 'completed', reg_type: 'new', affiliate_id: 'item-3' },
    ]);
    const info = await stand.send('GET_ORDER_INFO', 'DOMAIN', { order_id: attributes.id ?? '' });
    expect(info.attributes.field_hash).toMatchObject({
      id: attributes.id,
      domain: 'known.com',
      status: 'completed',
      period: '2',
      cost: '20.52',
      affiliate_id: 'item-3',
      owner_org_name: 'Müller & Söhne',
    });
    expect((await stand.send('GET_ORDER_INFO', 'DOMAIN', { order_id: '1' })).code).toBe('480');
    expect(
      (await stand.send('GET_ORDERS_BY_DOMAIN', 'DOMAIN', { domain: 'never.com' })).attributes.orders,
    ).toEqual([]);
  });

  it('the balance answers under either object and keeps two decimals', async () => {
    for (const object of ['DOMAIN', 'BALANCE']) {
      const reply = await stand.send('GET_BALANCE', object, {});
      expect(reply.attributes).toEqual({ balance: '100000.00', hold_balance: '0.00' });
      expect(reply.top.object).toBe(object);
    }
  });

  it('pending orders up to a date are cancelled at once', async () => {
    await register('left.com', { handle: 'save' });
    const reply = await stand.send('CANCEL_PENDING_ORDERS', 'ORDER', { to_date: '2099-01-01' });
    expect(reply.attributes.total).toBe('1');
    expect((await stand.state()).orders[0]?.status).toBe('cancelled');
  });

  it('everything is there after a restart, and ids go on', async () => {
    const first = await register('keeps.com', { affiliate_id: 'item-5' });
    await stand.reopen();
    const info = await stand.send('GET_ORDER_INFO', 'DOMAIN', { order_id: first.attributes.id ?? '' });
    expect((info.attributes.field_hash as Fields).affiliate_id).toBe('item-5');
    const second = await register('keeps-too.com');
    expect(Number(second.attributes.id)).toBeGreaterThan(Number(first.attributes.id));
    expect((await stand.state()).balance).toBe('99979.48');
  });
});
