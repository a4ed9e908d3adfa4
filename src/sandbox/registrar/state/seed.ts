import { addYears } from '../format.ts';
import type { Sql } from '../sql.ts';
import { TABLES } from './schema.ts';

const START_BALANCE_CENTS = 10_000_000;

/** What a reseller pays a year, in cents: new and renewal, transfer the same. Sandbox values. */
const yearCents: Record<string, number> = {
  com: 1026,
  net: 1250,
  org: 1199,
  info: 1850,
  biz: 1990,
  us: 950,
  co: 2850,
  io: 4800,
  me: 1950,
  tv: 3450,
  app: 1400,
  dev: 1250,
  cloud: 2010,
  tech: 4200,
  online: 2800,
  store: 4900,
  shop: 3200,
  site: 2600,
  xyz: 1150,
  ca: 1100,
  uk: 780,
  'co.uk': 780,
  de: 850,
  fr: 990,
  eu: 890,
  nl: 870,
  ch: 1150,
  at: 1350,
  be: 890,
  it: 950,
  es: 990,
  ie: 1890,
  nz: 1900,
  'co.nz': 1900,
  'com.au': 1290,
};

/** Names that everybody expects to be taken. */
const wellKnown = [
  'google.com',
  'example.com',
  'example.net',
  'example.org',
  'microsoft.com',
  'apple.com',
  'amazon.com',
  'facebook.com',
  'github.com',
  'wikipedia.org',
  'youtube.com',
  'cloudflare.com',
  'netflix.com',
  'linkedin.com',
  'paypal.com',
  'stripe.com',
  'openai.com',
  'adobe.com',
  'oracle.com',
  'ibm.com',
  'intel.com',
  'debian.org',
  'mozilla.org',
  'nodejs.org',
  'postgresql.org',
  'systemdns.com',
  'bbc.co.uk',
  'ebay.com',
  'yahoo.com',
  'bing.com',
];

export const DEFAULT_AUTH_CODE = 'EPP-2468-move';
export const OTHER_REGISTRAR = 'Elsewhere Names Ltd.';

/** Fills what an empty registrar holds. Does nothing to one that has been used. */
export function seedState(sql: Sql, nowMs: number): void {
  sql.transaction(() => {
    if (sql.get('SELECT 1 FROM registrar_account')) return;
    sql.run('INSERT INTO registrar_account VALUES (1, ?, 0)', START_BALANCE_CENTS);
    sql.run(
      `INSERT INTO registrar_counters VALUES ('order', 11820000), ('domain', 1532000), ('transfer', 3440000)`,
    );
    for (const [suffix, cents] of Object.entries(yearCents)) {
      for (const kind of ['new', 'renewal', 'transfer']) {
        sql.run('INSERT INTO registrar_prices VALUES (?, ?, ?)', suffix, kind, cents);
      }
    }
    for (const domain of wellKnown) {
      sql.run(
        'INSERT INTO registrar_outside VALUES (?, ?, ?, 1, ?, ?, ?, ?)',
        domain,
        OTHER_REGISTRAR,
        '',
        addYears(nowMs, -12),
        addYears(nowMs, 3),
        DEFAULT_AUTH_CODE,
        JSON.stringify([`ns1.${domain}`, `ns2.${domain}`]),
      );
    }
  });
}

export function resetState(sql: Sql, nowMs: number): void {
  sql.transaction(() => {
    for (const table of TABLES) sql.run(`DELETE FROM ${table}`);
    seedState(sql, nowMs);
  });
}
