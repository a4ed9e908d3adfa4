import type { Outcome } from '../../src/server/ports/outcome.ts';
import { UpstreamUnavailable } from '../../src/server/ports/outcome.ts';
import type {
  CertificateOrder,
  Registrar,
  RegistrarDomain,
  RegistrarOrder,
} from '../../src/server/ports/registrar.ts';
import { soughtAmong } from '../../src/server/ports/sought.ts';

/** Numbers from a seed, so that a failing run can be run again exactly. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Fault =
  | 'none'
  | 'lost'
  | 'answer-lost'
  | 'late'
  | 'garbage'
  | 'refused'
  | 'busy'
  | 'asynchronous';
const faults: Fault[] = ['lost', 'answer-lost', 'late', 'garbage', 'refused', 'busy', 'asynchronous'];

interface Effect {
  orderId: string;
  kind: 'new' | 'renewal' | 'transfer' | 'certificate';
  domain: string;
  years: number;
  tag: string;
  state: 'completed' | 'pending' | 'declined';
  at: number;
  /** Of a renewal: the year in which the name expired until then. */
  fromYear?: number;
}

/**
 * A registrar that fails in every way the network and the vendor can, at the level of the port. It keeps what it
 * really did (`effects`), which the invariants compare the ledger with.
 */
export class SimulatedRegistrar {
  readonly effects: Effect[] = [];
  readonly expiry = new Map<string, number>();
  /** All that a name's expiry has been. */
  readonly expiries = new Map<string, number[]>();
  faultRate = 0.5;
  readsFail = 0;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #late: { at: number; run: () => void }[] = [];
  #sequence = 0;

  constructor(random: () => number, now: () => number) {
    this.#random = random;
    this.#now = now;
  }

