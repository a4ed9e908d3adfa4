import type { Stripe } from 'stripe';
import { newId } from '../database.ts';
import type { World } from '../world.ts';

/** The account holder's consent to bank debits. */
export function createMandate(world: World, account: string, methodId: string): Stripe.Mandate {
  const mandate: Stripe.Mandate = {
    id: newId('mandate'),
    object: 'mandate',
    customer_acceptance: {
      accepted_at: world.seconds(),
      online: { ip_address: '192.0.2.1', user_agent: null },
      type: 'online',
    },
    livemode: false,
    multi_use: {},
    payment_method: methodId,
    payment_method_details: { type: 'us_bank_account', us_bank_account: {} },
    status: 'active',
    type: 'multi_use',
  };
  return world.objects.insert('mandate', account, mandate);
}

/** The account holder withdrew the consent: what the bank reports as `mandate.updated`. */
export function revokeMandate(world: World, account: string, mandate: Stripe.Mandate): void {
  mandate.status = 'inactive';
  world.objects.save('mandate', mandate);
  world.emit('mandate.updated', mandate, account);
}
