import type { Stripe } from 'stripe';
import { ApiError, invalidParam, missingParam } from '../errors.ts';
import type { Params } from '../form.ts';
import { accountV1 } from '../objects/account-views.ts';
import {
  checkUrl,
  createAccount,
  createLink,
  createLoginLink,
  onboardingUrl,
  requireAccount,
  saveAccount,
} from '../objects/accounts.ts';
import { type Call, page, pageQuery, pathParam, type Route } from './route.ts';

const V1_PARAMS = [
  'business_profile',
  'business_type',
  'capabilities',
  'controller',
  'country',
  'default_currency',
  'email',
  'expand',
  'metadata',
  'type',
] as const;

export const accountRoutes: Route[] = [
  { method: 'POST', pattern: '/v1/accounts', handle: createV1 },
  {
    method: 'GET',
    pattern: '/v1/accounts',
    handle: ({ world, params }) => {
      const found = world.objects.list('account', '', pageQuery(params));
      return page('/v1/accounts', { data: found.data.map(accountV1), hasMore: found.hasMore });
    },
  },
  {
    method: 'GET',
    pattern: '/v1/account',
    handle: ({ world, account }) => accountV1(requireAccount(world, account)),
  },
  {
    method: 'GET',
    pattern: '/v1/accounts/:id',
    handle: (call) => accountV1(requireAccount(call.world, pathParam(call, 'id'))),
  },
  { method: 'POST', pattern: '/v1/accounts/:id', handle: updateV1 },
  { method: 'POST', pattern: '/v1/accounts/:id/login_links', handle: loginLink },
  { method: 'POST', pattern: '/v1/account_links', handle: linkV1 },
];

function createV1({ world, params }: Call): Stripe.Account {
  params.only(V1_PARAMS);
  const type = params.oneOf('type', ['express', 'standard', 'custom']);
  const controller = params.object('controller');
  if (type && controller)
    throw invalidParam('type', 'You may not provide the `type` and `controller` parameters.');
  if (!type && !controller) throw missingParam('controller');
  const dashboard =
    controller?.object('stripe_dashboard')?.oneOf('type', ['express', 'full', 'none']) ??
    (type === 'express' ? 'express' : type === 'custom' ? 'none' : 'full');
  const account = createAccount(world, {
    email: params.string('email'),
    dashboard,
    displayName: params.object('business_profile')?.string('name') ?? null,
    country: params.string('country') ?? 'US',
    businessType: params.oneOf('business_type', ['company', 'individual']) ?? 'company',
    feesCollector:
      controller?.object('fees')?.string('payer') === 'application' || type === 'express'
        ? 'application'
        : 'stripe',
    lossesCollector:
      controller?.object('losses')?.string('payments') === 'application' || type === 'express'
        ? 'application'
        : 'stripe',
    requestedCapabilities: capabilitiesOf(params.object('capabilities')),
    metadata: params.metadata(),
  });
  return accountV1(account);
}

function capabilitiesOf(params: Params | null): string[] {
  const names = Object.keys(params?.values ?? {});
  return names.length > 0 ? names : ['card_payments', 'transfers'];
}

function updateV1(call: Call): Stripe.Account {
  const { world, params } = call;
  params.only(['business_profile', 'email', 'expand', 'metadata']);
  const account = requireAccount(world, pathParam(call, 'id'));
  const before = structuredClone(account);
  account.metadata = params.metadata(account.metadata);
  account.email = params.string('email') ?? account.email;
  account.displayName = params.object('business_profile')?.string('name') ?? account.displayName;
  saveAccount(world, account, before);
  return accountV1(account);
}

function loginLink(call: Call): Stripe.LoginLink {
  const account = requireAccount(call.world, pathParam(call, 'id'));
  const url = createLoginLink(call.world, account);
  return { object: 'login_link', created: call.world.seconds(), url };
}

function linkV1({ world, params }: Call): Stripe.AccountLink {
  params.only(['account', 'collect', 'collection_options', 'expand', 'refresh_url', 'return_url', 'type']);
  const account = requireAccount(world, params.required('account'));
  const type = params.oneOf('type', ['account_onboarding', 'account_update']);
  if (!type) throw missingParam('type');
  if (type === 'account_update' && account.dashboard === 'express') {
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message:
        "You cannot create `account_update` type Account Links for this account. You can only create 'account_update' links for accounts where your platform is responsible for collecting requirements.",
    });
  }
  const link = createLink(world, {
    purpose: 'onboarding',
    account: account.id,
    refreshUrl: checkUrl(params.required('refresh_url'), 'refresh_url'),
    returnUrl: checkUrl(params.required('return_url'), 'return_url'),
  });
  return {
    object: 'account_link',
    created: link.created,
    expires_at: link.expiresAt,
    url: onboardingUrl(world, link),
  };
}
