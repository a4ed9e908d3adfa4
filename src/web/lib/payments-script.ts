import type { Stripe } from '@stripe/stripe-js';
import type { PublicConfig } from '#contracts/operations/system.ts';

type Factory = (publishableKey: string) => Stripe;

let loading: Promise<Stripe> | null = null;

/** Loads the payment provider's script where a form needs it, once. A failure may be tried again. */
export function loadPayments(payments: PublicConfig['payments']): Promise<Stripe> {
  loading ??= inject(payments.scriptUrl)
    .then(() => {
      const factory = (window as unknown as { Stripe?: Factory }).Stripe;
      if (!factory) throw new Error('the payment form could not be loaded');
      return factory(payments.publishableKey);
    })
    .catch((error: unknown) => {
      loading = null;
      throw error;
    });
  return loading;
}

function inject(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.async = true;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error('the payment form could not be loaded')));
    document.head.append(script);
  });
}
