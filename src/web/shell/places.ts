import {
  IconAddressBook,
  IconBell,
  IconCertificate,
  IconClipboardList,
  IconCreditCardPay,
  IconHistory,
  IconHome,
  IconKey,
  IconReceipt2,
  IconRefresh,
  IconStack2,
  IconStethoscope,
  IconUsers,
  IconUsersGroup,
  IconWorld,
} from '@tabler/icons-react';
import type { Profile } from '#contracts/operations/users.ts';
import { useProfile } from '../features/users/api.ts';
import { usePublicConfig } from '../lib/session.tsx';

export interface Place {
  to: string;
  label: string;
  group: 'Portfolio' | 'Customers' | 'Organization';
  Icon: typeof IconWorld;
}

/** Where the side navigation and the commands lead: customers and domain management (P2 §2), and what else the role allows. */
export function usePlaces(): Place[] {
  const { appType } = usePublicConfig();
  const profile = useProfile().data;
  if (!profile) return [];
  return placesOf(profile, appType !== 'client')
    .filter(({ shown }) => shown)
    .map(({ shown: _, ...place }) => place);
}

function placesOf(profile: Profile, staffOnly: boolean): (Place & { shown: boolean })[] {
  const may = (permission: string) => profile.permissions.includes(permission);
  const own = profile.authorizedClientId;
  const portfolio = 'Portfolio' as const;
  const organization = 'Organization' as const;
  const customers = own ? organization : ('Customers' as const);
  const domains = may('domains.read');
  return [
    { group: portfolio, to: '/', label: 'Home', Icon: IconHome, shown: true },
    { group: portfolio, to: '/attention', label: 'Attention', Icon: IconBell, shown: domains },
    { group: portfolio, to: '/domain/list', label: 'Domain management', Icon: IconWorld, shown: domains },
    { group: portfolio, to: '/changes', label: 'Changes', Icon: IconStack2, shown: may('changes.manage') },
    { group: portfolio, to: '/health', label: 'Health', Icon: IconStethoscope, shown: domains },
    { group: portfolio, to: '/certificates', label: 'Certificates', Icon: IconCertificate, shown: domains },
    {
      ...{ group: portfolio, to: '/domain/renewals', label: 'Renewals', Icon: IconRefresh },
      shown: may('balance.read'),
    },
    own
      ? {
          ...{ group: customers, to: `/customers/${own}`, label: 'Contacts', Icon: IconAddressBook },
          shown: may('customers.read'),
        }
      : {
          ...{ group: customers, to: '/customers', label: 'Customers', Icon: IconUsers },
          shown: may('customers.read'),
        },
    { group: customers, to: '/orders', label: 'Orders', Icon: IconClipboardList, shown: may('orders.read') },
    {
      ...{ group: customers, to: '/direct-billing', label: 'Direct billing', Icon: IconCreditCardPay },
      shown: may('customers.billing'),
    },
    {
      ...{ group: organization, to: '/account', label: 'Billing', Icon: IconReceipt2 },
      shown: may('balance.read'),
    },
    {
      ...{ group: organization, to: '/users', label: 'Users', Icon: IconUsersGroup },
      shown: may('users.manage') && staffOnly,
    },
    {
      ...{ group: organization, to: '/tokens', label: 'API tokens', Icon: IconKey },
      shown: may('tokens.manage') && staffOnly,
    },
    { group: organization, to: '/audit', label: 'Audit log', Icon: IconHistory, shown: may('audit.read') },
  ];
}

/** Screens of an entry that are not below its own path. */
const alsoBelow: Readonly<Record<string, readonly string[]>> = {
  '/domain/list': ['/domain', '/domains'],
  '/certificates': ['/SSL'],
  '/users': ['/privacy'],
};

/** The entry whose screen this is: of two that fit, the one with the longer path. */
export function activePlace(pathname: string, places: readonly Place[]): string | undefined {
  const fits = (path: string) => pathname === path || (path !== '/' && pathname.startsWith(`${path}/`));
  const matches = places.flatMap(({ to }) =>
    [to, ...(alsoBelow[to] ?? [])].filter(fits).map((path) => ({ to, length: path.length })),
  );
  return matches.sort((a, b) => b.length - a.length)[0]?.to;
}
