import { IconHelp } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { Overview } from '#contracts/operations/overview.ts';
import { useOverview } from '../features/overview/api.ts';
import { useProfile } from '../features/users/api.ts';
import entry from '../ui/menu-entry.module.css';
import { activePlace, usePlaces } from './places.ts';

/** The figure beside an entry: how many there are, or how many of them need somebody. */
function numberOf(to: string, counts: Overview | undefined): { text: string; needs: boolean } | null {
  const { domains, certificates, customers, charges, attention } = counts ?? {};
  const plain = (count: number | undefined) => (count ? { text: String(count), needs: false } : null);
  if (to === '/attention') {
    return attention?.now ? { text: `${attention.now} now`, needs: true } : plain(attention?.soon);
  }
  // As many as its list has: those that are on their way here too.
  if (to === '/domain/list') return plain(domains ? domains.held + domains.transferring : undefined);
  if (to === '/domain/renewals') return plain(domains?.lapsing);
  if (to === '/customers') return plain(customers?.total);
  if (to === '/certificates' && certificates?.flagged)
    return { text: `${certificates.flagged} to do`, needs: true };
  if (to === '/direct-billing' && charges?.failed) return { text: `${charges.failed} failed`, needs: true };
  return null;
}

/** Help, customers and domain management for people who are signed in (P2 §2), and what else the role allows. */
export default function SideNavigation({
  onNavigate,
  onHelp,
}: {
  onNavigate: () => void;
  onHelp: () => void;
}) {
  const { pathname } = useLocation();
  const profile = useProfile();
  const places = usePlaces();
  const counts = useOverview(profile.data != null).data;
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
            <EntryNumber value={numberOf(to, counts)} />
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

/** Drawn beside the name of the entry. */
function EntryNumber({ value }: { value: { text: string; needs: boolean } | null }) {
  if (!value) return null;
  return <span className="number" data-number={value.needs ? 'bad' : 'plain'} data-text={value.text} />;
}
