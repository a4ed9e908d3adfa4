import { IconHelp } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useProfile } from '../features/users/api.ts';
import entry from '../ui/menu-entry.module.css';
import { type Place, usePlaces } from './places.ts';

/** Screens of an entry that are not below its own path. */
const alsoBelow: Readonly<Record<string, readonly string[]>> = {
  '/domain/list': ['/domain', '/domains'],
  '/certificates': ['/SSL'],
  '/users': ['/privacy'],
};

/** The entry whose screen this is: of two that fit, the one with the longer path. */
function activePlace(pathname: string, places: readonly Place[]): string | undefined {
  const fits = (path: string) => pathname === path || (path !== '/' && pathname.startsWith(`${path}/`));
  const matches = places.flatMap(({ to }) =>
    [to, ...(alsoBelow[to] ?? [])].filter(fits).map((path) => ({ to, length: path.length })),
  );
  return matches.sort((a, b) => b.length - a.length)[0]?.to;
}

/** Help, customers and domain management for people who are signed in (P2 §2), and what else the role allows. */
export function SideNavigation({ onNavigate, onHelp }: { onNavigate: () => void; onHelp: () => void }) {
  const { pathname } = useLocation();
  const profile = useProfile();
  const places = usePlaces();
  if (!profile.data) return null;
  const active = activePlace(pathname, places);
  return (
    <>
      {places.map(({ to, label, group, Icon }, position) => (
        <Fragment key={to}>
          {group !== places[position - 1]?.group && <p className={entry.heading}>{group}</p>}
          <Link
            to={to}
            className={entry.entry}
            data-active={to === active || undefined}
            aria-current={pathname === to ? 'page' : to === active || undefined}
            onClick={onNavigate}
          >
            <Icon size={16} stroke={1.8} aria-hidden />
            {label}
          </Link>
        </Fragment>
      ))}
      <button
        type="button"
        className={entry.entry}
        onClick={() => {
          onNavigate();
          onHelp();
        }}
      >
        <IconHelp size={16} stroke={1.8} aria-hidden />
        Help
      </button>
    </>
  );
}
