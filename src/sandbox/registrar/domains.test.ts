import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contact, type Fields, newOrder, openStand, type Stand } from './test-client.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());
beforeEach(async () => {
  await stand.control('reset');
  await stand.send(
    'SW_REGISTER',
    'DOMAIN',
    newOrder('a-held.com', { f_lock_domain: '1', affiliate_id: 'item-1' }),
  );
});

const domain = 'a-held.com';
const send = (action: string, attributes: Fields, object = 'DOMAIN') =>
  stand.send(action, object, attributes);
const get = (type: string, name = domain) => send('GET', { domain: name, type });
const modify = (data: string, more: Fields) => send('MODIFY', { domain, data, affect_domains: '0', ...more });

describe('GET DOMAIN', () => {
  it('all_info has dates, contacts and nameservers, but neither the lock nor the auth code', async () => {
    const { attributes, message } = await get('all_info');
    expect(message).toBe('Query Successful');
    expect(attributes).toMatchObject({ auto_renew: '0', let_expire: '0', affiliate_id: 'item-1' });
    expect(attributes.registry_expiredate).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect((attributes.nameserver_list as Fields[]).map((host) => host.name)).toEqual([
      'ns1.systemdns.com',
      'ns2.systemdns.com',
      'ns3.systemdns.com',
    ]);
    const contacts = attributes.contact_set as Record<string, Fields>;
    expect(Object.keys(contacts).sort()).toEqual(['admin', 'billing', 'owner', 'tech']);
    expect(contacts.owner).toMatchObject({ org_name: 'Müller & Söhne', status: 'active' });
    expect(attributes).not.toHaveProperty('lock_state');
    expect(attributes).not.toHaveProperty('domain_auth_info');
  });

  it('the lock and the auth code have types of their own', async () => {
    expect((await get('status')).attributes).toMatchObject({ lock_state: '1', can_modify: '1' });
    expect(String((await get('domain_auth_info')).attributes.domain_auth_info).length).toBeGreaterThan(6);
  });

  it.each([
    'admin',
    'auto_renew_flag',
    'billing',
    'ca_whois_display_setting',
    'dnssec',
    'expire_action',
    'forwarding_email',
    'nameservers',
    'owner',
    'registry_dates',
    'rsp_whois_info',
    'tech',
    'tld_data',
    'waiting_history',
    'whois_privacy_state',
    'whois_publicity_state',
    'xpack_waiting_history',
  ])('type %s is answered', async (type) => {
    expect((await get(type)).code).toBe('200');
  });

  it('names of others are 415, a missing or unknown type 460 and 465', async () => {
    expect(await get('all_info', 'google.com')).toMatchObject({
      code: '415',
      success: '0',
      message: 'Authentication Error.',
    });
    expect(await send('GET', { domain })).toMatchObject({ code: '460', message: 'Info type not specified' });
    expect((await get('nonsense')).message).toBe('Unknown Info type: nonsense');
  });

  it('list pages from 0 and gives ext_results as one map by name', async () => {
    await send('SW_REGISTER', newOrder('b-held.com', { reg_username: 'other123' }));
    const list = await send('GET', {
      type: 'list',
      limit: '1',
      page: '1',
      min_to_expiry: '0',
      max_to_expiry: '400',
    });
    expect(list.attributes).toMatchObject({ count: '2', remainder: '0', domain_list: ['b-held.com'] });
    const own = await send('GET', { type: 'list', domain });
    expect(own.attributes.domain_list).toEqual([domain]);
    expect((own.attributes.ext_results as Record<string, Fields>[])[0]?.[domain]).toMatchObject({
      lock_state: '1',
      auto_renew: '0',
    });
  });
});

