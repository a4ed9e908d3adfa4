import {
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Guard } from './features/users/guard.tsx';
import { parseSearchText, readSearch, writeSearchText } from './lib/screen-search.ts';
import { Shell } from './shell/shell.tsx';
import { FatalError } from './ui/fatal-error.tsx';

/**
 * Every route of P1 §2 and P2 §2. A new screen is one file in `screens/` with a default export, and one line here;
 * `open` routes need no sign-in.
 */
const rootRoute = createRootRoute({
  component: Shell,
  errorComponent: ({ error }) => (
    <FatalError error={error instanceof Error ? error : new Error(String(error))} />
  ),
  notFoundComponent: () => null,
});

const screen = <P extends string>(path: P, load: () => Promise<{ default: () => ReactNode }>, open = false) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: readSearch,
    component: open ? lazyRouteComponent(load) : guarded(lazyRouteComponent(load)),
  });

/** A screen for signed-in people. The router loads it ahead through `preload`, on intent and before it shows it. */
function guarded(Screen: AsyncRouteComponent<object>): AsyncRouteComponent<object> {
  const Guarded = () => (
    <Guard>
      <Screen />
    </Guard>
  );
  return Object.assign(Guarded, { preload: () => Screen.preload?.() ?? Promise.resolve() });
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
  screen('/', () => import('./screens/home.tsx'), true),
  screen('/onboarding/{-$step}', () => import('./screens/onboarding.tsx')),
  screen('/account/{-$tab}', () => import('./screens/account.tsx')),
  screen('/customers', () => import('./screens/customers.tsx')),
  screen('/customers/add', () => import('./screens/customers.tsx')),
  screen('/customers/csv-format', () => import('./screens/customer-csv-format.tsx')),
  screen('/customers/import/$importId', () => import('./screens/customer-import.tsx')),
  screen('/customers/$customerId/{-$tab}', () => import('./screens/customer-detail.tsx')),
  screen('/domains', () => import('./screens/domains.tsx')),
  screen('/cart', () => import('./screens/cart.tsx')),
  screen('/domain/list', () => import('./screens/domain-list.tsx')),
  screen('/orders', () => import('./screens/orders.tsx')),
  screen('/orders/$orderId', () => import('./screens/order.tsx')),
  screen('/domain/transfer', () => import('./screens/domain-transfer.tsx')),
  screen('/domain/transfer/$domain', () => import('./screens/domain-transfer-status.tsx')),
  screen('/domain/renewals', () => import('./screens/renewals.tsx')),
  screen('/domain/$domain', () => import('./screens/domain-detail.tsx')),
  screen('/domain/$domain/dns', () => import('./screens/domain-detail.tsx')),
  screen('/customers/$customerId/domains/$domain', () => import('./screens/domain-detail.tsx')),
  screen('/direct-billing', () => import('./screens/direct-billing.tsx')),
  screen('/payment-setup/$token', () => import('./screens/payment-setup.tsx'), true),
  screen('/operator/{-$tab}', () => import('./screens/operator.tsx'), true),
  screen('/SSL/{-$opensrsorderid}', () => import('./screens/certificate.tsx')),
  screen('/certificates', () => import('./screens/certificates.tsx')),
  screen('/audit', () => import('./screens/audit.tsx')),
  screen('/tokens', () => import('./screens/tokens.tsx')),
  screen('/users', () => import('./screens/users.tsx')),
  screen('/invite/$inviteId', () => import('./screens/invite.tsx'), true),
  screen('/terms-and-conditions', () => import('./screens/document.tsx'), true),
  screen('/privacy-policy', () => import('./screens/document.tsx'), true),
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
