import { finishAccount } from '../objects/account-steps.ts';
import { findLink, openLink, requireAccount } from '../objects/accounts.ts';
import type { AccountAddress, AccountRecord, LinkRecord } from '../objects/kinds.ts';
import { alertBox, field, html, notFound, type Page, type PageCall, type PageReply, page } from './page.ts';

/** How long a person may take once the page is open. */
const STAY_SECONDS = 3600;

/** The hosted set-up of a payment account. Its link opens once; a stale one leads to the refresh address. */
export const onboardingPage: Page = { pattern: '/setup/e/:account/:link', handle };

function handle(call: PageCall): PageReply {
  const { world } = call;
  const id = call.path.link ?? '';
  const link = findLink(world, id, 'onboarding');
  if (link?.account !== call.path.account || !link) return notFound();
  const account = requireAccount(world, link.account);
  if (call.method === 'GET') {
    const fresh = openLink(world, id, 'onboarding');
    if (!fresh) return link.refreshUrl ? { redirect: link.refreshUrl } : notFound();
    return form(call, account, null);
  }
  if (world.seconds() > link.created + STAY_SECONDS) {
    return link.refreshUrl ? { redirect: link.refreshUrl } : notFound();
  }
  return call.form.string('action') === 'later' ? leave(call, link) : submit(call, account, link);
}

function submit(call: PageCall, account: AccountRecord, link: LinkRecord): PageReply {
  const text = (name: string) => (call.form.string(name) ?? '').trim();
  const address = readAddress(call);
  const missing = !text('legal_name') || !address.line1 || !address.city || !text('account_number');
  if (missing) return form(call, account, 'Fill in your name, address and bank account.');
  if (!/^\d{6,17}$/.test(text('account_number')))
    return form(call, account, 'The account number has digits only.');
  finishAccount(call.world, account, {
    businessType: text('business_type') === 'individual' ? 'individual' : 'company',
    legalName: text('legal_name'),
    phone: text('phone'),
    bankLast4: text('account_number').slice(-4),
    address,
    stillDue: text('more') ? ['individual.verification.document'] : [],
  });
  return leave(call, link);
}

export function readAddress(call: PageCall): AccountAddress {
  const text = (name: string) => (call.form.string(name) ?? '').trim() || null;
  return {
    line1: text('line1'),
    line2: text('line2'),
    city: text('city'),
    state: text('state'),
    postal_code: text('postal_code'),
    country: text('country')?.toUpperCase() ?? 'US',
  };
}

/** Back to the portal: finished or not, which is why the return proves nothing. */
function leave(call: PageCall, link: LinkRecord): PageReply {
  call.world.emitThin('v2.core.account_link.returned', link.account, {
    account_id: link.account,
    use_case: 'account_onboarding',
  });
  if (link.returnUrl) return { redirect: link.returnUrl };
  return page('Thank you', html`<p>You can close this page.</p>`);
}

export function addressFields(address: AccountAddress) {
  return html`${field({ name: 'line1', label: 'Address', value: address.line1, autocomplete: 'address-line1' })}
${field({ name: 'line2', label: 'Address, second line', value: address.line2, autocomplete: 'address-line2', optional: true })}
${field({ name: 'city', label: 'City', value: address.city, autocomplete: 'address-level2' })}
${field({ name: 'state', label: 'State', value: address.state, autocomplete: 'address-level1', optional: true })}
${field({ name: 'postal_code', label: 'ZIP or postal code', value: address.postal_code, autocomplete: 'postal-code' })}
${field({ name: 'country', label: 'Country', value: address.country ?? 'US', autocomplete: 'country' })}`;
}

function form(call: PageCall, account: AccountRecord, message: string | null): PageReply {
  const due = account.currentlyDue.map((item) => html`<li><code>${item}</code></li>`);
  const given = call.method === 'POST' ? readAddress(call) : account.address;
  const selected = (type: string) => (account.businessType === type ? html` selected` : null);
  const body = html`${alertBox(message)}
<p>Signed in as ${account.email ?? 'the account holder'}. Still needed:</p>
<ul>${due}</ul>
<form method="post" action="/setup/e/${account.id}/${call.path.link ?? ''}">
<label for="business_type">Type of business</label>
<select id="business_type" name="business_type"><option value="company"${selected('company')}>Company</option><option value="individual"${selected('individual')}>Individual</option></select>
${field({ name: 'legal_name', label: 'Legal name', value: call.form.string('legal_name') ?? account.legalName ?? account.displayName, autocomplete: 'organization' })}
${field({ name: 'phone', label: 'Phone', value: call.form.string('phone') ?? account.phone, autocomplete: 'tel', inputmode: 'tel', optional: true })}
${addressFields(given)}
${field({ name: 'routing_number', label: 'Bank routing number', value: '110000000', inputmode: 'numeric' })}
${field({ name: 'account_number', label: 'Bank account number', value: '000123456789', inputmode: 'numeric' })}
<label class="check"><input type="checkbox" name="more" value="1"> Sandbox: the provider asks for more information afterwards</label>
<button type="submit" name="action" value="submit">Agree and submit</button>
<button type="submit" name="action" value="later" class="second" formnovalidate>Save for later</button>
</form>`;
  return page('Set up your payment account', body, { status: message ? 422 : 200 });
}
