/** What the page (stripe.ts) and the frame with the payment fields (element.ts) say to each other. */

export interface Appearance {
  theme?: string;
  variables?: Record<string, string>;
}

export interface FrameSetup {
  publishableKey: string;
  account: string | null;
  clientSecret: string | null;
  /** Where no client secret is known yet ("deferred intent"). */
  methodTypes: string[] | null;
  order: string[];
  appearance: Appearance;
  defaults: { name: string; email: string };
}

export type ToFrame =
  | { sandboxPayments: 'setup'; setup: FrameSetup }
  | { sandboxPayments: 'appearance'; appearance: Appearance }
  | { sandboxPayments: 'order'; order: string[] }
  | { sandboxPayments: 'focus' | 'blur' | 'clear' }
  | { sandboxPayments: 'ask'; question: Question };

export type Question =
  | { id: number; ask: 'submit' }
  | { id: number; ask: 'create-method' }
  | { id: number; ask: 'confirm'; clientSecret: string; returnUrl: string | null };

export interface PaymentError {
  type: string;
  message: string;
  code?: string;
  decline_code?: string;
  payment_intent?: Intent;
  setup_intent?: Intent;
}

export interface Intent {
  id: string;
  object: 'payment_intent' | 'setup_intent';
  client_secret: string;
  status: string;
  payment_method_types: string[];
  next_action: {
    type: string;
    use_stripe_sdk?: { stripe_js?: string };
    redirect_to_url?: { url: string };
  } | null;
  last_payment_error?: PaymentError | null;
  last_setup_error?: PaymentError | null;
}

/** An answer of the API or of the form: one of the two. */
export interface Answer {
  error?: PaymentError;
  intent?: Intent;
  method?: { id: string; type: string };
  selected?: string;
}

interface ChangeEvent {
  elementType: 'payment';
  empty: boolean;
  complete: boolean;
  collapsed: boolean;
  value: { type: string };
}

export type FromFrame =
  | { sandboxPayments: 'hello' | 'ready' | 'focus' | 'blur' | 'escape' }
  | { sandboxPayments: 'height'; height: number }
  | { sandboxPayments: 'change'; change: ChangeEvent }
  | { sandboxPayments: 'loaderror'; error: PaymentError }
  | { sandboxPayments: 'answer'; id: number; answer: Answer };

export function isMessage(data: unknown): data is { sandboxPayments: string } {
  return typeof data === 'object' && data !== null && 'sandboxPayments' in data;
}
