import { changeContact } from '../objects/account-steps.ts';
import { findLink, openLink, requireAccount } from '../objects/accounts.ts';
import type { AccountRecord } from '../objects/kinds.ts';
import type { World } from '../world.ts';
import { addressFields, readAddress } from './onboarding.ts';
import { alertBox, field, html, notFound, type Page, type PageCall, type PageReply, page } from './page.ts';

const STAY_SECONDS = 3600;

/** The Express dashboard behind a login link, which opens once. */
export const dashboardPage: Page = { pattern: '/express/:account/:link', handle };

function handle(call: PageCall): PageReply {
  const { world } = call;
  const id = call.path.link ?? '';
  const link = findLink(world, id, 'dashboard');
  if (!link || link.account !== call.path.account) return notFound();
  const account = requireAccount(world, link.account);
  if (call.method === 'GET') return openLink(world, id, 'dashboard') ? show(call, account, null) : notFound();
  if (world.seconds() > link.created + STAY_SECONDS) return notFound();
  const legalName = (call.form.string('legal_name') ?? '').trim();
  const address = readAddress(call);
  if (!legalName || !address.line1) return show(call, account, 'A name and an address are needed.');
  changeContact(world, account, { legalName, phone: call.form.string('phone'), address });
  return show(call, account, 'Saved.');
}

function show(call: PageCall, account: AccountRecord, message: string | null): PageReply {
  const { world } = call;
  const movements = world.objects.list('balance_transaction', account.id, { limit: 50 }).data;
  const rows = movements.map(
    (line) =>
      html`<tr><td>${new Date(line.created * 1000).toISOString().slice(0, 10)}</td><td>${line.type}</td><td>${dollars(line.amount)}</td><td>${dollars(line.fee)}</td><td>${dollars(line.net)}</td></tr>`,
  );
  const body = html`${alertBox(message)}
<p>${account.email ?? ''} · balance <strong>${dollars(balanceCents(world, account.id))}</strong> · bank account ending in ${account.bankLast4 ?? '—'}</p>
<h2>Movements</h2>
<table><thead><tr><th>Date</th><th>Kind</th><th>Amount</th><th>Fees</th><th>Net</th></tr></thead><tbody>${rows}</tbody></table>
<h2>Account</h2>
<form method="post" action="/express/${account.id}/${call.path.link ?? ''}">
${field({ name: 'legal_name', label: 'Legal name', value: account.legalName, autocomplete: 'organization' })}
${field({ name: 'phone', label: 'Phone', value: account.phone, autocomplete: 'tel', inputmode: 'tel', optional: true })}
${addressFields(account.address)}
<button type="submit">Save</button>
</form>`;
  return page(account.displayName ?? account.legalName ?? 'Payment account', body);
}

function dollars(cents: number): string {
  return `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`;
}

function balanceCents(world: World, account: string): number {
  const row = world.store.db
    .prepare(
      `SELECT coalesce(sum(json_extract(json, '$.net')), 0) AS cents FROM payments_objects WHERE account = ? AND kind = 'balance_transaction'`,
    )
    .get(account) as { cents: number };
  return row.cents;
}