  /** Carries out what was delayed until now, and ends what the registry had pending. */
  settle(): void {
    const due = this.#late.filter((entry) => entry.at <= this.#now());
    for (const entry of due) {
      this.#late.splice(this.#late.indexOf(entry), 1);
      entry.run();
    }
    for (const effect of this.effects) {
      if (effect.state !== 'pending' || this.#now() - effect.at < 60_000) continue;
      effect.state = this.#random() < 0.8 ? 'completed' : 'declined';
      if (effect.state === 'completed') this.#complete(effect);
    }
  }

  /** Somebody renews a name past the portal, as at the registrar's own panel. */
  renewElsewhere(): void {
    const names = [...this.expiry.keys()].filter((name) => this.#year(name) > 0).sort();
    const domain = names[Math.floor(this.#random() * names.length)];
    if (domain === undefined) return;
    this.#sequence += 1;
    const effect: Effect = {
      ...{ orderId: String(this.#sequence), kind: 'renewal', domain, years: 1 },
      ...{ tag: 'elsewhere', state: 'completed', at: this.#now() },
    };
    this.effects.push(effect);
    this.#complete(effect);
  }

  get quiet(): boolean {
    return this.#late.length === 0 && this.effects.every((effect) => effect.state !== 'pending');
  }

  asPort(): Registrar {
    const port: Partial<Registrar> = {
      quote: async (_domain, _kind, years) => ({ costCents: 1_000 * years, premium: false }),
      register: (input) =>
        this.#act(
          { kind: 'new', domain: input.domain, tag: input.tag, years: input.years },
          () => (this.#living(input.domain) ? 'taken' : null),
          (orderId) => ({ orderId, notes: [] }),
        ),
      renew: (input) =>
        this.#act(
          { kind: 'renewal', domain: input.domain, tag: input.tag, years: input.years },
          () => (this.#year(input.domain) === input.currentExpiryYear ? null : 'already-done'),
          (orderId) => ({ orderId, expiresAt: new Date(this.expiry.get(input.domain) ?? 0) }),
        ),
      transferIn: (input) =>
        this.#act(
          { kind: 'transfer', domain: input.domain, tag: input.tag, years: 1 },
          () => (this.#living(input.domain) ? 'taken' : null),
          (orderId) => ({ orderId }),
        ),
      orderCertificate: (input) =>
        this.#act(
          { kind: 'certificate', domain: input.domain, tag: input.tag, years: 1 },
          () => null,
          (orderId) => ({ orderId, state: 'awaiting-approval' }),
        ),
      seekOrder: async ({ kind, ...wanted }) =>
        this.#read(() => soughtAmong(this.#orders(wanted.domain), wanted, (order) => order.kind === kind)),
      order: async (orderId) =>
        this.#read(() => this.#ordersWhere((effect) => effect.orderId === orderId)[0] ?? null),
      seekCertificateOrder: async (wanted) =>
        this.#read(() =>
          soughtAmong(
            this.effects
              .filter((effect) => effect.kind === 'certificate' && effect.domain === wanted.domain)
              .map((effect) => certificateOrder(effect)),
            wanted,
            () => true,
          ),
        ),
      lookup: async (domain) =>
        this.#read(() => ({ status: this.#living(domain) ? 'taken' : 'available', reason: null })),
      checkTransfer: async (domain) =>
        this.#read(() => ({
          ...{ transferable: !this.#living(domain), unavailable: false, status: null },
          ...{ reason: null, reasonCode: null, hindrance: null },
        })),
      domain: async (domain) => this.#read(() => this.#domain(domain)),
    };
    return port as Registrar;
  }

  #read<T>(answer: () => T): T {
    if (this.#random() < this.readsFail) throw new UpstreamUnavailable('simulated');
    return answer();
  }

  async #act<T>(
    order: { kind: Effect['kind']; domain: string; tag: string; years: number },
    refusal: () => 'taken' | 'already-done' | null,
    value: (orderId: string) => T,
  ): Promise<Outcome<T>> {
    await new Promise((resolve) => setImmediate(resolve));
    const fault: Fault =
      this.#random() < this.faultRate
        ? (faults[Math.floor(this.#random() * faults.length)] ?? 'none')
        : 'none';
    const perform = (state: Effect['state']) => {
      if (refusal()) return null;
      this.#sequence += 1;
      const effect: Effect = { ...order, orderId: String(this.#sequence), state, at: this.#now() };
      if (order.kind === 'renewal') effect.fromYear = this.#year(order.domain);
      this.effects.push(effect);
      if (state === 'completed') this.#complete(effect);
      return effect.orderId;
    };
    if (fault === 'lost') return { kind: 'unknown', text: 'time-out' };
    if (fault === 'garbage') return { kind: 'unknown', text: 'garbage' };
    if (fault === 'busy') return { kind: 'busy', code: '437', text: 'busy' };
    if (fault === 'refused') return { kind: 'refused', reason: 'invalid', code: '465', text: 'Invalid data' };
    if (fault === 'late') {
      this.#late.push({
        at: this.#now() + 30_000 + this.#random() * 120_000,
        run: () => perform('completed'),
      });
      return { kind: 'unknown', text: 'time-out' };
    }
    if (order.kind === 'transfer') {
      const id = perform('pending');
      if (fault === 'answer-lost') return { kind: 'unknown', text: 'time-out' };
      return id ? { kind: 'done', value: value(id) } : taken(refusal());
    }
    if (fault === 'asynchronous' && order.kind !== 'certificate') {
      const id = perform('pending');
      return id ? { kind: 'pending', orderId: id, text: 'submitted' } : taken(refusal());
    }
    const id = perform('completed');
    if (fault === 'answer-lost') return { kind: 'unknown', text: 'time-out' };
    return id ? { kind: 'done', value: value(id) } : taken(refusal());
  }

  #complete({ kind, domain, years }: Effect): void {
    if (kind === 'certificate') return;
    const from = kind === 'renewal' ? (this.expiry.get(domain) ?? this.#now()) : this.#now();
    const until = addYears(from, kind === 'transfer' ? 1 : years);
    this.expiry.set(domain, until);
    this.expiries.set(domain, [...(this.expiries.get(domain) ?? []), until]);
  }

  #living(domain: string): boolean {
    return (
      this.expiry.has(domain) ||
      this.effects.some(
        (effect) => effect.domain === domain && effect.kind !== 'certificate' && effect.state === 'pending',
      )
    );
  }

  #year(domain: string): number {
    const busy = this.effects.some(
      (effect) => effect.domain === domain && effect.kind === 'renewal' && effect.state === 'pending',
    );
    return busy ? -1 : new Date(this.expiry.get(domain) ?? 0).getUTCFullYear();
  }

  #orders(domain: string): RegistrarOrder[] {
    return this.#ordersWhere((effect) => effect.domain === domain && effect.kind !== 'certificate');
  }

  #ordersWhere(wanted: (effect: Effect) => boolean): RegistrarOrder[] {
    return this.effects.filter(wanted).map((effect) => ({
      orderId: effect.orderId,
      domain: effect.domain,
      kind: effect.kind === 'certificate' ? 'other' : effect.kind,
      state: effect.state,
      tag: effect.tag,
      costCents: 1_000,
      years: effect.years,
      orderedAt: new Date(effect.at),
    }));
  }

  #domain(domain: string): RegistrarDomain | null {
    const expiresAt = this.expiry.get(domain);
    if (expiresAt === undefined) return null;
    return {
      domain,
      registeredAt: new Date(this.#now()),
      expiresAt: new Date(expiresAt),
      updatedAt: null,
      transferredAt: null,
      autoRenew: false,
      letExpire: false,
      locked: true,
      privacy: false,
      nameservers: [],
      contacts: {},
      tag: null,
    };
  }
}

function taken(reason: 'taken' | 'already-done' | null): Outcome<never> {
  return { kind: 'refused', reason: reason ?? 'taken', code: '485', text: 'Domain taken' };
}

function addYears(from: number, years: number): number {
  const date = new Date(from);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.getTime();
}

function certificateOrder(effect: Effect): CertificateOrder {
  return {
    orderId: effect.orderId,
    domain: effect.domain,
    productType: 'rapidssl',
    state: 'awaiting-approval',
    productId: null,
    approverEmail: null,
    validation: null,
    tag: effect.tag,
    orderedAt: new Date(effect.at),
    notes: [],
  };
}
