import type { Client } from './client.ts';
import {
  type Answer,
  type Appearance,
  type FrameSetup,
  type FromFrame,
  isMessage,
  type Question,
  type ToFrame,
} from './protocol.ts';

export interface ElementOptions {
  paymentMethodOrder?: string[];
  defaultValues?: { billingDetails?: { name?: string; email?: string } };
}

export interface ElementContext {
  client: Client;
  clientSecret: string | null;
  methodTypes: string[] | null;
  appearance: Appearance;
}

type Handler = (event: unknown) => void;

/** Leaves the question open until the frame has answered it. */
type Ask = (question: Question) => void;
type Unnumbered<Q> = Q extends Question ? Omit<Q, 'id'> : never;

/** The fields live in a frame of the provider's: the page never sees a number. */
export class PaymentElement {
  readonly #context: ElementContext;
  #options: ElementOptions;
  #frame: HTMLIFrameElement | null = null;
  #ready = false;
  #destroyed = false;
  #lastId = 0;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #open = new Map<number, (answer: Answer) => void>();
  readonly #waiting: Question[] = [];

  constructor(context: ElementContext, options: ElementOptions) {
    this.#context = context;
    this.#options = options;
  }

  mount(target: string | HTMLElement): this {
    if (this.#destroyed) throw new Error('This Element has already been destroyed. Please create a new one.');
    const host = typeof target === 'string' ? document.querySelector(target) : target;
    if (!host) throw new Error(`The selector you specified (${target}) applies to no DOM elements.`);
    this.unmount();
    const frame = document.createElement('iframe');
    frame.title = 'Secure payment input frame';
    frame.allow = 'payment *';
    frame.src = `${this.#context.client.origin}/elements/payment`;
    Object.assign(frame.style, { width: '100%', border: '0', display: 'block', height: '280px' });
    this.#matchScheme(frame);
    frame.addEventListener('error', () => this.#emit('loaderror', { elementType: 'payment' }));
    this.#frame = frame;
    window.addEventListener('message', this.#onMessage);
    host.append(frame);
    this.#emit('loaderstart', { elementType: 'payment' });
    return this;
  }

  unmount(): this {
    window.removeEventListener('message', this.#onMessage);
    this.#frame?.remove();
    this.#frame = null;
    this.#ready = false;
    return this;
  }

  destroy(): this {
    this.unmount();
    this.#destroyed = true;
    this.#handlers.clear();
    return this;
  }

  get destroyed(): boolean {
    return this.#destroyed;
  }

  update(options: ElementOptions): this {
    this.#options = { ...this.#options, ...options };
    if (options.paymentMethodOrder)
      this.#post({ sandboxPayments: 'order', order: options.paymentMethodOrder });
    return this;
  }

  setAppearance(appearance: Appearance): void {
    this.#context.appearance = appearance;
    if (this.#frame) this.#matchScheme(this.#frame);
    this.#post({ sandboxPayments: 'appearance', appearance });
  }

  /** A frame whose colour scheme differs from its document's gets an opaque background. */
  #matchScheme(frame: HTMLIFrameElement): void {
    frame.style.colorScheme = this.#context.appearance.theme === 'night' ? 'dark' : 'light';
  }

  on(event: string, handler: Handler): this {
    const handlers = this.#handlers.get(event) ?? new Set();
    handlers.add(handler);
    this.#handlers.set(event, handlers);
    if (event === 'ready' && this.#ready) queueMicrotask(() => handler({ elementType: 'payment' }));
    return this;
  }

  once(event: string, handler: Handler): this {
    const wrapped: Handler = (value) => {
      this.off(event, wrapped);
      handler(value);
    };
    return this.on(event, wrapped);
  }

  off(event: string, handler?: Handler): this {
    if (handler) this.#handlers.get(event)?.delete(handler);
    else this.#handlers.delete(event);
    return this;
  }

  focus(): this {
    this.#frame?.focus();
    this.#post({ sandboxPayments: 'focus' });
    return this;
  }

  blur(): this {
    this.#post({ sandboxPayments: 'blur' });
    return this;
  }

  clear(): this {
    this.#post({ sandboxPayments: 'clear' });
    return this;
  }

  collapse(): this {
    return this;
  }

  /** Asks the frame something; waits for it to be ready first. */
  ask(question: Unnumbered<Question>): Promise<Answer> {
    if (!this.#frame) {
      throw new Error(
        'Invalid value for elements: it should have a mounted Payment Element. Please ensure that the Payment Element is mounted.',
      );
    }
    this.#lastId += 1;
    const numbered = { ...question, id: this.#lastId } as Question;
    return new Promise((resolve) => {
      this.#open.set(numbered.id, resolve);
      if (this.#ready) this.#send(numbered);
      else this.#waiting.push(numbered);
    });
  }

  readonly #send: Ask = (question) => this.#post({ sandboxPayments: 'ask', question });

  #post(message: ToFrame): void {
    this.#frame?.contentWindow?.postMessage(message, this.#context.client.origin);
  }

  #emit(event: string, value: object): void {
    for (const handler of this.#handlers.get(event) ?? []) handler(value);
  }

  readonly #onMessage = (event: MessageEvent<unknown>): void => {
    if (event.source !== this.#frame?.contentWindow || !isMessage(event.data)) return;
    this.#hear(event.data as FromFrame);
  };

  #hear(message: FromFrame): void {
    switch (message.sandboxPayments) {
      case 'hello':
        this.#post({ sandboxPayments: 'setup', setup: this.#setup() });
        return;
      case 'height':
        if (this.#frame) this.#frame.style.height = `${message.height}px`;
        return;
      case 'ready':
        this.#ready = true;
        for (const question of this.#waiting.splice(0)) this.#send(question);
        break;
      case 'answer':
        this.#open.get(message.id)?.(message.answer);
        this.#open.delete(message.id);
        return;
      case 'change':
        this.#emit('change', message.change);
        return;
      case 'loaderror':
        this.#emit('loaderror', { elementType: 'payment', error: message.error });
        return;
    }
    this.#emit(message.sandboxPayments, { elementType: 'payment' });
  }

  #setup(): FrameSetup {
    const { client, clientSecret, methodTypes, appearance } = this.#context;
    const billing = this.#options.defaultValues?.billingDetails;
    return {
      publishableKey: client.publishableKey,
      account: client.account,
      clientSecret,
      methodTypes,
      order: this.#options.paymentMethodOrder ?? [],
      appearance,
      defaults: { name: billing?.name ?? '', email: billing?.email ?? '' },
    };
  }
}
