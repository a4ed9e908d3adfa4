import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { z } from 'zod';
import { Guard } from './features/users/guard.tsx';
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

const tableSearch = z.object({
  page: z.coerce.number().int().min(1).optional().catch(undefined),
  sort: z.string().optional().catch(undefined),
  search: z.string().optional().catch(undefined),
  customer: z.string().optional().catch(undefined),
});

const screen = <P extends string>(
  path: P,
  load: () => Promise<{ default: () => React.ReactNode }>,
  open = false,
) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: tableSearch.extend({ name: z.string().optional().catch(undefined) }),
    component: open ? lazyRouteComponent(load) : guarded(lazyRouteComponent(load)),
  });

function guarded(Screen: React.ComponentType) {
  return () => (
    <Guard>
      <Screen />
    </Guard>
  );
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
  screen('/domains', () => import('./screens/domains.tsx')),
  screen('/cart', () => import('./screens/cart.tsx')),
  screen('/domain/list', () => import('./screens/domain-list.tsx')),
  screen('/terms-and-conditions', () => import('./screens/document.tsx'), true),
  screen('/privacy-policy', () => import('./screens/document.tsx'), true),
  redirectTo('/domain', '/domain/list'),
  // P2 §2: any other path leads home.
  redirectTo('/$', '/'),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
