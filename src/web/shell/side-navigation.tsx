import { IconHelp } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { useProfile } from '../features/users/api.ts';
import entry from '../ui/menu-entry.module.css';
import { usePlaces } from './places.ts';

/** Screens of an entry that do not stand below its own path. */
const alsoBelow: Readonly<Record<string, readonly string[]>> = {
  '/domain/list': ['/domain', '/domains'],
  '/certificates': ['/SSL'],
  '/users': ['/privacy'],
};

function isWithin(pathname: string, to: string): boolean {
  return [to, ...(alsoBelow[to] ?? [])].some((path) => pathname === path || pathname.startsWith(`${path}/`));
}

/** Help, customers and domain management for whoever is signed in (P2 §2), and what else the role allows. */
export function SideNavigation({ onNavigate, onHelp }: { onNavigate: () => void; onHelp: () => void }) {
  const { pathname } = useLocation();
  const profile = useProfile();
  const places = usePlaces();
  if (!profile.data) return null;
  return (
    <>
      {places.map(({ to, label, Icon }) => {
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
