import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Permission } from '#contracts/permissions.ts';
import { Guard } from './features/users/guard.tsx';
import { untilDataIsAsked } from './lib/provider.ts';
import { parseSearchText, readSearch, writeSearchText } from './lib/screen-search.ts';
import HomeScreen from './screens/home.tsx';
import { Shell } from './shell/shell.tsx';
import { FatalError } from './ui/fatal-error.tsx';
import { lazily } from './ui/lazily.tsx';

/**
 * Every route of P1 §2 and P2 §2. A new screen is one file in `screens/` with a default export, and one line here
 * that says whose it is.
 */
const HomeOverview = lazily(async () => ({
  default: (await import('./shell/member-parts.ts')).HomeOverview,
}));

const rootRoute = createRootRoute({
  component: Shell,
  errorComponent: ({ error }) => (
    <FatalError error={error instanceof Error ? error : new Error(String(error))} />
  ),
  notFoundComponent: () => null,
});

/** `open`: needs no sign-in; a permission: of that people only, everybody else is led home. */
type Access = 'open' | 'signed-in' | Permission;

const screen = <P extends string>(
  path: P,
  access: Access,
  load: () => Promise<{ default: () => ReactNode }>,
) => {
  const part = lazily(async () => {
    await untilDataIsAsked();
    return load();
  });
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: readSearch,
    component: access === 'open' ? part : guarded(part, access),
  });
};

/** A screen for signed-in people. The router loads it ahead through `preload`, on intent and before it shows it. */
function guarded(Screen: ReturnType<typeof lazily<object>>, access: Exclude<Access, 'open'>) {
  const Guarded = () => (
    <Guard needs={access === 'signed-in' ? null : access}>
      <Screen />
    </Guard>
  );
  return Object.assign(Guarded, { preload: Screen.preload });
}

const redirectTo = <P extends string>(path: P, to: string) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad: () => {
      throw redirect({ to, replace: true });
    },
  });

const routeTree = rootRoute.addChildren([
  // Of the part that starts: a file of its own would only be one request more.
  screen('/', 'open', async () => ({ default: () => <HomeScreen overview={<HomeOverview />} /> })),
  screen('/onboarding/{-$step}', 'signed-in', () => import('./screens/onboarding.tsx')),
  screen('/account/{-$tab}', 'profile.self', () => import('./screens/account.tsx')),
  screen('/customers', 'customers.read', () => import('./screens/customers.tsx')),
  screen('/customers/add', 'customers.create', () => import('./screens/customers.tsx')),
  screen('/customers/csv-format', 'customers.create', () => import('./screens/customer-csv-format.tsx')),
  screen('/customers/import/file', 'customers.create', () => import('./screens/customer-file.tsx')),
  screen('/customers/import/$importId', 'customers.create', () => import('./screens/customer-import.tsx')),
  screen('/customers/$customerId/{-$tab}', 'customers.read', () => import('./screens/customer-detail.tsx')),
  screen('/domains', 'catalogue.read', () => import('./screens/domains.tsx')),
  screen('/domains/list', 'orders.purchase', () => import('./screens/domain-names.tsx')),
  screen('/cart', 'orders.purchase', () => import('./screens/cart.tsx')),
  screen('/domain/list', 'domains.read', () => import('./screens/domain-list.tsx')),
  screen('/orders', 'orders.read', () => import('./screens/orders.tsx')),
  screen('/orders/$orderId', 'orders.read', () => import('./screens/order.tsx')),
  screen('/domain/transfer', 'orders.purchase', () => import('./screens/domain-transfer.tsx')),
  screen('/domain/transfer/$domain', 'domains.read', () => import('./screens/domain-transfer-status.tsx')),
  screen('/domain/moves', 'orders.purchase', () => import('./screens/moves.tsx')),
  screen('/domain/moves/$moveId', 'orders.purchase', () => import('./screens/move.tsx')),
  screen('/domain/renewals', 'balance.read', () => import('./screens/renewals.tsx')),
  screen('/domain/$domain/{-$tab}', 'domains.read', () => {
    // The records come together with the screen around them, and not after its first drawing.
    if (window.location.pathname.endsWith('/dns')) {
      import('./features/dns/managed-dns-tab.tsx').catch(() => undefined);
    }
    return import('./screens/domain-detail.tsx');
  }),
  screen(
    '/customers/$customerId/domains/$domain',
    'domains.read',
    () => import('./screens/domain-detail.tsx'),
  ),
  screen('/direct-billing', 'customers.billing', () => import('./screens/direct-billing.tsx')),
  screen('/payment-setup/$token', 'open', () => import('./screens/payment-setup.tsx')),
  screen('/operator/{-$tab}', 'open', () => import('./screens/operator.tsx')),
  screen('/SSL/{-$opensrsorderid}', 'domains.read', () => import('./screens/certificate.tsx')),
  screen('/certificates', 'domains.read', () => import('./screens/certificates.tsx')),
  screen('/certificates/acme', 'acme.manage', () => import('./screens/acme-accesses.tsx')),
  screen('/certificates/acme/$accessId', 'acme.manage', () => import('./screens/acme-access.tsx')),
  screen('/attention', 'domains.read', () => import('./screens/attention.tsx')),
  screen('/health', 'domains.read', () => import('./screens/health.tsx')),
  screen('/health/report/$customerId', 'domains.read', () => import('./screens/health-report.tsx')),
  screen('/health/watched', 'domains.read', () => import('./screens/watched.tsx')),
  screen('/changes', 'changes.manage', () => import('./screens/changes.tsx')),
  screen('/changes/new', 'changes.manage', () => import('./screens/change-new.tsx')),
  screen('/changes/templates', 'dns.templates', () => import('./screens/templates.tsx')),
  screen('/changes/templates/$templateId', 'dns.templates', () => import('./screens/template.tsx')),
  screen('/changes/$changeId', 'changes.manage', () => import('./screens/change.tsx')),
  screen('/audit', 'audit.read', () => import('./screens/audit.tsx')),
  screen('/tokens', 'tokens.manage', () => import('./screens/tokens.tsx')),
  screen('/privacy', 'privacy.manage', () => import('./screens/privacy.tsx')),
  screen('/users', 'users.manage', () => import('./screens/users.tsx')),
  screen('/invite/$inviteId', 'open', () => import('./screens/invite.tsx')),
  screen('/terms-and-conditions', 'open', () => import('./screens/document.tsx')),
  screen('/privacy-policy', 'open', () => import('./screens/document.tsx')),
  redirectTo('/domain', '/domain/list'),
  // P2 §2: any other path leads home.
  redirectTo('/$', '/'),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  parseSearch: parseSearchText,
  stringifySearch: writeSearchText,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
