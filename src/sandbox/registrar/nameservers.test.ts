import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fields, newOrder, openStand, type Stand } from './test-client.ts';

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

describe('nameservers', () => {
  const assign = (...names: string[]) =>
    send('ADVANCED_UPDATE_NAMESERVERS', { domain, op_type: 'assign', assign_ns: names });

  it('assigns two or more known hosts and says when nothing changes', async () => {
    expect((await assign('ns1.dns.net', 'NS2.dns.net')).message).toBe('Nameserver Update Successful.');
    expect((await assign('ns1.dns.net', 'ns2.dns.net')).message).toBe('No nameserver changes necessary.');
    const more = await send('ADVANCED_UPDATE_NAMESERVERS', {
      domain,
      op_type: 'add_remove',
      add_ns: ['ns3.dns.net'],
      remove_ns: ['ns1.dns.net'],
    });
    expect(more.code).toBe('200');
    expect((await stand.state()).domains[0]?.nameservers).toEqual(['ns2.dns.net', 'ns3.dns.net']);
  });

  it('refuses one, doubles, bad syntax and unknown hosts, and keeps what was', async () => {
    expect((await assign('ns1.dns.net')).code).toBe('465');
    expect((await assign('ns1.dns.net', 'ns1.dns.net')).message).toBe('Duplicate nameserver detected');
    expect((await assign('ns1.dns.net', 'bad_host!')).code).toBe('465');
    expect((await assign('ns1.dns.net', 'ns1.nohost.net')).code).toBe('480');
    expect((await assign('ns1.dns.net', 'ns1.a-held.com')).code).toBe('480');
    expect((await stand.state()).domains[0]?.nameservers).toHaveLength(3);
  });

  it('a host that is new to the registry can be made known, one that does not exist cannot', async () => {
    const known = (action: string, fqdn: string) =>
      send(action, { fqdn, tld: '.com', all: '0' }, 'NAMESERVER');
    expect((await known('REGISTRY_CHECK_NAMESERVER', 'ns1.newhost.net')).attributes.status).toBe('not found');
    expect((await assign('ns1.dns.net', 'ns1.newhost.net')).code).toBe('480');
    expect((await known('REGISTRY_ADD_NS', 'ns1.newhost.net')).message).toBe('Nameserver Added.');
    expect((await assign('ns1.dns.net', 'ns1.newhost.net')).code).toBe('200');
    expect((await known('REGISTRY_ADD_NS', 'ns1.nohost.net')).code).toBe('405');
  });

  it('glue lives: create, list, overwrite, rename with its delegations, refuse deletion in use, delete', async () => {
    const host = (action: string, more: Fields) => send(action, { domain, ...more }, 'NAMESERVER');
    const all = async () => (await host('GET', { name: 'all' })).attributes.nameserver_list;
    for (const name of ['ns1.a-held.com', 'ns2.a-held.com']) {
      expect((await host('CREATE', { name, ipaddress: '192.0.2.1', ipv6: '2001:db8::1' })).message).toBe(
        'Nameserver Created.',
      );
    }
    expect((await host('CREATE', { name: 'ns1.a-held.com', ipaddress: '192.0.2.1' })).code).toBe('485');
    expect((await host('CREATE', { name: 'ns1.b.com', ipaddress: '192.0.2.1' })).code).toBe('465');
    expect((await host('CREATE', { name: 'ns3.a-held.com', ipaddress: '999.0.2.1' })).message).toBe(
      'Invalid IP address',
    );
    expect((await host('CREATE', { name: 'ns3.a-held.com' })).message).toBe('Missing required field: ip');
    await host('MODIFY', { name: 'ns1.a-held.com', ipv6: '2001:db8::2' });
    expect(await all()).toEqual([
      { name: 'ns1.a-held.com', ipv6: '2001:db8::2', can_delete: '1' },
      { name: 'ns2.a-held.com', ipaddress: '192.0.2.1', ipv6: '2001:db8::1', can_delete: '1' },
    ]);
    expect((await assign('ns1.a-held.com', 'ns2.a-held.com')).code).toBe('200');
    expect((await host('DELETE', { name: 'ns1.a-held.com' })).message).toBe('Nameserver in use');
    await host('MODIFY', { name: 'ns1.a-held.com', new_name: 'ns9.a-held.com', ipaddress: '192.0.2.9' });
    expect((await stand.state()).domains[0]?.nameservers).toEqual(['ns9.a-held.com', 'ns2.a-held.com']);
    expect(
      (await host('MODIFY', { name: 'ns9.a-held.com', new_name: 'ns2.a-held.com', ipaddress: '192.0.2.9' }))
        .code,
    ).toBe('485');
    await assign('ns1.dns.net', 'ns2.dns.net');
    expect((await host('DELETE', { name: 'ns9.a-held.com', ipaddress: '192.0.2.9' })).message).toBe(
      'Nameserver deleted.',
    );
    expect((await host('DELETE', { name: 'ns9.a-held.com' })).code).toBe('480');
  });
});

