import type { Stripe } from 'stripe';
import { ApiError, invalidParam, missingParam } from '../errors.ts';
import type { Params } from '../form.ts';
import { accountV2, INCLUDABLE, iso } from '../objects/account-views.ts';
import { checkUrl, createAccount, createLink, onboardingUrl, saveAccount } from '../objects/accounts.ts';
import type { AccountRecord } from '../objects/kinds.ts';
import { type Call, pageLimit, pathParam, type Route } from './route.ts';

const CREATE_PARAMS = [
  'configuration',
  'contact_email',
  'contact_phone',
  'dashboard',
  'defaults',
  'display_name',
  'identity',
  'include',
  'metadata',
] as const;

export const accountV2Routes: Route[] = [
  { method: 'POST', pattern: '/v2/core/accounts', handle: create },
  {
    method: 'GET',
    pattern: '/v2/core/accounts',
    handle: ({ world, params }) => {
      const found = world.objects.list('account', '', {
        limit: pageLimit(params),
        startingAfter: params.string('page'),
      });
      const last = found.data.at(-1)?.id ?? '';
      return {
        data: found.data.map((account) => accountV2(account, [])),
        next_page_url: found.hasMore ? `/v2/core/accounts?page=${last}` : null,
        previous_page_url: null,
      };
    },
  },
  {
    method: 'GET',
    pattern: '/v2/core/accounts/:id',
    handle: (call) => {
      call.params.only(['include']);
      return accountV2(find(call, pathParam(call, 'id')), includeOf(call.params));
    },
  },
  { method: 'POST', pattern: '/v2/core/accounts/:id', handle: update },
  { method: 'POST', pattern: '/v2/core/account_links', handle: link },
];

function includeOf(params: Params): string[] {
  const include = params.strings('include') ?? [];
  include.forEach((name, index) => {
    if ((INCLUDABLE as readonly string[]).includes(name)) return;
    throw invalidParam(`include[${index}]`, `Invalid value for include: ${name}`, 'invalid_fields');
  });
  return include;
}

function find(call: Call, id: string): AccountRecord {
  const held = call.world.objects.find('account', '', id);
  if (held) return held.object;
  throw new ApiError(404, {
    type: 'invalid_request_error',
    code: 'not_found',
    message: `No such account: ${id}`,
  });
}

function create({ world, params }: Call): Stripe.V2.Core.Account {
  params.only(CREATE_PARAMS);
  const include = includeOf(params);
  const merchant = params.object('configuration')?.object('merchant');
  const responsibilities = params.object('defaults')?.object('responsibilities');
  const dashboard = params.oneOf('dashboard', ['express', 'full', 'none']) ?? 'full';
  if (dashboard === 'express' && responsibilities?.string('losses_collector') !== 'application') {
    throw invalidParam(
      'defaults.responsibilities.losses_collector',
      'Accounts with an Express dashboard need `losses_collector` to be `application`.',
      'invalid_fields',
    );
  }
  const identity = params.object('identity');
  const account = createAccount(world, {
    email: params.required('contact_email'),
    phone: params.string('contact_phone'),
    dashboard,
    displayName: params.string('display_name'),
    country: (identity?.string('country') ?? 'us').toUpperCase(),
    currency: params.object('defaults')?.string('currency') ?? 'usd',
    businessType: identity?.oneOf('entity_type', ['company', 'individual']) ?? 'company',
    legalName: identity?.object('business_details')?.string('registered_name') ?? null,
    feesCollector: responsibilities?.string('fees_collector')?.startsWith('application')
      ? 'application'
      : 'stripe',
    lossesCollector:
      responsibilities?.string('losses_collector') === 'application' ? 'application' : 'stripe',
    requestedCapabilities: Object.keys(merchant?.object('capabilities')?.values ?? { card_payments: '' }),
    metadata: params.metadata(),
  });
  world.emitThin('v2.core.account.created', account.id);
  return accountV2(account, include);
}

function update(call: Call): Stripe.V2.Core.Account {
  const { world, params } = call;
  params.only(CREATE_PARAMS);
  const account = find(call, pathParam(call, 'id'));
  const before = structuredClone(account);
  account.email = params.string('contact_email') ?? account.email;
  account.phone = params.string('contact_phone') ?? account.phone;
  account.displayName = params.string('display_name') ?? account.displayName;
  account.metadata = params.metadata(account.metadata);
  saveAccount(world, account, before);
  return accountV2(account, includeOf(params));
}

function link(call: Call): Stripe.V2.Core.AccountLink {
  const { world, params } = call;
  params.only(['account', 'use_case']);
  const account = find(call, params.required('account'));
  const useCase = params.object('use_case');
  const type = useCase?.oneOf('type', ['account_onboarding', 'account_update']);
  if (!useCase || !type) throw missingParam('use_case.type');
  const details = useCase.object(type);
  if (!details) throw missingParam(`use_case.${type}`);
  // `configurations` went out of the request with 2026-09-30.endive (SDK 23.1.0, checked 2026-11-21).
  details.only(['collection_options', 'refresh_url', 'return_url']);
  const refreshUrl = checkUrl(details.required('refresh_url'), `use_case.${type}.refresh_url`);
  const given = details.string('return_url');
  const returnUrl = given ? checkUrl(given, `use_case.${type}.return_url`) : null;
  const record = createLink(world, { purpose: 'onboarding', account: account.id, refreshUrl, returnUrl });
  const addresses = { refresh_url: refreshUrl, ...(returnUrl ? { return_url: returnUrl } : {}) };
  return {
    object: 'v2.core.account_link',
    account: account.id,
    created: iso(record.created),
    expires_at: iso(record.expiresAt),
    livemode: false,
    url: onboardingUrl(world, record),
    use_case:
      type === 'account_onboarding'
        ? { account_onboarding: addresses, type }
        : { account_update: addresses, type },
  };
}
