import type { PurchaseBody, PurchaseResult } from '../../src/contracts/operations/orders.ts';
import type { Features } from '../../src/server/compose.ts';
import { inTransaction, type Tx } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import { adjust, openWallet } from '../../src/server/ledger/ledger.ts';
import type { Bug } from './bugs.ts';
import { fillCart } from './cart.ts';
import { faultsOf } from './judge.ts';
import { Outside } from './outside.ts';
import { SimulatedPayments } from './payments.ts';
import { type Portal, startPortal } from './portal.ts';
import { between, pickFrom } from './random.ts';
import { type Process, Schedule } from './schedule.ts';
import type { Stand } from './stand.ts';
import { attachClock } from './world-clock.ts';

export interface LifeResult {
  seed: number;
  /** What did not hold. */
  faults: string[];
  /** Of all that was decided by chance: equal for two runs of a seed. */
  digest: number;
  steps: number;
  items: number;
  payments: number;
  killed: number;
  /** What jobs and requests failed by, and how often; for who writes simulations. */
  errors: Map<string, number>;
}

/** Who acts, and the customer that they buy for. */
type Buyer = Scope & { customerId: string };

/** What a person was told of a purchase. */
export interface Told {
  organisationId: string;
  key: string;
  body: string;
  result: PurchaseResult;
}

const startsAtMs = Date.UTC(2030, 0, 7, 9);
const minuteMs = 60_000;
const dayMs = 86_400_000;
const noAnswer = Symbol('no answer');
/** A person waits this long for an answer. */
const patienceMs = 90_000;
const contact = {
  ...{ organization: 'Test Ltd', firstName: 'Ann', lastName: 'Smith', address1: '1 Street', city: 'Town' },
  ...{ state: 'NY', postalCode: '10001', country: 'US', email: 'ann@example.com', phone: '+1.2125550100' },
};

/**
 * Lives one seed: people of one or two organizations buy, pay and change their minds, the network and those on it fail, processes
 * die and stand still, months pass; then all faults end, and everything has to come to rest without a person.
 */
export async function live(stand: Stand, seed: number, bug: Bug = {}): Promise<LifeResult> {
  const schedule = new Schedule(seed, startsAtMs);
  stand.statements.attach(schedule);
  attachClock(schedule);
  const life = new Life(stand, schedule, bug);
  const god: Process = { name: 'life', isDead: false, connections: new Set() };
  stand.statements.know(god);
  try {
    await schedule.run(god, () => life.live());
  } catch (error) {
    // A second defence that refuses to go on has found it, too.
    life.faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await life.end();
    attachClock(null);
    stand.statements.attach(null);
    stand.statements.forgetProcesses();
  }
  return { seed, digest: schedule.digest, steps: schedule.steps, ...life.result() };
}

class Life {
  readonly faults: string[] = [];
  readonly told: Told[] = [];
  readonly errors = new Map<string, number>();
  readonly buyers: Buyer[] = [];
  readonly outside: Outside;
  readonly payments: SimulatedPayments;
  #killed = 0;
  #portals: Portal[] = [];
  #isBusy = true;
  readonly #stand: Stand;
  readonly #schedule: Schedule;
  readonly #bug: Bug;
  #items = 0;

  constructor(stand: Stand, schedule: Schedule, bug: Bug) {
    this.#stand = stand;
    this.#schedule = schedule;
    this.#bug = bug;
    this.outside = new Outside(schedule);
    this.payments = new SimulatedPayments(this.outside);
  }

