import { UpstreamUnavailable } from '../../src/server/ports/outcome.ts';
import type { Payment, PaymentEvent, Payments } from '../../src/server/ports/payments.ts';
import type { Outside } from './outside.ts';

interface Held extends Payment {
  key: string;
}

const dayMs = 86_400_000;
/** As real providers do. */
const remembersEventsMs = 30 * dayMs;
const disputableMs = 120 * dayMs;

/**
 * A payment provider that loses answers, and tells late, twice, in any order or not at all. What it really took is in `held`, which
 * the books are compared with.
 */
export class SimulatedPayments {
  readonly held: Held[] = [];
  readonly events: PaymentEvent[] = [];
  /** Chance that an answer does not come. */
  fails = 0;
  /** Chance that an event is not told. */
  loses = 0;
  /** To whom events are told. */
  tell: (raw: Buffer) => Promise<void> = async () => undefined;
  #sequence = 0;
  readonly #outside: Outside;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  asPort(): Payments {
    const port: Partial<Payments> = {
      createCustomer: (input) => this.#act(() => `cus_${input.organisationId.slice(-12)}`),
      createTopUp: (input) =>
        this.#act(() => ({ ...this.#once(input, 'requires_payment_method'), clientSecret: 'secret' })),
      chargeStored: async (input, fence) => {
        if ((await fence.holdsForMs()) <= 0)
          throw new UpstreamUnavailable('the claim was lost before the call');
        return this.#act(() => {
          const known = this.held.find(({ key }) => key === input.idempotencyKey);
          if (known) return known;
          const payment = this.#once(input, 'processing');
          const chance = this.#random();
          if (chance < 0.6) this.#become(payment, 'succeeded');
          else if (chance < 0.75) this.#decline(payment);
          else if (chance < 0.85) this.#become(payment, 'requires_action');
          return payment;
        });
      },
      payment: (id) => this.#act(() => this.#find(id)),
      cancelPayment: (id) =>
        this.#act(() => {
          const payment = this.#find(id);
          if (!payment) throw new Error('no such payment');
          if (payment.state === 'requires_payment_method' || payment.state === 'requires_action') {
            this.#become(payment, 'cancelled');
          }
          return payment;
        }),
      paymentsSince: (since) =>
        this.#list(() => this.held.filter(({ createdAt }) => createdAt >= since).reverse()),
      eventsSince: (since, account) =>
        this.#list(() => {
          const from = Math.max(since.getTime(), this.#outside.schedule.nowMs - remembersEventsMs);
          return account ? [] : this.events.filter(({ createdAt }) => createdAt.getTime() >= from);
        }),
      verifyWebhook: async (raw) => {
        const event = JSON.parse(raw.toString()) as PaymentEvent;
        return { ...event, createdAt: new Date(event.createdAt) };
      },
    };
    return new Proxy(port as Payments, {
      get: (known, method: string) => {
        const plain = known[method as keyof Payments];
        if (plain || method === 'then') return plain;
        return async () => {
          this.#outside.unknown.add(`payments.${method}`);
          throw new UpstreamUnavailable(`${method} is not simulated`);
        };
      },
    });
  }

  /** A person at their browser completes, is declined, pays by bank, or gives up. */
  complete(topupId: string): void {
    const payment = this.held.find((one) => one.topupId === topupId);
    if (!payment || (payment.state !== 'requires_payment_method' && payment.state !== 'requires_action'))
      return;
    const chance = this.#random();
    payment.method = chance < 0.7 ? 'card' : 'us_bank_account';
    payment.paymentMethod = `pm_${payment.id}`;
    if (chance < 0.6) this.#become(payment, 'succeeded');
    else if (chance < 0.75) this.#decline(payment);
    else if (chance < 0.95) this.#become(payment, 'processing');
  }

  /** What banks do later: they pay or refuse, and money that came goes back. */
  settle({ disputes }: { disputes: boolean }): void {
    for (const payment of this.held) {
      const chance = this.#random();
      if (payment.state === 'processing' && chance < 0.3) {
        if (this.#random() < 0.8) this.#become(payment, 'succeeded');
        else this.#decline(payment);
      } else if (disputes && payment.state === 'succeeded' && chance < 0.02 && this.#isDisputable(payment)) {
        payment.reversedCents = payment.reversedCents === 0 ? payment.amountCents : 0;
        payment.disputes =
          payment.reversedCents > 0 ? [{ cents: payment.reversedCents, createdAt: this.#now() }] : [];
        this.#say(payment, payment.reversedCents > 0 ? 'charge.dispute.created' : 'charge.dispute.closed');
      }
    }
  }

  /** A dispute begins within 120 days of the payment; one that has begun is decided some time. */
  #isDisputable({ createdAt, reversedCents }: Held): boolean {
    return reversedCents > 0 || this.#outside.schedule.nowMs - createdAt.getTime() < disputableMs;
  }

  get quiet(): boolean {
    return this.held.every(({ state }) => state !== 'processing');
  }

  #random(): number {
    return this.#outside.schedule.random();
  }

  #now(): Date {
    return new Date(Math.floor(this.#outside.schedule.nowMs));
  }

  #find(id: string): Held | null {
    return this.held.find((one) => one.id === id) ?? null;
  }

  /** What is asked and its answer; either may be lost. */
  async #act<T>(answer: () => T): Promise<T> {
    return this.#outside.call(() => {
      const chance = this.#random();
      if (chance < this.fails / 2) throw new UpstreamUnavailable('lost on its way');
      const result = structuredClone(answer());
      if (chance < this.fails) throw new UpstreamUnavailable('its answer was lost');
      return result;
    });
  }

  async *#list<T>(answer: () => T[]): AsyncGenerator<T> {
    yield* await this.#act(answer);
  }

  #once(
    input: { topupId: string; organisationId: string; amountCents: number; idempotencyKey: string },
    state: Payment['state'],
  ): Held {
    const known = this.held.find(({ key }) => key === input.idempotencyKey);
    if (known) return known;
    this.#sequence += 1;
    const payment: Held = {
      ...{ id: `pi_${input.topupId.slice(-8)}${this.#sequence}`, key: input.idempotencyKey, state },
      ...{
        amountCents: input.amountCents,
        feeCents: 30,
        reversedCents: 0,
        disputes: [],
        method: 'card',
        paymentMethod: null,
      },
      ...{ failure: null, failureCode: null, createdAt: this.#now(), topupId: input.topupId },
      ...{ organisationId: input.organisationId, chargeId: null },
    };
    this.held.push(payment);
    return payment;
  }

  #decline(payment: Held): void {
    payment.failure = 'Your card was declined.';
    payment.failureCode = 'card_declined';
    this.#become(payment, 'requires_payment_method', 'payment_intent.payment_failed');
  }

  #become(payment: Held, state: Payment['state'], type = `payment_intent.${state}`): void {
    payment.state = state;
    if (state === 'succeeded') Object.assign(payment, { failure: null, failureCode: null });
    this.#say(payment, type);
  }

  #say(payment: Held, type: string): void {
    this.#sequence += 1;
    const event: PaymentEvent = {
      ...{ id: `evt_${payment.id}_${this.#sequence}`, type, account: null, objectId: payment.id },
      ...{ paymentId: payment.id, customerId: null, paymentMethodId: null, createdAt: this.#now() },
    };
    this.events.push(event);
    if (this.#random() < this.loses) return;
    const times = this.#random() < 0.3 ? 2 : 1;
    for (let time = 0; time < times; time += 1) void this.tell(Buffer.from(JSON.stringify(event)));
  }
}
