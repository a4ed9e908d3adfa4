import { z } from 'zod';
import type { ControlHandler } from '../part.ts';
import { accountControl } from './control-accounts.ts';
import { moneyControl } from './control-money.ts';
import { inTransaction, TABLES } from './database.ts';
import { flood, floodSchema } from './flood.ts';
import { addFault, clearFaults, EFFECTS } from './next-faults.ts';
import type { Timers } from './timers.ts';
import { writeFaults } from './webhook-faults.ts';
import type { WebhookSender } from './webhooks.ts';
import type { World } from './world.ts';

const endpointSchema = z.strictObject({
  url: z.url().nullable(),
  connectUrl: z.url().nullable().optional(),
  thinUrl: z.url().nullable().optional(),
});

const faultsSchema = z.strictObject({
  duplicate: z.int().min(1).max(100).optional(),
  shuffle: z.boolean().optional(),
  seed: z.int().min(1).optional(),
  delayMs: z.int().min(0).optional(),
  drop: z.union([z.boolean(), z.int().min(0)]).optional(),
  wrongSecret: z.boolean().optional(),
  staleSeconds: z.int().min(0).optional(),
  types: z.array(z.string()).optional(),
  until: z.union([z.string(), z.number()]).optional(),
});

const nextSchema = z.strictObject({
  method: z.string().optional(),
  path: z.string().optional(),
  effect: z.enum(EFFECTS),
  times: z.int().min(1).default(1),
  delayMs: z.int().min(0).optional(),
});

/** The control plane (`/control/payments/…`): the outside world's side of the payment provider. */
export function paymentsControl(
  world: World,
  timers: Timers,
  sender: WebhookSender,
): Record<string, ControlHandler> {
  return {
    'webhook-endpoint': (body) => {
      world.settings.write('webhook-endpoint', endpointSchema.parse(body));
      return { ok: true };
    },
    'webhook-faults': (body) => {
      writeFaults(world.settings, defined(faultsSchema.parse(body ?? {})));
      sender.wake();
      return { ok: true };
    },
    next: (body) => {
      if (body === null || body === undefined) clearFaults(world.settings);
      else addFault(world.settings, defined(nextSchema.parse(body)));
      return { ok: true };
    },
    flood: (body) => flood(world, floodSchema.parse(body)),
    ...moneyControl(world, timers),
    ...accountControl(world),
    /** Waits until no webhook is due or on its way. */
    idle: async () => {
      timers.run();
      await sender.idle();
      return { ok: true };
    },
    state: () => state(world),
    reset: () => {
      reset(world);
      return { ok: true };
    },
  };
}

/** zod's optional fields come as `undefined`; ours are absent instead. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function state(world: World) {
  const count = (sql: string) => (world.store.db.prepare(sql).get() as { n: number }).n;
  return {
    paymentIntents: world.objects.all('payment_intent', 100).map(({ object, account }) => ({
      id: object.id,
      account,
      amount: object.amount,
      status: object.status,
      metadata: object.metadata,
    })),
    refunds: world.objects.all('refund', 100).map(({ object, account }) => ({
      id: object.id,
      account,
      amount: object.amount,
      status: object.status,
    })),
    accounts: world.objects
      .all('account', 100)
      .map(({ object }) => ({ id: object.id, email: object.email, currentlyDue: object.currentlyDue })),
    events: count('SELECT count(*) AS n FROM payments_events'),
    deliveries: {
      pending: count(`SELECT count(*) AS n FROM payments_deliveries WHERE state = 'pending'`),
      delivered: count(`SELECT count(*) AS n FROM payments_deliveries WHERE state = 'delivered'`),
      dropped: count(`SELECT count(*) AS n FROM payments_deliveries WHERE state = 'dropped'`),
      failed: count(`SELECT count(*) AS n FROM payments_deliveries WHERE state = 'failed'`),
    },
  };
}

/** Forgets everything but where webhooks go. */
function reset(world: World): void {
  const endpoint = world.settings.read<unknown>('webhook-endpoint', null);
  inTransaction(world.store, () => {
    for (const table of TABLES) world.store.db.exec(`DELETE FROM payments_${table}`);
    if (endpoint) world.settings.write('webhook-endpoint', endpoint);
  });
}
