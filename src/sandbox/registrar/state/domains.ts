import type { World } from '../world.ts';
import { Refusal, type XcpMap, type XcpRequest } from '../xcp.ts';

/** `grace`: expired, renewable at the normal price. `redemption`: deleted, to be had back for a fee. */
type DomainState = 'active' | 'grace' | 'redemption';

export interface Domain {
  domain: string;
  domainId: string;
  /** The registrant profile: reg_username. */
  profile: string;
  state: DomainState;
  createdAt: number;
  expiresAt: number;
  updatedAt: number;
  transferredAt: number | null;
  contacts: XcpMap;
  nameservers: string[];
  locked: boolean;
  autoRenew: boolean;
  letExpire: boolean;
  privacy: boolean;
  authCode: string;
  affiliateId: string;
  verification: string;
  verificationAt: number;
  dnssec: XcpMap[];
}

interface DomainRow {
  domain: string;
  domain_id: string;
  profile: string;
  state: DomainState;
  created_at: number;
  expires_at: number;
  updated_at: number;
  transferred_at: number | null;
  contacts: string;
  nameservers: string;
  locked: number;
  auto_renew: number;
  let_expire: number;
  privacy: number;
  auth_code: string;
  affiliate_id: string;
  verification: string;
  verification_at: number;
  dnssec: string;
}

function fromRow(row: DomainRow): Domain {
  return {
    domain: row.domain,
    domainId: row.domain_id,
    profile: row.profile,
    state: row.state,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    updatedAt: row.updated_at,
    transferredAt: row.transferred_at,
    contacts: JSON.parse(row.contacts) as XcpMap,
    nameservers: JSON.parse(row.nameservers) as string[],
    locked: row.locked === 1,
    autoRenew: row.auto_renew === 1,
    letExpire: row.let_expire === 1,
    privacy: row.privacy === 1,
    authCode: row.auth_code,
    affiliateId: row.affiliate_id,
    verification: row.verification,
    verificationAt: row.verification_at,
    dnssec: JSON.parse(row.dnssec) as XcpMap[],
  };
}

export function findDomain(world: World, domain: string): Domain | null {
  const row = world.sql.get<DomainRow>('SELECT * FROM registrar_domains WHERE domain = ?', domain);
  return row ? fromRow(row) : null;
}

/** `condition` is SQL of this part's own, never a caller's. */
export function findDomains(world: World, condition: string, ...values: (string | number)[]): Domain[] {
  return world.sql
    .all<DomainRow>(`SELECT * FROM registrar_domains WHERE ${condition}`, ...values)
    .map(fromRow);
}

export function saveDomain(world: World, domain: Domain): void {
  world.sql.run(
    'INSERT OR REPLACE INTO registrar_domains VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)',
    domain.domain,
    domain.domainId,
    domain.profile,
    domain.state,
    domain.createdAt,
    domain.expiresAt,
    domain.updatedAt,
    domain.transferredAt,
    JSON.stringify(domain.contacts),
    JSON.stringify(domain.nameservers),
    Number(domain.locked),
    Number(domain.autoRenew),
    Number(domain.letExpire),
    Number(domain.privacy),
    domain.authCode,
    domain.affiliateId,
    domain.verification,
    domain.verificationAt,
    JSON.stringify(domain.dnssec),
  );
}

export function updateDomain(world: World, domain: Domain, changes: Partial<Domain>): Domain {
  const next = { ...domain, ...changes, updatedAt: world.now() };
  saveDomain(world, next);
  return next;
}

/** The name leaves the account, with its zone and hosts. */
export function removeDomain(world: World, domain: string): void {
  world.sql.run('DELETE FROM registrar_domains WHERE domain = ?', domain);
  world.sql.run('DELETE FROM registrar_zones WHERE domain = ?', domain);
  world.sql.run('DELETE FROM registrar_hosts WHERE domain = ?', domain);
}

/** The account's domain that a request is about. Names of others are 415, not 404 (checked 2026-11-21). */
export function ownDomain(world: World, request: XcpRequest): Domain {
  if (!request.domain) throw new Refusal(460, 'No Domain Supplied');
  const domain = findDomain(world, request.domain);
  if (!domain) throw new Refusal(415, 'Authentication Error.');
  if (domain.state === 'redemption') throw new Refusal(480, 'Domain not found.');
  return domain;
}

export function newAuthCode(world: World): string {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
  const code = Array.from({ length: 14 }, () => letters[world.random.integer(0, letters.length - 1)]);
  return `${code.join('')}!9`;
}