describe('zones', () => {
  const records = {
    A: [
      { subdomain: '', ip_address: '192.0.2.5' },
      { subdomain: 'www', ip_address: '192.0.2.5' },
    ],
    TXT: [{ subdomain: '', text: 'v=spf1 -all' }],
  };

  it('a zone is created once, replaced whole, reset and deleted', async () => {
    expect((await send('GET_DNS_ZONE', { domain })).code).toBe('480');
    expect((await send('CREATE_DNS_ZONE', { domain })).attributes).toEqual({
      records: {},
      nameservers_ok: '1',
    });
    expect((await send('CREATE_DNS_ZONE', { domain })).code).toBe('485');
    await send('SET_DNS_ZONE', { domain, records });
    expect((await send('GET_DNS_ZONE', { domain })).attributes.records).toEqual(records);
    await send('SET_DNS_ZONE', { domain, records: { TXT: [{ text: 'apex without subdomain' }] } });
    expect((await send('GET_DNS_ZONE', { domain })).attributes.records).toEqual({
      TXT: [{ subdomain: '', text: 'apex without subdomain' }],
    });
    expect((await send('RESET_DNS_ZONE', { domain })).attributes.records).toEqual({});
    expect((await send('DELETE_DNS_ZONE', { domain })).code).toBe('200');
    expect((await send('GET_DNS_ZONE', { domain })).code).toBe('480');
  });

  it('nameservers_ok follows the delegation, and FORCE_DNS_NAMESERVERS brings it home', async () => {
    await send('CREATE_DNS_ZONE', { domain, dns_template: '*blank*' });
    await send('ADVANCED_UPDATE_NAMESERVERS', {
      domain,
      op_type: 'assign',
      assign_ns: ['ns1.x.net', 'ns2.x.net'],
    });
    expect((await send('GET_DNS_ZONE', { domain })).attributes.nameservers_ok).toBe('0');
    const forced = await send('FORCE_DNS_NAMESERVERS', { domain });
    expect(forced.code).toBe('200');
    expect(forced.top).not.toHaveProperty('attributes');
    expect((await send('GET_DNS_ZONE', { domain })).attributes.nameservers_ok).toBe('1');
  });

  it.each<[string, Fields]>([
    ['IPv4', { A: [{ subdomain: '', ip_address: '300.1.1.1' }] }],
    ['IPv6', { AAAA: [{ subdomain: '', ipv6_address: '192.0.2.1' }] }],
    ['priority', { MX: [{ subdomain: '', hostname: 'mx.a.com', priority: '70000' }] }],
    ['apex alias', { CNAME: [{ subdomain: '', hostname: 'b.com' }] }],
    [
      'alias beside others',
      {
        CNAME: [{ subdomain: 'www', hostname: 'b.com' }],
        A: [{ subdomain: 'www', ip_address: '192.0.2.1' }],
      },
    ],
    ['missing text', { TXT: [{ subdomain: 'x' }] }],
    ['unknown type', { SVR: [{ subdomain: 'x', hostname: 'b.com' }] }],
    ['bad name', { A: [{ subdomain: '-bad', ip_address: '192.0.2.1' }] }],
  ])('a wrong record is refused and the zone stays: %s', async (_, wrong) => {
    await send('CREATE_DNS_ZONE', { domain, records });
    expect((await send('SET_DNS_ZONE', { domain, records: wrong })).code).toBe('465');
    expect((await send('GET_DNS_ZONE', { domain })).attributes.records).toEqual(records);
  });

  it('an unknown template is 478', async () => {
    expect((await send('CREATE_DNS_ZONE', { domain, dns_template: 'nope' })).code).toBe('478');
  });
});
