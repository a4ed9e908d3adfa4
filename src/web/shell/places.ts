import {
  IconAddressBook,
  IconCertificate,
  IconClipboardList,
  IconCreditCardPay,
  IconHistory,
  IconKey,
  IconReceipt2,
  IconUsers,
  IconUsersGroup,
  IconWorld,
} from '@tabler/icons-react';
import { useProfile } from '../features/users/api.ts';
import { usePublicConfig } from '../lib/session.tsx';

export interface Place {
  to: string;
  label: string;
  Icon: typeof IconWorld;
}

/** Where the side navigation and the commands lead: help, customers and domain management (P2 §2), and what else the role allows. */
export function usePlaces(): Place[] {
  const { appType } = usePublicConfig();
  const profile = useProfile().data;
  if (!profile) return [];
  const may = (permission: string) => profile.permissions.includes(permission);
  const own = profile.authorizedClientId;
  const staffOnly = appType !== 'client';
  const places: (Place & { shown: boolean })[] = [
    { to: '/domain/list', label: 'Domain management', Icon: IconWorld, shown: may('domains.read') },
    { to: '/certificates', label: 'Certificates', Icon: IconCertificate, shown: may('domains.read') },
    own
      ? { to: `/customers/${own}`, label: 'Contacts', Icon: IconAddressBook, shown: may('customers.read') }
      : { to: '/customers', label: 'Customers', Icon: IconUsers, shown: may('customers.read') },
    { to: '/orders', label: 'Orders', Icon: IconClipboardList, shown: may('orders.read') },
    {
      to: '/direct-billing',
      label: 'Direct billing',
      Icon: IconCreditCardPay,
      shown: may('customers.billing'),
    },
    { to: '/users', label: 'Users', Icon: IconUsersGroup, shown: may('users.manage') && staffOnly },
    { to: '/tokens', label: 'API tokens', Icon: IconKey, shown: may('tokens.manage') && staffOnly },
    { to: '/audit', label: 'Audit log', Icon: IconHistory, shown: may('audit.read') },
    { to: '/account', label: 'Billing', Icon: IconReceipt2, shown: may('balance.read') },
  ];
  return places.filter(({ shown }) => shown);
}
