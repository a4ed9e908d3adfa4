import type { DatabaseSync } from 'node:sqlite';
import { TRUST_TABLES, trustSchema } from '../trust/schema.ts';

/** Every table of this part; `reset` empties them. */
export const TABLES = [
  'registrar_account',
  'registrar_settings',
  'registrar_counters',
  'registrar_prices',
  'registrar_domains',
  'registrar_orders',
  'registrar_transfers',
  'registrar_hosts',
  'registrar_known_hosts',
  'registrar_zones',
  'registrar_events',
  'registrar_outside',
  'registrar_deleted',
  'registrar_verified',
  'registrar_notes',
  'registrar_faults',
  'registrar_fault_uses',
  'registrar_timers',
  'registrar_log',
  ...TRUST_TABLES,
];

const schema = `
CREATE TABLE IF NOT EXISTS registrar_account (
  id INTEGER PRIMARY KEY CHECK (id = 1), balance_cents INTEGER NOT NULL, hold_cents INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_prices (
  suffix TEXT NOT NULL, kind TEXT NOT NULL, year_cents INTEGER NOT NULL, PRIMARY KEY (suffix, kind));
CREATE TABLE IF NOT EXISTS registrar_domains (
  domain TEXT PRIMARY KEY, domain_id TEXT NOT NULL, profile TEXT NOT NULL, state TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, transferred_at INTEGER,
  contacts TEXT NOT NULL, nameservers TEXT NOT NULL, locked INTEGER NOT NULL, auto_renew INTEGER NOT NULL,
  let_expire INTEGER NOT NULL, privacy INTEGER NOT NULL, auth_code TEXT NOT NULL, affiliate_id TEXT NOT NULL,
  verification TEXT NOT NULL, verification_at INTEGER NOT NULL, dnssec TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS registrar_domains_life ON registrar_domains (state, expires_at);
CREATE INDEX IF NOT EXISTS registrar_domains_verification ON registrar_domains (verification, verification_at);
CREATE TABLE IF NOT EXISTS registrar_orders (
  id INTEGER PRIMARY KEY, domain TEXT NOT NULL, reg_type TEXT NOT NULL, status TEXT NOT NULL,
  period INTEGER NOT NULL, cost_cents INTEGER NOT NULL, held_cents INTEGER NOT NULL, affiliate_id TEXT NOT NULL,
  ordered_at INTEGER NOT NULL, processed_at INTEGER, completed_at INTEGER, attributes TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS registrar_orders_domain ON registrar_orders (domain);
CREATE TABLE IF NOT EXISTS registrar_transfers (
  id INTEGER PRIMARY KEY, order_id INTEGER, domain TEXT NOT NULL, direction TEXT NOT NULL, status TEXT NOT NULL,
  other_registrar TEXT NOT NULL, requested_at INTEGER NOT NULL, step_at INTEGER, completed_at INTEGER,
  request_address TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS registrar_transfers_domain ON registrar_transfers (domain);
CREATE INDEX IF NOT EXISTS registrar_transfers_step ON registrar_transfers (step_at);
CREATE TABLE IF NOT EXISTS registrar_hosts (
  name TEXT PRIMARY KEY, domain TEXT NOT NULL, ipv4 TEXT NOT NULL, ipv6 TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_known_hosts (name TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS registrar_zones (
  domain TEXT PRIMARY KEY, records TEXT NOT NULL, template TEXT NOT NULL, serial INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_events (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE, object TEXT NOT NULL,
  event TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL, acknowledged INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS registrar_outside (
  domain TEXT PRIMARY KEY, registrar TEXT NOT NULL, reseller TEXT NOT NULL, locked INTEGER NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, auth_code TEXT NOT NULL, nameservers TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_deleted (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, domain TEXT NOT NULL, deleted_at INTEGER NOT NULL,
  expired_at INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_verified (person TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS registrar_notes (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, domain TEXT NOT NULL, order_id INTEGER, type TEXT NOT NULL,
  at INTEGER NOT NULL, note TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS registrar_notes_domain ON registrar_notes (domain);
CREATE TABLE IF NOT EXISTS registrar_faults (
  id INTEGER PRIMARY KEY AUTOINCREMENT, rule TEXT NOT NULL, remaining INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS registrar_fault_uses (
  domain TEXT NOT NULL, command TEXT NOT NULL, word TEXT NOT NULL, times INTEGER NOT NULL,
  PRIMARY KEY (domain, command, word));
CREATE TABLE IF NOT EXISTS registrar_timers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, due_at INTEGER NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS registrar_timers_due ON registrar_timers (due_at);
CREATE TABLE IF NOT EXISTS registrar_log (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, action TEXT NOT NULL, object TEXT NOT NULL,
  domain TEXT NOT NULL, code INTEGER NOT NULL, fault TEXT NOT NULL);
${trustSchema}`;

export function makeTables(db: DatabaseSync): void {
  db.exec(schema);
}
