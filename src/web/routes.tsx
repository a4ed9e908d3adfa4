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

/** What may stand behind the `?` of an address: the state of a table, the name that is looked up. */
export interface ScreenSearch {
  page?: number | undefined;
  sort?: string | undefined;
  search?: string | undefined;
  customer?: string | undefined;
  /** The name that was asked for, and the one of its results that was picked. */
  name?: string | undefined;
  picked?: string | undefined;
}

const textKeys = ['sort', 'search', 'customer', 'name', 'picked'] as const;
const longestText = 300;

/** Addresses are typed and shared: what is none of ours is left out, never an error. */
export function readSearch(given: Record<string, unknown>): ScreenSearch {
  const read: ScreenSearch = {};
  const page = Number(given.page);
  if (Number.isInteger(page) && page > 1 && page <= 1_000_000) read.page = page;
  for (const key of textKeys) {
    const value = given[key];
    if (value !== undefined && value !== null && value !== '')
      read[key] = String(value).slice(0, longestText);
  }
  return read;
}

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
  screen('/customers/$customerId/{-$tab}', () => import('./screens/customer-detail.tsx')),
  screen('/domains', () => import('./screens/domains.tsx')),
  screen('/cart', () => import('./screens/cart.tsx')),
  screen('/domain/list', () => import('./screens/domain-list.tsx')),
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
  // Plain texts, so that an address can be read and typed.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
