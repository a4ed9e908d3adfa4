import { z } from 'zod';
import type { Sql } from './sql.ts';

const SERVICE_HOSTS = ['ns1.systemdns.com', 'ns2.systemdns.com', 'ns3.systemdns.com'];

const count = z.int().min(0);

const knobsSchema = z.strictObject({
  /** Added before each command is carried out. */
  latencyMs: count.default(0),
  /** How long a caller without an answer is kept before the connection drops. */
  hangMs: count.default(10_000),
  slowMs: count.default(3_000),
  /** When the effect of a `late` order comes, counted from its arrival. */
  lateMs: count.default(15_000),
  /** How long an asynchronous registry takes. */
  asyncMs: count.default(60_000),
  /** A transfer goes from owner to registry to completed in two steps of this length. */
  transferStepMs: count.default(120_000),
  /** When a registrant clicks the link in the verification mail. */
  verifyMs: count.default(300_000),
  /** The registrar's own renewal of names with auto_renew at expiry. */
  autoRenew: z.boolean().default(true),
  // OpenSRS .com: renewable at the normal price to day 40, then redemption to about day 70; 5 days pending delete
  // (checked 2026-11-21).
  graceDays: count.default(40),
  redemptionDays: count.default(30),
  pendingDeleteDays: count.default(5),
  /** How lack of funds is told: vendor clients know both. */
  shortage: z.enum(['440', 'forced_pending']).default('440'),
  /** `horizon` is the vendor's test system: 465 for "already renewed", no redemption. */
  profile: z.enum(['live', 'horizon']).default('live'),
  /** Vary case, line breaks and full stops of response texts. */
  variants: z.boolean().default(false),
  deniedIps: z.array(z.string()).default([]),
  commandsPerConnection: z.int().min(1).default(100),
  connectionMs: z.int().min(1).default(60_000),
  /** More open connections than this are answered 310. */
  connections: z.int().min(1).default(1_000),
  /** More commands in a second than this are answered 300. */
  perSecond: z.int().min(1).default(10_000),
  /** How often the certificate authority looks for a proof, and how long issuing takes after it was seen. */
  certificateCheckMs: count.default(2_000),
  certificateIssueMs: count.default(1_000),
  /** The registrar reissues by itself so long before the end: 199 days, reissued after 166 (checked 2026-11-21). 0: never. */
  certificateReissueDays: count.default(33),
  /** Where the authority fetches proof files; 80 outside. */
  certificateHttpPort: z.int().min(1).max(65_535).default(80),
  /** The reseller's default nameservers, and the hosts of the DNS service. */
  nameservers: z.array(z.string()).min(2).default(SERVICE_HOSTS),
});

export type Knobs = z.output<typeof knobsSchema>;
export type KnobsInput = z.input<typeof knobsSchema>;

export interface KnobsStore {
  read(): Knobs;
  /** Kept across restarts. */
  change(values: KnobsInput): void;
  reset(): void;
}

/** Defaults, then what the start gave, then what the control plane has changed since. */
export function openKnobs(sql: Sql, given: KnobsInput): KnobsStore {
  const stored = () => {
    const row = sql.get<{ value: string }>(`SELECT value FROM registrar_settings WHERE name = 'knobs'`);
    return row ? (JSON.parse(row.value) as KnobsInput) : {};
  };
  const compute = () => knobsSchema.parse({ ...given, ...stored() });
  let current = compute();
  return {
    read: () => current,
    change(values) {
      const next = { ...stored(), ...values };
      knobsSchema.parse({ ...given, ...next });
      sql.run(
        `INSERT INTO registrar_settings (name, value) VALUES ('knobs', ?)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        JSON.stringify(next),
      );
      current = compute();
    },
    reset() {
      sql.run(`DELETE FROM registrar_settings WHERE name = 'knobs'`);
      current = compute();
    },
  };
}
