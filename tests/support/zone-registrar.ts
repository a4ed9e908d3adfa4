import { AppError } from '../../src/contracts/errors.ts';
import { createDns, type DnsApi } from '../../src/server/features/dns/index.ts';
import { recordRegistration } from '../../src/server/features/domains/index.ts';
import { inTransaction } from '../../src/server/kernel/db/database.ts';
import type { Fence } from '../../src/server/kernel/fence.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { createLeases } from '../../src/server/kernel/leases.ts';
import { type Outcome, tooLate, UpstreamUnavailable } from '../../src/server/ports/outcome.ts';
import type {
  DsRecord,
  GlueRecord,
  Registrar,
  RegistrarZone,
  ZoneRecords,
} from '../../src/server/ports/registrar.ts';
import type { TestDatabase } from './database.ts';
import type { People } from './people.ts';

export const noRecords: ZoneRecords = { A: [], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] };

/** What a write that gets no answer does: it has happened, it has not, it happens when `strike` is called. */
export type Silence = 'after' | 'before' | 'late';

/** The registrar's zones and hosts in memory: whole sets are replaced, slowly, and answers get lost on demand. */
export class ZoneRegistrar {
  readonly zones = new Map<string, ZoneRecords>();
  readonly delegated = new Set<string>();
  readonly hosts = new Map<string, GlueRecord[]>();
  readonly signed = new Map<string, DsRecord[]>();
  silence: Silence | null = null;
  refusal: string | null = null;
  /** Zones cannot be read. */
  unreadable = false;
  /** They are read without their records. */
  recordless = false;
  writes = 0;
  /** What happens while the next write waits for its turn, and while its bytes are on the way. */
  beforeWire: (() => Promise<void>) | null = null;
  onWire: (() => Promise<void>) | null = null;
  /** At each reading of a zone, before it is read. */
  onRead: (() => Promise<void>) | null = null;
  /** And while its answer is on the way. */
  afterStrike: (() => Promise<void>) | null = null;
  #late: (() => void)[] = [];
  readonly #pause: () => Promise<void>;

  constructor(pause: () => Promise<void> = async () => undefined) {
    this.#pause = pause;
  }

  /** What was late happens now. */
  strike(): void {
    for (const happen of this.#late.splice(0)) happen();
  }

  async #act<T>(fence: Fence, happen: () => T): Promise<Outcome<T>> {
    const { beforeWire, onWire, afterStrike } = this;
    this.afterStrike = null;
    this.beforeWire = null;
    this.onWire = null;
    await this.#pause();
    await beforeWire?.();
    // As the portal's HTTP client does.
    if ((await fence.holdsForMs()) <= 0) return { kind: 'busy', code: tooLate, text: 'too late' };
    await onWire?.();
    if (this.refusal) return { kind: 'refused', reason: 'invalid', code: '465', text: this.refusal };
    const { silence } = this;
    this.silence = null;
    if (silence === 'late') this.#late.push(happen);
    if (silence === 'after') happen();
    if (silence) return { kind: 'unknown', text: 'no answer' };
    const value = happen();
    await this.#pause();
    await afterStrike?.();
    return { kind: 'done', value };
  }

  #shown(domain: string): RegistrarZone | null {
    const records = this.zones.get(domain);
    return records ? { records: structuredClone(records), delegated: this.delegated.has(domain) } : null;
  }

  asPort(): Registrar {
    const shown = (domain: string) => this.#shown(domain) ?? { records: noRecords, delegated: false };
    const port: Partial<Registrar> = {
      zone: async (domain) => {
        await this.#pause();
        await this.onRead?.();
        if (this.unreadable) throw new UpstreamUnavailable('no answer');
        const zone = this.#shown(domain);
        return zone && this.recordless ? { ...zone, records: null } : zone;
      },
      createZone: (domain, fence) =>
        this.#act(fence, () => {
          if (!this.zones.has(domain)) this.zones.set(domain, noRecords);
          return shown(domain);
        }),
      replaceZone: (domain, records, fence) => {
        const sent = structuredClone(records);
        return this.#act(fence, () => {
          this.writes += 1;
          this.zones.set(domain, sent);
          return shown(domain);
        });
      },
      useRegistrarNameservers: (domain, fence) => this.#act(fence, () => void this.delegated.add(domain)),
      dsRecords: async (domain) => this.signed.get(domain) ?? [],
      glue: async (domain) => structuredClone(this.hosts.get(domain) ?? []),
      createGlue: async (domain, host, fence) => {
        const there = this.hosts.get(domain) ?? [];
        if (there.some(({ name }) => name === host.name)) {
          return { kind: 'refused', reason: 'already-done', code: '485', text: 'Nameserver already exists' };
        }
        return this.#act(fence, () => void this.hosts.set(domain, [...there, { ...host, canDelete: true }]));
      },
      updateGlue: (domain, { newName, ...host }, fence) =>
        this.#act(fence, () => {
          const others = (this.hosts.get(domain) ?? []).filter(({ name }) => name !== host.name);
          this.hosts.set(domain, [...others, { ...host, name: newName ?? host.name, canDelete: true }]);
        }),
      deleteGlue: (domain, host, fence) =>
        this.#act(fence, () => {
          this.hosts.set(
            domain,
            (this.hosts.get(domain) ?? []).filter(({ name }) => name !== host.name),
          );
        }),
    };
    return port as Registrar;
  }
}

/** DNS as the portal composes it. Each call is a process of its own: nothing is shared but the database. */
export function dnsProcess(
  database: TestDatabase,
  registrar: ZoneRegistrar,
  people: Pick<People, 'clock'>,
  copies = false,
): DnsApi {
  return createDns({
    ...{ db: database.db, systemDb: database.systemDb, registrar: registrar.asPort(), newId },
    clock: people.clock,
    nameservers: [],
    settleMs: 60_000,
    copyMs: copies ? 15_000 : 0,
    leases: testLeases(database),
  });
}

/** Leases that a test does not wait long for. */
export function testLeases(database: TestDatabase) {
  return createLeases({
    ...{ db: database.db, newId, writeMs: 60_000 },
    times: { leaseMs: 5_000, waitMs: 20_000 },
  });
}

/** A domain of the organisation's, registered a moment ago. */
export async function ownDomain(
  database: TestDatabase,
  owner: { organisationId: string },
  address: string,
  customerId: string | null = null,
): Promise<void> {
  const now = new Date();
  await inTransaction(database.db, owner, (tx) =>
    recordRegistration(tx, {
      ...{ organisationId: owner.organisationId, customerId, address, autoRenew: false, privacy: false },
      ...{
        registeredAt: now,
        expiresAt: new Date(now.getTime() + 86_400_000 * 365),
        credentialsSealed: null,
        now,
      },
    }),
  );
}

/** The code that the portal answers with; rethrows what is no answer. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    },
  );
}
