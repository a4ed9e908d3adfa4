import type { KyselyPlugin } from 'kysely';
import type { Task } from '../../src/server/jobs/runner.ts';
import type { Payment, Payments } from '../../src/server/ports/payments.ts';
import type { Registrar } from '../../src/server/ports/registrar.ts';
import { forgetting } from '../faults/planted-sql.ts';

/** A mistake that lives have to find: in how the outside is used, in what is sent to the database, or in what jobs do. */
export interface Bug {
  registrar?: (port: Registrar) => Registrar;
  payments?: (port: Payments) => Payments;
  sql?: KyselyPlugin;
  tasks?: (tasks: Record<string, Task>) => Record<string, Task>;
}

/** A port of which some methods are other ones. */
const overriding = <T extends object>(port: T, methods: Partial<T>): T =>
  new Proxy(port, {
    get: (plain, name: string) => methods[name as keyof T] ?? plain[name as keyof T],
  });

const withoutConditions = (wordsOf: Record<string, readonly string[]>): Bug => ({ sql: forgetting(wordsOf) });

export const bugs: Record<string, Bug> = {
  'a time-out of a registration is a failure': {
    registrar: (port) =>
      overriding(port, {
        register: async (input, fence) => {
          const outcome = await port.register(input, fence);
          return outcome.kind === 'unknown'
            ? { kind: 'refused', reason: 'other', code: '', text: 'failed' }
            : outcome;
        },
      }),
  },
  'a time-out of a renewal is a failure': {
    registrar: (port) =>
      overriding(port, {
        renew: async (input, fence) => {
          const outcome = await port.renew(input, fence);
          return outcome.kind === 'unknown'
            ? { kind: 'refused', reason: 'other', code: '', text: 'failed' }
            : outcome;
        },
      }),
  },
  'a time-out of a transfer is a success': {
    registrar: (port) =>
      overriding(port, {
        transferIn: async (input, fence) => {
          const outcome = await port.transferIn(input, fence);
          return outcome.kind === 'unknown' ? { kind: 'done', value: { orderId: '0' } } : outcome;
        },
      }),
  },
  'a certificate is ordered again after a time-out': {
    registrar: (port) =>
      overriding(port, {
        orderCertificate: async (input, fence) => {
          const outcome = await port.orderCertificate(input, fence);
          return outcome.kind === 'unknown' ? { kind: 'busy', code: '', text: 'again' } : outcome;
        },
      }),
  },
  'orders are not looked for by their tag': {
    registrar: (port) =>
      overriding(port, {
        seekOrder: async () => ({ kind: 'absent' }),
        order: async () => null,
        seekCertificateOrder: async () => ({ kind: 'absent' }),
      }),
  },
  'a pending registration counts as done': {
    registrar: (port) =>
      overriding(port, {
        register: async (input, fence) => {
          const outcome = await port.register(input, fence);
          return outcome.kind === 'pending' ? { kind: 'done', value: { orderId: '0', notes: [] } } : outcome;
        },
      }),
  },
  'a refused registration counts as done': {
    registrar: (port) =>
      overriding(port, {
        register: async (input, fence) => {
          const outcome = await port.register(input, fence);
          return outcome.kind === 'refused' && outcome.reason === 'taken'
            ? { kind: 'done', value: { orderId: '0', notes: [] } }
            : outcome;
        },
      }),
  },
  'any order of the name is taken for the one that is looked for': {
    registrar: (port) =>
      overriding(port, {
        seekOrder: async (wanted) => {
          const orders = (await port.ordersFor(wanted.domain)).filter(({ kind }) => kind === wanted.kind);
          return orders.length > 0 ? { kind: 'found', orders } : { kind: 'absent' };
        },
      }),
  },
  'an unanswered look-up counts as absence': {
    registrar: (port) =>
      overriding(port, {
        seekOrder: async (wanted) => port.seekOrder(wanted).catch(() => ({ kind: 'absent' as const })),
        seekCertificateOrder: async (wanted) =>
          port.seekCertificateOrder(wanted).catch(() => ({ kind: 'absent' as const })),
      }),
  },
  'a renewal names no expiry that it moves': {
    registrar: (port) =>
      overriding(port, {
        renew: async (input, fence) => {
          const present = (await port.domain(input.domain))?.expiresAt ?? new Date();
          return port.renew({ ...input, currentExpiryYear: present.getUTCFullYear() }, fence);
        },
      }),
  },
  'a lost answer of a charge is a charge that was not made': {
    payments: (port) =>
      overriding(port, {
        chargeStored: (input, fence) =>
          port
            .chargeStored(input, fence)
            .catch(() =>
              port.chargeStored({ ...input, idempotencyKey: `${input.idempotencyKey}:again` }, fence),
            ),
      }),
  },
  'a payment in processing is money that arrived': {
    payments: (port) =>
      overriding(port, {
        payment: async (id) => {
          const payment = await port.payment(id);
          return payment?.state === 'processing' ? { ...payment, state: 'succeeded' } : payment;
        },
      }),
  },
  'what goes back of a payment is not read': {
    payments: (port) =>
      overriding(port, {
        payment: async (id) => {
          const payment = await port.payment(id);
          return payment && { ...payment, reversedCents: 0 };
        },
      }),
  },
  'events of the provider are taken for applied': {
    tasks: (tasks) => ({
      ...tasks,
      'billing.apply-events': async () => undefined,
      'billing.sweep': async () => undefined,
    }),
  },
  'nobody sweeps for what a crash has left': {
    tasks: (tasks) => ({
      ...tasks,
      'orders.sweep': async () => undefined,
      'orders.advance': async () => undefined,
    }),
  },
  'money is held by what was read before': withoutConditions({ wallets: ['posted_cents - held_cents'] }),
  'money is captured and released without asking in which state it is': withoutConditions({
    order_items: ['"name":"state"', '"name":"attempt"'],
    holds: ['"name":"state"'],
  }),
  'an item is claimed whatever its state is': withoutConditions({ order_items: ['"name":"state"'] }),
  'a payment that was read once is not read again': {
    payments: (port) => {
      const kept = new Map<string, Promise<Payment | null>>();
      return overriding(port, {
        payment: (id) => {
          const read = kept.get(id) ?? port.payment(id);
          kept.set(id, read);
          return read;
        },
      });
    },
  },
  'what changes one name changes all of the organization': withoutConditions({
    domains: ['"name":"address"', '"name":"id"'],
  }),
};
