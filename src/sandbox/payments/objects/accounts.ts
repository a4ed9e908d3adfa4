import { type Held, newId } from '../database.ts';
import { ApiError, invalidParam, wrongState } from '../errors.ts';
import type { World } from '../world.ts';
import { accountV1, capabilityV1 } from './account-views.ts';
import type { AccountRecord, LinkRecord } from './kinds.ts';

/** Links die after minutes and after one use (reference §2.1, checked 2026-11-21). */
const LINK_SECONDS = 300;

/** What a fresh account owes, in v1 words: all of it is asked for on the hosted page. */
const FIRST_REQUIREMENTS = [
  'business_type',
  'company.name',
  'company.address.line1',
  'external_account',
  'representative.first_name',
  'tos_acceptance.date',
] as const;

export function createAccount(
  world: World,
  given: Partial<AccountRecord> & Pick<AccountRecord, 'email' | 'dashboard'>,
): AccountRecord {
  const record: AccountRecord = {
    id: newId('acct', 16),
    object: 'account_record',
    created: world.seconds(),
    displayName: null,
    country: 'US',
    currency: 'usd',
    feesCollector: 'stripe',
    lossesCollector: 'stripe',
    requestedCapabilities: ['card_payments'],
    detailsSubmitted: false,
    currentlyDue: [...FIRST_REQUIREMENTS],
    closed: false,
    metadata: {},
    businessType: 'company',
    legalName: null,
    phone: null,
    bankLast4: null,
    address: { line1: null, line2: null, city: null, state: null, postal_code: null, country: null },
    identityGiven: false,
    ...given,
  };
  return world.objects.insert('account', '', record);
}

export function requireAccount(world: World, id: string, param = 'account'): AccountRecord {
  const held = world.objects.find('account', '', id);
  if (held) return held.object;
  throw new ApiError(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    param,
    message: `The provided key 'sk_test_…' does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`,
  });
}

/** Is everything given that the provider asks for now? */
function isActive(account: AccountRecord): boolean {
  return account.detailsSubmitted && account.currentlyDue.length === 0 && !account.closed;
}

/** Stores an account and tells what changed, in both vocabularies. */
export function saveAccount(world: World, account: AccountRecord, before: AccountRecord): void {
  world.objects.save('account', account);
  world.emit('account.updated', accountV1(account), account.id);
  world.emitThin('v2.core.account.updated', account.id);
  if (account.currentlyDue.join() !== before.currentlyDue.join()) {
    world.emitThin('v2.core.account[requirements].updated', account.id);
  }
  if (isActive(account) !== isActive(before)) {
    for (const name of account.requestedCapabilities) {
      world.emit('capability.updated', capabilityV1(account, name), account.id);
      world.emitThin('v2.core.account[configuration.merchant].capability_status_updated', account.id, {
        updated_capability: name,
      });
    }
  }
}

/** The provider wants more: a finished account stops being finished (reference §2.1). */
export function askForMore(world: World, account: AccountRecord, requirements: string[]): void {
  const before = structuredClone(account);
  account.currentlyDue = requirements;
  saveAccount(world, account, before);
}

export function createLink(
  world: World,
  link: Omit<LinkRecord, 'id' | 'object' | 'created' | 'expiresAt'>,
): LinkRecord {
  const record: LinkRecord = {
    ...link,
    id: newId('link', 32),
    object: 'link_record',
    created: world.seconds(),
    expiresAt: world.seconds() + LINK_SECONDS,
  };
  return world.objects.insert('link', '', record, { used: false });
}

/** Opens a link: null when it is unknown, too old or was opened before. Its first opening uses it up. */
export function openLink(world: World, id: string, purpose: LinkRecord['purpose']): LinkRecord | null {
  const held = liveLink(world, id, purpose);
  if (!held) return null;
  world.objects.save('link', held.object, { used: true });
  return held.object;
}

export function findLink(world: World, id: string, purpose: LinkRecord['purpose']): LinkRecord | null {
  const held = world.objects.find('link', '', id);
  return held?.object.purpose === purpose ? held.object : null;
}

function liveLink(world: World, id: string, purpose: LinkRecord['purpose']): Held<'link'> | null {
  const held = world.objects.find('link', '', id);
  if (held?.object.purpose !== purpose || held.hidden.used === true) return null;
  return held.object.expiresAt > world.seconds() ? held : null;
}

export function onboardingUrl(world: World, link: LinkRecord): string {
  return `${world.baseUrl}/setup/e/${link.account}/${link.id}`;
}

export function createLoginLink(world: World, account: AccountRecord): string {
  if (account.dashboard !== 'express') {
    throw wrongState('Login Links can only be created for Express accounts.');
  }
  if (!account.detailsSubmitted) {
    throw wrongState('Cannot create a login link for an account that has not completed onboarding.');
  }
  const link = createLink(world, {
    purpose: 'dashboard',
    account: account.id,
    refreshUrl: null,
    returnUrl: null,
  });
  return `${world.baseUrl}/express/${account.id}/${link.id}`;
}

/** A direct charge needs an account that may take cards. */
export function refuseIfNotActive(world: World, accountId: string): void {
  if (accountId === '') return;
  const account = requireAccount(world, accountId);
  if (isActive(account)) return;
  throw wrongState(
    'Your account cannot currently make live charges. It has outstanding requirements.',
    'charges_not_enabled',
  );
}

export function checkUrl(value: string, param: string): string {
  if (/^https?:\/\//.test(value) && URL.canParse(value)) return value;
  throw invalidParam(param, 'Not a valid URL', 'url_invalid');
}
