import { z } from 'zod';
import { inTransaction } from './database.ts';
import type { World } from './world.ts';

const TICK_MS = 50;

export const floodSchema = z.strictObject({
  count: z.int().min(1).max(1_000_000),
  perSecond: z.number().positive(),
  /** Another type than the one that tells the payment's state, e.g. one the receiver does not know. */
  type: z.string().optional(),
});

/**
 * Sends many events about the payments that there are, each with an id of its own, at an even rate. Resolves when
 * the last is queued; `idle` waits until they are answered.
 */
export async function flood(world: World, plan: z.output<typeof floodSchema>) {
  const held = world.objects.all('payment_intent', 1000).reverse();
  if (held.length === 0) throw new Error('flood needs a payment to tell about: create one first');
  const startMs = performance.now();
  let sent = 0;
  while (sent < plan.count) {
    const elapsedMs = performance.now() - startMs + TICK_MS;
    const due = Math.min(plan.count, Math.floor((elapsedMs / 1000) * plan.perSecond));
    inTransaction(world.store, () => {
      for (; sent < due; sent += 1) {
        const one = held[sent % held.length];
        if (!one) continue;
        world.emit(plan.type ?? typeFor(one.object.status), one.object, one.account);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  return { sent, ms: Math.round(performance.now() - startMs) };
}

function typeFor(status: string): string {
  if (status === 'requires_payment_method') return 'payment_intent.payment_failed';
  return `payment_intent.${status === 'requires_confirmation' ? 'created' : status}`;
}