describe('MODIFY DOMAIN', () => {
  it('changes lock, renewal, privacy and auth code; nothing to change is 220', async () => {
    expect((await modify('status', { lock_state: '0' })).code).toBe('200');
    expect((await get('status')).attributes.lock_state).toBe('0');
    expect(await modify('status', { lock_state: '0' })).toMatchObject({ code: '220', success: '1' });
    const renewal = await modify('expire_action', { auto_renew: '1', let_expire: '0' });
    expect((renewal.attributes.details as Record<string, Fields>)[domain]).toMatchObject({ is_success: '1' });
    expect((await get('expire_action')).attributes).toEqual({ auto_renew: '1', let_expire: '0' });
    expect((await modify('whois_privacy_state', { state: 'enable' })).message).toBe(
      'Whois Privacy successfully enabled',
    );
    await modify('domain_auth_info', { domain_auth_info: 'New!Code1' });
    expect((await get('domain_auth_info')).attributes.domain_auth_info).toBe('New!Code1');
  });

  it('takes the domain at the top level too', async () => {
    const reply = await stand.send(
      'modify',
      'domain',
      { data: 'status', lock_state: '0', affect_domains: '0' },
      { top: { domain } },
    );
    expect(reply.code).toBe('200');
  });

  it('refuses missing, unknown and half-given changes', async () => {
    expect((await send('MODIFY', { domain })).code).toBe('460');
    expect((await modify('nonsense', {})).code).toBe('465');
    expect((await modify('expire_action', { auto_renew: '1' })).code).toBe('460');
    expect((await send('MODIFY', { domain: 'google.com', data: 'status', lock_state: '0' })).code).toBe(
      '415',
    );
  });

  it('a new owner is stored and has to verify the address', async () => {
    await stand.control('verify', { domain });
    const owner = { ...contact, email: 'other@customer.example' };
    expect((await modify('contact_info', { contact_set: { owner } })).code).toBe('200');
    const { attributes } = await send('GET_DOMAINS_CONTACTS', { domain_list: [domain] });
    expect(attributes).toMatchObject({
      [domain]: {
        contact_set: { owner: { email: 'other@customer.example' }, admin: { email: 'ann@customer.example' } },
      },
    });
    const status = await send('get_registrant_verification_status', { domain });
    expect(status.attributes.registrant_verification_status).toBe('verifying');
    expect((await modify('contact_info', { contact_set: { owner: { ...owner, phone: '1' } } })).code).toBe(
      '465',
    );
  });

  it('UPDATE_CONTACTS changes the types named', async () => {
    const admin = { ...contact, first_name: 'Eve' };
    expect((await send('UPDATE_CONTACTS', { domain, types: ['admin'], contact_set: { admin } })).code).toBe(
      '200',
    );
    expect((await get('admin')).attributes.contact_set).toMatchObject({ admin: { first_name: 'Eve' } });
  });
});

