import { ApiError } from '../errors.ts';
import { Params } from '../form.ts';
import { completeSession, type SessionHeld } from '../objects/checkout.ts';
import { createMethod } from '../objects/payment-methods.ts';
import { confirmSetup, type SetupHeld } from '../objects/setup-intents.ts';
import { TEST_ROUTING_NUMBER } from '../test-methods.ts';
import type { World } from '../world.ts';
import {
  alertBox,
  field,
  type Html,
  html,
  notFound,
  type Page,
  type PageCall,
  type PageReply,
  page,
} from './page.ts';

/** The hosted page of a setup session: the end customer stores a card or a bank account. */
export const checkoutPage: Page = { pattern: '/checkout/:id', handle };

function handle(call: PageCall): PageReply {
  const { world } = call;
  const session = findSession(world, call.path.id ?? '');
  const setupId = session?.object.setup_intent;
  if (!session || typeof setupId !== 'string') return notFound();
  const setup = world.objects.find('setup_intent', session.account, setupId);
  if (!setup) return notFound();
  if (session.object.status === 'complete') return done(session);
  if (session.object.status === 'expired') {
    return page('This link has expired', html`<p>Ask for a new one where you got it.</p>`, { status: 410 });
  }
  if (setup.object.status === 'succeeded') return finish(world, session, setup);
  if (call.method === 'GET') return form(call, session, setup.object.last_setup_error?.message ?? null);
  return submit(call, session, setup);
}

function findSession(world: World, id: string): SessionHeld | null {
  const found = world.objects.anywhere(id);
  return found?.kind === 'checkout.session'
    ? world.objects.find('checkout.session', found.account, id)
    : null;
}

function submit(call: PageCall, session: SessionHeld, setup: SetupHeld): PageReply {
  const { world, form: given } = call;
  const text = (name: string) => given.string(name) ?? '';
  const [month = '', year = ''] = text('expiry').split('/');
  const bank = text('type') === 'us_bank_account';
  try {
    const method = createMethod(
      world,
      session.account,
      new Params({
        type: bank ? 'us_bank_account' : 'card',
        billing_details: { email: text('email'), name: text('name') },
        ...(bank
          ? {
              us_bank_account: {
                routing_number: text('routing_number'),
                account_number: text('account_number'),
              },
            }
          : {
              card: {
                number: text('number'),
                exp_month: month.trim(),
                exp_year: year.trim(),
                cvc: text('cvc'),
              },
            }),
      }),
      true,
    );
    confirmSetup(world, setup, method, {
      offSession: false,
      inBrowser: false,
      returnUrl: `${world.baseUrl}/checkout/${session.object.id}`,
      errorOnAction: false,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return form(call, session, error.message);
  }
  const next = setup.object.next_action?.redirect_to_url?.url;
  if (next) return { redirect: next };
  return finish(world, session, setup);
}

function finish(world: World, session: SessionHeld, setup: SetupHeld): PageReply {
  const id = setup.object.payment_method;
  const method = typeof id === 'string' ? world.objects.find('payment_method', session.account, id) : null;
  const billing = method?.object.billing_details;
  completeSession(world, session, { email: billing?.email ?? '', name: billing?.name ?? '' });
  return done(session);
}

function done(session: SessionHeld): PageReply {
  const { success_url, id } = session.object;
  if (success_url) return { redirect: success_url.replaceAll('{CHECKOUT_SESSION_ID}', id) };
  return page('Thank you', html`<p>Your payment method is stored.</p>`);
}

function form(call: PageCall, session: SessionHeld, message: string | null): PageReply {
  const { world, form: given, query } = call;
  const { object } = session;
  const types = object.payment_method_types;
  const chosen = given.string('type') ?? query.string('type') ?? types[0] ?? 'card';
  const customer =
    typeof object.customer === 'string'
      ? world.objects.find('customer', session.account, object.customer)?.object
      : undefined;
  const tabs = types.length > 1 ? types.map((type) => tab(object.id, type, type === chosen)) : [];
  const body = html`${alertBox(message)}
<nav class="tabs" aria-label="Kind of payment method">${tabs}</nav>
<form method="post" action="/checkout/${object.id}">
<input type="hidden" name="type" value="${chosen}">
${field({ name: 'email', label: 'Email', value: given.string('email') ?? object.customer_email ?? customer?.email ?? '', autocomplete: 'email', inputmode: 'email' })}
${field({ name: 'name', label: 'Full name', value: given.string('name') ?? customer?.name ?? '', autocomplete: 'name' })}
${chosen === 'us_bank_account' ? bankFields() : cardFields()}
<button type="submit">Save</button>
${object.cancel_url ? html`<a class="quiet" href="${object.cancel_url}">Back</a>` : null}
</form>`;
  return page('Save a payment method', body, { status: message ? 402 : 200 });
}

function tab(sessionId: string, type: string, current: boolean): Html {
  const label = type === 'card' ? 'Card' : 'US bank account';
  if (current)
    return html`<a class="tab" aria-current="page" href="/checkout/${sessionId}?type=${type}">${label}</a>`;
  return html`<a class="tab" href="/checkout/${sessionId}?type=${type}">${label}</a>`;
}

function cardFields(): Html {
  return html`${field({ name: 'number', label: 'Card number', autocomplete: 'cc-number', inputmode: 'numeric', hint: 'Test number: 4242 4242 4242 4242' })}
${field({ name: 'expiry', label: 'Expiration (MM / YY)', autocomplete: 'cc-exp', inputmode: 'numeric' })}
${field({ name: 'cvc', label: 'Security code', autocomplete: 'cc-csc', inputmode: 'numeric' })}`;
}

function bankFields(): Html {
  return html`${field({ name: 'routing_number', label: 'Routing number', inputmode: 'numeric', hint: `Test number: ${TEST_ROUTING_NUMBER}` })}
${field({ name: 'account_number', label: 'Account number', inputmode: 'numeric', hint: 'Test number: 000123456789' })}`;
}
