import { ApiError } from '../errors.ts';
import { answerChallenge } from '../objects/confirm.ts';
import { answerSetupChallenge } from '../objects/setup-intents.ts';
import type { World } from '../world.ts';
import { html, notFound, type Page, type PageCall, type PageReply, page } from './page.ts';

/** The bank's page (3-D Secure): shown in a dialog by the browser script, or reached by redirect. */
export const challengePage: Page = { pattern: '/challenge/:id', handle };

interface Challenge {
  clientSecret: string | null;
  waiting: boolean;
  returnUrl: string | null;
  cents: number | null;
  answer(passed: boolean): void;
  succeeded(): boolean;
}

function handle(call: PageCall): PageReply {
  const id = call.path.id ?? '';
  const challenge = find(call.world, id);
  const secret = call.query.string('client_secret');
  if (!challenge || secret === null || secret !== challenge.clientSecret) return notFound();
  const inDialog = call.query.string('frame') === '1';
  if (call.method === 'POST' && challenge.waiting) {
    declinesAreShownLater(() => challenge.answer(call.form.string('outcome') === 'complete'));
    return away(id, challenge, inDialog);
  }
  if (!challenge.waiting) return away(id, challenge, inDialog);
  const amount =
    challenge.cents === null ? 'to store your card' : `of $${(challenge.cents / 100).toFixed(2)}`;
  const action = `/challenge/${id}?client_secret=${secret}${inDialog ? '&frame=1' : ''}`;
  return page(
    'Confirm with your bank',
    html`<p>The sandbox bank asks whether it is really you who wants the payment ${amount}.</p>
<form method="post" action="${action}" class="row">
<button name="outcome" value="complete">Complete authentication</button>
<button name="outcome" value="fail" class="second">Fail authentication</button>
</form>`,
  );
}

function find(world: World, id: string): Challenge | null {
  const found = world.objects.anywhere(id);
  if (found?.kind === 'payment_intent') return forPayment(world, found.account, id);
  if (found?.kind === 'setup_intent') return forSetup(world, found.account, id);
  return null;
}

function forPayment(world: World, account: string, id: string): Challenge | null {
  const held = world.objects.find('payment_intent', account, id);
  if (!held) return null;
  const methodId = held.object.payment_method;
  const method =
    typeof methodId === 'string' ? world.objects.find('payment_method', account, methodId) : null;
  return {
    clientSecret: held.object.client_secret,
    waiting: held.object.status === 'requires_action' && method !== null,
    returnUrl: textOf(held.hidden.returnUrl),
    cents: held.object.amount,
    answer: (passed) => method && answerChallenge(world, held, method, passed),
    succeeded: () => held.object.status === 'succeeded',
  };
}

function forSetup(world: World, account: string, id: string): Challenge | null {
  const held = world.objects.find('setup_intent', account, id);
  if (!held) return null;
  const methodId = held.object.payment_method;
  const method =
    typeof methodId === 'string' ? world.objects.find('payment_method', account, methodId) : null;
  return {
    clientSecret: held.object.client_secret,
    waiting: held.object.status === 'requires_action' && method !== null,
    returnUrl: textOf(held.hidden.returnUrl),
    cents: null,
    answer: (passed) => method && answerSetupChallenge(world, held, method, passed),
    succeeded: () => held.object.status === 'succeeded',
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function declinesAreShownLater(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 402) throw error;
  }
}

function away(id: string, challenge: Challenge, inDialog: boolean): PageReply {
  if (inDialog || !challenge.returnUrl) {
    return page('Thank you', html`<p>You can close this page.</p>`, { script: '/browser/challenge.js' });
  }
  const target = new URL(challenge.returnUrl);
  const kind = id.startsWith('seti') ? 'setup_intent' : 'payment_intent';
  target.searchParams.set(kind, id);
  target.searchParams.set(`${kind}_client_secret`, challenge.clientSecret ?? '');
  target.searchParams.set('redirect_status', challenge.succeeded() ? 'succeeded' : 'failed');
  return { redirect: target.href };
}
