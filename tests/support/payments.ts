import { onTestFinished, vi } from 'vitest';

/**
 * The payment provider's script without its network and its frame: what the form asks of it is written down, and it answers what
 * the test says. The page keeps the script once it has loaded it, so that there is one of it for all tests of a process.
 */

interface Asked {
  /** What the form was drawn for: the secret of a payment. */
  secrets: string[];
  submitted: number;
  confirmed: unknown[];
  /** Set by a test: the script throws where it is asked to check what was typed. */
  breaks: boolean;
}
type Reply = Record<string, unknown>;
interface Answering {
  submit: () => Promise<Reply>;
  confirm: () => Promise<Reply>;
}

let asked: Asked;
let answering: Answering;

const element = () => ({ mount() {}, destroy() {}, update() {}, on() {}, off() {}, once() {} });

const stripe = {
  elements({ clientSecret }: { clientSecret: string }) {
    asked.secrets.push(clientSecret);
    return {
      create: element,
      getElement: () => null,
      update() {},
      submit: async () => {
        asked.submitted += 1;
        if (asked.breaks) throw new Error('the script broke');
        return answering.submit();
      },
    };
  },
  confirmPayment: async (wish: { confirmParams: unknown; redirect: string }) => {
    asked.confirmed.push({ confirmParams: wish.confirmParams, redirect: wish.redirect });
    return answering.confirm();
  },
  createToken() {},
  createPaymentMethod() {},
  confirmCardPayment() {},
};

export const payments = {
  publishableKey: 'pk_test',
  scriptUrl: 'https://pay.test/script.js',
  dashboardUrl: 'https://pay.test/dashboard',
};

/** What the provider answers to the form's own check and to each payment in turn; the last of these goes on. */
export function providerAnswers(confirm: readonly (() => Promise<Reply>)[], submit: Reply = {}): Asked {
  const left = [...confirm];
  asked = { secrets: [], submitted: 0, confirmed: [], breaks: false };
  answering = {
    submit: async () => submit,
    confirm: () => (left.length > 1 ? left.shift() : left[0])?.() ?? Promise.reject(new Error('no answer')),
  };
  scripts(true);
  vi.stubGlobal('Stripe', () => stripe);
  return asked;
}

/** Whether scripts can be loaded; nothing of them runs. */
function scripts(load: boolean): void {
  const { settings } = (window as unknown as { happyDOM: { settings: Record<string, boolean> } }).happyDOM;
  const before = settings.handleDisabledFileLoadingAsSuccess ?? false;
  settings.handleDisabledFileLoadingAsSuccess = load;
  onTestFinished(() => {
    settings.handleDisabledFileLoadingAsSuccess = before;
  });
}

/** The pauses between tries of a payment and looks at the balance take no time. What was paused for is told. */
export function hurried(): number[] {
  const pauses: number[] = [];
  const later = globalThis.setTimeout;
  vi.stubGlobal('setTimeout', (then: () => void, ms = 0, ...more: []) => {
    if (ms < 1_000 || ms > 5_000) return later(then, ms, ...more);
    pauses.push(ms);
    return queueMicrotask(then);
  });
  return pauses;
}
