import { z } from 'zod';
import type { ControlHandler } from '../part.ts';
import { inTransaction } from './database.ts';
import { ApiError } from './errors.ts';
import { answerChallenge, confirmIntent } from './objects/confirm.ts';
import { closeDispute, openDispute } from './objects/disputes.ts';
import { type IntentHeld, requireIntent } from './objects/payment-intents.ts';
import { requireMethod } from './objects/payment-methods.ts';
import { failRefund, settleRefund } from './objects/refunds.ts';
import { settlePayment, type Timers } from './timers.ts';
import type { World } from './world.ts';

/** '' is the platform, else a connected account. */
const accountField = { account: z.string().default('') };
const datesSchema = z.strictObject({
  paymentIntent: z.string(),
  ageDays: z.number().min(0),
  ...accountField,
});
const daySeconds = 86_400;

/** Payments from the side of the person, the bank and the clock. */
export function moneyControl(world: World, timers: Timers): Record<string, ControlHandler> {
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
    ...laterControl(world, timers),
  };
}

/** What comes after a payment: refunds that come back, disputes, the clock. */
function laterControl(world: World, timers: Timers): Record<string, ControlHandler> {
  const within = <T>(work: () => T) => inTransaction(world.store, work);
  return {
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
    /** Payments were made earlier: for data that is to have a history. */
    dates: (body) => {
      for (const given of z.array(datesSchema).parse(body)) within(() => redate(world, given));
      return { ok: true };
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

/** A payment and its charge, as if they had been made so many days ago. */
function redate(world: World, { paymentIntent, ageDays, account }: z.output<typeof datesSchema>): void {
  const created = Math.round(world.seconds() - ageDays * daySeconds);
  const { object } = requireIntent(world, account, paymentIntent);
  object.created = created;
  world.objects.save('payment_intent', object);
  const charge = object.latest_charge && world.objects.find('charge', account, String(object.latest_charge));
  if (!charge) return;
  charge.object.created = created;
  world.objects.save('charge', charge.object);
}

function dispute(world: World, body: unknown) {
  const given = z
    .strictObject({
      paymentIntent: z.string().optional(),
      charge: z.string().optional(),
      reason: z.string().optional(),
      amountCents: z.int().min(1).optional(),
      inquiry: z.boolean().default(false),
      ...accountField,
    })
    .parse(body);
  return inTransaction(world.store, () => {
    const charge =
      given.charge ??
      String(requireIntent(world, given.account, given.paymentIntent ?? '').object.latest_charge);
    return openDispute(world, given.account, charge, given.reason, given.amountCents, given.inquiry);
  });
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
