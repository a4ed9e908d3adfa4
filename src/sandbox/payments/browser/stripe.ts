import { type Client, call, intentPath, retrieve } from './client.ts';
import { showChallenge } from './dialog.ts';
import { type ElementOptions, PaymentElement } from './payment-element.ts';
import type { Answer, Appearance, Intent, PaymentError } from './protocol.ts';

/** `window.Stripe`: as much of the provider's script as its React package and a Payment Element ask for. */

interface ElementsOptions {
  clientSecret?: string;
  mode?: string;
  paymentMethodTypes?: string[];
  appearance?: Appearance;
}

interface ConfirmOptions {
  elements?: Elements;
  clientSecret?: string;
  confirmParams?: { return_url?: string; payment_method?: string };
  redirect?: 'always' | 'if_required';
}

/** A mistake of the integration, not of the person: thrown, as the provider's script does. */
class IntegrationError extends Error {
  override readonly name = 'IntegrationError';
}

class Elements {
  readonly #client: Client;
  readonly #options: ElementsOptions;
  #element: PaymentElement | null = null;

  constructor(client: Client, options: ElementsOptions) {
    this.#client = client;
    this.#options = options;
    if (!options.clientSecret && !options.mode) {
      throw new IntegrationError('Invalid value for elements(): either clientSecret or mode is required.');
    }
  }

  get clientSecret(): string | null {
    return this.#options.clientSecret ?? null;
  }

  create(type: string, options: ElementOptions = {}): PaymentElement {
    if (type !== 'payment') throw new IntegrationError(`The sandbox has no ${type} Element.`);
    if (this.#element && !this.#element.destroyed) {
      throw new IntegrationError('Can only create one Element of type payment.');
    }
    this.#element = new PaymentElement(
      {
        client: this.#client,
        clientSecret: this.clientSecret,
        methodTypes: this.#options.paymentMethodTypes ?? null,
        appearance: this.#options.appearance ?? {},
      },
      options,
    );
    return this.#element;
  }

  getElement(type: unknown): PaymentElement | null {
    return type === 'payment' && this.#element && !this.#element.destroyed ? this.#element : null;
  }

  update(options: ElementsOptions): void {
    if (options.appearance) this.#element?.setAppearance(options.appearance);
    Object.assign(this.#options, options);
  }

  async fetchUpdates(): Promise<{ error?: PaymentError }> {
    return {};
  }

  async submit(): Promise<{ error?: PaymentError; selectedPaymentMethod?: string }> {
    const answer = await this.mounted().ask({ ask: 'submit' });
    if (answer.error) return { error: answer.error };
    return answer.selected ? { selectedPaymentMethod: answer.selected } : {};
  }

  mounted(): PaymentElement {
    const element = this.getElement('payment');
    if (!element) throw new IntegrationError('The elements instance has no mounted Payment Element.');
    return element;
  }
}

function resultOf(answer: Answer): Record<string, unknown> {
  if (answer.error) return { error: answer.error };
  const { intent } = answer;
  return intent?.object === 'setup_intent' ? { setupIntent: intent } : { paymentIntent: intent };
}

/** What a failed attempt left on the intent, in the shape of an error. */
function failureOf(intent: Intent): PaymentError | null {
  if (intent.status !== 'requires_payment_method') return null;
  const error = intent.last_payment_error ?? intent.last_setup_error;
  if (!error) return null;
  return { ...error, [intent.object]: intent };
}

async function followUp(client: Client, answer: Answer): Promise<Answer> {
  const { intent } = answer;
  if (intent?.status !== 'requires_action') return answer;
  const challenge = intent.next_action?.use_stripe_sdk?.stripe_js;
  if (challenge) {
    await showChallenge(challenge, client.origin);
    const after = await retrieve(client, intent.client_secret);
    const failure = after.intent ? failureOf(after.intent) : null;
    return failure ? { error: failure } : after;
  }
  const elsewhere = intent.next_action?.redirect_to_url?.url;
  if (elsewhere) return leave(elsewhere);
  return answer;
}

