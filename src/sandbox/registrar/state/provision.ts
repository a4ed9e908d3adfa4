import type { World } from '../world.ts';
import { mapOf, textOf, type XcpMap } from '../xcp.ts';
import { emit, nextId } from './account.ts';
import { type Domain, newAuthCode, saveDomain } from './domains.ts';
import { removeOutside } from './outside.ts';

export interface Provision {
  domain: string;
  attributes: XcpMap;
  contacts: XcpMap;
  nameservers: string[];
  createdAt: number;
  expiresAt: number;
  transferredAt: number | null;
}

/** Puts a name into the account: at the end of a registration or of a transfer. */
export function provision(world: World, input: Provision): Domain {
  const { attributes } = input;
  const now = world.now();
  const verified = alreadyVerified(world, input.contacts);
  const domain: Domain = {
    domain: input.domain,
    domainId: String(nextId(world, 'domain')),
    profile: textOf(attributes, 'reg_username'),
    state: 'active',
    createdAt: input.createdAt,
    expiresAt: input.expiresAt,
    updatedAt: now,
    transferredAt: input.transferredAt,
    contacts: input.contacts,
    nameservers: input.nameservers,
    locked: textOf(attributes, 'f_lock_domain') === '1',
    autoRenew: textOf(attributes, 'auto_renew') === '1',
    letExpire: false,
    privacy: textOf(attributes, 'f_whois_privacy') === '1',
    authCode: newAuthCode(world),
    affiliateId: textOf(attributes, 'affiliate_id'),
    verification: verified ? 'verified' : 'verifying',
    verificationAt: now,
    dnssec: [],
  };
  saveDomain(world, domain);
  removeOutside(world, input.domain);
  const template = textOf(attributes, 'dns_template');
  if (template) {
    world.sql.run(
      'INSERT OR REPLACE INTO registrar_zones VALUES (?, ?, ?, ?)',
      input.domain,
      '{}',
      template,
      Math.floor(now / 1000),
    );
  }
  emit(world, 'DOMAIN', 'CREATED', {
    domain_name: domain.domain,
    domain_id: domain.domainId,
    expiration_date: new Date(domain.expiresAt).toISOString(),
  });
  return domain;
}

/** First name, last name and e-mail verified once need no second mail (checked 2026-11-21). */
export function personOf(contacts: XcpMap): string {
  const owner = mapOf(contacts, 'owner');
  return ['first_name', 'last_name', 'email'].map((key) => textOf(owner, key).toLowerCase()).join('\n');
}

export function alreadyVerified(world: World, contacts: XcpMap): boolean {
  return world.sql.get('SELECT 1 FROM registrar_verified WHERE person = ?', personOf(contacts)) !== undefined;
}

export function markVerified(world: World, contacts: XcpMap): void {
  world.sql.run('INSERT OR IGNORE INTO registrar_verified VALUES (?)', personOf(contacts));
}
