import type { SandboxStore } from '../store.ts';
import { openKnobs } from './knobs.ts';
import { createRandom } from './random.ts';
import { openSql } from './sql.ts';
import { findDomain } from './state/domains.ts';
import { onServiceHosts } from './state/nameservers.ts';
import { findOutside } from './state/outside.ts';
import { makeTables } from './state/schema.ts';
import type { World } from './world.ts';

export interface ZoneRecord {
  /** Relative; empty is the apex. */
  subdomain: string;
  [field: string]: string;
}

interface Delegation {
  nameservers: string[];
  /** On the registrar's own DNS hosts. */
  served: boolean;
}

export interface PublicRegistration {
  domain: string;
  registrar: string;
  createdAt: number;
  expiresAt: number;
  nameservers: string[];
  /** As RFC 8056 writes them. */
  statuses: string[];
}

const transferLock = 'client transfer prohibited';

/** What the DNS part may know of the registrar: delegations, glue and zones. Read only. */
export interface RegistrarReader {
  /** The registry's delegation of a registered name; null where none is published. */
  delegation(domain: string): Delegation | null;
  /** The zone of a name of this account. */
  zone(domain: string): { serial: number; records: Record<string, ZoneRecord[]> } | null;
  glue(host: string): { ipv4: string; ipv6: string } | null;
  /** Whether the name is in this account. */
  holds(domain: string): boolean;
  serviceHosts(): string[];
  /** What the registry says to everybody; null: nobody has the name. */
  registration(domain: string): PublicRegistration | null;
}

export function openReader(store: SandboxStore): RegistrarReader {
  makeTables(store.db);
  const sql = openSql(store.db);
  const world: World = {
    sql,
    now: () => store.now(),
    random: createRandom(1),
    // Read again each time, because the registrar's own handle changes them.
    knobs: () => openKnobs(sql, {}).read(),
    username: '',
    authorityChain: () => [],
    mail: () => {},
  };
  return {
    delegation(name) {
      const domain = findDomain(world, name);
      if (domain) {
        // Expired names stop resolving at once, unverified ones after 15 days (checked 2026-11-21).
        if (domain.state !== 'active' || domain.expiresAt <= world.now()) return null;
        if (domain.verification === 'suspended') return null;
        return { nameservers: domain.nameservers, served: onServiceHosts(world, domain.nameservers) };
      }
      const outside = findOutside(world, name);
      return outside && { nameservers: outside.nameservers, served: false };
    },
    zone(domain) {
      const row = sql.get<{ records: string; serial: number }>(
        'SELECT records, serial FROM registrar_zones WHERE domain = ?',
        domain,
      );
      if (!row) return null;
      return { serial: row.serial, records: JSON.parse(row.records) as Record<string, ZoneRecord[]> };
    },
    glue: (host) =>
      sql.get<{ ipv4: string; ipv6: string }>(
        'SELECT ipv4, ipv6 FROM registrar_hosts WHERE name = ?',
        host,
      ) ?? null,
    holds: (domain) => findDomain(world, domain) !== null,
    serviceHosts: () => world.knobs().nameservers,
    registration(name) {
      const found = findDomain(world, name);
      const held = found && { ...found, registrar: 'Sandbox Registrar' };
      const known = held ?? findOutside(world, name);
      if (!known) return null;
      const { domain, registrar, createdAt, expiresAt, nameservers, locked } = known;
      const statuses = [
        ...(locked ? [transferLock] : []),
        ...(found?.verification === 'suspended' ? ['client hold'] : []),
      ];
      return { ...{ domain, registrar, createdAt, expiresAt, nameservers }, statuses };
    },
  };
}