function leave(url: string): Promise<never> {
  window.location.assign(url);
  return new Promise(() => {});
}

function returnTo(url: string, intent: Intent): Promise<never> {
  const target = new URL(url, window.location.href);
  target.searchParams.set(intent.object, intent.id);
  target.searchParams.set(`${intent.object}_client_secret`, intent.client_secret);
  target.searchParams.set('redirect_status', intent.status === 'processing' ? 'pending' : intent.status);
  return leave(target.href);
}

async function confirm(client: Client, options: ConfirmOptions): Promise<Record<string, unknown>> {
  const { elements, redirect = 'always', confirmParams = {} } = options;
  const clientSecret = options.clientSecret ?? elements?.clientSecret;
  if (!clientSecret) throw new IntegrationError('confirm needs a clientSecret.');
  const returnUrl = confirmParams.return_url ?? null;
  if (!returnUrl && redirect === 'always') {
    throw new IntegrationError('`confirmParams.return_url` is required unless `redirect` is `if_required`.');
  }
  const first = elements
    ? await elements.mounted().ask({ ask: 'confirm', clientSecret, returnUrl })
    : await confirmStored(client, clientSecret, confirmParams.payment_method ?? null);
  const answer = await followUp(client, first);
  if (answer.intent && redirect === 'always' && returnUrl) return returnTo(returnUrl, answer.intent);
  return resultOf(answer);
}

async function confirmStored(client: Client, clientSecret: string, method: string | null): Promise<Answer> {
  const reply = await call<Intent>(client, 'POST', `${intentPath(clientSecret)}/confirm`, {
    client_secret: clientSecret,
    ...(method ? { payment_method: method } : {}),
  });
  return 'error' in reply ? { error: reply.error } : { intent: reply.value };
}

function makeStripe(client: Client) {
  const stored = async (clientSecret: string, data?: { payment_method?: unknown }) => {
    const method = typeof data?.payment_method === 'string' ? data.payment_method : null;
    return resultOf(await followUp(client, await confirmStored(client, clientSecret, method)));
  };
  return {
    elements: (options: ElementsOptions) => new Elements(client, options),
    confirmPayment: (options: ConfirmOptions) => confirm(client, options),
    confirmSetup: (options: ConfirmOptions) => confirm(client, options),
    confirmCardPayment: stored,
    confirmCardSetup: stored,
    retrievePaymentIntent: async (clientSecret: string) => resultOf(await retrieve(client, clientSecret)),
    retrieveSetupIntent: async (clientSecret: string) => resultOf(await retrieve(client, clientSecret)),
    async handleNextAction({ clientSecret }: { clientSecret: string }) {
      return resultOf(await followUp(client, await retrieve(client, clientSecret)));
    },
    async createPaymentMethod({ elements }: { elements?: Elements }) {
      if (!elements)
        throw new IntegrationError('createPaymentMethod needs `elements` with a Payment Element.');
      const answer = await elements.mounted().ask({ ask: 'create-method' });
      return answer.error ? { error: answer.error } : { paymentMethod: answer.method };
    },
    async createToken(): Promise<{ error: PaymentError }> {
      return { error: { type: 'invalid_request_error', message: 'The sandbox has no tokens.' } };
    },
    registerAppInfo: () => {},
    _registerWrapper: () => {},
  };
}

const script = document.currentScript;
const origin = script instanceof HTMLScriptElement ? new URL(script.src).origin : '';

function start(publishableKey: string, options: { stripeAccount?: string } = {}) {
  if (!publishableKey?.startsWith('pk_')) {
    throw new IntegrationError(
      'Please call Stripe() with your publishable key. You used an empty or wrong one.',
    );
  }
  return makeStripe({ origin, publishableKey, account: options.stripeAccount ?? null });
}

Object.assign(start, { version: 'sandbox' });
Object.assign(window, { Stripe: start });