  result() {
    const payments = this.payments.held.length;
    return { faults: this.faults, items: this.#items, payments, killed: this.#killed, errors: this.errors };
  }

  async live(): Promise<void> {
    const { random } = this.#schedule;
    await this.#stand.empty();
    this.outside.registrar.faultRate = pickFrom([0, 0.2, 0.5, 0.8], random);
    this.outside.registrar.readsFail = pickFrom([0, 0.2], random);
    this.outside.mailFails = 0.1;
    this.payments.fails = pickFrom([0, 0.1, 0.3], random);
    this.payments.loses = pickFrom([0, 0.3, 1], random);
    this.payments.tell = (raw) => this.#tell(raw);
    await this.#open(pickFrom([0, 3_000, 20_000, 200_000], random));
    if (random() < 0.4) await this.#open(8_000);
    for (const name of ['one', 'two']) this.#portals.push(await this.#start(name));
    void Schedule.start(this.outside.process, () => this.outside.live());
    const phases = pickFrom([1, 2, 2, 3], random);
    for (let phase = 0; phase < phases; phase += 1) {
      await this.#busyTime();
      await this.#lookForFaults(false);
      if (this.faults.length > 0) return;
      await this.#passLong(pickFrom([10 * minuteMs, 4 * 60 * minuteMs, 20 * dayMs, 345 * dayMs], random));
    }
    await this.#comeToRest();
    await this.#lookForFaults(true);
  }

  async end(): Promise<void> {
    this.outside.process.isDead = true;
    for (const { process } of this.#portals) await this.#schedule.kill(process);
  }

  async #lookForFaults(atRest: boolean): Promise<void> {
    const { faults, items } = await this.#schedule.beside(() => faultsOf(this.#stand, this, { atRest }));
    this.#items = items;
    this.faults.push(...faults);
  }

  /** People do things, workers work, and processes die. */
  async #busyTime(): Promise<void> {
    const { random } = this.#schedule;
    this.#isBusy = true;
    const people = this.buyers.flatMap((buyer) => [buyer, buyer].map((one) => this.#person(one)));
    for (const portal of this.#portals) this.#workAt(portal);
    const deaths = random() < 0.6 ? this.#deaths(pickFrom([1, 2, 4], random)) : Promise.resolve();
    await Promise.all([...people, deaths]);
    this.#isBusy = false;
  }

  async #person(buyer: Buyer): Promise<void> {
    const { random } = this.#schedule;
    for (let deed = 0; deed < 2; deed += 1) {
      await this.#schedule.sleep(between(0, 20_000, random));
      const what = pickFrom([this.#buy, this.#buy, this.#buy, this.#topUp, this.#autoBalance], random);
      await what.call(this, buyer);
    }
  }

  /** A request to a process that is there; without an answer it is sent again, as a browser's is. */
  async #request<T>(work: (features: Features) => Promise<T>): Promise<T | typeof noAnswer> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const alive = this.#portals.filter(({ process }) => !process.isDead);
      if (alive.length > 0) {
        const { process, features } = pickFrom(alive, this.#schedule.random);
        const answer = await Promise.race([
          Schedule.start(process, () => work(features)).catch((error: unknown) => {
            this.#note('request', error);
            return null;
          }),
          this.#schedule.sleep(patienceMs).then((): typeof noAnswer => noAnswer),
        ]);
        if (answer !== noAnswer) return answer as T;
      } else await this.#schedule.sleep(2_000);
    }
    return noAnswer;
  }

  async #buy(buyer: Buyer): Promise<void> {
    const { random } = this.#schedule;
    const body = await this.#cart(buyer);
    if (!body) return;
    const key = `key-${newId()}`;
    const ask = async () => {
      const result = await this.#request(({ orders }) => orders.purchase(buyer, body, key));
      if (result !== noAnswer && result !== null) {
        this.told.push({ organisationId: buyer.organisationId, key, body: JSON.stringify(body), result });
      }
    };
    // Somebody presses twice, or a browser that got no answer asks again.
    if (random() < 0.25) await Promise.all([ask(), ask()]);
    else await ask();
    if (random() < 0.15) await ask();
  }

  async #cart(buyer: Buyer): Promise<PurchaseBody | null> {
    const { body, wanted } = fillCart(buyer.customerId, {
      random: this.#schedule.random,
      expiry: this.outside.registrar.expiry,
      csrs: this.#stand.csrs,
    });
    if (wanted.length === 0) return null;
    const prices = await this.#request(({ orders }) => orders.prices(buyer, wanted));
    if (prices === noAnswer || prices === null) return null;
    body.price = prices.reduce((sum, { price }) => sum + price, 0);
    return body;
  }

  async #topUp(buyer: Buyer): Promise<void> {
    const { random } = this.#schedule;
    const amount = pickFrom([50, 100, 250], random);
    const key = `key-${newId()}`;
    const started = await this.#request(({ billing }) => billing.topups.start(buyer, amount, key));
    if (started === noAnswer || started === null) return;
    await this.#schedule.sleep(between(1_000, 60_000, random));
    if (random() < 0.85) this.payments.complete(started.topupId);
    const end = random();
    if (end < 0.5) await this.#request(({ billing }) => billing.topups.status(buyer, started.topupId));
    else if (end < 0.7) await this.#request(({ billing }) => billing.topups.cancel(buyer, started.topupId));
  }

