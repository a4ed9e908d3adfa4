import {
  IconCertificate,
  IconClipboardList,
  IconCreditCardPay,
  IconHelp,
  IconHistory,
  IconKey,
  IconReceipt2,
  IconUsers,
  IconUsersGroup,
  IconWorld,
} from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { useMay, useProfile } from '../features/users/api.ts';
import { usePublicConfig } from '../lib/session.tsx';
import entry from '../ui/menu-entry.module.css';

/** Screens of an entry that do not stand below its own path. */
const alsoBelow: Readonly<Record<string, readonly string[]>> = {
  '/domain/list': ['/domain', '/domains'],
  '/certificates': ['/SSL'],
};

function isWithin(pathname: string, to: string): boolean {
  return [to, ...(alsoBelow[to] ?? [])].some((path) => pathname === path || pathname.startsWith(`${path}/`));
}

/** Help, customers and domain management for whoever is signed in (P2 §2), and what else the role allows. */
export function SideNavigation({ onNavigate, onHelp }: { onNavigate: () => void; onHelp: () => void }) {
  const { pathname } = useLocation();
  const config = usePublicConfig();
  const profile = useProfile();
  const users = useMay('users.manage') && config.appType !== 'client';
  const tokens = useMay('tokens.manage') && config.appType !== 'client';
  const entries = [
    { to: '/domain/list', label: 'Domain management', Icon: IconWorld, may: useMay('domains.read') },
    { to: '/certificates', label: 'Certificates', Icon: IconCertificate, may: useMay('domains.read') },
    { to: '/customers', label: 'Customers', Icon: IconUsers, may: useMay('customers.read') },
    { to: '/orders', label: 'Orders', Icon: IconClipboardList, may: useMay('orders.read') },
    {
      to: '/direct-billing',
      label: 'Direct billing',
      Icon: IconCreditCardPay,
      may: useMay('customers.billing'),
    },
    { to: '/users', label: 'Users', Icon: IconUsersGroup, may: users },
    { to: '/tokens', label: 'API tokens', Icon: IconKey, may: tokens },
    { to: '/audit', label: 'Audit log', Icon: IconHistory, may: useMay('audit.read') },
    { to: '/account', label: 'Billing', Icon: IconReceipt2, may: useMay('balance.read') },
  ];
  if (!profile.data) return null;
  return (
    <>
      {entries
        .filter(({ may }) => may)
        .map(({ to, label, Icon }) => {
          const active = isWithin(pathname, to);
          return (
            <Link
              key={to}
              to={to}
              className={entry.entry}
              data-active={active || undefined}
              aria-current={pathname === to ? 'page' : active || undefined}
              onClick={onNavigate}
            >
              <Icon size={18} aria-hidden />
              {label}
            </Link>
          );
        })}
      <button
        type="button"
        className={entry.entry}
        onClick={() => {
          onNavigate();
          onHelp();
        }}
      >
        <IconHelp size={18} aria-hidden />
        Help
      </button>
    </>
  );
}
