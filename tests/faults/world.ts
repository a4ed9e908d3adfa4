import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import type { PurchaseBody } from '../../src/contracts/operations/orders.ts';
import { createOrders, type OrdersApi } from '../../src/server/features/orders/index.ts';
import { type Db, inTransaction } from '../../src/server/kernel/db/database.ts';
import { onFailpoint } from '../../src/server/kernel/failpoint.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { createSeal } from '../../src/server/kernel/seal.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { adjust, openWallet } from '../../src/server/ledger/ledger.ts';
import type { Registrar } from '../../src/server/ports/registrar.ts';
import type { TestDatabase } from '../support/database.ts';
import { type JudgedItem, orderFaults } from '../support/invariants.ts';
import { createRandom, SimulatedRegistrar } from './simulated-registrar.ts';
import { statementFaults } from './statement-check.ts';

/** The process died here; nothing after this line of work happens. */
class Crash extends Error {}

const contact = {
  organization: 'Test Ltd',
  firstName: 'Ann',
  lastName: 'Smith',
  address1: '1 Street',
  city: 'Town',
  state: 'NY',
  postalCode: '10001',
  country: 'US',
  email: 'ann@example.com',
  phone: '+1.2125550100',
};

/** A mistake that the simulation has to find: in how the registrar is used, or in what is sent to the database. */
export interface PlantedBug {
  port?: (port: Registrar) => Registrar;
  sql?: KyselyPlugin;
  /** The part of what is bought that is certificates, where the mistake is one about them. */
  certificateShare?: number;
}

/** Who acts, and the customer they buy for. */
export type Buyer = Scope & { customerId: string };

/** A whole life of orders on real SQL: simulated clock, registrar, crashes; the same seed gives the same life. */
export class World {
  readonly random: () => number;
  readonly registrar: SimulatedRegistrar;
  readonly scopes: Buyer[] = [];
  crashRate = 0;
  /** The part of what is bought that is certificates. */
  certificateShare = 0.15;
  orders: OrdersApi;
  #nowMs = Date.UTC(2026, 10, 21);
  readonly #database: TestDatabase;
  readonly #names: string[] = [];