  async #autoBalance(buyer: Buyer): Promise<void> {
    const setting =
      this.#schedule.random() < 0.8
        ? { enabled: true as const, amount: 10_000, mark: 5_000 }
        : { enabled: false as const };
    await this.#request(({ billing }) => billing.autoTopup.set(buyer, setting).then(() => true));
  }

  /** A webhook, some time later; a process that is not there does not take it. */
  async #tell(raw: Buffer): Promise<void> {
    const { random } = this.#schedule;
    await Schedule.start(this.outside.process, async () => {
      await this.#schedule.sleep(between(100, random() < 0.8 ? 5_000 : 600_000, random));
      const alive = this.#portals.filter(({ process }) => !process.isDead);
      if (alive.length === 0) return;
      const { process, features } = pickFrom(alive, random);
      void Schedule.start(process, () =>
        features.billing.webhooks
          .receive(raw, 'signature')
          .catch((error: unknown) => this.#note('webhook', error)),
      );
    });
  }

  #workAt(portal: Portal): void {
    const { random } = this.#schedule;
    void Schedule.start(portal.process, async () => {
      while (this.#isBusy) {
        await this.#schedule.sleep(between(200, 8_000, random));
        if (!(await portal.worker.one()) && random() < 0.3) await this.#net(portal, 'orders.sweep');
      }
    });
  }

  async #deaths(count: number): Promise<void> {
    const { random } = this.#schedule;
    for (let death = 0; death < count; death += 1) {
      await this.#schedule.sleep(between(500, 30_000, random));
      const portal = pickFrom(this.#portals, random);
      if (portal.process.isDead) continue;
      this.#killed += 1;
      await this.#schedule.beside(() => this.#schedule.kill(portal.process));
      await this.#schedule.sleep(between(500, 40_000, random));
      const next = await this.#start(portal.process.name);
      this.#portals[this.#portals.indexOf(portal)] = next;
      if (this.#isBusy) this.#workAt(next);
    }
  }

  #start(name: string): Promise<Portal> {
    const [stand, schedule, bug] = [this.#stand, this.#schedule, this.#bug];
    const onError = (task: string, error: unknown) => this.#note(task, error);
    return startPortal(name, {
      stand,
      schedule,
      bug,
      onError,
      outside: this.outside,
      payments: this.payments,
    });
  }

  /** A night or a year: first the minutes in which what is under way comes to its end, as in a portal that is up all the time. */
  async #passLong(ms: number): Promise<void> {
    for (let round = 0; round < 8 && ms > 60 * minuteMs; round += 1) {
      if (await this.#isAtRest()) break;
      await this.#pass(11 * minuteMs);
    }
    await this.#pass(ms);
  }

  /** Time passes; then what starts by the clock starts. */
  async #pass(ms: number): Promise<void> {
    this.#schedule.nowMs += ms;
    this.outside.registrar.settle();
    this.payments.settle({ disputes: this.outside.registrar.faultRate > 0 });
    await this.#castNets();
  }

  async #castNets(): Promise<void> {
    const portal = this.#portals.find(({ process }) => !process.isDead);
    if (!portal) throw new Error('no process is left');
    for (const task of ['orders.sweep', 'billing.sweep', 'renewals.run']) await this.#net(portal, task);
    await Schedule.start(portal.process, () => portal.worker.drain());
  }

  /** A net that fails is cast again, as each hour; after eight times in vain the next one looks further back. */
  async #net(portal: Portal, task: string): Promise<void> {
    for (let attempt = 0; attempt < 8 && !portal.process.isDead; attempt += 1) {
      try {
        return await Schedule.start(portal.process, () => portal.worker.run(task));
      } catch (error) {
        this.#note(task, error);
      }
    }
  }

  /** Faults end; everything has to come to its end without a person. */
  async #comeToRest(): Promise<void> {
    this.#schedule.endStalls();
    Object.assign(this.outside.registrar, { faultRate: 0, readsFail: 0 });
    Object.assign(this.payments, { fails: 0, loses: 0 });
    this.outside.mailFails = 0;
    for (let round = 0; round < 40; round += 1) {
      await this.#pass(round < 8 ? 11 * minuteMs : 3 * 60 * minuteMs);
      if (round > 3 && (await this.#isAtRest())) return;
    }
  }

  async #isAtRest(): Promise<boolean> {
    if (!this.outside.registrar.quiet || !this.payments.quiet) return false;
    const [row] = await this.#stand.statements.ask<{ open: number }>(
      `SELECT count(*)::int AS open FROM order_items
       WHERE organisation_id = ANY ($1) AND state IN ('queued', 'sending', 'pending', 'unknown')`,
      [this.buyers.map(({ organisationId }) => organisationId)],
    );
    return row?.open === 0;
  }

  async #open(balanceCents: number): Promise<void> {
    const { db } = this.#stand;
    const [organisationId, userId, customerId] = [newId(), newId(), newId()];
    await inTransaction(db, { organisationId }, async (tx) => {
      await tx.insertInto('organisations').values({ id: organisationId, name: 'Simulated' }).execute();
      const person = JSON.stringify(contact);
      await tx
        .insertInto('customers')
        .values({
          ...{ id: customerId, organisation_id: organisationId, markups: '{}' },
          ...{ owner: person, admin: person, billing_contact: person },
        })
        .execute();
      await openWallet(tx, organisationId);
      if (balanceCents > 0) {
        const given = { organisationId, cents: balanceCents, ref: organisationId, actor: 'test', text: '' };
        await adjust(tx, given);
      }
      if (this.#schedule.random() < 0.4) await this.#keepCard(tx, organisationId);
    });
    this.buyers.push({
      ...{ organisationId, userId, customerId, email: 'a@example.com', role: 'MSP_ADMIN' },
      ...{ reach: { kind: 'organisation' }, rights: { kind: 'role' }, ip: null, requestId: 'simulation' },
    });
  }

  /** Somebody who has paid before, and has auto balance on. */
  async #keepCard(tx: Tx, organisationId: string): Promise<void> {
    await tx
      .insertInto('billing_profiles')
      .values({
        ...{ organisation_id: organisationId, payment_customer_id: `cus_${organisationId.slice(-12)}` },
        ...{ payment_method_id: 'pm_kept', initial_fee_paid: true },
        ...{ auto_topup: true, auto_topup_cents: 5_000, auto_topup_mark_cents: 4_000 },
      })
      .execute();
  }

  #note(what: string, error: unknown): void {
    const text = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    this.errors.set(text, (this.errors.get(text) ?? 0) + 1);
  }
}