describe('lists, events, registrant', () => {
  it('names by expiry: both days count, pages go on while there is a remainder', async () => {
    await send('SW_REGISTER', newOrder('b-held.com'));
    const day = (await stand.state()).domains[0]?.expiresAt.slice(0, 10) ?? '';
    const page = (number: string) =>
      send('GET_DOMAINS_BY_EXPIREDATE', { exp_from: day, exp_to: day, page: number, limit: '1' });
    expect((await page('1')).attributes).toMatchObject({
      total: '2',
      remainder: '1',
      exp_domains: [{ name: 'a-held.com', f_auto_renew: 'N', f_let_expire: 'N' }],
    });
    expect((await page('2')).attributes).toMatchObject({
      remainder: '0',
      exp_domains: [{ name: 'b-held.com' }],
    });
    const none = await send('GET_DOMAINS_BY_EXPIREDATE', { exp_from: '2001-01-01', exp_to: '2001-01-02' });
    expect(none.attributes).not.toHaveProperty('exp_domains');
  });

  it('BELONGS_TO_RSP knows ours from others', async () => {
    expect((await send('BELONGS_TO_RSP', { domain })).attributes.belongs_to_rsp).toBe('1');
    expect((await send('BELONGS_TO_RSP', { domain: 'google.com' })).attributes).toEqual({
      belongs_to_rsp: '0',
    });
  });

  it('events come in order until they are acknowledged', async () => {
    const { attributes } = await send('POLL', { limit: '10' }, 'EVENT');
    const events = attributes.events as Fields[];
    expect(events.map((event) => `${event.object} ${event.event}`)).toEqual([
      'ORDER STATUS_CHANGE',
      'DOMAIN CREATED',
    ]);
    expect(events[0]?.event_id).toMatch(/^[0-9a-f]{32}$/);
    expect((await send('ACK', { event_id: events[0]?.event_id ?? '' }, 'EVENT')).code).toBe('200');
    expect((await send('POLL', { limit: '1' }, 'EVENT')).attributes).toMatchObject({
      total: '1',
      events: [{ event: 'CREATED' }],
    });
    expect((await send('ACK', { event_id: 'none' }, 'EVENT')).code).toBe('480');
  });

  it('an owner verifies by mail after a while, or is suspended after 15 days', async () => {
    const owner = { ...contact, email: 'unverified@customer.example' };
    await send(
      'SW_REGISTER',
      newOrder('never-checked.com', { contact_set: { owner, admin: contact, billing: contact } }),
    );
    const status = async (name: string) =>
      (await send('GET_REGISTRANT_VERIFICATION_STATUS', { domain: name })).attributes;
    expect(await status(domain)).toMatchObject({
      registrant_verification_status: 'verifying',
      days_to_suspend: '14',
    });
    stand.store.advance(10 * 60_000);
    expect((await status(domain)).registrant_verification_status).toBe('verified');
    stand.store.advance(16 * 86_400_000);
    expect(await status('never-checked.com')).toMatchObject({
      registrant_verification_status: 'suspended',
      days_to_suspend: '-2',
    });
    expect((await send('SEND_REGISTRANT_VERIFICATION_EMAIL', { domain })).message).toBe(
      'Verification email has been resent successfully.',
    );
  });

  it('a revoked name is free and paid back in the first days, and to be redeemed later on', async () => {
    expect(await send('REVOKE', { domain, reseller: 'sandbox' })).toMatchObject({
      code: '200',
      message: 'Domain a-held.com revoked successfully.',
      attributes: { charge: '0', price: '10.26' },
    });
    expect((await stand.state()).balance).toBe('100000.00');
    expect((await send('LOOKUP', { domain })).code).toBe('210');
    await send('SW_REGISTER', newOrder('old-one.com'));
    stand.store.advance(10 * 86_400_000);
    expect((await send('REVOKE', { domain: 'old-one.com' })).attributes.charge).toBe('1');
    expect((await get('all_info', 'old-one.com')).code).toBe('480');
    expect((await send('LOOKUP', { domain: 'old-one.com' })).code).toBe('211');
    expect((await send('GET_DELETED_DOMAINS', {})).attributes.del_domains).toMatchObject([
      { name: 'old-one.com', reason: 'By-Request' },
      { name: domain },
    ]);
    expect((await send('REDEEM', { domain: 'old-one.com' })).code).toBe('200');
    expect((await get('all_info', 'old-one.com')).code).toBe('200');
  });

  it('a name that is not renewed expires, is redeemable, and in the end is free again', async () => {
    const step = (days: number) => stand.store.advance(days * 86_400_000);
    const state = async () => (await stand.state()).domains[0]?.state;
    step(366);
    expect(await state()).toBe('grace');
    expect((await send('BELONGS_TO_RSP', { domain })).attributes.belongs_to_rsp).toBe('0');
    step(40);
    expect(await state()).toBe('redemption');
    expect((await send('REDEEM', { domain: 'google.com' })).code).toBe('415');
    step(36);
    expect(await state()).toBeUndefined();
    expect((await send('LOOKUP', { domain })).code).toBe('210');
  });

  it('a name with auto_renew on is renewed by the registrar at expiry, and charged', async () => {
    await modify('expire_action', { auto_renew: '1', let_expire: '0' });
    stand.store.advance(366 * 86_400_000);
    const { domains, balance } = await stand.state();
    expect(domains[0]?.state).toBe('active');
    expect(balance).toBe('99979.48');
  });
});