  constructor(database: TestDatabase, seed: number, bug: PlantedBug = {}) {
    this.#database = database;
    this.random = createRandom(seed);
    this.registrar = new SimulatedRegistrar(this.random, () => this.#nowMs);
    const port = this.registrar.asPort();
    const registrar = bug.port?.(port) ?? port;
    this.certificateShare = bug.certificateShare ?? this.certificateShare;
    const withBug = (db: Db) => (bug.sql ? db.withPlugin(bug.sql) : db);
    this.orders = createOrders({
      db: withBug(database.db),
      systemDb: withBug(database.systemDb),
      registrar,
      clock: { now: () => new Date(this.#nowMs) },
      seal: createSeal([{ number: 1, secret: 'simulation' }]),
      logger: pino({ level: 'silent' }),
      requireRegistrarFunds: async () => undefined,
      readCsr: async (pem, use = {}) => ({
        ...{ pem, names: [use.domain ?? ''], organization: '', organizationUnit: '' },
        ...{ state: '', locality: '', email: '', country: '' },
      }),
      pricing: {
        domains: {
          price: async (_address, _kind, years) => ({
            priceCents: 1_200 * years,
            costCents: 1_000 * years,
            premium: false,
          }),
          standardPriceCents: async () => 1_200,
          premiumPriceCents: (cents) => cents,
        },
        certificates: {
          price: async () => ({ priceCents: 2_000, costCents: 1_500 }),
          known: async () => ({ priceCents: 2_000, costCents: 1_500 }),
          list: async () => [],
        },
      },
      customers: { contactsForOrder: async () => ({ owner: contact, admin: contact, billing: contact }) },
      pendingLimitCents: 0,
      times: { callMs: 1_000, claimMarginMs: 30_000, releaseAfterMs: 600_000, reviewAfterMs: 86_400_000 },
      replyWaitMs: 300,
      parallelItems: 10,
    });
  }

  async open(balanceCents: number): Promise<Buyer> {
    const organisationId = newId();
    const userId = newId();
    const customerId = newId();
    await inTransaction(this.#database.db, { organisationId }, async (tx) => {
      await tx.insertInto('organisations').values({ id: organisationId, name: 'Simulated' }).execute();
      await tx
        .insertInto('customers')
        .values({
          id: customerId,
          organisation_id: organisationId,
          owner: JSON.stringify(contact),
          admin: JSON.stringify(contact),
          billing_contact: JSON.stringify(contact),
          markups: '{}',
        })
        .execute();
      await openWallet(tx, organisationId);
      await adjust(tx, { organisationId, cents: balanceCents, ref: organisationId, actor: 'test', text: '' });
    });
    const scope: Buyer = {
      organisationId,
      userId,
      email: 'a@example.com',
      role: 'MSP_ADMIN',
      reach: { kind: 'organisation' },
      rights: { kind: 'role' },
      customerId,
      ip: null,
      requestId: 'simulation',
    };
    this.scopes.push(scope);
    return scope;
  }

  /** Money that comes later. */
  async deposit(scope: Scope, cents: number): Promise<void> {
    const { organisationId } = scope;
    await inTransaction(this.#database.db, scope, (tx) =>
      adjust(tx, { organisationId, cents, ref: newId(), actor: 'test', text: '' }),
    );
  }

  /** Somebody who gets the organisation's letters. */
  async addManager(scope: Scope, email: string): Promise<void> {
    await inTransaction(this.#database.db, scope, (tx) =>
      tx
        .insertInto('users')
        .values({
          ...{ id: newId(), organisation_id: scope.organisationId, email, role: 'MSP_ADMIN' as const },
          ...{ identity_issuer: 'https://identity.test/', identity_subject: newId(), customer_id: null },
          ...{ daily_limit_cents: null, disabled_at: null, removed_at: null, last_seen_at: null },
        })
        .execute(),
    );
  }

  /** Dies at some failpoints, in this seed's way. */
  withCrashes(): void {
    onFailpoint(() => {
      if (this.random() < this.crashRate) throw new Crash();
    });
  }

  /** One person buys something; a crash in between is the process's, not the test's. */
  async purchase(scope: Buyer): Promise<void> {
    const { body, key } = this.cart(scope);
    const attempt = async () => {
      try {
        await this.orders.purchase(scope, body, key);
      } catch (error) {
        if (!(error instanceof Crash) && !(error instanceof Error && error.name === 'AppError')) throw error;
      }
    };
    await attempt();
    // The browser got no answer and asks again with the same key.
    if (this.random() < 0.3) await attempt();
  }

  cart(scope: Buyer): { body: PurchaseBody; key: string } {
    const body: PurchaseBody = {
      domains: [],
      domainRenewals: [],
      domainTransfers: [],
      certificates: [],
      price: 0,
    };
    const { customerId } = scope;
    const count = 1 + Math.floor(this.random() * 4);
    const used = new Set<string>();
    for (let i = 0; i < count; i += 1) {
      // The other kinds share what the certificates leave as 50 : 20 : 15.
      const certificate = this.random() < this.certificateShare;
      const choice = this.random() * 0.85;
      const fresh = `n${Math.floor(this.random() * 60)}.com`;
      if (used.has(fresh)) continue;
      used.add(fresh);
      if (!certificate && choice < 0.5) {
        body.domains.push({ address: fresh, customerId, period: 1, whois: false, autoRenew: false });
        body.price += 12;
      } else if (!certificate && choice < 0.7) {
        body.domainTransfers.push({ address: `t${fresh}`, customerId, period: 1, EPPCode: 'code' });
        body.price += 12;
      } else if (certificate) {
        body.certificates.push({
          domain: fresh,
          provider: 'RapidSSL',
          productType: 'rapidssl',
          handle: 'process',
          regType: 'new',
          dvAuthMethod: 'DNS',
          customerId,
          period: 1,
          csr: 'csr',
        });
        body.price += 20;
      } else if (this.#names.length > 0) {
        const owned = this.#names[Math.floor(this.random() * this.#names.length)];
        if (owned) {
          // Some name the expiry that they saw; a name that has just been renewed is renewed again only by them.
          const expiresAt = this.random() < 0.5 ? this.registrar.expiry.get(owned) : undefined;
          const seen = expiresAt === undefined ? {} : { expireDate: new Date(expiresAt).toISOString() };
          body.domainRenewals.push({ address: owned, period: 1, ...seen });
          body.price += 12;
        }
      }
      this.#names.push(fresh);
    }
    return { body, key: `key-${newId()}` };
  }

  async sweep(): Promise<void> {
    try {
      await this.orders.engine.sweep(100);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }

  /** The job of each open item runs twice at once, as a queue may let it. */
  async rush(): Promise<void> {
    const open = await this.#database.systemDb
      .selectFrom('order_items')
      .select(['id', 'organisation_id'])
      .where('state', 'in', ['queued', 'sending', 'pending', 'unknown'])
      .execute();
    const jobs = [...open, ...open].map(({ id, organisation_id }) =>
      this.orders.engine.advance(organisation_id, id).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      }),
    );
    await Promise.all(jobs);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    this.registrar.settle();
  }

  /** Faults stop; the portal must come to rest without a person. */
  async comeToRest(): Promise<void> {
    onFailpoint(null);
    this.registrar.faultRate = 0;
    this.registrar.readsFail = 0;
    for (let round = 0; round < 60; round += 1) {
      this.advance(120_000);
      await this.orders.engine.sweep(1_000);
    }
  }

  /** What does not hold: ledger against itself, and ledger against what the registrar really did. */
  async violations(atRest: boolean): Promise<string[]> {
    const found = (await checkLedger(this.#database.systemDb)).map(
      (fault) => `${fault.invariant}: ${fault.found}`,
    );
    const items = await this.#database.systemDb
      .selectFrom('order_items')
      .select(['id', 'state', 'kind', 'address'])
      .where(
        'organisation_id',
        'in',
        this.scopes.map((scope) => scope.organisationId),
      )
      .execute();
    const carriedOut = (item: JudgedItem) => {
      const done = this.registrar.effects.filter(
        ({ tag, state }) => tag === item.id && state === 'completed',
      ).length;
      // A certificate is charged when its order is accepted; what follows is the authority's work.
      return item.kind === 'certificate' && done === 0 ? null : done;
    };
    found.push(...orderFaults(items, carriedOut, { atRest }));
    if (atRest) {
      for (const scope of this.scopes) found.push(...(await statementFaults(this.#database, scope)));
    }
    return found;
  }
}
