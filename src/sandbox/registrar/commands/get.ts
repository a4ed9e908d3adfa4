import { DAY_MS, stamp } from '../format.ts';
import { type Domain, findDomains, ownDomain } from '../state/domains.ts';
import { openTransfer } from '../state/transfers.ts';
import type { World } from '../world.ts';
import { flag, mapOf, ok, Refusal, textOf, type XcpMap, type XcpReply, type XcpRequest } from '../xcp.ts';
import { withStatus } from './contact-rules.ts';
import { pageOf } from './paging.ts';
import type { CommandTable } from './table.ts';

type Reader = (world: World, domain: Domain) => XcpMap;

export function nameserverList(world: World, domain: Domain): XcpMap[] {
  return domain.nameservers.map((name, index) => {
    const host = world.sql.get<{ ipv4: string; ipv6: string }>(
      'SELECT ipv4, ipv6 FROM registrar_hosts WHERE name = ?',
      name,
    );
    const entry: XcpMap = { name, sortorder: String(index + 1), ipaddress: host?.ipv4 ?? '' };
    if (host?.ipv6) entry.ipv6 = host.ipv6;
    return entry;
  });
}

function registryDates(domain: Domain): XcpMap {
  const dates: XcpMap = {
    registry_createdate: stamp(domain.createdAt),
    registry_expiredate: stamp(domain.expiresAt),
    registry_updatedate: stamp(domain.updatedAt),
  };
  if (domain.transferredAt !== null) dates.registry_transferdate = stamp(domain.transferredAt);
  return dates;
}

const contactOf =
  (type: string): Reader =>
  (_, domain) => ({ contact_set: { [type]: { ...mapOf(domain.contacts, type), status: 'active' } } });

/** The types of GET DOMAIN (checked 2026-11-21). all_info carries neither the lock nor the auth code. */
const readers: Record<string, Reader> = {
  all_info: (world, domain) => ({
    auto_renew: flag(domain.autoRenew),
    let_expire: flag(domain.letExpire),
    sponsoring_rsp: '1',
    affiliate_id: domain.affiliateId,
    expiredate: stamp(domain.expiresAt),
    ...registryDates(domain),
    gdpr_consent_status: 'NONE',
    tld_data: {},
    dns_errors: {},
    descr: '',
    nameserver_list: nameserverList(world, domain),
    contact_set: withStatus(domain.contacts),
  }),
  status: (world, domain) => ({
    lock_state: flag(domain.locked),
    can_modify: '1',
    domain_supports: '1',
    parkp_status: '',
    transfer_away_in_progress: flag(openTransfer(world, domain.domain)?.direction === 'away'),
    auctionescrow: '0',
  }),
  domain_auth_info: (_, domain) => ({ domain_auth_info: domain.authCode }),
  nameservers: (world, domain) => ({ nameserver_list: nameserverList(world, domain) }),
  expire_action: (_, domain) => ({
    auto_renew: flag(domain.autoRenew),
    let_expire: flag(domain.letExpire),
  }),
  auto_renew_flag: (_, domain) => ({ auto_renew: flag(domain.autoRenew) }),
  whois_privacy_state: (_, domain) => ({ state: domain.privacy ? 'enabled' : 'disabled' }),
  whois_publicity_state: () => ({ state: 'disabled' }),
  owner: contactOf('owner'),
  admin: contactOf('admin'),
  billing: contactOf('billing'),
  tech: contactOf('tech'),
  registry_dates: (_, domain) => registryDates(domain),
  dnssec: (_, domain) => ({ dnssec: domain.dnssec }),
  ca_whois_display_setting: () => ({ display: 'FULL' }),
  forwarding_email: () => ({ forwarding_email: '' }),
  rsp_whois_info: () => ({ rsp_enabled: '0' }),
  tld_data: () => ({ tld_data: {} }),
  ced_info: () => ({}),
  nexus_info: () => ({}),
  waiting_history: () => ({ record_count: '0' }),
  xpack_waiting_history: () => ({ record_count: '0' }),
};

function get(world: World, request: XcpRequest): XcpReply {
  const type = textOf(request.attributes, 'type').toLowerCase();
  if (!type) throw new Refusal(460, 'Info type not specified');
  if (type === 'list') return list(world, request);
  const read = readers[type];
  if (!read) throw new Refusal(465, `Unknown Info type: ${type}`);
  const domain = ownDomain(world, request);
  return ok(type === 'all_info' ? 'Query Successful' : 'Command successful', read(world, domain));
}

/** The names of a profile (of one of its names), or all; pages start at 0 (checked 2026-11-21). */
function list(world: World, request: XcpRequest): XcpReply {
  const { attributes } = request;
  const profile = request.domain ? ownDomain(world, request).profile : null;
  const days = (key: string, otherwise: number) => {
    const text = textOf(attributes, key);
    if (text && !/^-?\d{1,6}$/.test(text)) throw new Refusal(465, `Invalid ${key}`);
    return world.now() + (text ? Number(text) : otherwise) * DAY_MS;
  };
  const found = findDomains(
    world,
    `state <> 'redemption' AND expires_at BETWEEN ? AND ? ORDER BY domain`,
    days('min_to_expiry', -36_500),
    days('max_to_expiry', 36_500),
  ).filter((domain) => profile === null || domain.profile === profile);
  const page = pageOf(found, attributes, 0);
  const results: XcpMap = {};
  for (const domain of page.items) {
    results[domain.domain] = {
      lock_state: flag(domain.locked),
      auto_renew: flag(domain.autoRenew),
      let_expire: flag(domain.letExpire),
      expiredate: stamp(domain.expiresAt),
    };
  }
  return ok('Query Successful', {
    domain_list: page.items.map((domain) => domain.domain),
    count: String(page.total),
    remainder: flag(page.more),
    ext_results: [results],
  });
}

export const getCommands: CommandTable = { 'GET DOMAIN': get };
