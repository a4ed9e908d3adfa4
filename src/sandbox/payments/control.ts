import { z } from 'zod';
import type { ControlHandler } from '../part.ts';
import { inTransaction, TABLES } from './database.ts';
import { ApiError } from './errors.ts';
import { flood, floodSchema } from './flood.ts';
import { addFault, clearFaults, EFFECTS } from './next-faults.ts';
import { finishAccount } from './objects/account-steps.ts';
import { askForMore, requireAccount } from './objects/accounts.ts';
import { answerChallenge, confirmIntent } from './objects/confirm.ts';
import { closeDispute, openDispute } from './objects/disputes.ts';
import { revokeMandate } from './objects/mandates.ts';
import { type IntentHeld, requireIntent } from './objects/payment-intents.ts';
import { detachMethod, requireMethod } from './objects/payment-methods.ts';
import { failRefund, settleRefund } from './objects/refunds.ts';
import { settlePayment, type Timers } from './timers.ts';
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

const accountField = { account: z.string().default('') };

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

function moneyControl(world: World, timers: Timers): Record<string, ControlHandler> {
  const within = <T>(work: () => T) => inTransaction(world.store, work);
  return {
    /** The person pays in the browser, without a browser. */
    pay: (body) => {
      const given = z
        .strictObject({ paymentIntent: z.string(), paymentMethod: z.string(), ...accountField })
        .parse(body);
      return within(() => {
        const held = requireIntent(world, given.account, given.paymentIntent);
        const method = requireMethod(world, given.account, given.paymentMethod);
        declinesAreFine(() =>
          confirmIntent(world, held, method, {
            offSession: false,
            inBrowser: true,
            returnUrl: null,
            errorOnAction: false,
          }),
        );
        return summary(held);
      });
    },
    /** The person answers the bank's question. */
    challenge: (body) => {
      const given = z
        .strictObject({ paymentIntent: z.string(), pass: z.boolean().default(true), ...accountField })
        .parse(body);
      return within(() => {
        const held = requireIntent(world, given.account, given.paymentIntent);
        const method = requireMethod(world, given.account, String(held.object.payment_method));
        declinesAreFine(() => answerChallenge(world, held, method, given.pass));
        return summary(held);
      });
    },
    settle: (body) => {
      const given = z
        .strictObject({
          paymentIntent: z.string().optional(),
          refund: z.string().optional(),
          ...accountField,
        })
        .parse(body ?? {});
      if (given.refund) {
        const id = given.refund;
        within(() => settleRefund(world, given.account, id));
        return { ok: true };
      }
      if (given.paymentIntent)
        return within(() => settle(world, given.account, given.paymentIntent ?? '', null));
      const open = world.objects
        .all('payment_intent', 1000)
        .filter(({ object }) => object.status === 'processing');
      for (const held of open) within(() => settle(world, held.account, held.object.id, undefined));
      return { settled: open.length };
    },
    'fail-payment': (body) => {
      const given = z
        .strictObject({
          paymentIntent: z.string(),
          code: z.string().default('insufficient_funds'),
          ...accountField,
        })
        .parse(body);
      const failure = { code: given.code, message: 'The bank did not pay.' };
      return within(() => settle(world, given.account, given.paymentIntent, failure));
    },
    'fail-refund': (body) => {
      const given = z.strictObject({ refund: z.string(), ...accountField }).parse(body);
      within(() => failRefund(world, given.account, given.refund));
      return { ok: true };
    },
    'settle-time': (body) => {
      world.settings.write('settle-ms', z.strictObject({ ms: z.int().min(0) }).parse(body).ms);
      return { ok: true };
    },
    dispute: (body) => dispute(world, body),
    'dispute-close': (body) => {
      const given = z.strictObject({ id: z.string(), won: z.boolean(), ...accountField }).parse(body);
      return within(() => {
        const found = world.objects.find('dispute', given.account, given.id);
        if (!found) throw new Error(`no dispute ${given.id}`);
        return closeDispute(world, given.account, found.object, given.won);
      });
    },
    /** Does what the sandbox's clock has made due, at once. */
    tick: () => ({ done: timers.run() }),
  };
}

/** @param failure null: it succeeds; undefined: what the test account says. */
function settle(
  world: World,
  account: string,
  id: string,
  failure: { code: string; message: string } | null | undefined,
) {
  const held = requireIntent(world, account, id);
  if (held.object.status !== 'processing') throw new Error(`${id} is ${held.object.status}, not processing`);
  settlePayment(
    world,
    account,
    String(held.object.latest_charge),
    failure === undefined ? undefined : { failure },
  );
  return summary(requireIntent(world, account, id));
}

function dispute(world: World, body: unknown) {
  const given = z
    .strictObject({
      paymentIntent: z.string().optional(),
      charge: z.string().optional(),
      reason: z.string().optional(),
      amountCents: z.int().min(1).optional(),
      ...accountField,
    })
    .parse(body);
  return inTransaction(world.store, () => {
    const charge =
      given.charge ??
      String(requireIntent(world, given.account, given.paymentIntent ?? '').object.latest_charge);
    return openDispute(world, given.account, charge, given.reason, given.amountCents);
  });
}

function accountControl(world: World): Record<string, ControlHandler> {
  const within = <T>(work: () => T) => inTransaction(world.store, work);
  return {
    /** `requirements: []` satisfies the provider again. */
    'account-requirements': (body) => {
      const given = z
        .strictObject({
          account: z.string(),
          requirements: z.array(z.string()).default(['individual.verification.document']),
        })
        .parse(body);
      within(() => askForMore(world, requireAccount(world, given.account), given.requirements));
      return { ok: true };
    },
    /** The hosted set-up is done, without a browser. */
    'account-finish': (body) => {
      const given = z.strictObject({ account: z.string() }).parse(body);
      within(() => finishAccount(world, requireAccount(world, given.account), {}));
      return { ok: true };
    },
    deauthorize: (body) => {
      const given = z.strictObject({ account: z.string() }).parse(body);
      within(() => {
        const account = requireAccount(world, given.account);
        world.emit('account.application.deauthorized', { id: account.id }, account.id);
      });
      return { ok: true };
    },
    /** The customer removes the stored method. */
    detach: (body) => {
      const given = z.strictObject({ paymentMethod: z.string(), ...accountField }).parse(body);
      return within(() => detachMethod(world, requireMethod(world, given.account, given.paymentMethod)));
    },
    /** The bank tells that the consent to debits is withdrawn. */
    'revoke-mandate': (body) => {
      const given = z.strictObject({ paymentMethod: z.string(), ...accountField }).parse(body);
      within(() => {
        const found = world.objects.list('mandate', given.account, {
          limit: 1,
          where: { payment_method: given.paymentMethod },
        });
        const mandate = found.data[0];
        if (!mandate) throw new Error(`no mandate for ${given.paymentMethod}`);
        revokeMandate(world, given.account, mandate);
      });
      return { ok: true };
    },
  };
}

function summary(held: IntentHeld) {
  const { id, status, amount, last_payment_error } = held.object;
  return { id, status, amount, failure: last_payment_error?.code ?? null };
}

function declinesAreFine(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 402) throw error;
  }
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
